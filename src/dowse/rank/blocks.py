"""Markdown in pieces that can be shown alone: a few sentences, list items, table rows or lines of code."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dowse.markdown import Fence, read_lines
from dowse.text import cut_at_word

_HEADING = re.compile(r"(#{1,6})\s{1,9}(?=\S)")
_TABLE_RULE = re.compile(r"\|[\s:|-]{1,2000}$")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]*_]{0,3}\s{1,9}|[。！？]")
# About three sentences. Smaller pieces find an answer in fewer tokens, larger ones read better.
PIECE_CHARS = 400
# No sentence, row of a table or line of code is taken apart unless it is longer than this.
_WHOLE_CHARS = 1200
_HEADING_CHARS = 200


# Two headings may say the same and two blocks may be alike: each is itself only.
@dataclass(frozen=True, slots=True, eq=False)
class Heading:
    line: str
    level: int


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A paragraph, list, table or code block. `opening` and `closing` stand around whatever is shown of it."""

    headings: tuple[Heading, ...]
    opening: str = ""
    closing: str = ""

    @property
    def is_framed(self) -> bool:
        """Whether it is code, or a table with a header."""
        return bool(self.opening)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a block that is shown whole or not at all; `is_line` unless it begins in the middle of a line."""

    block: Block
    text: str
    is_line: bool = True


def pieces(markdown: str) -> Iterator[Piece]:
    """All of the text in order; headings are not pieces but the way to them."""
    headings: tuple[Heading, ...] = ()
    for lines, fence in _runs(markdown):
        mark = None if fence else _HEADING.match(lines[0])
        if mark:
            heading = Heading(cut_at_word(lines[0], _HEADING_CHARS), len(mark[1]))
            headings = (*(above for above in headings if above.level < heading.level), heading)
        elif fence:
            yield from _code(headings, lines, fence)
        elif len(lines) > 2 and lines[0].startswith("|") and _TABLE_RULE.match(lines[1]):
            yield from _rows(Block(headings, "\n".join(lines[:2])), lines[2:])
        else:
            yield from _sentences(Block(headings), lines)


def _runs(markdown: str) -> Iterator[tuple[list[str], Fence | None]]:
    """Lines that belong together, and the fence they stand in, without its marks; a heading is alone."""
    run: list[str] = []
    fence: Fence | None = None
    for line in read_lines(markdown):
        is_heading = line.fence is None and bool(_HEADING.match(line.text))
        is_blank = line.fence is None and not line.text.strip()
        if run and (line.fence is not fence or is_heading or is_blank):
            yield run, fence
            run = []
        fence = line.fence
        if is_heading:
            yield [line.text], None
        elif not line.is_mark and not is_blank:
            run.append(line.text)
    if run:
        yield run, fence


def _code(headings: tuple[Heading, ...], lines: Sequence[str], fence: Fence) -> Iterator[Piece]:
    code = "\n".join(lines)
    block = Block(headings, cut_at_word(fence.opening, _HEADING_CHARS), fence.marker)
    yield from _rows(block, (textwrap.dedent(code) if fence.is_indented else code).split("\n"))


def _rows(block: Block, lines: Iterable[str]) -> Iterator[Piece]:
    """Whole lines, as many as make a piece."""
    taken: list[str] = []
    size = 0
    for line in lines:
        for part in _chopped(line):
            if taken and size + len(part) > PIECE_CHARS:
                yield Piece(block, "\n".join(taken))
                taken, size = [], 0
            taken.append(part)
            size += len(part)
    if size:
        yield Piece(block, "\n".join(taken))


def _sentences(block: Block, lines: Iterable[str]) -> Iterator[Piece]:
    """Whole sentences, as many as make a piece; lines stay lines."""
    text, began_line = "", True
    for line in lines:
        begins_line = True
        for sentence in _split(line):
            if text and len(text) + len(sentence) > PIECE_CHARS:
                yield Piece(block, text, began_line)
                text, began_line = "", begins_line
            text += ("\n" if text and begins_line else "") + sentence
            begins_line = False
    if text:
        yield Piece(block, text, began_line)


def _split(line: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(line):
        yield from _chopped(line[start : end.end()])
        start = end.end()
    if start < len(line):
        yield from _chopped(line[start:])


def _chopped(text: str) -> Iterator[str]:
    """The text whole, or in parts where it is absurdly long."""
    start = 0
    while len(text) - start > _WHOLE_CHARS:
        part = cut_at_word(text[start : start + _WHOLE_CHARS + 1], _WHOLE_CHARS)
        if part:
            yield part
        start += len(part) or _WHOLE_CHARS
    yield text[start:]
