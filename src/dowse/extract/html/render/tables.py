"""Tables with pipes; a table used for layout is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from dowse.extract.html.render import code
from dowse.extract.html.render.code import is_beside_code, source_of
from dowse.extract.html.render.dom_index import CODE, HEADINGS
from dowse.extract.html.render.walk import RenderWalk
from dowse.extract.html.tree.node import Node

_TABLES = frozenset({"table"})
_PARTS = frozenset({"p", "ul", "ol", "blockquote", "form", "figure", "article", "section"})
_CODE_CELLS = frozenset({"blob-code", "lines-code", "crayon-code", "hljs-ln-code", "rouge-code", "code"})
_ROWS_ASKED = 3
_MOST_COLUMNS = 60
_PARTS_OF_A_TEXT = 4
_ALIGNED = re.compile(
    r"text-align:\s{0,9}(left|center|right)|(?:^|[\s-])(?:text|align|ta)-?(left|center|right)\b", re.I
)
_RULES = {"left": ":---", "center": ":---:", "right": "---:"}


def write_table(walk: RenderWalk, node: Node) -> bool:
    rows = list(_rows(walk, node))
    if _is_code(walk, node, rows):
        return code.write_block(walk, node)
    if walk.is_flat or _is_layout(walk, node, rows):
        return walk.begin_block(node)
    walk.end_paragraph()
    for caption in (child for child in node.children if child.tag == "caption" and walk.dom.shows(child)):
        walk.run(caption.index, caption.end)
    walk.writer.block(_write_rows(rows, _grid(walk, rows)))
    return False


def _write_rows(rows: Sequence[Sequence[Node]], cells: list[list[str]]) -> list[str]:
    """The lines of a table, with an empty head if it has none."""
    width = max(map(len, cells))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
    above = [lines.pop(0)] if _has_header(rows) else [f"|{'  |' * width}"]
    return [*above, f"| {' | '.join(_rules(rows, width))} |", *lines]


def begin_cell(walk: RenderWalk, node: Node) -> bool:
    """Begin a cell of a layout table: part of a line, unless it holds blocks."""
    if is_beside_code(walk.dom, node) or _numbers_the_next(walk, node):
        return False
    if walk.dom.has_block(node):
        return walk.begin_block(node)
    walk.line.text(" ")
    walk.at_end(node, lambda: walk.line.text(" "))
    return True


def _rows(walk: RenderWalk, node: Node) -> Iterator[list[Node]]:
    """The cells of each row, without those of nested tables."""
    for part in node.children:
        for row in part.children if part.tag in ("thead", "tbody", "tfoot") else [part]:
            cells = [each for each in row.children if each.tag in ("td", "th")]
            if row.tag == "tr" and cells and walk.dom.shows(row):
                yield cells


def _is_layout(walk: RenderWalk, node: Node, rows: Sequence[Sequence[Node]]) -> bool:
    dom, cells = walk.dom, list(chain.from_iterable(rows))
    if all(len(row) <= 1 for row in rows) or dom.count(_TABLES, node) or _has_lines_of_code(walk, node):
        return True
    signs = (dom.count(HEADINGS, node) > 0, any(dom.count(_PARTS, each) >= _PARTS_OF_A_TEXT for each in cells))
    if any(each.tag == "th" for each in cells):
        return all(signs)
    return any(signs) or len(rows) == 1 or node.get("role") in ("presentation", "none")


def _has_lines_of_code(walk: RenderWalk, node: Node) -> bool:
    if not walk.dom.count(CODE, node):
        return False
    inside = walk.dom.nodes[node.index : node.end]
    return any("\n" in source_of(walk.dom, each) for each in inside if each.tag in CODE)


def _is_code(walk: RenderWalk, node: Node, rows: Sequence[Sequence[Node]]) -> bool:
    """Whether a table holds code line by line, as code hosts and highlighters set it."""
    if walk.dom.count(CODE, node):
        return False
    return any(not _CODE_CELLS.isdisjoint(each.get("class").split()) for row in rows[:_ROWS_ASKED] for each in row)


def _numbers_the_next(walk: RenderWalk, node: Node) -> bool:
    """Whether a cell holds only the line numbers of the code in the next one."""
    following = walk.dom.nodes[node.end] if node.end < len(walk.dom.nodes) else None
    if following is None or following.parent is not node.parent or not walk.dom.count(CODE, following):
        return False
    return walk.dom.count(CODE, node) > 0 and walk.dom.words(node).replace(" ", "").isdigit()


def _has_header(rows: Sequence[Sequence[Node]]) -> bool:
    """Whether the first row is the head; in a table of facts it is one of them."""
    first = rows[0]
    return not (first[0].tag == "th" and len(first) > 1 and all(each.tag == "td" for each in first[1:]))


def _grid(walk: RenderWalk, rows: Sequence[Sequence[Node]]) -> list[list[str]]:
    """The texts of cells by row and column. A cell that spans others leaves them empty."""
    width = min(_MOST_COLUMNS, max(map(len, rows)))
    grid: list[list[str]] = []
    # For each column the number of rows that a cell above still spans.
    taken: list[int] = []
    for row in rows:
        line: list[str] = []
        spare = width - len(row)
        for each in row:
            while len(line) < len(taken) and taken[len(line)]:
                taken[len(line)] -= 1
                line.append("")
            if len(line) >= _MOST_COLUMNS:
                break
            span = 1 + max(0, min(spare, _read_span(each, "colspan") - 1))
            spare -= span - 1
            rows_below = min(len(rows), _read_span(each, "rowspan")) - 1
            taken += [0] * (len(line) + span - len(taken))
            taken[len(line) : len(line) + span] = [rows_below] * span
            line += [_text(walk, each), *[""] * (span - 1)]
        for column in range(len(line), len(taken)):
            taken[column] = max(0, taken[column] - 1)
        grid.append(line)
    return grid


def _text(walk: RenderWalk, node: Node) -> str:
    if not walk.dom.shows(node):
        return ""
    outer, walk.line = walk.line, type(walk.line)()
    walk.lines_around += 1
    walk.is_bold = node.tag == "th"
    walk.run(node.index + 1, node.end)
    walk.is_bold = False
    walk.lines_around -= 1
    text = " ".join(walk.line.take())
    walk.line = outer
    return text.replace("|", "\\|")


def _read_span(node: Node, name: str) -> int:
    value = node.get(name) if node.attributes else ""
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else 1


def _rules(rows: Sequence[Sequence[Node]], width: int) -> list[str]:
    rules = ["---"] * width
    for row in rows[:2]:
        for column, each in enumerate(row[:width]):
            rules[column] = _RULES.get(_alignment(each), rules[column])
    return rules


def _alignment(node: Node) -> str:
    if not node.attributes:
        return ""
    found = _ALIGNED.search(f"{node.get('style')} {node.get('class')}")
    return (node.get("align") or (found and (found[1] or found[2])) or "").lower()
