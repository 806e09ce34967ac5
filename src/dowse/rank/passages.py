"""The part of a page that answers a question: its best pieces by BM25, in their order, under their headings."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise
from math import log

from dowse.rank import budget
from dowse.rank.blocks import Block, Heading, Piece, pieces
from dowse.rank.budget import GAP
from dowse.rank.words import Terms
from dowse.text import estimate_tokens

_GAP_TOKENS = estimate_tokens(f"{GAP}\n\n")
# More than any page has that somebody wrote; what a hostile one has beyond is not looked at.
_MOST_PIECES = 100_000
_SHORT_CHARS = 120
_K1, _B = 1.2, 0.6
_ABOVE_WEIGHT = 0.5


def select(markdown: str, question: str, max_tokens: int) -> str:
    """At most `max_tokens` tokens of what fits the question best; empty if no word of it is on the page."""
    page = list(islice(pieces(markdown), _MOST_PIECES))
    scores = _scores(page, Terms(question))
    ranked = sorted((index for index, score in enumerate(scores) if score), key=lambda index: -scores[index])
    choice = _Choice(page, max_tokens)
    for index in ranked:
        if choice.is_full:
            break
        if choice.takes(index):
            for neighbour in _needed_beside(page, index):
                choice.takes(neighbour)
    if ranked and not choice.taken:
        # The best piece alone is too long.
        return budget.cut(page[ranked[0]].text, max_tokens)
    return choice.text()


def _scores(page: Sequence[Piece], terms: Terms) -> list[float]:
    """BM25 of each piece, in which headings, also those of columns, count a little. Lengths are in characters."""
    found = _found(page, terms)
    frequency = Counter(term for counts in found for term in counts)
    weights = {term: log(1 + (len(page) - n + 0.5) / (n + 0.5)) for term, n in frequency.items()}
    average = sum(len(piece.text) for piece in page) / max(1, len(page)) or 1.0
    return [
        sum(
            weights[term] * n * (_K1 + 1) / (n + _K1 * (1 - _B + _B * len(piece.text) / average))
            for term, n in counts.items()
        )
        for piece, counts in zip(page, found, strict=True)
    ]


def _found(page: Sequence[Piece], terms: Terms) -> list[dict[int, float]]:
    """How often each piece has each word of the question."""
    above: dict[Block, Counter[int]] = {}
    found = []
    for piece in page:
        block = piece.block
        if block not in above:
            above[block] = terms.count("\n".join([*(heading.line for heading in block.headings), block.opening]))
        counts: dict[int, float] = dict(terms.count(piece.text))
        for term, n in above[block].items():
            counts[term] = counts.get(term, 0) + _ABOVE_WEIGHT * n
        found.append(counts)
    return found


def _needed_beside(page: Sequence[Piece], index: int) -> list[int]:
    """Neighbours without which a piece says little: what it announces, and what announces it."""
    piece, needed = page[index], []
    if index and _announces(page[index - 1]) and page[index - 1].block.headings == piece.block.headings:
        needed.append(index - 1)
    is_short = len(piece.text) < _SHORT_CHARS and not piece.block.is_framed
    if index + 1 < len(page) and page[index + 1].block.headings == piece.block.headings:
        needed += [index + 1] if is_short or _announces(piece) else []
    return needed


def _announces(piece: Piece) -> bool:
    return piece.text.rstrip("*_ ").endswith((":", "："))


class _Choice:
    """Pieces that are shown, and what they cost with everything around them."""

    def __init__(self, page: Sequence[Piece], max_tokens: int) -> None:
        self.taken: set[int] = set()
        self._page = page
        # What was left out behind the last piece is marked as well.
        self._left = max_tokens - _GAP_TOKENS
        self._shown: set[object] = set()

    @property
    def is_full(self) -> bool:
        return self._left < 2 * _GAP_TOKENS

    def takes(self, index: int) -> bool:
        """Whether the piece fits; if so it is shown."""
        if index in self.taken:
            return False
        piece = self._page[index]
        new = {thing: cost for thing, cost in _around(piece.block) if thing not in self._shown}
        is_beside = not self.taken.isdisjoint((index - 1, index + 1))
        cost = estimate_tokens(f"{piece.text}\n\n") + sum(new.values()) + (0 if is_beside else _GAP_TOKENS)
        if cost > self._left:
            return False
        self._left -= cost
        self._shown.update(new)
        self.taken.add(index)
        return True

    def text(self) -> str:
        """The pieces in the order of the page, under their headings, with a mark where something is left out."""
        parts: list[str] = []
        shown: set[Heading] = set()
        end = 0
        for block, group in groupby(sorted(self.taken), key=lambda index: self._page[index].block):
            indexes = list(group)
            before = self._page[indexes[0] - 1].block.headings if indexes[0] else ()
            new = [heading for heading in block.headings if heading not in shown]
            # What is left out stood behind the headings that it shares with the block.
            parts += [heading.line for heading in new if heading in before]
            parts += [GAP] if indexes[0] > end else []
            parts += [heading.line for heading in new if heading not in before]
            parts.append(self._block(block, indexes))
            shown.update(new)
            end = indexes[-1] + 1
        parts += [GAP] if parts and end < len(self._page) else []
        return "\n\n".join(parts)

    def _block(self, block: Block, indexes: Sequence[int]) -> str:
        """What is shown of one block."""
        text = self._page[indexes[0]].text
        for before, index in pairwise(indexes):
            text = _joined(text, self._page[index], has_gap=index > before + 1)
        if block.is_framed:
            return "\n".join(filter(None, [block.opening, text, block.closing]))
        # What was nested in a list that is not shown would look like code.
        return textwrap.dedent(text).rstrip()


def _joined(text: str, piece: Piece, *, has_gap: bool) -> str:
    if has_gap:
        return text.rstrip() + (f"\n{GAP}\n" if piece.is_line else f" {GAP} ") + piece.text
    return text + ("\n" if piece.is_line else "") + piece.text


def _around(block: Block) -> Iterator[tuple[object, int]]:
    """What has to be shown with any piece of a block, and what it costs."""
    for heading in block.headings:
        yield heading, estimate_tokens(f"{heading.line}\n\n")
    if block.is_framed:
        yield block, estimate_tokens(f"{block.opening}\n\n{block.closing}")
