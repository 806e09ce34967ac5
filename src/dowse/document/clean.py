"""Cleaning of Markdown from the web, its title and its beginning, and its rendering as plain text and as code."""

from __future__ import annotations

import re
from collections.abc import Callable

from dowse.core.text import find_or_end, inert, visible, without_markup
from dowse.document.markdown import FENCES, Line, LineScanner, is_rule, scan_lines

TITLE_CHARS = 300
_TITLE_LINES = 50
_TITLE = re.compile(r"^#{1,6} (.+)$")
_BACKTICKS = re.compile("`{3,}")
_COMMENT, _COMMENT_END = "<!--", "-->"
_COMMENT_OR_LITERAL = re.compile(r"\\[!-/:-@\[-`{-~]|(?<!`)(`++)[^`\n]{1,2000}+\1(?!`)|(?P<comment><!--)|(?P<end>\n)")
_BEFORE_BLOCKS = " \t>-*+.)0123456789"
_QUOTE = re.compile(r"^(?:\s{0,3}>\s?)+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_TABLE_RULE = re.compile(r"^\s{0,3}\|?[\s:|-]*-[\s:|-]*$")
# Every alternative stops at the character that it starts with, which keeps the patterns linear.
_LINK = re.compile(r"!?\[([^\[\]]{0,2000})\]\((?:[^()]|\([^()]{0,500}\)){0,2000}\)")
_REFERENCE = re.compile(r"!?\[([^\[\]]{1,2000})\]\[[^\[\]]{0,500}\]")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]{1,2000})>")
_STRONG = re.compile(r"(\*\*|__|~~)(?=\S)([^*_~]{1,2000})(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_]{1,2000})(?<=\S)\1(?![\w*])")
# Inline code and escaped punctuation are literal: a NUL, which no cleaned text holds, stands for them meanwhile.
_LITERAL = re.compile(r"(?<!`)(`++)([^`]{1,2000}+)\1(?!`)|\\([!-/:-@\[-`{-~])")
_KEPT = re.compile("\0(\\d+)\0")


def clean(markdown: str) -> str:
    """Remove invisible characters, comments, remote images, trailing spaces and runs of empty lines; not from code."""
    lines: list[str] = []
    seen = strip_comments(visible(markdown))
    # Without fences there is no need to follow lists and quotes.
    has_fences = any(fence in seen for fence in FENCES)
    for line in scan_lines(seen) if has_fences else map(Line, seen.split("\n")):
        if line.fence is not None and not line.is_mark:
            # Code in a list may be prose to a viewer, and then its images would load.
            lines.append(inert(line.text) if line.fence.is_indented else line.text)
            continue
        text = inert(line.text).rstrip()
        if text or (lines and lines[-1]):
            lines.append(text)
    return "\n".join(lines).strip("\n")


def strip_comments(markdown: str) -> str:
    """Remove HTML comments, which a browser does not show; code keeps them."""
    if _COMMENT not in markdown:
        return markdown
    lines: list[str] = []
    scanner, comments, position = LineScanner(), _CommentStripper(markdown), 0
    while position <= len(markdown):
        line = markdown[position : find_or_end(markdown, "\n", position)]
        read = scanner.scan(line)
        if _COMMENT in line and read.fence is None and not read.is_indented_code:
            line, position = comments.cut_from(position)
        else:
            position += len(line) + 1
        lines.append(line)
    return "\n".join(lines)


def close_code(markdown: str) -> str:
    """Close code that a text leaves open, so that the text behind it is not code as well."""
    scanner = LineScanner()
    for line in markdown.split("\n"):
        scanner.scan(line)
    return f"{markdown}\n{scanner.fence.closing}" if scanner.fence else markdown


def to_code_block(text: str, language: str = "") -> str:
    """Fence a text as code, with a fence longer than any in it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}{language}\n{text}\n{mark}"


def to_plain_text(markdown: str) -> str:
    """Remove the syntax: marks of headings, emphasis, link targets, fences. Lists keep their marks."""
    lines: list[str] = []
    for line in scan_lines(markdown):
        if line.is_mark:
            continue
        shown = _to_plain_line(line.text) if line.fence is None else line.text
        if shown is not None and (shown or (lines and lines[-1])):
            lines.append(shown)
    return "\n".join(lines).strip("\n")


class _CommentStripper:
    """Cuts comments out of a text that is read once, from start to end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = {_COMMENT_END: -1, "\n\n": -1}

    def cut_from(self, start: int) -> tuple[str, int]:
        """The line from `start` without its comments, joined with the text behind them, and the start of the next."""
        kept: list[str] = []
        at = shown_from = start
        is_block = True
        while (found := _COMMENT_OR_LITERAL.search(self._text, at)) and not found["end"]:
            at = found.end()
            if found["comment"]:
                is_block = is_block and not self._text[shown_from : found.start()].strip(_BEFORE_BLOCKS)
                if end := self._end(found.start(), is_block=is_block):
                    piece = self._text[shown_from : found.start()]
                    # The text around a comment must not join to another one.
                    kept.append(f"{piece} " if piece.endswith(("<", "<!", "<!-")) else piece)
                    at = shown_from = end
        line_end = found.start() if found else len(self._text)
        return "".join([*kept, self._text[shown_from:line_end]]), line_end + 1

    def _end(self, start: int, *, is_block: bool) -> int:
        """The end of a comment, 0 if it is none: only at the start of a line it may span paragraphs."""
        end = self._after(_COMMENT_END, start + 2)
        if is_block:
            return min(end + len(_COMMENT_END), len(self._text))
        return end + len(_COMMENT_END) if end < self._after("\n\n", start) else 0

    def _after(self, what: str, position: int) -> int:
        """The next occurrence, or the end of the text; cached, so that no text is searched twice."""
        if self._next[what] < position:
            place = self._text.find(what, position)
            self._next[what] = place if place >= 0 else len(self._text)
        return self._next[what]


