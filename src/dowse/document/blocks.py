"""A page in blocks: its paragraphs, lists, tables and blocks of code, each with its place and the headings above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice

from dowse.core.text import cut_at_word
from dowse.document.markdown import Fence, is_rule, read_lines

# More than any page has that somebody wrote; what a hostile one has beyond is not looked at.
_MOST_BLOCKS = 100_000
_HEADING = re.compile(r"(#{1,6})\s{1,9}(?=\S)")
_TABLE_RULE = re.compile(r"\|[\s:|-]{1,2000}$")
_ITEM = re.compile(r"\s{0,40}(?:[-*+]|\d{1,9}[.)])\s")
# A heading that is longer is shown without the targets of its links, and is cut if that is not enough.
_LINKED_CHARS = 100
_HEADING_CHARS = 200
_LINK = re.compile(r"\[([^\[\]]{1,1000})\]\([^()\s]{1,2000}\)")


class Kind(StrEnum):
    """What a block is: only prose and lists have sentences."""

    PROSE = "prose"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


# Two headings may say the same and two blocks may be alike: each is itself only.
@dataclass(frozen=True, slots=True, eq=False)
class Heading:
    """A line that names what follows it; `line` is what is shown of it, which may be shorter than `whole`."""

    line: str
    level: int
    whole: str


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Lines of the page from `start` to `end` that belong together, blocks of code with their fence.

    `opening` and `closing` stand around whatever is shown of a block: the marks of code, the header of a table.
    """

    number: int
    start: int
    end: int
    kind: Kind
    headings: tuple[Heading, ...] = ()
    opening: str = ""
    closing: str = ""
    is_closed: bool = False
    is_apart: bool = False
    """Whether a rule is between it and what comes before it, as between the posts of a thread."""

    @property
    def anchor(self) -> str:
        """The name by which a caller can ask for it."""
        return f"b{self.number}"


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks in order; headings are not blocks but the way to them, unless there is nothing below them."""
    return islice((_block(number, *found) for number, found in enumerate(_under_headings(markdown), 1)), _MOST_BLOCKS)


@dataclass(slots=True)
class _Run:
    """Lines that belong together; the first two of them tell what they are."""

    start: int
    end: int
    first: list[str]
    lines: int = 1
    fence: Fence | None = None
    is_closed: bool = False
    is_apart: bool = False
    heading: Heading | None = None

    @property
    def is_rule(self) -> bool:
        return self.lines == 1 and self.fence is None and is_rule(self.first[0])


def _under_headings(markdown: str) -> Iterator[tuple[_Run, tuple[Heading, ...]]]:
    """What becomes a block, and the headings above it."""
    headings: tuple[Heading, ...] = ()
    # A heading that has nothing below it yet.
    empty: _Run | None = None
    is_apart = False
    for run in _runs(markdown):
        if run.heading is None and run.is_rule:
            is_apart = True
            continue
        run.is_apart, is_apart = is_apart, False
        if run.heading is None:
            yield run, headings
            empty = None
            continue
        if empty and empty.heading and run.heading.level <= empty.heading.level:
            yield empty, headings[:-1]
        headings = (*(above for above in headings if above.level < run.heading.level), run.heading)
        empty = run
    if empty:
        yield empty, headings[:-1]


def _runs(markdown: str) -> Iterator[_Run]:
    run: _Run | None = None
    at = 0
    for line in read_lines(markdown):
        start, end = at, at + len(line.text)
        at = end + 1
        mark = _HEADING.match(line.text) if line.fence is None and line.text.startswith("#") else None
        is_blank = line.fence is None and (not line.text or line.text.isspace())
        if run and (line.fence is not run.fence or mark or is_blank):
            yield run
            run = None
        if mark:
            heading = Heading(_shortened(line.text), len(mark[1]), line.text)
            yield _Run(start, end, [line.text], heading=heading)
        elif run:
            run.end = end
            run.lines += 1
            run.is_closed = line.is_mark
            if run.lines == 2:
                run.first.append(line.text)
        elif not is_blank:
            run = _Run(start, end, [line.text], fence=line.fence)
    if run:
        yield run


def _shortened(line: str) -> str:
    if len(line) <= _LINKED_CHARS:
        return line
    return cut_at_word(_LINK.sub(r"\1", line), _HEADING_CHARS)


def _block(number: int, run: _Run, headings: tuple[Heading, ...]) -> Block:
    block = partial(Block, number, run.start, run.end, headings=headings, is_apart=run.is_apart)
    if fence := run.fence:
        opening = cut_at_word(fence.opening, _HEADING_CHARS)
        return block(Kind.CODE, opening=opening, closing=fence.marker, is_closed=run.is_closed)
    if run.lines > 2 and run.first[0].startswith("|") and _TABLE_RULE.match(run.first[1]):
        return block(Kind.TABLE, opening="\n".join(run.first))
    return block(Kind.LIST if _ITEM.match(run.first[0]) else Kind.PROSE)
