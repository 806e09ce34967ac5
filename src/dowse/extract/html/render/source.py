"""The text of a block of code: every line with its indentation, without line numbers and buttons."""

from __future__ import annotations

import re

from dowse.core.text import visible
from dowse.extract.html.render.outline import Outline
from dowse.extract.html.tree.node import Node

_NUMBERS = frozenset({
    "gutter", "lineno", "linenos", "linenodiv", "linenumber", "linenumbers", "line-number", "line-numbers",
    "line-numbers-rows", "lnt", "ln", "rouge-gutter", "blob-num", "lines-num", "hljs-ln-numbers", "hljs-ln-n",
    "react-syntax-highlighter-line-number", "crayon-nums", "crayon-num", "code-line-number", "line_number",
    "line-numbers-wrapper", "diff-line-num",
})  # fmt: skip
_TOOLS = frozenset({
    "copy", "copy-button", "copybutton", "copybtn", "copy-btn", "clipboard-copy", "code-copy", "btn-clipboard",
    "toolbar", "code-toolbar-item", "source-toolbox", "source-lang", "buttons", "code-header", "code-lang",
    "ltx_listing_data",
})  # fmt: skip
_LONGEST_TOOL = 60
_LETTER = re.compile(r"[^\W\d_]")
_LINES = frozenset({"div", "p", "li", "tr", "ol", "ul", "table", "tbody"})
# Others are often wrapped around something that is not shown.
_COUNTED_WHEN_EMPTY = frozenset({"li", "tr"})


def source_of(outline: Outline, node: Node) -> str:
    """The code in an element; which of its nodes are kept does not matter, half of a program is none."""
    lines = _Lines()
    at = node.index + 1
    while at < node.end:
        each = outline.nodes[at]
        lines.close_before(at)
        if not each.tag:
            lines.add(each.text)
        elif each.tag == "br":
            lines.add("\n")
        elif is_beside_code(outline, each):
            at = each.end
            continue
        elif _is_line(each):
            lines.open(each)
        at += 1
    return _without_empty_edges(visible(lines.text()).replace("\xa0", " "))


def is_beside_code(outline: Outline, node: Node) -> bool:
    """Whether an element shows line numbers, or a button or a label that belongs to the code."""
    names = node.attributes.get("class") if node.attributes else None
    if not names:
        return False
    classes = names.lower().split()
    if not _NUMBERS.isdisjoint(classes):
        return not any(_LETTER.search(each.text) for each in outline.nodes[node.index : node.end])
    return not _TOOLS.isdisjoint(classes) and outline.characters(node) <= _LONGEST_TOOL


class _Lines:
    """Text piece by piece. Between elements that are lines a line break is due, if the text has none there."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        # Where each element that is a line ends, and how long the text was before it.
        self._open: list[tuple[int, int]] = []
        self._is_due = False

    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, text: str) -> None:
        if text:
            if self._is_due and text[0] != "\n":
                self._pieces.append("\n")
            self._is_due = False
            self._pieces.append(text)

    def open(self, line: Node) -> None:
        if self._is_due or not self._is_at_start():
            self._pieces.append("\n")
        self._is_due = False
        counts = line.end == line.index + 1 or line.tag in _COUNTED_WHEN_EMPTY or _has_line_class(line)
        self._open.append((line.end, len(self._pieces) if counts else -1))

    def close_before(self, at: int) -> None:
        """End the lines that end before a place."""
        while self._open and self._open[-1][0] <= at:
            _, length = self._open.pop()
            self._is_due = self._is_due or len(self._pieces) == length or not self._is_at_start()

    def _is_at_start(self) -> bool:
        return not self._pieces or self._pieces[-1].endswith("\n")


def _is_line(node: Node) -> bool:
    if node.tag in _LINES:
        return True
    if node.tag not in ("span", "code") or not node.attributes:
        return False
    return _has_line_class(node) or "display:block" in node.get("style").replace(" ", "")


def _has_line_class(node: Node) -> bool:
    names = (node.attributes.get("class") or "").lower()
    return "line" in names and any(name == "line" or name.endswith("-line") for name in names.split())


def _without_empty_edges(source: str) -> str:
    lines = source.split("\n")
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return "\n".join(lines[first:last])
