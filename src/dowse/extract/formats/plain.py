"""Plain formats as Markdown: text, source code, JSON, CSV, XML."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from dowse.core.models import Text
from dowse.core.text import visible
from dowse.document.clean import clean, strip_comments, to_code_block
from dowse.document.markdown import scan_lines
from dowse.extract.formats.tables import limit_table
from dowse.extract.html.tree.grammar import VOID
from dowse.extract.html.tree.hiding import hides
from dowse.extract.tidy import title_of

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
    """Markdown without HTML elements whose attributes hide them; code keeps them."""
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
        end = source.find("\n\n", position) if hidden == "p" else -1
        position = end if end >= 0 else len(source)
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
        return [row for row in csv.reader(lines, delimiter=delimiter, quoting=quoting) if any(row)]
    except csv.Error:
        return []


def _find_delimiter(source: str) -> str:
    """The character that most lines hold equally often; quoted ones do not count."""
    lines = [line for line in source[:100_000].splitlines() if line.strip()][:_SAMPLED_LINES]
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
            end = source.find("<", position)
        else:
            closing = next((close for begin, close in _XML_SPECIAL if source.startswith(begin, position)), ">")
            end = source.find(closing, position) + len(closing)
            end = -1 if end < len(closing) else end
        end = len(source) if end < 0 else end
        yield source[position:end]
        position = end


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST_INDENT)
