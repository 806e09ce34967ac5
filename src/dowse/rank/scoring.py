"""Scores of the pieces of a page for a question: BM25 of the piece and of its block, and signals of its context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from operator import mul

from dowse.document.markdown import Heading
from dowse.rank.answer_types import asks_number, find_asked
from dowse.rank.index import NO_WORDS, Counts, Index

_K1, _B = 1.2, 0.6
_PIECE, _BLOCK = 0.5, 0.3
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w{1,40}")
# A sentence about something else has no name of the question. Numbers weigh more anyway.
_NAMED = 1.5
# The title is near every sentence of a page, so its words tell less.
_TITLED = 0.5
# The weights of the signals, fitted by `tools/fit_scoring.py` on questions with known answers. That of headings is
# fitted lower (6.57), but pages of the web, which are few among them, need it.
WEIGHTS = (3.87, 4.75, 3.08, 3.73, 2.05, 1.32, 8.3, 2.99, 3.29)
# Where whole blocks are ranked, BM25 of the block weighs more beside its best piece; fitted on the same questions.
_WHOLE = 5.0
_WHOLE_SIGNAL = 2

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


def score_blocks(index: Index, question: str) -> list[float]:
    """A score for each block, by its best piece and as a whole: from 0 to 1.

    The best block has the share of the terms in it, by which scores of different calls compare; the others follow.
    """
    fits = [0.0] * len(index.blocks)
    in_blocks: list[dict[int, float]] = [{} for _ in index.blocks]
    signals = Scorer(index, question).signals()
    for piece, found, figures in zip(index.pieces, index.found, signals, strict=True):
        if figures is not None:
            fit = sum(map(mul, WEIGHTS, figures)) + _WHOLE * figures[_WHOLE_SIGNAL]
            fits[piece.block] = max(fits[piece.block], fit)
            _add(in_blocks[piece.block], found)
    best = max(range(len(fits)), key=fits.__getitem__, default=None)
    if best is None or not fits[best]:
        return fits
    scale = min(1.0, _share(in_blocks[best], index.terms.weights)) / fits[best]
    return [scale * fit for fit in fits]


class Scorer:
    """The signals of the pieces of a page. A term weighs the more the fewer pieces have it."""

    def __init__(self, index: Index, question: str) -> None:
        self._index = index
        self._asks_number = asks_number(question)
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
        leads = _find_leads(index)
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
                    self._measure_gain(above[block], NO_WORDS) if number in leads else 0.0,
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


def _find_leads(index: Index) -> frozenset[int]:
    """The first pieces below a heading, which often say what it names."""
    leads: dict[Heading, int] = {}
    for number, piece in enumerate(index.pieces):
        if headings := index.blocks[piece.block].headings:
            leads.setdefault(headings[-1], number)
    return frozenset(leads.values())


class Coverage:
    """The share of a question's terms in a piece and its context: neighbours, headings, title. From 0 to 1.

    A term weighs the more the fewer pieces of all pages have it, the most if none has it. So pages compare, and words
    of the topic that stand everywhere do not make up for the one word that is asked about.
    """

    def __init__(self, indexes: Sequence[Index], question: str) -> None:
        having = _count_exact(indexes)
        size = sum(len(index.pieces) for index in indexes)
        names, implied = _find_names(question), find_asked(question).implied
        self._weights = {
            word: weight
            * _idf(size, having[word])
            * (_NAMED if word in names else 1.0)
            * (not any(word == each or (not word.isascii() and word in each) for each in implied))
            for index in indexes
            for word, weight in zip(index.terms.words, index.terms.weights, strict=True)
        }

    def measure(self, index: Index, near: Mapping[str, float], title: Mapping[str, float]) -> float:
        """The coverage by the words that stand in a piece or near it, with the strength of each match."""
        weights = {
            word: self._weights[word] * (_TITLED if title.get(word, 0.0) >= 1.0 else 1.0) for word in index.terms.words
        }
        return sum(weight * near.get(word, 0.0) for word, weight in weights.items()) / (sum(weights.values()) or 1.0)


def _count_exact(indexes: Sequence[Index]) -> Counter[str]:
    """The number of pieces that have each word of the question itself, no weaker match."""
    return Counter(
        index.terms.words[term]
        for index in indexes
        for found in index.found
        for term, count in found.items()
        if count >= 1.0
    )


def matches_near(index: Index, numbers: Sequence[int], title: Mapping[str, float]) -> dict[str, float]:
    """The words of the question in some pieces of a block, beside them, in the headings above and in the title."""
    near = dict(title)
    for found in _context(index, numbers):
        for term, count in found.items():
            word = index.terms.words[term]
            near[word] = max(near.get(word, 0.0), min(1.0, count))
    return near


def matches_inside(index: Index, numbers: Sequence[int]) -> dict[str, float]:
    """The words of the question in some pieces."""
    inside: dict[str, float] = {}
    for number in numbers:
        for term, count in index.found[number].items():
            word = index.terms.words[term]
            inside[word] = max(inside.get(word, 0.0), min(1.0, count))
    return inside


def _find_names(question: str) -> set[str]:
    """The words of a question with a capital letter, but the first, in lower case."""
    return {word.lower() for word in _WORD.findall(question)[1:] if word[0].isupper()}


def _context(index: Index, numbers: Sequence[int]) -> Iterator[Counts]:
    """The terms of some pieces, of the pieces beside them in their block, and of the headings above."""
    block = index.pieces[numbers[0]].block
    for number in {*numbers, min(numbers) - 1, max(numbers) + 1}:
        if 0 <= number < len(index.pieces) and index.pieces[number].block == block:
            yield index.found[number]
    yield index.above(index.blocks[block])


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
    return [weight * _idf(size, count) for weight, count in zip(weights, common, strict=True)]


def _idf(size: int, having: int) -> float:
    """The inverse document frequency of a term that `having` of `size` texts have."""
    return log(1 + (size - having + 0.5) / (having + 0.5))
