"""The sentences that a span of text touches. Not dowse's own way to find them, which is what is being judged."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"\s{0,9}(?:```|~~~)")
_END = re.compile(r"[.!?…]{1,3}[\"'”’»)\]*_]{0,3}\s{1,9}|[。！？][」』”）)]{0,2}|[।॥؟۔။។]\s{0,9}")
# A single capital before the full stop is an initial, and a small number may be that of a day.
_NO_END = re.compile(
    r"(?:^|[\s(\[“\"'])(?:[A-ZÀ-Þ]|\d{1,2}|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|Nr|vs|cf|ca|bzw|approx|Sen|Gov|Gen|(?:\w\.){1,4}\w)\.\s*$"
)
_BEFORE_CHARS = 12
_AROUND = 20
# What a list or quotation puts before a sentence is no part of it.
_MARKS = " \t-*+>"
# Sentences end with a blank where there is no full stop, but numbers and foreign words have blanks around them too.
_BLANK_ENDS = re.compile(r"(?<=[\u0e00-\u0eff])\s{1,9}(?=[\u0e00-\u0eff])")


def touched(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the sentences are, or the rows of a table or lines of code, that have a part of the span."""
    found = []
    for line_start, line_end, is_whole in _lines(text):
        if line_start < end and start < line_end:
            pieces = [(line_start, line_end)] if is_whole else _sentences(text, line_start, line_end)
            found += [(first, last) for first, last in pieces if first < end and start < last]
    return found


def surroundings(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with some characters of its line on both sides, less a part of a phrase: Thai marks no end."""
    before = text[max(0, start - _AROUND) : start].rpartition("\n")[2]
    behind = text[end : end + _AROUND].partition("\n")[0]
    return start - len(before.partition(" ")[2] or before), end + len(behind.rpartition(" ")[0] or behind)


def _lines(text: str) -> Iterator[tuple[int, int, bool]]:
    """Each line, and whether it is a row or code, which cannot be taken apart."""
    position, is_code = 0, False
    for line in text.split("\n"):
        is_fence = bool(_FENCE.match(line))
        yield position, position + len(line), is_code or is_fence or line.startswith("|")
        is_code ^= is_fence
        position += len(line) + 1


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    line = text[start:end]
    ends = [found.end() for found in _END.finditer(line) if _is_end(line, found)]
    ends += [found.end() for found in _BLANK_ENDS.finditer(line)]
    first = 0
    for last in [*sorted(ends), len(line)]:
        piece = line[first:last]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip(_MARKS))
            yield start + first + lead, start + first + len(piece.rstrip())
        first = last


def _is_end(line: str, found: re.Match[str]) -> bool:
    following = line[found.end() :].lstrip("\"'“‘«([*_")
    if following[:1].islower():
        return False
    return not _NO_END.search(line[max(0, found.end() - _BEFORE_CHARS) : found.end()])
