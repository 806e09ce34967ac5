"""Small repairs of the Markdown that extraction makes."""

from __future__ import annotations

import re

_HEADING = re.compile(r"^#{1,6} (.+)$")


def without_repeated_title(markdown: str, title: str) -> str:
    """Page templates print the title above the article that begins with it: one is enough."""
    seen = False
    lines = markdown.split("\n")
    for index, line in enumerate(lines[:12]):
        heading = _HEADING.match(line)
        if heading and same_words(heading[1], title):
            if seen:
                # The empty line behind it goes too.
                return "\n".join(lines[:index] + lines[index + 2 :])
            seen = True
    return markdown


def fenced(code: str, language: str) -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def same_words(heading: str, title: str) -> bool:
    """Whether a heading says what the title says, whatever the punctuation."""
    return bool(title) and re.sub(r"\W+", "", heading).casefold() == re.sub(r"\W+", "", title).casefold()
