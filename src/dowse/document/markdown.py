"""Markdown parser: prose and code lines by the rules of CommonMark, and the headings and blocks of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

from dowse.core.text import cut_at_word

RULE = "---"
"""A thematic break."""
FENCES = ("```", "~~~")
"""A text without any of these has no fenced code."""
# A backtick behind the mark makes it inline code.
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_FENCE_INFO = re.compile(r"[`~]{3,}[ \t]{0,9}\{?\.?([\w+#.-]{0,20})", re.ASCII)
_QUOTE_MARK = re.compile(r" {0,3}> ?")
_ITEM_MARK = re.compile(r" {0,3}(?:[-*+]|(\d{1,9})[.)])(?= |$)")
_HEADING_MARK = re.compile(r" {0,3}#{1,6}(?: |$)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+) *$")
_INDENT = re.compile(" *")
_NO_INDENT = re.compile("[^ >]")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_BLOCK_STARTS = (_FENCE, _QUOTE_MARK, _ITEM_MARK, _RULE, _HEADING_MARK)
_CODE_INDENT = 4
_MAX_DEPTH = 20
# Only unindented headings: an indented one is in a list, where no section begins.
_HEADING = re.compile(r"(#{1,6})[^\S\n]{1,9}(?=\S)")
# The line break is part of the pattern because looking for a character is several times faster than for a line start.
_HEADING_LINE = re.compile(r"\n(#{1,6}[^\S\n]{1,9}\S[^\n]*)")
_TABLE_RULE = re.compile(r"\|[\s:|-]{1,2000}$")
_ITEM = re.compile(r"\s{0,40}(?:[-*+]|\d{1,9}[.)])\s")
# Beyond any real page; the rest of a hostile one is not parsed.
_MAX_BLOCKS = 100_000
_MAX_LINES = 100_000
_MAX_HEADINGS = 4_000
# A longer heading is shown without the targets of its links, and is cut if it is still too long.
_LINKED_CHARS = 100
_HEADING_CHARS = 200
_HEADING_LINK = re.compile(r"\[([^\[\]]{1,1000})\]\([^()\s]{1,2000}\)")


class BlockKind(StrEnum):
    """The type of a block."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    """A heading without anything below it; all others are in `Block.headings`."""
    QUOTE = "quote"
    LIST = "list"
    TABLE = "table"
    CODE = "code"

    @property
    def is_prose(self) -> bool:
        """Whether it is running text."""
        return self in (BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.HEADING)


# Compared by identity: two headings or blocks of a page may have the same text.
@dataclass(frozen=True, slots=True, eq=False)
class Heading:
    """A heading from `start` on; `line` is the displayed form, which may be shorter than the `whole` line."""

    line: str
    level: int
    whole: str
    start: int


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Lines of a document from `start` to `end`, and the headings above them.

    `opening` and `closing` enclose any part of it that is shown: the fences of code, the header of a table.
    """

    number: int
    start: int
    end: int
    kind: BlockKind
    headings: tuple[Heading, ...] = ()
    opening: str = ""
    closing: str = ""
    is_closed: bool = False
    is_apart: bool = False
    """Whether a rule separates it from the block before, as between the posts of a thread."""

    @property
    def anchor(self) -> str:
        """The name by which a caller asks for it."""
        return f"b{self.number}"


@dataclass(frozen=True)
class Document:
    """A text in Markdown, parsed on first use."""

    text: str

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The headings in order."""
        if any(fence in self.text for fence in FENCES):
            return tuple(islice(self._headings_beside_code(), _MAX_HEADINGS))
        # Without fences no line is code, and a search is much faster than reading all lines.
        found = islice(_HEADING_LINE.finditer(f"\n{self.text}"), _MAX_HEADINGS)
        return tuple(heading for mark in found if (heading := _read_heading(mark[1], mark.start())))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in order. Headings and rules are not blocks, unless there is nothing below a heading."""
        numbered = enumerate(_assign_headings(self.text), 1)
        return tuple(islice((_build_block(number, *found) for number, found in numbered), _MAX_BLOCKS))

    def code_lines(self, block: Block) -> list[str]:
        """The lines between the fences of a block of code."""
        lines = self.text[block.start : block.end].split("\n")[1:]
        return lines[:-1] if block.is_closed else lines

    def code_language(self, block: Block) -> str:
        """The language that the fence of a block of code names; empty for none."""
        return fence_language(self.text[block.start : block.end].partition("\n")[0])

    def _headings_beside_code(self) -> Iterator[Heading]:
        start = 0
        for line in islice(scan_lines(self.text), _MAX_LINES):
            if line.fence is None and (heading := _read_heading(line.text, start)):
                yield heading
            start += len(line.text) + 1


