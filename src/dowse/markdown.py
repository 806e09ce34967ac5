"""Markdown from the web, whoever made it: its last cleaning before anybody sees it, and the way back to plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.text import inert, visible

# A fence may stand in a list or a quotation; one with a backtick behind it is inline code.
_FENCE = re.compile(r"^([\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(`{3,}(?=[^`]*$)|~{3,})")
_QUOTE = re.compile(r"^(?:\s{0,3}>\s?)+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_RULE = re.compile(r"^\s{0,3}([-*_])(?:\s?\1){2,}$")
_TABLE_RULE = re.compile(r"^\s{0,3}\|?[\s:|-]*-[\s:|-]*$")
# Every alternative stops at the character it starts with, so that no line is read more than a few times.
_LINK = re.compile(r"!?\[([^\[\]]{0,2000})\]\((?:[^()]|\([^()]{0,500}\)){0,2000}\)")
_REFERENCE = re.compile(r"!?\[([^\[\]]{1,2000})\]\[[^\[\]]{0,500}\]")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]{1,2000})>")
_STRONG = re.compile(r"(\*\*|__|~~)(?=\S)([^*_~]{1,2000})(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_]{1,2000})(?<=\S)\1(?![\w*])")
# Inline code and escaped punctuation mean what they say. No cleaned text holds a NUL, so it can stand for them.
_LITERAL = re.compile(r"(`+)([^`]{1,2000})\1|\\([!-/:-@\[-`{-~])")
_KEPT = re.compile("\0(\\d+)\0")


def clean(markdown: str) -> str:
    """Text without invisible characters, remote images, trailing spaces and runs of empty lines; code stays code."""
    lines: list[str] = []
    fence: Fence | None = None
    for line in visible(markdown).split("\n"):
        if fence is None:
            fence = opened_fence(line)
            line = inert(line).rstrip()
            if line or (lines and lines[-1]):
                lines.append(line)
            continue
        # What looks like code in a list may be none to a viewer, and then its images would load.
        lines.append(inert(line) if fence.is_indented else line)
        fence = None if fence.is_closed_by(line) else fence
    return "\n".join(lines).strip("\n")


def word_count(markdown: str) -> int:
    return len(markdown.split())


def plain(markdown: str) -> str:
    """The words without the syntax: no headings, emphasis, link targets or fences. Lists keep their marks."""
    lines: list[str] = []
    fence: Fence | None = None
    for line in markdown.split("\n"):
        if fence is not None:
            fence = None if fence.is_closed_by(line) else fence
            shown = line if fence else None
        else:
            fence = opened_fence(line)
            shown = None if fence else _plain_line(line)
        if shown is not None and (shown or (lines and lines[-1])):
            lines.append(shown)
    return "\n".join(lines).strip("\n")


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code block."""

    marker: str
    is_indented: bool

    def is_closed_by(self, line: str) -> bool:
        rest = line.strip(" >\t") if self.is_indented else line.rstrip()
        indent = 0 if self.is_indented else len(rest) - len(rest.lstrip(" "))
        rest = rest[indent:]
        return indent < 4 and len(rest) >= len(self.marker) and not rest.strip(self.marker[0])


def opened_fence(line: str) -> Fence | None:
    """The code block that a line opens."""
    found = _FENCE.match(line)
    return Fence(found[2], is_indented=bool(found[1])) if found else None


def _plain_line(line: str) -> str | None:
    """One line of prose; `None` for one that is nothing but syntax."""
    if _RULE.match(line) or ("|" in line and _TABLE_RULE.match(line)):
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
