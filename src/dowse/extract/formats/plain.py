"""Text that is nearly Markdown already: JSON, source code and tables of comma-separated values."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Literal

from dowse.core.models import Text
from dowse.document.markdown import as_code, clean
from dowse.extract.formats.inline_html import without_hidden_elements
from dowse.extract.formats.tables import limited
from dowse.extract.tidy import title_of

# Indenting is slow, and nobody reads more of it.
_LARGEST_INDENTED_JSON = 500_000
_DELIMITERS = ",;\t|"
_SAMPLED_LINES = 20
_MOST_LINES_IN_A_CELL = 20


def from_prose(source: str, *, is_markdown: bool) -> Text:
    """Text and Markdown as they are, but for what Markdown hides; it is called what its first heading says."""
    # In a plain text everybody sees a comment.
    markdown = clean(without_hidden_elements(source) if is_markdown else source.replace("<!--", "\\<!--"))
    return Text(markdown, title_of(markdown))


def from_code(source: str, language: str) -> Text:
    return Text(clean(as_code(source.strip("\r\n"), language)))


def from_json(source: str, value: object) -> Text:
    """The value that was parsed, indented if it is not too large; else its source."""
    try:
        pretty = _indented(value) if len(source) <= _LARGEST_INDENTED_JSON else ""
    except RecursionError:
        pretty = ""
    return Text(clean(as_code(pretty or source.strip(), "json")))


def from_json_lines(source: str) -> Text:
    """One value on each line stays one value on each line: that is what the format is for."""
    return Text(clean(as_code(source.replace("\x1e", "").strip(), "json")))


def from_csv(source: str, *, is_tabbed: bool = False) -> Text:
    """A table; text that is none after all stays as it is."""
    delimiter = "\t" if is_tabbed else _delimiter(source)
    rows = _rows(source, delimiter, csv.QUOTE_MINIMAL)
    if not rows or rows[-1][-1].count("\n") > _MOST_LINES_IN_A_CELL:
        # A quotation mark that never ends is a character like any other.
        rows = _rows(source, delimiter, csv.QUOTE_NONE)
    if max(map(len, rows), default=0) < 2:
        return Text(clean(source))
    made = limited(rows)
    return Text(clean(made.markdown), is_cut=made.is_cut)


def _rows(source: str, delimiter: str, quoting: Literal[0, 3]) -> list[list[str]]:
    """Every row that holds something; none for text that the format forbids."""
    lines = io.StringIO(source, newline="")
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter, quoting=quoting) if any(row)]
    except csv.Error:
        return []


def _delimiter(source: str) -> str:
    """The character that most lines hold equally often; quoted ones do not count."""
    lines = [line for line in source[:100_000].splitlines() if line.strip()][:_SAMPLED_LINES]
    counts = {mark: [_outside_quotes(line).count(mark) for line in lines] for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: _agreement(counts[mark]))


def _agreement(counts: Sequence[int]) -> tuple[int, int]:
    """How many lines have as many as the first one has, which must have some."""
    usual = counts[0] if counts else 0
    return (counts.count(usual), usual) if usual else (0, 0)


def _outside_quotes(line: str) -> str:
    return "".join(line.split('"')[::2])


def _indented(value: object) -> str:
    """Indented JSON; nothing when nesting would make it many times longer than its source."""
    pieces: list[str] = []
    size = 0
    for piece in json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value):
        pieces.append(piece)
        size += len(piece)
        if size > 4 * _LARGEST_INDENTED_JSON:
            return ""
    return "".join(pieces)
