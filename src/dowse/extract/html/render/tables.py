"""Tables with pipes. What a page only uses to arrange its parts is no table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dowse.extract.html.render import code
from dowse.extract.html.render.code import is_beside_code, source_of
from dowse.extract.html.render.dom_index import CODE, HEADINGS
from dowse.extract.html.render.walk import Walk
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


def table(walk: Walk, node: Node) -> bool:
    rows = list(_rows(walk, node))
    if _is_code(walk, node, rows):
        return code.block(walk, node)
    if walk.flat or _is_layout(walk, node, rows):
        return walk.block(node)
    walk.divide()
    for caption in (child for child in node.children if child.tag == "caption" and walk.outline.shows(child)):
        walk.run(caption.index, caption.end)
    cells = _grid(walk, rows)
    width = max(map(len, cells))
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
    above = [lines.pop(0)] if _has_header(rows) else [f"|{'  |' * width}"]
    walk.writer.block([*above, f"| {' | '.join(_rules(rows, width))} |", *lines])
    return False


def cell(walk: Walk, node: Node) -> bool:
    """A cell of what is no table: part of a line, unless it holds blocks."""
    if is_beside_code(walk.outline, node) or _numbers_the_next(walk, node):
        return False
    if walk.outline.has_block(node):
        return walk.block(node)
    walk.line.text(" ")
    walk.at_end(node, lambda: walk.line.text(" "))
    return True


def _rows(walk: Walk, node: Node) -> Iterator[list[Node]]:
    """The cells of each row, without those of tables inside of it."""
    for part in node.children:
        for row in part.children if part.tag in ("thead", "tbody", "tfoot") else [part]:
            cells = [each for each in row.children if each.tag in ("td", "th")]
            if row.tag == "tr" and cells and walk.outline.shows(row):
                yield cells


def _is_layout(walk: Walk, node: Node, rows: Sequence[Sequence[Node]]) -> bool:
    outline = walk.outline
    if all(len(row) <= 1 for row in rows) or outline.count(_TABLES, node) or _has_lines_of_code(walk, node):
        return True
    has_text = any(outline.count(_PARTS, each) >= _PARTS_OF_A_TEXT for row in rows for each in row)
    has_heading = outline.count(HEADINGS, node) > 0
    if any(each.tag == "th" for row in rows for each in row):
        return has_text and has_heading
    return has_text or has_heading or len(rows) == 1 or node.get("role") in ("presentation", "none")


def _has_lines_of_code(walk: Walk, node: Node) -> bool:
    if not walk.outline.count(CODE, node):
        return False
    inside = walk.outline.nodes[node.index : node.end]
    return any("\n" in source_of(walk.outline, each) for each in inside if each.tag in CODE)


def _is_code(walk: Walk, node: Node, rows: Sequence[Sequence[Node]]) -> bool:
    """Whether a table is a block of code, line by line, as code hosts and highlighters set it."""
    if walk.outline.count(CODE, node):
        return False
    return any(not _CODE_CELLS.isdisjoint(each.get("class").split()) for row in rows[:_ROWS_ASKED] for each in row)


def _numbers_the_next(walk: Walk, node: Node) -> bool:
    """Whether a cell holds nothing but the numbers of the lines in the next one."""
    following = walk.outline.nodes[node.end] if node.end < len(walk.outline.nodes) else None
    if following is None or following.parent is not node.parent or not walk.outline.count(CODE, following):
        return False
    return walk.outline.count(CODE, node) > 0 and walk.outline.words(node).replace(" ", "").isdigit()


def _has_header(rows: Sequence[Sequence[Node]]) -> bool:
    """Whether the first row says what the columns are; in a list of facts it is one of them."""
    first = rows[0]
    return not (first[0].tag == "th" and len(first) > 1 and all(each.tag == "td" for each in first[1:]))


def _grid(walk: Walk, rows: Sequence[Sequence[Node]]) -> list[list[str]]:
    """The texts of cells by row and column. Cells that span others leave them empty."""
    width = min(_MOST_COLUMNS, max(map(len, rows)))
    grid: list[list[str]] = []
    # How many rows further down a column is taken by a cell above.
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
            span = 1 + max(0, min(spare, _claimed(each, "colspan") - 1))
            spare -= span - 1
            rows_below = min(len(rows), _claimed(each, "rowspan")) - 1
            taken += [0] * (len(line) + span - len(taken))
            taken[len(line) : len(line) + span] = [rows_below] * span
            line += [_text(walk, each), *[""] * (span - 1)]
        for column in range(len(line), len(taken)):
            taken[column] = max(0, taken[column] - 1)
        grid.append(line)
    return grid


def _text(walk: Walk, node: Node) -> str:
    if not walk.outline.shows(node):
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


def _claimed(node: Node, name: str) -> int:
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
