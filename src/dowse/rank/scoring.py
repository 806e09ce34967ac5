"""Scores of the pieces of a page for a question: BM25 of the piece and of its block, and signals of its context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log
from operator import mul

from dowse.rank.index import NO_WORDS, Counts, Index

_K1, _B = 1.2, 0.6
_PIECE, _BLOCK = 0.5, 0.3
_DIGIT = re.compile(r"\d")
_NUMBER_ASKED = re.compile(
    r"\b(?:when|how (?:many|much|long|old|far|often|large|big|tall|high|deep)|(?:what|which) (?:year|date|day|month|"
    r"century|decade|time|percentage|number|amount|age)|wann|wie ?viele?|quand|combien|cu[aá]ndo|cu[aá]nt[oa]s?|quando|"
    r"quant[oaie]s?|когда|сколько|kiedy|ile|kaç|milloin|montako)\b|いつ|何[年月日時人個]|いくつ|いくら|什么时候|什麼時候|哪年|"
    r"哪一年|多少|几|언제|몇|얼마|เมื่อไ|เท่าไ|กี่|متى|كم|कब|कितन",
    re.IGNORECASE,
)
# The weights of the signals, fitted by `tools/fit_scoring.py` on questions with known answers.
WEIGHTS = (3.8, 5.2, 2.6, 4.4, 2.2, 1.35, 10.0, 2.7)

Signals = tuple[float, ...]


def score_pieces(index: Index, question: str) -> list[float | None]:
    """A score for each piece; `None` if its block has no term of the question."""
    return [None if found is None else sum(map(mul, WEIGHTS, found)) for found in Scorer(index, question).signals()]


def score_page(index: Index) -> float:
    """The share of the terms in the best piece, and with less weight in its block and on the page: from 0 to 1.

    The rarity of a term on the page is left out, so that pages can be compared.
    """
    in_blocks = [dict(index.above(block)) for block in index.blocks]
    for piece, found in zip(index.pieces, index.found, strict=True):
        _add(in_blocks[piece.block], found)
    on_page: dict[int, float] = {}
    for counts in in_blocks:
        _add(on_page, counts)
    weights = index.terms.weights
    by_block = [_BLOCK * _share(counts, weights) for counts in in_blocks]
    by_piece = (
        _PIECE * _share(found, weights) + by_block[piece.block]
        for piece, found in zip(index.pieces, index.found, strict=True)
    )
    return max(by_piece, default=0.0) + (1 - _PIECE - _BLOCK) * _share(on_page, weights)


class Scorer:
    """The signals of the pieces of a page. A term weighs the more the fewer pieces have it."""

    def __init__(self, index: Index, question: str) -> None:
        self._index = index
        self._asks_number = _NUMBER_ASKED.search(question) is not None
        self._in_blocks: list[dict[int, float]] = [{} for _ in index.blocks]
        self._block_lengths = [0] * len(index.blocks)
        for piece, found, length in zip(index.pieces, index.found, index.lengths, strict=True):
            self._block_lengths[piece.block] += length
            if found:
                _add(self._in_blocks[piece.block], found)
        self._weights = _rarity(index.found, index.terms.weights)
        self._total = sum(self._weights) or 1.0

    def signals(self) -> list[Signals | None]:
        """For each piece a value for each of `WEIGHTS`."""
        index = self._index
        above = [index.above(block) for block in index.blocks]
        in_piece = _bm25(index.found, index.lengths, self._weights)
        in_block = self._by_block(above)
        names = [self._names(number) if found else 0.0 for number, found in enumerate(self._in_blocks)]
        signals: list[Signals | None] = []
        for number, ((block, start, end), found) in enumerate(zip(index.pieces, index.found, strict=True)):
            if not in_block[block]:
                signals.append(None)
                continue
            covered = self._measure_gain(found, NO_WORDS)
            signals.append(
                (
                    in_piece[number],
                    covered * covered,
                    in_block[block],
                    self._measure_gain(self._before(number), found),
                    self._measure_gain(self._behind(number), found),
                    1.0 if self._asks_number and _DIGIT.search(index.markdown, start, end) else 0.0,
                    self._measure_gain(above[block], found),
                    names[block],
                )
            )
        return signals

    def _by_block(self, above: Sequence[Counts]) -> list[float]:
        found = []
        for inside, heading in zip(self._in_blocks, above, strict=True):
            both = dict(heading)
            _add(both, inside)
            found.append(both)
        return _bm25(found, self._block_lengths, _rarity(self._in_blocks, self._index.terms.weights))

    def _names(self, number: int) -> float:
        """The share of the terms that a block has with a capital letter."""
        block = self._index.blocks[number]
        text, words = self._index.markdown[block.start : block.end], self._index.terms.words
        named = sum(self._weights[term] for term in self._in_blocks[number] if words[term].capitalize() in text)
        return named / self._total

    def _before(self, number: int) -> Counts:
        """The terms of the previous piece, if it is of the same block or announces this one."""
        pieces = self._index.pieces
        if number and (pieces[number - 1].block == pieces[number].block or self._index.announces(number - 1)):
            return self._index.found[number - 1]
        return NO_WORDS

    def _behind(self, number: int) -> Counts:
        pieces = self._index.pieces
        if number + 1 < len(pieces) and pieces[number + 1].block == pieces[number].block:
            return self._index.found[number + 1]
        return NO_WORDS

    def _measure_gain(self, around: Counts, found: Counts) -> float:
        """The share of the terms that occur around a piece but not in it."""
        if not around:
            return 0.0
        more = 0.0
        for term, count in around.items():
            missing = min(1.0, count) - found.get(term, 0.0)
            if missing > 0.0:
                more += self._weights[term] * missing
        return more / self._total


def _bm25(found: Sequence[Counts], lengths: Sequence[int], weights: Sequence[float]) -> list[float]:
    """BM25 of each text, as a share of the best one."""
    average = sum(lengths) / max(1, len(lengths)) or 1.0
    fits = []
    for counts, length in zip(found, lengths, strict=True):
        fit = 0.0
        if counts:
            norm = _K1 * (1 - _B + _B * length / average)
            for term, count in counts.items():
                fit += weights[term] * count / (count + norm)
        fits.append(fit)
    best = max(fits, default=0.0) or 1.0
    return [fit / best for fit in fits]


def _share(found: Counts, weights: Sequence[float]) -> float:
    """The share of the terms, by weight."""
    return sum(weights[term] * min(1.0, count) for term, count in found.items()) / (sum(weights) or 1.0)


def _add(counts: dict[int, float], more: Counts) -> None:
    for term, count in more.items():
        counts[term] = counts.get(term, 0.0) + count


def _rarity(found: Sequence[Counts], weights: Sequence[float]) -> list[float]:
    """The weights of the terms multiplied by their inverse document frequency."""
    having, having_weak = [0] * len(weights), [0] * len(weights)
    for counts in found:
        for term, count in counts.items():
            if count >= 1.0:
                having[term] += 1
            else:
                having_weak[term] += 1
    size = len(found)
    # Weak matches count only for a term without any exact one.
    common = [exact or weak for exact, weak in zip(having, having_weak, strict=True)]
    return [
        weight * log(1 + (size - count + 0.5) / (count + 0.5)) for weight, count in zip(weights, common, strict=True)
    ]
