"""Elements within a line: emphasis, links, code, images, quotations, ruby."""

from __future__ import annotations

from dowse.extract.html.render import code, formula, links, raised
from dowse.extract.html.render.notes import is_way_back
from dowse.extract.html.render.outline import HEADINGS
from dowse.extract.html.render.pieces import LINK, STRONG
from dowse.extract.html.render.walk import Card, Handler, Walk
from dowse.extract.html.tree.node import Node

_LOOKED_AT = 20
_LONGEST_MARK = 200
# Links to edit a part of a page, back from a source to where it is cited, and to the source of a function.
_TOOLS = frozenset({"mw-editsection", "mw-cite-backlink", "viewcode-link"})
_NODES_ASKED = 12


def transparent(_walk: Walk, _node: Node) -> bool:
    """An element that changes nothing."""
    return True


def span(walk: Walk, node: Node) -> bool:
    """A piece of a line, unless its style makes it a block."""
    if not node.attributes:
        return True
    if "display:block" in node.get("style").replace(" ", ""):
        return walk.block(node)
    if _follows_another(walk, node):
        walk.line.text(" ")
    names = node.get("class")
    if names in _TOOLS:
        return False
    if formula.is_wrapper(node):
        return formula.wrapper(walk, node)
    # The name of a language above a block of code.
    return names != "lang" or node.parent is None or "language-" not in node.parent.get("class")


def emphasis(kind: str) -> Handler:
    """Emphasis of a kind. Around whole blocks, or inside of the same, it is left out."""

    def begin(walk: Walk, node: Node) -> bool:
        is_given = walk.line.is_open(kind) or (kind == STRONG and walk.is_bold)
        if is_given or (not walk.flat and walk.outline.has_block(node)):
            return True
        walk.line.begin(kind)
        walk.at_end(node, walk.line.end)
        return True

    return begin


def link(walk: Walk, node: Node) -> bool:
    outline = walk.outline
    words = outline.words(node) if outline.characters(node) < _LONGEST_MARK else ""
    if words and (links.is_anchor(node, words) or is_way_back(node, words)):
        walk.line.text(" ")
        return False
    target = walk.links.target(node)
    if not target and node.get("href").startswith("#"):
        label = walk.notes.label(node, words)
        if label:
            walk.line.literal(f"[^{label}]")
            return False
    if not target or walk.line.is_open(LINK):
        return True
    if not words and _is_repeated(walk, node, target):
        return False
    if not walk.flat and outline.has_block(node):
        walk.divide()
        walk.card = Card(target, is_for_heading=outline.count(HEADINGS, node) > 0)
        walk.at_end(node, lambda: _end_card(walk))
        return True
    walk.line.begin(LINK, target)
    walk.at_end(node, walk.line.end)
    return True


def line_break(walk: Walk, _node: Node) -> bool:
    if walk.flat:
        walk.line.text(" ")
    else:
        walk.line.divide()
    return False


def inline_code(walk: Walk, node: Node) -> bool:
    if not walk.flat and code.is_block(walk.outline, node):
        return code.block(walk, node)
    written = code.in_line(walk.outline, node)
    source = " ".join(written.split())
    if not source:
        return False
    link = code.only_link(walk.outline, node)
    target = walk.links.target(link) if link is not None and not walk.line.is_open(LINK) else ""
    walk.line.text(" " if written[0].isspace() else "")
    if target:
        walk.line.begin(LINK, target)
    walk.line.literal(code.span(source))
    if target:
        walk.line.end()
    walk.line.text(" " if written[-1].isspace() else "")
    return False


def quotation(walk: Walk, node: Node) -> bool:
    walk.line.text("“")
    walk.at_end(node, lambda: walk.line.text("”"))
    return True


def reading(walk: Walk, node: Node) -> bool:
    """How a word in ruby is read."""
    walk.line.text("(")
    walk.at_end(node, lambda: walk.line.text(")"))
    return True


def script(walk: Walk, node: Node) -> bool:
    """Raised or lowered text."""
    inner = raised.written(walk.outline, node, walk.line.before(_LOOKED_AT))
    if inner is None:
        return True
    walk.line.text(inner)
    return False


def image(walk: Walk, node: Node) -> bool:
    if formula.image(walk, node):
        return False
    words = walk.images.words(node)
    if words:
        walk.line.text(f" {words} ")
    return False


def _is_repeated(walk: Walk, node: Node, target: str) -> bool:
    """Whether an image links to where the words right behind it link, too."""
    if walk.outline.shows_text(node):
        return False
    behind = walk.outline.nodes[node.end : node.end + _NODES_ASKED]
    following = next((each for each in behind if each.tag == "a"), None)
    return following is not None and walk.links.target(following) == target and walk.outline.shows_text(following)


def _follows_another(walk: Walk, node: Node) -> bool:
    """Whether a word in a span of its own stands right behind another one: style sheets part them."""
    nodes = walk.outline.nodes
    before, inside = nodes[node.index - 1], nodes[min(node.index + 1, len(nodes) - 1)]
    other = before.parent
    if before.tag or other is None or other is node.parent or other.tag != "span":
        return False
    return len(before.text) > 1 < len(inside.text) and before.text[-1].isalnum() and inside.text[0].isalnum()


def _end_card(walk: Walk) -> None:
    walk.divide()
    walk.card = None
