"""The last cleaning of every text that leaves extraction, whatever it was made from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.text import inert, visible

# A fence may stand in a list or a quotation; one with a backtick behind it is inline code.
_FENCE = re.compile(r"^([\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"^#{1,6} (.+)$")


def clean(markdown: str) -> str:
    """Text without invisible characters, remote images, trailing spaces and runs of empty lines; code stays code."""
    lines: list[str] = []
    fence: _Fence | None = None
    for line in visible(markdown).split("\n"):
        if fence is None:
            found = _FENCE.match(line)
            fence = _Fence(found[2], is_indented=bool(found[1])) if found else None
            line = inert(line).rstrip()
            if line or (lines and lines[-1]):
                lines.append(line)
            continue
        # What looks like code in a list may be none to a viewer, and then its images would load.
        lines.append(inert(line) if fence.is_indented else line)
        fence = None if fence.is_closed_by(line) else fence
    return "\n".join(lines).strip("\n")


def without_repeated_title(markdown: str, title: str) -> str:
    """Page templates print the title above the article that begins with it: one is enough."""
    seen = False
    lines = markdown.split("\n")
    for index, line in enumerate(lines[:12]):
        heading = _HEADING.match(line)
        if heading and _same(heading[1], title):
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


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open code block."""

    marker: str
    is_indented: bool

    def is_closed_by(self, line: str) -> bool:
        rest = line.strip(" >\t") if self.is_indented else line.rstrip()
        indent = 0 if self.is_indented else len(rest) - len(rest.lstrip(" "))
        rest = rest[indent:]
        return indent < 4 and len(rest) >= len(self.marker) and not rest.strip(self.marker[0])


def _same(heading: str, title: str) -> bool:
    return bool(title) and re.sub(r"\W+", "", heading).casefold() == re.sub(r"\W+", "", title).casefold()