def _to_plain_line(line: str) -> str | None:
    """A line of prose without syntax; `None` for a line of nothing else."""
    if is_rule(line) or ("|" in line and _TABLE_RULE.match(line)):
        return None
    line = _HEADING.sub("", _QUOTE.sub("", line))
    if line.startswith("|"):
        line = "  ".join(map(str.strip, line.strip("| ").split("|")))
    return _strip_inline_syntax(line).rstrip()


def _strip_inline_syntax(line: str) -> str:
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


class MappedText:
    """A text that is changed step by step; `place` maps positions of the original to it."""

    def __init__(self, original: str) -> None:
        self.text = original
        self._places = list(range(len(original) + 1))
        self._is_lost = False

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Map a part of the original; to its line if nothing of it is left, to the whole text if unknown."""
        if self._is_lost:
            return 0, len(self.text)
        start, end = self._places[start], self._places[end]
        if start == end:
            start, end = self._line_around(start)
        return (start, end) if start < end else (0, len(self.text))

    def _line_around(self, place: int) -> tuple[int, int]:
        return self.text.rfind("\n", 0, place) + 1, find_or_end(self.text, "\n", place)

    def replace(self, pattern: re.Pattern[str], put: Callable[[re.Match[str]], str]) -> None:
        """Replace every match."""
        pieces: list[str] = []
        moved: list[int] = []
        at = length = 0
        for found in pattern.finditer(self.text):
            new = put(found)
            pieces += (self.text[at : found.start()], new)
            moved += range(length, length + found.start() - at)
            length += found.start() - at
            moved += (length + min(offset, len(new)) for offset in range(len(found[0])))
            length += len(new)
            at = found.end()
        if not pieces:
            return
        pieces.append(self.text[at:])
        moved += range(length, length + len(self.text) - at + 1)
        self._move("".join(pieces), moved)

    def clean(self) -> None:
        """Clean the text; positions follow from comparing both texts, as cleaning mostly removes characters."""
        text = clean(self.text)
        moved: list[int] = []
        at = 0
        for character in self.text:
            moved.append(at)
            at += text.startswith(character, at)
        moved.append(at)
        # Cleaning also defuses links and tags by replacing letters; positions behind them are unknown.
        self._is_lost = at < len(text)
        self._move(text, moved)

    def _move(self, text: str, moved: list[int]) -> None:
        self.text = text
        self._places = [moved[place] for place in self._places]


def without_repeated_title(markdown: str, title: str) -> str:
    """Markdown without the second of two headings that repeat the title."""
    seen = False
    lines = markdown.split("\n")
    for index, line in enumerate(lines[:12]):
        heading = _TITLE.match(line)
        if heading and same_words(heading[1], title):
            if seen:
                # With the empty line behind it.
                return "\n".join(lines[:index] + lines[index + 2 :])
            seen = True
    return markdown


def beginning(markdown: str, most_chars: int) -> str:
    """The first part of a text that fits, up to the end of a line and with its code blocks closed."""
    # There may be no line break, or even no blank.
    ends = (markdown.rfind(mark, most_chars // 2, most_chars + 1) for mark in "\n ")
    return close_code(markdown[: next((end for end in ends if end >= 0), most_chars)])


def title_of(markdown: str) -> str:
    """The first heading as a title, if it comes soon."""
    heading = next((line for line in markdown.split("\n", _TITLE_LINES) if line.startswith("# ")), "")
    return without_markup(heading.removeprefix("# "), TITLE_CHARS)


def same_words(heading: str, title: str) -> bool:
    """Whether a heading and a title have the same words, without punctuation."""
    return bool(title) and re.sub(r"\W+", "", heading).casefold() == re.sub(r"\W+", "", title).casefold()
