"""Pieces of a page put together again within a budget: in their order, under their headings, gaps marked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from dowse.core.text import cut_at_word
from dowse.core.tokens import estimate_tokens, token_cost
from dowse.document.cut import GAP
from dowse.document.markdown import RULE, Block, BlockKind, Heading
from dowse.rank.index import Index

# What a gap or a break costs, that is the mark of it; a little may be counted wrong, as the whole is counted at last.
_MARK = 1.1
# With less than this only the nearest heading is worth its tokens.
_ALL_HEADINGS = 400
_TITLE_SHARE = 0.15
# No text has more characters to a token for long: what is longer than this cannot fit, and need not be counted.
_CHARS_PER_TOKEN = 9
# A budget is full when not even this is left, in tokens and as a share: nothing that says something costs less.
_LEAST, _LEAST_SHARE = 5.0, 0.01
# With more left than this a piece is cut to fill it, if that fills at least half of it.
_UNUSED_SHARE = 0.07
_FILLED_SHARE = 0.5
_CUT_FROM = 20


class Choice:
    """Pieces that are shown, and what they cost with everything around them."""

    def __init__(self, index: Index, max_tokens: int) -> None:
        self._index = index
        self._max_tokens = max_tokens
        self._has_all_headings = max_tokens >= _ALL_HEADINGS
        # What was left out behind the last piece is marked as well.
        self._left = max_tokens - 2 * _MARK
        # In the order in which they were taken.
        self._taken: dict[int, None] = {}
        self._around: dict[Heading | Block, None] = {}
        self._title = self._kept_title()
        # Where a piece ends early.
        self._ends: dict[int, int] = {}
        self._whole_headings: set[Heading] = set()

    @property
    def is_full(self) -> bool:
        """Whether nothing worth showing would fit any more."""
        return self._left < max(_LEAST, _LEAST_SHARE * self._max_tokens)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was small enough."""
        return not self._taken

    def takes(self, number: int, most: float | None = None) -> bool:
        """Whether the piece fits into what is left, and into `most` tokens; if so it is shown."""
        limit = self._left if most is None else min(self._left, most)
        piece = self._index.pieces[number]
        if number in self._taken or piece.end - piece.start > limit * _CHARS_PER_TOKEN:
            return False
        cost = self._cost(number) + token_cost(self._index.markdown[piece.start : piece.end])
        if cost > limit:
            return False
        self._take(number, cost)
        return True

    def takes_any(self, numbers: Iterable[int]) -> bool:
        """Show as many of some pieces as fit, and say whether it was any."""
        before = len(self._taken)
        for number in numbers:
            if self.is_full:
                break
            self.takes(number)
        return len(self._taken) > before

    def take_part(self, numbers: Iterable[int]) -> None:
        """Fill what is left, if it is much, with the beginning of a piece, or else with what headings are longer."""
        if self._left < max(_LEAST, _UNUSED_SHARE * self._max_tokens):
            return
        for number in islice((number for number in numbers if number not in self._taken), _CUT_FROM):
            end = self._cut(number, self._left - self._cost(number) - _MARK)
            if end is not None:
                self._ends[number] = end
                self._take(number, self._left)
                return
        for heading in (thing for thing in self._around if isinstance(thing, Heading)):
            more = token_cost(heading.whole) - token_cost(heading.line)
            if more < self._left:
                self._whole_headings.add(heading)
                self._left -= more

    def recount(self) -> None:
        """Find out what is left indeed: each piece was counted by itself, with more around it than it may have."""
        self._left = self._max_tokens - token_cost(self._text())

    def text(self) -> str:
        """The pieces in the order of the page, with a mark where something is left out."""
        text = self._text()
        while self._taken and estimate_tokens(text) > self._max_tokens:
            self._taken.popitem()
            text = self._text()
        return text

    def anchors(self) -> tuple[str, ...]:
        """The names of the blocks of which something is shown."""
        blocks = sorted({self._index.pieces[number].block for number in self._taken})
        return tuple(self._index.blocks[at].anchor for at in blocks)

    def _kept_title(self) -> tuple[Heading, ...]:
        """The first heading, which is shown in any case unless it is absurdly long."""
        title = self._index.blocks[0].headings[:1] if self._index.blocks else ()
        cost = sum(token_cost(heading.line) + _MARK for heading in title)
        if cost > _TITLE_SHARE * self._max_tokens:
            return ()
        self._left -= cost
        self._around |= dict.fromkeys(title)
        return title

    def _take(self, number: int, cost: float) -> None:
        block = self._index.blocks[self._index.pieces[number].block]
        self._left -= cost
        self._around |= dict.fromkeys((*self._headings(block), block))
        self._taken[number] = None

    def _cost(self, number: int) -> float:
        """What is shown with a piece that is not shown yet: headings, the frame of its block, breaks and gaps."""
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

    def _cut(self, number: int, tokens: float) -> int | None:
        """Where a piece would have to end, at the end of a word or of a line; nothing if that leaves too little."""
        start, end = self._index.pieces[number][1:]
        is_lines = self._index.blocks[self._index.pieces[number].block].kind in (BlockKind.CODE, BlockKind.TABLE)
        text = self._index.markdown[start : min(end, start + int(tokens * _CHARS_PER_TOKEN))]
        cost = token_cost(text)
        while cost > tokens and text:
            shorter = cut_at_word(text, int(len(text) * min(0.98, tokens / cost)))
            text = shorter.rpartition("\n")[0] if is_lines else shorter
            cost = token_cost(text)
        return start + len(text) if cost > _FILLED_SHARE * tokens else None

    def _headings(self, block: Block) -> tuple[Heading, ...]:
        return block.headings if self._has_all_headings else block.headings[-1:]

    def _line(self, heading: Heading) -> str:
        return heading.whole if heading in self._whole_headings else heading.line

    def _text(self) -> str:
        index = self._index
        parts = [*map(self._line, self._title)]
        shown = set(self._title)
        end = 0
        for at, group in groupby(sorted(self._taken), key=lambda number: index.pieces[number].block):
            numbers = list(group)
            block = index.blocks[at]
            new = [heading for heading in self._headings(block) if heading not in shown]
            before = index.blocks[index.pieces[numbers[0] - 1].block].headings if numbers[0] else ()
            # What is left out stood behind the headings that it shares with the block.
            parts += [self._line(heading) for heading in new if heading in before]
            parts += [GAP] if numbers[0] > end else [RULE] if end and block.is_apart and not new else []
            parts += [self._line(heading) for heading in new if heading not in before]
            parts.append(self._block(block, numbers))
            shown.update(new)
            end = numbers[-1] + (numbers[-1] not in self._ends)
        parts += [GAP] if end < len(index.pieces) else []
        return "\n\n".join(parts)

    def _block(self, block: Block, numbers: Sequence[int]) -> str:
        """What is shown of one block."""
        text = ""
        for start, end in self._stretches(numbers):
            stretch = self._index.markdown[start:end]
            if text:
                indent = stretch[: len(stretch) - len(stretch.lstrip(" "))]
                text += f"\n{indent}{GAP}\n" if self._index.markdown[start - 1] == "\n" else f" {GAP} "
            text += stretch
        # What was nested in a list that is not shown would look like code.
        text = textwrap.dedent(text).rstrip()
        return "\n".join(filter(None, [block.opening, text, block.closing]))

    def _stretches(self, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Where the text starts and ends that is shown without a gap."""
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