@dataclass(frozen=True, slots=True)
class CodeFence:
    """Fenced code: `opening` is its first line from the marker on, `closing` a whole line that would end it."""

    marker: str
    opening: str
    closing: str

    @property
    def is_indented(self) -> bool:
        return self.closing != self.marker


class Line(NamedTuple):
    """A line, and the fenced code that it belongs to; `is_mark` if it opens or closes the fence."""

    text: str
    fence: CodeFence | None = None
    is_mark: bool = False
    is_indented_code: bool = False
    """Code without a fence."""


def scan_lines(markdown: str) -> Iterator[Line]:
    """The lines of a text, classified as code or prose."""
    scanner = LineScanner()
    for line in markdown.split("\n"):
        yield scanner.scan(line)


class LineScanner:
    """Reads a text line by line and follows its open lists, quotes and code, by the rules of CommonMark.

    The rules matter for safety: prose that is taken for code would not be cleaned.
    """

    def __init__(self) -> None:
        self.fence: CodeFence | None = None
        # From the outside in: the indent of the text of a list item, 0 for a quote.
        self._containers: list[int] = []
        self._is_paragraph = False
        self._is_item_empty = False

    @property
    def unending_fence(self) -> CodeFence | None:
        """Fenced code that goes on in an unindented line: code in a list ends with the list."""
        return None if any(self._containers) else self.fence

    def scan(self, line: str) -> Line:
        """Read the next line."""
        if not (self._containers or self.fence) and (not line or line[0].isalpha()):
            # The fast path of most lines: no mark starts with a letter.
            self._is_paragraph = bool(line)
            return Line(line)
        text = line.expandtabs(4)
        at, count = self._count_containers(text)
        self._is_item_empty = False
        is_inside = count == len(self._containers)
        if not is_inside:
            if self._is_paragraph and _is_text(text, at):
                # Lazy continuation: a paragraph goes on without the marks of its list or quote.
                return Line(line)
            del self._containers[count:]
            self.fence = None
        if self.fence:
            return self._scan_code(line, text[at:], self.fence)
        goes_on = is_inside and self._is_paragraph
        return self._scan_text(line, text, self._enter_containers(text, at, goes_on=goes_on))

    def _scan_code(self, line: str, text: str, fence: CodeFence) -> Line:
        is_end = fence.marker in text and _is_end(text, fence.marker)
        self.fence = None if is_end else fence
        return Line(line, fence, is_mark=is_end)

    def _scan_text(self, line: str, text: str, at: int) -> Line:
        """A line outside of fenced code; its own text starts behind the marks of its containers."""
        if found := _FENCE.match(text, at):
            marker = found[1]
            before = text[: found.start(1)]
            self.fence = CodeFence(marker, text[found.start(1) :], _NO_INDENT.sub(" ", before) + marker)
            self._is_paragraph = False
            return Line(line, self.fence, is_mark=True)
        is_blank = not text[at:].strip(" ")
        is_code = not (self._is_paragraph or is_blank) and _indent(text, at) >= _CODE_INDENT
        self._is_paragraph = not (is_blank or is_code or _is_heading_or_rule(text, at, has_text=self._is_paragraph))
        return Line(line, is_indented_code=is_code and not self._containers)

    def _count_containers(self, text: str) -> tuple[int, int]:
        """Where the line's own text starts, and how many of the open lists and quotes the line is in."""
        at, is_blank = 0, not text.strip(" ")
        for count, width in enumerate(self._containers):
            if not width:
                mark = _QUOTE_MARK.match(text, at)
                if mark is None:
                    return at, count
                at = mark.end()
            elif not is_blank:
                if _indent(text, at) < width:
                    return at, count
                at += width
        # An item may begin with an empty line, but not with two.
        return at, len(self._containers) - (is_blank and self._is_item_empty)

    def _enter_containers(self, text: str, at: int, *, goes_on: bool) -> int:
        """Open the lists and quotes that begin in the line; returns where the text behind their marks starts."""
        while len(self._containers) < _MAX_DEPTH:
            if quote := _QUOTE_MARK.match(text, at):
                width = 0
                at = quote.end()
            elif (item := _ITEM_MARK.match(text, at)) and not _RULE.match(text, at):
                blanks = _indent(text, item.end())
                is_empty = self._is_item_empty = item.end() + blanks == len(text)
                # In the middle of a paragraph, a number at the beginning of a line is mostly a number.
                if goes_on and (is_empty or item[1] not in (None, "1")):
                    break
                width = item.end() - at + (blanks if blanks < 5 and not is_empty else 1)
                at = min(at + width, len(text))
            else:
                break
            self._containers.append(width)
            goes_on = self._is_paragraph = False
        return at


