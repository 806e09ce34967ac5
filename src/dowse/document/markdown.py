"""Markdown from the web, whoever made it: its last cleaning before anybody sees it, and the way back to plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dowse.core.text import inert, visible

RULE = "---"
"""A line across the page."""
# One with a backtick behind it is inline code.
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_QUOTE_MARK = re.compile(r" {0,3}> ?")
_ITEM_MARK = re.compile(r" {0,3}(?:[-*+]|(\d{1,9})[.)])(?= |$)")
# A heading, or the line under one, or a line across the page.
_PARAGRAPH_END = re.compile(r" {0,3}(?:#{1,6}(?: |$)|[-=*_ ]{1,200}$)")
_INDENT = re.compile(" *")
_NO_INDENT = re.compile("[^ >]")
# Nobody follows lists and quotations that are nested more deeply; what is further inside is text.
_DEEPEST = 20
_BACKTICKS = re.compile("`{3,}")
_FENCES = ("```", "~~~")
_QUOTE = re.compile(r"^(?:\s{0,3}>\s?)+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_TABLE_RULE = re.compile(r"^\s{0,3}\|?[\s:|-]*-[\s:|-]*$")
# Every alternative stops at the character it starts with, so that no line is read more than a few times.
_LINK = re.compile(r"!?\[([^\[\]]{0,2000})\]\((?:[^()]|\([^()]{0,500}\)){0,2000}\)")
_REFERENCE = re.compile(r"!?\[([^\[\]]{1,2000})\]\[[^\[\]]{0,500}\]")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]{1,2000})>")
_STRONG = re.compile(r"(\*\*|__|~~)(?=\S)([^*_~]{1,2000})(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_]{1,2000})(?<=\S)\1(?![\w*])")
# Inline code and escaped punctuation mean what they say. No cleaned text holds a NUL, so it can stand for them.
_LITERAL = re.compile(r"(?<!`)(`++)([^`]{1,2000}+)\1(?!`)|\\([!-/:-@\[-`{-~])")
_COMMENT, _COMMENT_END = "<!--", "-->"
_COMMENT_OR_LITERAL = re.compile(r"\\[!-/:-@\[-`{-~]|(?<!`)(`++)[^`\n]{1,2000}+\1(?!`)|(?P<comment><!--)|(?P<end>\n)")
_BEFORE_BLOCKS = " \t>-*+.)0123456789"
_KEPT = re.compile("\0(\\d+)\0")


def clean(markdown: str) -> str:
    """Text without invisible characters, comments, remote images, trailing spaces and runs of empty lines.

    Code stays code.
    """
    lines: list[str] = []
    seen = without_comments(visible(markdown))
    # Where no fence is, it takes no look at lists and quotations to tell code from prose.
    has_fences = any(fence in seen for fence in _FENCES)
    for line in read_lines(seen) if has_fences else map(Line, seen.split("\n")):
        if line.fence is not None and not line.is_mark:
            # What looks like code in a list may be none to a viewer, and then its images would load.
            lines.append(inert(line.text) if line.fence.is_indented else line.text)
            continue
        text = inert(line.text).rstrip()
        if text or (lines and lines[-1]):
            lines.append(text)
    return "\n".join(lines).strip("\n")


def without_comments(markdown: str) -> str:
    """Text without HTML comments, which nobody sees who looks at the page; code keeps them."""
    if _COMMENT not in markdown:
        return markdown
    lines: list[str] = []
    blocks, comments, position = Blocks(), _Comments(markdown), 0
    while position <= len(markdown):
        end = markdown.find("\n", position)
        line = markdown[position : end if end >= 0 else len(markdown)]
        read = blocks.take(line)
        if _COMMENT in line and read.fence is None and not read.is_indented_code:
            line, position = comments.cut_from(position)
        else:
            position += len(line) + 1
        lines.append(line)
    return "\n".join(lines)


def with_closed_code(markdown: str) -> str:
    """The text with an end for the block of code that it leaves open, or what follows would be code as well."""
    blocks = Blocks()
    for line in markdown.split("\n"):
        blocks.take(line)
    return f"{markdown}\n{blocks.fence.closing}" if blocks.fence else markdown


def as_code(text: str, language: str = "") -> str:
    """Text as a block of code that nothing in it can end."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{text}\n{mark}"


def word_count(markdown: str) -> int:
    return len(markdown.split())


