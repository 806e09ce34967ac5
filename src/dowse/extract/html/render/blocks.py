"""Headings, quotations, code, rules and summaries."""

from __future__ import annotations

from dowse.extract.html.render import code
from dowse.extract.html.render.outline import HEADINGS
from dowse.extract.html.render.pieces import EMPHASIS, LINK, STRONG
from dowse.extract.html.render.walk import Walk
from dowse.extract.html.tree.node import Node

# Doxygen and LaTeXML write code without `pre`.
_LISTINGS = frozenset({"fragment", "ltx_lstlisting"})
# Some pages call their comments so; what is longer is a text.
_LONGEST_HEADING = 200
_AFTER_HEADINGS = " ¶§🔗⚓"


def division(walk: Walk, node: Node) -> bool:
    """A block without a meaning of its own, unless it is a heading that says so."""
    if node.get("role") == "heading" and walk.outline.characters(node) <= _LONGEST_HEADING:
        return heading(walk, node)
    if node.attributes and not _LISTINGS.isdisjoint(node.get("class").split()):
        return code.block(walk, node)
    return walk.block(node)


def heading(walk: Walk, node: Node) -> bool:
    if walk.flat:
        return walk.block(node)
    walk.divide()
    walk.lines_around += 1
    walk.is_bold = True
    walk.at_end(node, lambda: _end_heading(walk, node))
    return True


def quote(walk: Walk, node: Node) -> bool:
    if walk.flat:
        return walk.block(node)
    walk.divide()
    walk.writer.open_quote()
    walk.at_end(node, walk.close)
    return True


def rule(walk: Walk, _node: Node) -> bool:
    walk.rule()
    return False


def summary(walk: Walk, node: Node) -> bool:
    if walk.flat or walk.outline.has_block(node):
        return walk.block(node)
    walk.divide()
    walk.at_end(node, lambda: _end_bold(walk))
    return True


def caption(walk: Walk, node: Node) -> bool:
    """What a figure or a table shows."""
    if walk.flat or walk.outline.has_block(node):
        return walk.block(node)
    walk.divide()
    walk.line.begin(EMPHASIS)
    walk.at_end(node, lambda: _end_caption(walk))
    return True


def _end_caption(walk: Walk) -> None:
    walk.line.end()
    walk.divide()


def _end_bold(walk: Walk) -> None:
    walk.line.wrap(STRONG)
    walk.divide()


def _end_heading(walk: Walk, node: Node) -> None:
    walk.lines_around -= 1
    walk.is_bold = False
    if walk.card is not None and not walk.line.is_blank:
        walk.line.wrap(LINK, walk.card.target)
        walk.card = None
    text = " ".join(walk.line.take()).rstrip(_AFTER_HEADINGS)
    if text:
        walk.writer.heading(_level(node), _without_end_mark(text))


def _level(node: Node) -> int:
    if node.tag in HEADINGS:
        return int(node.tag[1])
    level = node.get("aria-level")
    return min(6, max(1, int(level))) if level.isascii() and level.isdigit() else 2


def _without_end_mark(text: str) -> str:
    """Signs at the end that Markdown would take for the end of a heading stay signs."""
    bare = text.rstrip("#")
    return f"{bare}\\{text[len(bare) :]}" if bare != text and (not bare or bare[-1] == " ") else text