def is_rule(line: str) -> bool:
    """Whether a line is a thematic break, if it is not right below a text."""
    return _RULE.match(line) is not None


def fence_language(line: str) -> str:
    """The language that the opening line of fenced code names; empty for none."""
    found = _FENCE_INFO.search(line)
    return found[1] if found else ""


def _is_heading_or_rule(text: str, at: int, *, has_text: bool) -> bool:
    """Also the underline of a heading, if there is text above."""
    marks = (_HEADING_MARK, _RULE, _UNDERLINE) if has_text else (_HEADING_MARK, _RULE)
    return any(mark.match(text, at) for mark in marks)


def _is_text(text: str, at: int) -> bool:
    """Whether the rest of a line begins no block, so that a paragraph goes on in it."""
    return bool(text[at:].strip(" ")) and not any(start.match(text, at) for start in _BLOCK_STARTS)


def _indent(text: str, at: int) -> int:
    found = _INDENT.match(text, at)
    return found.end() - at if found else 0


def _is_end(text: str, marker: str) -> bool:
    rest = text.strip(" ")
    return _indent(text, 0) < 4 and len(rest) >= len(marker) and not rest.strip(marker[0])


@dataclass(slots=True)
class _Run:
    """Consecutive lines of one block; the first two of them tell its kind."""

    start: int
    end: int
    first: list[str]
    lines: int = 1
    fence: CodeFence | None = None
    is_closed: bool = False
    is_apart: bool = False
    heading: Heading | None = None

    @property
    def is_rule(self) -> bool:
        return self.lines == 1 and self.fence is None and self.heading is None and is_rule(self.first[0])

    def takes(self, line: Line) -> bool:
        """Whether a line goes on with the run: in the same code, or without a blank line between."""
        return line.fence is self.fence and not _is_blank(line)

    def add(self, line: Line, end: int) -> None:
        self.end = end
        self.lines += 1
        self.is_closed = line.is_mark
        if self.lines == 2:
            self.first.append(line.text)


def _assign_headings(markdown: str) -> Iterator[tuple[_Run, tuple[Heading, ...]]]:
    """The runs that become blocks, each with the headings above it."""
    headings: tuple[Heading, ...] = ()
    # The last heading, as long as nothing is below it.
    empty: _Run | None = None
    is_apart = False
    for run in _find_runs(markdown):
        if run.is_rule:
            is_apart = True
            continue
        run.is_apart, is_apart = is_apart, False
        if run.heading is None:
            yield run, headings
            empty = None
            continue
        above = tuple(heading for heading in headings if heading.level < run.heading.level)
        if empty and len(above) < len(headings):
            yield empty, headings[:-1]
        headings = (*above, run.heading)
        empty = run
    if empty:
        yield empty, headings[:-1]


def _find_runs(markdown: str) -> Iterator[_Run]:
    run: _Run | None = None
    end = -1
    for line in scan_lines(markdown):
        start = end + 1
        end = start + len(line.text)
        heading = _read_heading(line.text, start) if line.fence is None else None
        if run and (heading or not run.takes(line)):
            yield run
            run = None
        if heading:
            yield _Run(start, end, [line.text], heading=heading)
        elif run:
            run.add(line, end)
        elif not _is_blank(line):
            run = _Run(start, end, [line.text], fence=line.fence)
    if run:
        yield run


def _is_blank(line: Line) -> bool:
    return line.fence is None and (not line.text or line.text.isspace())


def _read_heading(line: str, start: int) -> Heading | None:
    mark = _HEADING.match(line) if line.startswith("#") else None
    return Heading(_shorten_heading(line), len(mark[1]), line, start) if mark else None


def _shorten_heading(line: str) -> str:
    if len(line) <= _LINKED_CHARS:
        return line
    return cut_at_word(_HEADING_LINK.sub(r"\1", line), _HEADING_CHARS)


def _build_block(number: int, run: _Run, headings: tuple[Heading, ...]) -> Block:
    block = partial(Block, number, run.start, run.end, headings=headings, is_apart=run.is_apart)
    if fence := run.fence:
        opening = cut_at_word(fence.opening, _HEADING_CHARS)
        return block(BlockKind.CODE, opening=opening, closing=fence.marker, is_closed=run.is_closed)
    if run.lines > 2 and run.first[0].startswith("|") and _TABLE_RULE.match(run.first[1]):
        return block(BlockKind.TABLE, opening="\n".join(run.first))
    if run.heading:
        return block(BlockKind.HEADING)
    if _ITEM.match(run.first[0]):
        return block(BlockKind.LIST)
    return block(BlockKind.QUOTE if run.first[0].startswith(">") else BlockKind.PARAGRAPH)