def plain(markdown: str) -> str:
    """The words without the syntax: no headings, emphasis, link targets or fences. Lists keep their marks."""
    lines: list[str] = []
    for line in read_lines(markdown):
        if line.is_mark:
            continue
        shown = _plain_line(line.text) if line.fence is None else line.text
        if shown is not None and (shown or (lines and lines[-1])):
            lines.append(shown)
    return "\n".join(lines).strip("\n")


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code: `opening` is its first line from the marker on, `closing` a whole line that would end it."""

    marker: str
    opening: str
    closing: str

    @property
    def is_indented(self) -> bool:
        return self.closing != self.marker


class Line(NamedTuple):
    """A line, and the block of code that it belongs to; `is_mark` if it begins or ends that block."""

    text: str
    fence: Fence | None = None
    is_mark: bool = False
    is_indented_code: bool = False
    """Code without a fence."""


def read_lines(markdown: str) -> Iterator[Line]:
    """The lines of a text, code told from prose."""
    blocks = Blocks()
    for line in markdown.split("\n"):
        yield blocks.take(line)


class Blocks:
    """What is open while lines are read one by one, by the rules of CommonMark: lists, quotations, and code in them.

    Who took prose for code would leave it as it is, headings that pretend to be ours and all.
    """

    def __init__(self) -> None:
        self.fence: Fence | None = None
        # From the outside in: for an item of a list how far its text is indented, 0 for a quotation.
        self._around: list[int] = []
        self._is_paragraph = False
        self._is_item_empty = False

    def take(self, line: str) -> Line:
        """Go on by a line."""
        if not (self._around or self.fence) and (not line or line[0].isalpha()):
            # Most lines are like this: no mark starts with a letter.
            self._is_paragraph = bool(line)
            return Line(line)
        text = line.expandtabs(4)
        at, count = self._still_open(text)
        if count < len(self._around):
            # Whatever is open in a list or a quotation ends with it.
            del self._around[count:]
            self.fence = None
            goes_on = False
        else:
            goes_on = self._is_paragraph
        self._is_item_empty = False
        if (fence := self.fence) is not None:
            is_end = fence.marker in text and _is_end(text[at:], fence.marker)
            self.fence = None if is_end else fence
            return Line(line, fence, is_mark=is_end)
        at = self._entered(text, at, goes_on=goes_on)
        if found := _FENCE.match(text, at):
            self.fence = Fence(found[1], text[found.start(1) :], _NO_INDENT.sub(" ", text[: found.start(1)]) + found[1])
            self._is_paragraph = False
            return Line(line, self.fence, is_mark=True)
        is_blank = not text[at:].strip(" ")
        is_code = not (self._around or self._is_paragraph or is_blank) and text.startswith("    ")
        self._is_paragraph = not (is_blank or is_code or _PARAGRAPH_END.match(text, at))
        return Line(line, is_indented_code=is_code)

    def _still_open(self, text: str) -> tuple[int, int]:
        """How many of the lists and quotations a line is in, and where in the line its own text starts."""
        at, is_blank = 0, not text.strip(" ")
        for count, width in enumerate(self._around):
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
        return at, len(self._around) - (is_blank and self._is_item_empty)

    def _entered(self, text: str, at: int, *, goes_on: bool) -> int:
        """Where the line's own text starts behind the marks of new lists and quotations."""
        while len(self._around) < _DEEPEST:
            if quote := _QUOTE_MARK.match(text, at):
                width = 0
                at = quote.end()
            elif item := _ITEM_MARK.match(text, at):
                blanks = _indent(text, item.end())
                is_empty = self._is_item_empty = item.end() + blanks == len(text)
                # In the middle of a paragraph, a number at the beginning of a line is mostly a number.
                if goes_on and (is_empty or item[1] not in (None, "1")):
                    break
                width = item.end() - at + (blanks if blanks < 5 and not is_empty else 1)
                at = min(at + width, len(text))
            else:
                break
            self._around.append(width)
            goes_on = self._is_paragraph = False
        return at


class _Comments:
    """Cuts comments out of a text that is read from its start to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = {_COMMENT_END: -1, "\n\n": -1}

    def cut_from(self, start: int) -> tuple[str, int]:
        """The line that starts there, with what follows its comments, and where the next one starts."""
        kept: list[str] = []
        at = shown_from = start
        is_block = True
        while (found := _COMMENT_OR_LITERAL.search(self._text, at)) and not found["end"]:
            at = found.end()
            if found["comment"]:
                is_block = is_block and not self._text[shown_from : found.start()].strip(_BEFORE_BLOCKS)
                if end := self._end(found.start(), is_block=is_block):
                    piece = self._text[shown_from : found.start()]
                    # What a comment divides must not make another one.
                    kept.append(f"{piece} " if piece.endswith(("<", "<!", "<!-")) else piece)
                    at = shown_from = end
        line_end = found.start() if found else len(self._text)
        return "".join([*kept, self._text[shown_from:line_end]]), line_end + 1

    def _end(self, start: int, *, is_block: bool) -> int:
        """Where a comment ends; 0 for one that is none: only at the start of a line may it go on over paragraphs."""
        end = self._after(_COMMENT_END, start + 2)
        if is_block:
            return min(end + len(_COMMENT_END), len(self._text))
        return end + len(_COMMENT_END) if end < self._after("\n\n", start) else 0

    def _after(self, what: str, position: int) -> int:
        """The next place of something, or the end of the text; nothing is looked for twice."""
        if self._next[what] < position:
            place = self._text.find(what, position)
            self._next[what] = place if place >= 0 else len(self._text)
        return self._next[what]


def _indent(text: str, at: int) -> int:
    found = _INDENT.match(text, at)
    return found.end() - at if found else 0


def _is_end(text: str, marker: str) -> bool:
    rest = text.strip(" ")
    return _indent(text, 0) < 4 and len(rest) >= len(marker) and not rest.strip(marker[0])


def is_rule(line: str) -> bool:
    """Whether a line is drawn as a rule, if it is not right below a text."""
    return _RULE.match(line) is not None


def _plain_line(line: str) -> str | None:
    """One line of prose; `None` for one that is nothing but syntax."""
    if is_rule(line) or ("|" in line and _TABLE_RULE.match(line)):
        return None
    line = _HEADING.sub("", _QUOTE.sub("", line))
    if line.startswith("|"):
        line = "  ".join(cell.strip() for cell in line.strip("| ").split("|"))
    return _plain_words(line).rstrip()


def _plain_words(line: str) -> str:
    kept: list[str] = []

    def keep(literal: re.Match[str]) -> str:
        kept.append(literal[2] or literal[3])
        return f"\0{len(kept) - 1}\0"

    line = _LITERAL.sub(keep, line.replace("\0", ""))
    for syntax in (_LINK, _REFERENCE, _AUTOLINK):
        line = syntax.sub(r"\1", line)
    for syntax in (_STRONG, _EMPHASIS, _STRONG):
        line = syntax.sub(r"\2", line)
    return _KEPT.sub(lambda place: kept[int(place[1])], line)
