"""Titles in extracted Markdown, and its first part within a limit."""

from __future__ import annotations

import re

from dowse.core.text import without_markup
from dowse.document.clean import close_code

TITLE_CHARS = 300
_TITLE_LINES = 50
_HEADING = re.compile(r"^#{1,6} (.+)$")


def without_repeated_title(markdown: str, title: str) -> str:
    """Markdown without the second of two headings that repeat the title."""
    seen = False
    lines = markdown.split("\n")
    for index, line in enumerate(lines[:12]):
        heading = _HEADING.match(line)
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
