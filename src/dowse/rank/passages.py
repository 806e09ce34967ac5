"""The part of a page that answers a question: its best sentences, in their order, under their headings."""

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
from dowse.rank.context import beside, needed
from dowse.rank.index import Index
from dowse.rank.packing import Choice
from dowse.rank.scoring import merit, scores

Blend = Callable[[str, Sequence[str]], Sequence[float]]
"""From a question and some sentences to a figure for each of them: how near they are in meaning."""

# The beginning says what the page is about, but it is not what was asked for.
_LEAD_SHARE = 0.15
_LEAD_WITHIN = 20
_COMPANION_SHARE = 0.15
# For so many tokens one of the best pieces comes with its neighbours: it reads better, but they are rarely the answer.
_NEIGHBOURS_PER = 600
# A page with more characters to a token is none that anybody wrote.
_CHARS_PER_TOKEN = 9
# What is left is not known exactly until it is counted: then more may fit.
_FILLINGS = 3
_MEANING = 0.3


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a page, and the anchors of the blocks that it is from; none if it is the whole page."""

    text: str
    anchors: tuple[str, ...] = ()


class Passages:
    """A page and a question to it. With `blend` what a sentence means counts beside its words."""

    def __init__(self, document: Document, question: str, *, blend: Blend | None = None) -> None:
        self.document = document
        self._markdown = document.text
        self._index = Index(document, question)
        figures = scores(self._index, question)
        if blend and self._index.pieces:
            figures = _blended(figures, blend(question, [self._index.text(n) for n in range(len(self._index.pieces))]))
        self._ranked = sorted(
            (number for number, figure in enumerate(figures) if figure is not None),
            key=lambda number: -(figures[number] or 0.0),
        )

    @cached_property
    def merit(self) -> float:
        """How well the page fits the question, from 0 for a page without any word of it to 1; to compare pages by."""
        return merit(self._index)

    @property
    def blocks(self) -> int:
        """How many blocks the page has."""
        return len(self._index.blocks)

    @cached_property
    def tokens(self) -> int:
        """About how many tokens the whole page is."""
        return estimate_tokens(self._markdown)

    def within(self, max_tokens: int) -> Shown:
        """What fits the question best in at most `max_tokens` tokens; the beginning of the page if nothing fits it."""
        if len(self._markdown) <= max_tokens * _CHARS_PER_TOKEN and self.tokens <= max_tokens:
            whole = close_code(self._markdown)
            if estimate_tokens(whole) <= max_tokens:
                return Shown(whole)
        choice = Choice(self._index, max_tokens)
        for number in self._lead():
            choice.takes(number, max_tokens * _LEAD_SHARE)
        self._answer(choice, max_tokens)
        for _ in range(_FILLINGS):
            choice.recount()
            if choice.is_full or not choice.takes_any(chain(self._ranked, self._rest())):
                break
        choice.take_part(chain(self._ranked, self._rest()))
        text = choice.text()
        # A page may be a single line that is too long for any budget.
        return Shown(truncate(self._markdown, max_tokens)) if choice.is_empty else Shown(text, choice.anchors())

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

    def _answer(self, choice: Choice, max_tokens: int) -> None:
        """Take the best pieces, each with those that belong to it."""
        with_neighbours = max_tokens // _NEIGHBOURS_PER
        for rank, number in enumerate(self._ranked):
            if choice.is_full:
                break
            if choice.takes(number):
                others = [*needed(self._index, number)]
                others += beside(self._index, number) if rank < with_neighbours else ()
                for other in others:
                    choice.takes(other, max_tokens * _COMPANION_SHARE)

    def _lead(self) -> list[int]:
        """The first sentence of prose, if the page begins with any."""
        blocks = self._index.blocks
        beginning = enumerate(self._index.pieces[:_LEAD_WITHIN])
        return [number for number, piece in beginning if blocks[piece.block].kind.is_prose][:1]

    def _rest(self) -> Iterator[int]:
        """What has no word of the question, from the beginning of the page."""
        ranked = set(self._ranked)
        return (number for number in range(len(self._index.pieces)) if number not in ranked)


def _blended(figures: list[float | None], meanings: Sequence[float]) -> list[float | None]:
    """What the words say together with what is meant, if that could be told."""
    if not any(meanings):
        return figures
    lowest = min((figure for figure in figures if figure is not None), default=0.0)
    lexical = _spread([lowest if figure is None else figure for figure in figures])
    return [
        (1 - _MEANING) * words + _MEANING * meaning for words, meaning in zip(lexical, _spread(meanings), strict=True)
    ]


def _spread(figures: Sequence[float]) -> list[float]:
    """The figures on a scale from 0 to 1."""
    lowest, highest = min(figures), max(figures)
    return [(figure - lowest) / (highest - lowest) if highest > lowest else 0.0 for figure in figures]
