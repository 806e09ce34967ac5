"""Passage retrieval: the sentences of a page that fit a question best, in their order, under their headings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from dowse.core.digests import KeyPoint
from dowse.core.tokens import estimate_tokens
from dowse.document.clean import close_code
from dowse.document.cut import truncate
from dowse.document.markdown import Document
from dowse.rank.index import Index
from dowse.rank.packing import PassagePacker
from dowse.rank.scoring import score_page, score_pieces

Blend = Callable[[str, Sequence[str]], Sequence[float]]
"""Semantic similarity of a question to each of some sentences."""

# The first sentence tells the topic of the page, but it is rarely the answer.
_LEAD_SHARE = 0.15
_LEAD_WITHIN = 20
_COMPANION_SHARE = 0.15
# Tokens for which one of the best pieces gets its neighbours: it reads better, but they are rarely the answer.
_NEIGHBOURS_PER = 600
# No real page has more characters to a token.
_CHARS_PER_TOKEN = 9
# The rest of the budget is known exactly only after a count; then more may fit.
_FILLINGS = 3
_MEANING = 0.3


@dataclass(frozen=True, slots=True)
class Shown:
    """The text shown of a page, and the anchors of its blocks; no anchors for the whole page."""

    text: str
    anchors: tuple[str, ...] = ()


class Passages:
    """The pieces of a page ranked for a question by their words, and with `blend` also by their meaning."""

    def __init__(self, document: Document, question: str, *, blend: Blend | None = None) -> None:
        self.document = document
        self._markdown = document.text
        self._index = Index(document, question)
        figures = score_pieces(self._index, question)
        if blend and self._index.pieces:
            figures = _blend_scores(
                figures, blend(question, [self._index.text(n) for n in range(len(self._index.pieces))])
            )
        self._ranked = sorted(
            (number for number, figure in enumerate(figures) if figure is not None),
            key=lambda number: -(figures[number] or 0.0),
        )

    @cached_property
    def relevance(self) -> float:
        """Relevance of the page to the question, from 0 (no word of it) to 1; comparable between pages."""
        return score_page(self._index)

    @property
    def blocks(self) -> int:
        """The number of blocks of the page."""
        return len(self._index.blocks)

    @cached_property
    def tokens(self) -> int:
        """The estimated tokens of the whole page."""
        return estimate_tokens(self._markdown)

    def within(self, max_tokens: int) -> Shown:
        """The best passages in at most `max_tokens` tokens; the beginning of the page if nothing matches."""
        if len(self._markdown) <= max_tokens * _CHARS_PER_TOKEN and self.tokens <= max_tokens:
            whole = close_code(self._markdown)
            if estimate_tokens(whole) <= max_tokens:
                return Shown(whole)
        packer = PassagePacker(self._index, max_tokens)
        for number in self._lead():
            packer.add(number, max_tokens * _LEAD_SHARE)
        self._pack_best(packer, max_tokens)
        for _ in range(_FILLINGS):
            packer.recount()
            if packer.is_full or not packer.add_any(chain(self._ranked, self._rest())):
                break
        packer.add_cut(chain(self._ranked, self._rest()))
        text = packer.text()
        # A page may be a single line that is too long for any budget.
        return Shown(truncate(self._markdown, max_tokens)) if packer.is_empty else Shown(text, packer.anchors())

    def best(self, count: int) -> list[KeyPoint]:
        """The best pieces, one of each block, in the order of the page."""
        chosen: dict[int, int] = {}
        for number in (*self._ranked, *self._rest()):
            if len(chosen) >= count:
                break
            chosen.setdefault(self._index.pieces[number].block, number)
        return [
            KeyPoint(self._index.text(number), self._index.blocks[self._index.pieces[number].block].anchor)
            for number in sorted(chosen.values())
        ]

    def _pack_best(self, packer: PassagePacker, max_tokens: int) -> None:
        """Pack the best pieces, each with its antecedents and neighbours."""
        with_neighbours = max_tokens // _NEIGHBOURS_PER
        for rank, number in enumerate(self._ranked):
            if packer.is_full:
                break
            if packer.add(number):
                others = [*_antecedents(self._index, number)]
                others += _neighbours(self._index, number) if rank < with_neighbours else ()
                for other in others:
                    packer.add(other, max_tokens * _COMPANION_SHARE)

    def _lead(self) -> list[int]:
        """The first sentence of prose near the beginning of the page."""
        blocks = self._index.blocks
        beginning = enumerate(self._index.pieces[:_LEAD_WITHIN])
        return [number for number, piece in beginning if blocks[piece.block].kind.is_prose][:1]

    def _rest(self) -> Iterator[int]:
        """The pieces without a term of the question, in the order of the page."""
        ranked = set(self._ranked)
        return (number for number in range(len(self._index.pieces)) if number not in ranked)


def _blend_scores(figures: list[float | None], meanings: Sequence[float]) -> list[float | None]:
    """Lexical scores blended with semantic ones, if there are any."""
    if not any(meanings):
        return figures
    lowest = min((figure for figure in figures if figure is not None), default=0.0)
    lexical = _normalize([lowest if figure is None else figure for figure in figures])
    return [
        (1 - _MEANING) * words + _MEANING * meaning
        for words, meaning in zip(lexical, _normalize(meanings), strict=True)
    ]


def _normalize(figures: Sequence[float]) -> list[float]:
    """Scale scores to the range from 0 to 1."""
    lowest, highest = min(figures), max(figures)
    return [(figure - lowest) / (highest - lowest) if highest > lowest else 0.0 for figure in figures]


def _antecedents(index: Index, number: int) -> Iterator[int]:
    """The pieces that a piece needs to be understood: its announcement, the announced piece, its parent items."""
    if _announces_next(index, number - 1):
        yield number - 1
    if _announces_next(index, number):
        yield number + 1
    indent, block = index.indent(number), index.pieces[number].block
    while indent and number and index.pieces[number - 1].block == block:
        number -= 1
        if index.is_line(number) and index.indent(number) < indent:
            indent = index.indent(number)
            yield number


def _announces_next(index: Index, number: int) -> bool:
    following = number + 1
    is_pair = number >= 0 and following < len(index.pieces)
    return is_pair and index.announces(number) and index.share_headings(number, following)


def _neighbours(index: Index, number: int) -> Iterator[int]:
    """The next and the previous piece of the same block."""
    for other in (number + 1, number - 1):
        if 0 <= other < len(index.pieces) and index.pieces[other].block == index.pieces[number].block:
            yield other
