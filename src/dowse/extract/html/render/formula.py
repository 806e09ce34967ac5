"""Formulas as TeX, once each, whatever a page draws them with."""

from __future__ import annotations

from itertools import islice

from dowse.core.text import visible
from dowse.extract.html.render import mathml
from dowse.extract.html.render.outline import MATH
from dowse.extract.html.render.walk import Walk
from dowse.extract.html.tree.node import Node

_WRAPPERS = frozenset(
    {"katex", "katex-display", "mwe-math-element", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_Preview"}
)
_DISPLAY = frozenset({
    "katex-display", "MathJax_Display", "MJXc-display", "mwe-math-fallback-image-display",
    "mwe-math-fallback-image-block",
})  # fmt: skip
_IMAGES = frozenset({"latex", "tex", "mwe-math-fallback-image-inline"}) | _DISPLAY
_TEX = frozenset({"application/x-tex", "application/x-latex", "tex", "latex", "text/x-tex"})
_STYLED = r"{\displaystyle "
# Nobody sees the source of a formula; what is longer is none.
_LONGEST = 8000
_ANCESTORS_ASKED = 5
_NODES_ASKED = 3


def math(walk: Walk, node: Node) -> bool:
    """MathML: the TeX that it was made from, where the page has it."""
    write(walk, _source(walk, node), is_display=node.get("display") == "block" or _is_displayed(node))
    return False


def script(walk: Walk, node: Node) -> bool:
    """The source that MathJax leaves in a page."""
    tex = "".join([each.text for each in walk.outline.nodes[node.index : node.end]])
    write(walk, tex, is_display="display" in node.get("type"))
    return False


def is_wrapper(node: Node) -> bool:
    """Whether a program drew a formula in an element, maybe several times over."""
    return not _WRAPPERS.isdisjoint(node.get("class").split())


def wrapper(walk: Walk, node: Node) -> bool:
    """What a formula is drawn in: of several copies of it one is written."""
    if _is_source_behind(walk, node):
        return False
    source = walk.outline.first(MATH, node)
    if source is None:
        return True
    classes = node.get("class").split()
    is_display = source.get("display") == "block" or node.get("display") == "true" or _is_displayed(node)
    write(walk, _source(walk, source), is_display=is_display or not _DISPLAY.isdisjoint(classes))
    return False


def image(walk: Walk, node: Node) -> bool:
    """Whether an image shows a formula; then it is written."""
    classes = node.get("class").split()
    if _IMAGES.isdisjoint(classes) or not 0 < len(node.get("alt")) <= _LONGEST:
        return False
    write(walk, node.get("alt"), is_display=not _DISPLAY.isdisjoint(classes))
    return True


def write(walk: Walk, tex: str, *, is_display: bool) -> None:
    """Add a formula to the line."""
    tex = " ".join(visible(tex).split())
    if tex.startswith(_STYLED) and tex.endswith("}"):
        tex = tex.removeprefix(_STYLED)[:-1].strip()
    if tex:
        mark = "$$" if is_display and not walk.flat else "$"
        walk.line.literal(f"{mark}{tex}{mark}")


def _source(walk: Walk, node: Node) -> str:
    inside = walk.outline.nodes[node.index : node.end]
    named = _annotation(inside) or node.get("alttext")
    return named if 0 < len(named) <= _LONGEST else mathml.tex_of(inside)


def _annotation(inside: list[Node]) -> str:
    for each in inside:
        if each.tag == "annotation" and each.get("encoding").lower() in _TEX:
            return "".join([child.text for child in each.children])
    return ""


def _is_displayed(node: Node) -> bool:
    return any(
        not _DISPLAY.isdisjoint(above.get("class").split()) or above.get("display") == "true"
        for above in islice(node.ancestors(), _ANCESTORS_ASKED)
        if above.attributes
    )


def _is_source_behind(walk: Walk, node: Node) -> bool:
    """Whether the source of a formula follows the picture of it."""
    following = walk.outline.nodes[node.end : node.end + _NODES_ASKED]
    return any(each.tag == "script" for each in following)
