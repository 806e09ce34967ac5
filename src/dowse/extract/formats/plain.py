"""Plain formats as Markdown: text, source code, JSON, CSV, XML; rows of cells as a table of bounded size."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from dowse.core.models import Text
from dowse.core.text import enclose, find_or_end, one_line, visible
from dowse.document.clean import clean, strip_comments, title_of, to_code_block
from dowse.document.markdown import scan_lines
from dowse.extract.html.tree.grammar import VOID
from dowse.extract.html.tree.hiding import hides

MOST_ROWS = 1000
MOST_COLUMNS = 50
_LONGEST_CELL = 1000
# Indenting is slow, and of little use to a reader beyond this size.
_LARGEST_INDENTED = 500_000
_SHORT_LINES = 200
_DEEPEST_INDENT = 20
_XML_SPECIAL = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"))
_DELIMITERS = ",;\t|"
_SAMPLED_LINES = 20
_MOST_LINES_IN_A_CELL = 20
# A tag as Markdown reads it: unlike in HTML, `a <b and c` begins none.
_HTML_TAG = re.compile(
    r"""<(?P<slash>/?)(?P<name>[a-zA-Z][a-zA-Z0-9-]{0,30}+)"""
    r"""(?P<attributes>(?:\s(?:[^<>"']|"[^"]{0,1000}+"|'[^']{0,1000}+')*+)?+)>"""
)
_CODE_SPAN = re.compile(r"(?<!`)(`++)[^`\n]{1,2000}+\1(?!`)")


def from_prose(source: str, *, is_markdown: bool) -> Text:
    """Text and Markdown as they are, without hidden text; the first heading is the title."""
    # A comment in a plain text is visible.
    markdown = clean(without_hidden_elements(source) if is_markdown else source.replace("<!--", "\\<!--"))
    return Text(markdown, title_of(markdown))


def from_code(source: str, language: str) -> Text:
    return Text(clean(to_code_block(source.strip("\r\n"), language)))


def from_json(source: str, value: object) -> Text:
    """The parsed value, indented if it is not too large; else its source."""
    try:
        pretty = _indent_json(value) if len(source) <= _LARGEST_INDENTED else ""
    except RecursionError:
        pretty = ""
    return Text(clean(to_code_block(pretty or source.strip(), "json")))


def from_json_lines(source: str) -> Text:
    """One value on each line, as in the source."""
    return Text(clean(to_code_block(source.replace("\x1e", "").strip(), "json")))


def from_csv(source: str, *, is_tabbed: bool = False) -> Text:
    """A table; text that is none after all stays as it is."""
    delimiter = "\t" if is_tabbed else _find_delimiter(source)
    rows = _read_rows(source, delimiter, csv.QUOTE_MINIMAL)
    if not rows or rows[-1][-1].count("\n") > _MOST_LINES_IN_A_CELL:
        # A quotation mark that never ends is a character like any other.
        rows = _read_rows(source, delimiter, csv.QUOTE_NONE)
    if max(map(len, rows), default=0) < 2:
        return Text(clean(source))
    table = limit_table(rows)
    return Text(clean(table.markdown), is_cut=table.is_cut)


def from_xml(markup: str) -> Text:
    """XML source in a code block, indented where it has hardly any line breaks. Nothing in it is resolved or loaded."""
    source = markup.lstrip("\ufeff").strip()
    if not source:
        return Text("")
    is_dense = len(source) > _SHORT_LINES * (source.count("\n") + 1)
    if is_dense and len(source) <= _LARGEST_INDENTED:
        source = _indent_xml(source)
    return Text(clean(to_code_block(source, "xml")))


def without_hidden_elements(markdown: str) -> str:
    """Markdown without HTML elements that their attributes hide; code keeps them."""
    source = strip_comments(visible(markdown))
    if "<" not in source:
        return source
    pieces: list[str] = []
    hidden, level, position = "", 0, 0
    for found in _HTML_TAG.finditer(_without_tags_in_code(source)):
        name = found["name"].lower()
        if hidden:
            level += _depth_change(found, hidden)
            if not level:
                hidden, position = "", found.end()
        elif _hides(found):
            pieces.append(source[position : found.start()])
            hidden, level, position = name, 1, found.end()
    if hidden:
        # It never ends. A paragraph does all the same, any other element takes the rest.
        position = find_or_end(source, "\n\n", position) if hidden == "p" else len(source)
    return "".join([*pieces, source[position:]])


def _depth_change(tag: re.Match[str], name: str) -> int:
    if tag["name"].lower() != name:
        return 0
    return -1 if tag["slash"] else 1


def _hides(tag: re.Match[str]) -> bool:
    return not tag["slash"] and tag["name"].lower() not in VOID and hides(tag["attributes"])


def _without_tags_in_code(source: str) -> str:
    """The text with every character in its place, but no tags in code."""
    return "\n".join(
        line.text.replace("<", " ") if line.fence or line.is_indented_code else _without_tags_in_spans(line.text)
        for line in scan_lines(source)
    )


def _without_tags_in_spans(line: str) -> str:
    return _CODE_SPAN.sub(lambda span: span[0].replace("<", " "), line) if "`" in line else line


def _read_rows(source: str, delimiter: str, quoting: Literal[0, 3]) -> list[list[str]]:
    """The rows that are not empty; none for text that the format forbids."""
    lines = io.StringIO(source, newline="")
    try:
        return list(filter(any, csv.reader(lines, delimiter=delimiter, quoting=quoting)))
    except csv.Error:
        return []


def _find_delimiter(source: str) -> str:
    """The character that most lines hold equally often; quoted ones do not count."""
    lines = list(filter(str.strip, source[:100_000].splitlines()))[:_SAMPLED_LINES]
    unquoted = ["".join(line.split('"')[::2]) for line in lines]
    return max(_DELIMITERS, key=lambda mark: _agreement([line.count(mark) for line in unquoted]))


def _agreement(counts: Sequence[int]) -> tuple[int, int]:
    """How many lines have as many as the first one, which must have some."""
    usual = counts[0] if counts else 0
    return (counts.count(usual), usual) if usual else (0, 0)


def _indent_json(value: object) -> str:
    """Indented JSON; empty when nesting would make it many times longer than its source."""
    pieces: list[str] = []
    size = 0
    for piece in json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value):
        pieces.append(piece)
        size += len(piece)
        if size > 4 * _LARGEST_INDENTED:
            return ""
    return "".join(pieces)


def _indent_xml(source: str) -> str:
    """Each element on a line of its own; one that holds only text stays on one line with it."""
    lines: list[str] = []
    depth = 0
    # Whether only text has followed the last start tag.
    is_open = False
    for piece in _xml_pieces(source):
        if not piece.startswith("<") or piece.startswith("<![CDATA["):
            if is_open or not lines:
                lines[-1:] = ["".join(lines[-1:]) + piece]
            elif piece.strip():
                lines.append(_indent(depth) + piece.strip())
        elif piece.startswith("</"):
            depth = max(0, depth - 1)
            if is_open:
                lines[-1] += piece
            else:
                lines.append(_indent(depth) + piece)
            is_open = False
        else:
            lines.append(_indent(depth) + piece)
            is_open = not piece.startswith(("<!", "<?")) and not piece.endswith("/>")
            depth += is_open
    return "\n".join(lines)


def _xml_pieces(source: str) -> Iterator[str]:
    """Tags, comments, and the text between them; a piece that never ends takes the rest."""
    position = 0
    while position < len(source):
        if source[position] != "<":
            end = find_or_end(source, "<", position)
        else:
            closing = next((close for begin, close in _XML_SPECIAL if source.startswith(begin, position)), ">")
            end = min(find_or_end(source, closing, position) + len(closing), len(source))
        yield source[position:end]
        position = end


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST_INDENT)


@dataclass(frozen=True, slots=True)
class LimitedTable:
    """Markdown, with a last line that says how much is missing where it is cut."""

    markdown: str
    is_cut: bool


def limit_table(rows: Sequence[Sequence[str]], *, declared_rows: int = 0, declared_columns: int = 0) -> LimitedTable:
    """Render a table of bounded size; the declared size of a file counts where not all of it was read."""
    row_count = max(len(rows), declared_rows)
    column_count = max(max(map(len, rows), default=0), declared_columns)
    shown = [row[:MOST_COLUMNS] for row in rows[: MOST_ROWS + 1]]
    missing: list[str] = []
    if len(shown) < len(rows):
        # The head is none of the rows that are counted.
        missing.append(f"{MOST_ROWS} of {row_count - 1} rows")
    if any(any(row[MOST_COLUMNS:]) for row in rows):
        missing.append(f"{MOST_COLUMNS} of {column_count} columns")
    note = enclose("\n\n_", " and ".join(missing), " are shown._")
    is_cut = bool(missing) or any(len(cell) > _LONGEST_CELL for row in shown for cell in row)
    return LimitedTable(render_table(shown) + note, is_cut)


def render_table(rows: Sequence[Sequence[str]]) -> str:
    """Render rows, the first being the head; short rows are filled up, and empty columns dropped."""
    width = max(map(len, rows), default=0)
    cells = [list(map(_cell, row)) + [""] * (width - len(row)) for row in rows]
    used = [column for column in range(width) if any(row[column] for row in cells)]
    if not used:
        return ""
    head, *rest = [_line([row[column] for column in used]) for row in cells]
    return "\n".join([head, _line(["---"] * len(used)), *rest])


def _cell(text: str) -> str:
    return one_line(text, _LONGEST_CELL).replace("|", "\\|")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
