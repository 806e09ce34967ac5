"""Passage retrieval: the sentences of a page that fit a question best, packed into a token budget.

They are shown in their order, under their headings, with marks for gaps.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby, islice, takewhile

from dowse.core.digests import KeyPoint
from dowse.core.tokens import estimate_tokens, token_cost
from dowse.document.clean import close_code
from dowse.document.cut import GAP, truncate
from dowse.document.markdown import RULE, Block, BlockKind, Document, Heading
from dowse.rank.index import Index
from dowse.rank.scoring import score_page, score_pieces

# The first sentence tells the topic of the page, but it is rarely the answer: a small budget is better spent.
_LEAD_FROM = 400
_LEAD_SHARE = 0.15
_LEAD_WITHIN = 20
_COMPANION_SHARE = 0.15
# Tokens for which one of the best pieces gets its neighbours: it reads better, but they are rarely the answer.
_NEIGHBOURS_PER = 600
# A budget is filled with sentences that have no word of the question only up to here: they are rarely the answer.
_FILLED_TOKENS = 500
# The rest of the budget is known exactly only after a count; then more may fit.
_FILLINGS = 3
# The cost of a mark for a gap or a break; it may be inexact, as the whole text is counted at the end.
_MARK = 1.1
# In a smaller budget only the nearest heading is worth its tokens.
_ALL_HEADINGS = 400
_TITLE_SHARE = 0.15
# The most characters to a token over a longer text: a longer piece cannot fit and is not counted.
_CHARS_PER_TOKEN = 9
# The budget is full when less is left, in tokens and as a share: no useful piece costs less.
_MIN_LEFT, _MIN_LEFT_SHARE = 5.0, 0.01
# If more is left unused, a piece is cut to fill it, provided that it fills at least half of it.
_UNUSED_SHARE = 0.07
_FILLED_SHARE = 0.5
_CUT_FROM = 20


@dataclass(frozen=True, slots=True)
class Shown:
    """The text shown of a page, and the anchors of its blocks; no anchors for the whole page."""

    text: str
    anchors: tuple[str, ...] = ()


class Passages:
    """The pieces of a page ranked for a question by their words."""

    def __init__(self, document: Document, question: str) -> None:
        self.document = document
        self._markdown = document.text
        self._index = Index(document, question)
        figures = score_pieces(self._index, question)
        self._ranked = sorted(
            (number for number, figure in enumerate(figures) if figure is not None and self._says_more(number)),
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
        for number in self._lead() if max_tokens >= _LEAD_FROM else ():
            packer.add(number, max_tokens * _LEAD_SHARE)
        self._pack_best(packer, max_tokens)
        for _ in range(_FILLINGS):
            packer.recount()
            if packer.is_full or not packer.add_any(chain(self._ranked, self._rest(packer))):
                break
        packer.add_cut(chain(self._ranked, self._rest(packer)))
        text = packer.text()
        # A page may be a single line that is too long for any budget.
        return Shown(truncate(self._markdown, max_tokens)) if packer.is_empty else Shown(text, packer.anchors())

    def best(self, count: int) -> list[KeyPoint]:
        """The best pieces, one of each block, in the order of the page."""
        chosen: dict[int, int] = {}
        for number in (*self._ranked, *self._unranked()):
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

    def _rest(self, packer: PassagePacker) -> Iterator[int]:
        """The pieces without a term of the question, in the order of the page, until enough is shown."""
        return takewhile(lambda _: packer.used < _FILLED_TOKENS, self._unranked())

    def _unranked(self) -> Iterator[int]:
        """The other pieces."""
        ranked = set(self._ranked)
        return (number for number in range(len(self._index.pieces)) if number not in ranked and self._says_more(number))

    def _says_more(self, number: int) -> bool:
        """Whether a piece is more than a mark that stands alone in prose."""
        kind = self._index.blocks[self._index.pieces[number].block].kind
        return bool(self._index.lengths[number]) or not kind.is_prose


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


class PassagePacker:
    """The pieces that are shown so far, and the tokens left after them and their headings, fences and gaps."""

    def __init__(self, index: Index, max_tokens: int) -> None:
        self._index = index
        self._max_tokens = max_tokens
        self._has_all_headings = max_tokens >= _ALL_HEADINGS
        # A gap behind the last piece is marked as well.
        self._left = max_tokens - 2 * _MARK
        # In the order in which they were taken.
        self._taken: dict[int, None] = {}
        self._around: dict[Heading | Block, None] = {}
        self._title = self._reserve_title()
        # The early ends of pieces that are cut.
        self._ends: dict[int, int] = {}
        self._whole_headings: set[Heading] = set()

    @property
    def is_full(self) -> bool:
        """Whether no useful piece would fit any more."""
        return self._left < max(_MIN_LEFT, _MIN_LEFT_SHARE * self._max_tokens)

    @property
    def used(self) -> float:
        """The tokens that are taken."""
        return self._max_tokens - self._left

    @property
    def is_empty(self) -> bool:
        """Whether no piece was small enough."""
        return not self._taken

    def add(self, number: int, most: float | None = None) -> bool:
        """Show a piece if it fits into the rest of the budget and into `most` tokens; returns whether it did."""
        limit = self._left if most is None else min(self._left, most)
        piece = self._index.pieces[number]
        if number in self._taken or piece.end - piece.start > limit * _CHARS_PER_TOKEN:
            return False
        cost = self._cost(number) + token_cost(self._index.markdown[piece.start : piece.end])
        if cost > limit:
            return False
        self._add(number, cost)
        return True

    def add_any(self, numbers: Iterable[int]) -> bool:
        """Show as many of some pieces as fit; returns whether any did."""
        before = len(self._taken)
        for number in numbers:
            if self.is_full:
                break
            self.add(number)
        return len(self._taken) > before

    def add_cut(self, numbers: Iterable[int]) -> None:
        """Fill a large rest of the budget with the first lines of a piece, or else with the unshortened headings."""
        if self._left < max(_MIN_LEFT, _UNUSED_SHARE * self._max_tokens):
            return
        for number in islice((number for number in numbers if number not in self._taken), _CUT_FROM):
            end = self._find_cut(number, self._left - self._cost(number) - _MARK)
            if end is not None:
                self._ends[number] = end
                self._add(number, self._left)
                return
        self._restore_headings()

    def _restore_headings(self) -> None:
        for heading in (thing for thing in self._around if isinstance(thing, Heading)):
            more = token_cost(heading.whole) - token_cost(heading.line)
            if more < self._left:
                self._whole_headings.add(heading)
                self._left -= more

    def recount(self) -> None:
        """Count the rest of the budget exactly: pieces were counted one by one, with all that may surround them."""
        self._left = self._max_tokens - token_cost(self._compose())

    def text(self) -> str:
        """The pieces in the order of the page, with marks for gaps."""
        text = self._compose()
        while self._taken and estimate_tokens(text) > self._max_tokens:
            self._taken.popitem()
            text = self._compose()
        return text

    def anchors(self) -> tuple[str, ...]:
        """The anchors of the blocks that are shown at least in part."""
        blocks = sorted({self._index.pieces[number].block for number in self._taken})
        return tuple(self._index.blocks[at].anchor for at in blocks)

    def _reserve_title(self) -> tuple[Heading, ...]:
        """The first heading, which is always shown unless it is absurdly long."""
        title = self._index.blocks[0].headings[:1] if self._index.blocks else ()
        cost = sum(token_cost(heading.line) + _MARK for heading in title)
        if cost > _TITLE_SHARE * self._max_tokens:
            return ()
        self._left -= cost
        self._around |= dict.fromkeys(title)
        return title

    def _add(self, number: int, cost: float) -> None:
        block = self._index.blocks[self._index.pieces[number].block]
        self._left -= cost
        self._around |= dict.fromkeys((*self._headings(block), block))
        self._taken[number] = None

    def _cost(self, number: int) -> float:
        """The tokens around a piece that is added: headings, the frame of its block, breaks and gaps."""
        piece = self._index.pieces[number]
        block = self._index.blocks[piece.block]
        cost = sum(token_cost(above.line) + _MARK for above in self._headings(block) if above not in self._around)
        if block not in self._around:
            cost += 2 * _MARK if block.is_apart else _MARK
            if block.opening:
                cost += token_cost(block.opening) + token_cost(block.closing) + 2 * _MARK
        elif self._index.is_line(number):
            cost += _MARK
        # A piece between two others closes the gap between them.
        return cost + _MARK * (1 - (number - 1 in self._taken) - (number + 1 in self._taken))

    def _find_cut(self, number: int, tokens: float) -> int | None:
        """Where code or a table ends if it is cut at a line; `None` for a sentence, or if that leaves too little."""
        start, end = self._index.pieces[number][1:]
        if self._index.blocks[self._index.pieces[number].block].kind not in (BlockKind.CODE, BlockKind.TABLE):
            return None
        text = self._index.markdown[start : min(end, start + int(tokens * _CHARS_PER_TOKEN))]
        cost = token_cost(text)
        while cost > tokens and text:
            text = text[: int(len(text) * min(0.98, tokens / cost))].rpartition("\n")[0]
            cost = token_cost(text)
        return start + len(text) if cost > _FILLED_SHARE * tokens else None

    def _headings(self, block: Block) -> tuple[Heading, ...]:
        return block.headings if self._has_all_headings else block.headings[-1:]

    def _heading_line(self, heading: Heading) -> str:
        return heading.whole if heading in self._whole_headings else heading.line

    def _compose(self) -> str:
        parts = [*map(self._heading_line, self._title)]
        shown = set(self._title)
        end = 0
        for at, group in groupby(sorted(self._taken), key=lambda number: self._index.pieces[number].block):
            numbers = list(group)
            block = self._index.blocks[at]
            new = [heading for heading in self._headings(block) if heading not in shown]
            parts += self._compose_transition(block, new, numbers[0], end)
            parts.append(self._compose_block(block, numbers))
            shown.update(new)
            end = numbers[-1] + (numbers[-1] not in self._ends)
        parts += [GAP] if end < len(self._index.pieces) else []
        return "\n\n".join(parts)

    def _compose_transition(self, block: Block, new: Sequence[Heading], first: int, end: int) -> Iterator[str]:
        """The new headings of a block, and the gap or rule before its first piece."""
        before = self._index.blocks[self._index.pieces[first - 1].block].headings if first else ()
        # The omitted text stood below the headings that it shares with the block.
        yield from (self._heading_line(heading) for heading in new if heading in before)
        if first > end:
            yield GAP
        elif end and block.is_apart and not new:
            yield RULE
        yield from (self._heading_line(heading) for heading in new if heading not in before)

    def _compose_block(self, block: Block, numbers: Sequence[int]) -> str:
        """The shown part of one block."""
        text = ""
        for start, end in self._find_spans(numbers):
            stretch = self._index.markdown[start:end]
            if text:
                indent = stretch[: len(stretch) - len(stretch.lstrip(" "))]
                text += f"\n{indent}{GAP}\n" if self._index.markdown[start - 1] == "\n" else f" {GAP} "
            text += stretch
        # An item nested in one that is not shown would look like code.
        text = textwrap.dedent(text).rstrip()
        return "\n".join(filter(None, [block.opening, text, block.closing]))

    def _find_spans(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The spans of text without a gap."""
        pieces = self._index.pieces
        start, end, expected = -1, -1, -1
        for number in numbers:
            if number != expected:
                if end >= 0:
                    yield start, end
                start = pieces[number].start
            end = self._ends.get(number, pieces[number].end)
            expected = -1 if number in self._ends else number + 1
        yield start, end
