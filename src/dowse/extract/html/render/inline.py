"""Inline elements: emphasis, links, code, images, quotations, ruby, superscripts."""

from __future__ import annotations

import re

from dowse.extract.html.render import code, formula, references
from dowse.extract.html.render.dom_index import HEADINGS, Outline
from dowse.extract.html.render.line import LINK, STRONG, collapsed
from dowse.extract.html.render.references import is_way_back
from dowse.extract.html.render.walk import Card, Handler, Walk
from dowse.extract.html.tree.node import Node

_LOOKED_AT = 20
_LONGEST_MARK = 200
# Links to edit a part of a page, back from a source to where it is cited, and to the source of a function.
_TOOLS = frozenset({"mw-editsection", "mw-cite-backlink", "viewcode-link"})
_NODES_ASKED = 12
# Pages write a minus as a hyphen or a dash, too.
_PLAIN = "0123456789+-−–=()"
_RAISED = dict(zip(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾", strict=True))
_LOWERED = dict(zip(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎", strict=True))
# Raised by habit, not for a meaning.
_ORDINALS = frozenset({"st", "nd", "rd", "th", "e", "er", "re", "ère", "ème", "nde", "o", "os", "a", "as", "lle", "me"})
_TRADE_MARKS = frozenset({"tm", "sm", "r", "c"})
_NUMBER = re.compile(r"[\d.]{1,30}")
_IN_BRACKETS = re.compile(r"\([^()]{1,30}\)")
_LIST_OF_NOTES = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){1,20}")
_WORD_BEFORE = re.compile(r"[^\W\d_]{1,20}\Z")
_LONGEST = 30
_MOST_NODES = 40


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
    if words and (references.is_anchor(node, words) or is_way_back(node, words)):
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
    inner = render_script(walk.outline, node, walk.line.before(_LOOKED_AT))
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


def render_script(outline: Outline, node: Node, before: str) -> str | None:
    """Raised or lowered text with its meaning; `None` for notes, links and what is too long to be either."""
    if outline.characters(node) > 2 * _LONGEST or node.end - node.index > _MOST_NODES:
        return None
    made: dict[int, str] = {}
    # From the end, so that what is inside of another is done before it.
    for each in reversed(outline.nodes[node.index : node.end]):
        if each.tag in ("a", "code", "img", "math"):
            return None
        inner = "".join([made[child.index] for child in each.children]) if each.tag else each.text
        made[each.index] = inner
        if each is not node and each.tag in ("sup", "sub"):
            made[each.index] = _meaning(each.tag, collapsed(inner), _text_before(outline, each, node))
    inner = collapsed(made[node.index])
    if not inner or len(inner) > _LONGEST or inner.startswith("[") or _is_all_of_a_link(outline, node):
        return None
    return _meaning(node.tag, inner, before)


def _meaning(tag: str, inner: str, before: str) -> str:
    return _raised(inner, before) if tag == "sup" else _lowered(inner, before)


def _text_before(outline: Outline, node: Node, within: Node) -> str:
    """The text that stands before a node in the element around it."""
    return "".join([each.text for each in outline.nodes[within.index : node.index]])


def _is_all_of_a_link(outline: Outline, node: Node) -> bool:
    above = next((each for each in node.ancestors() if each.tag == "a"), None)
    return above is not None and outline.characters(above) <= outline.characters(node)


def _raised(inner: str, before: str) -> str:
    last = before[-1:]
    if not last.isdigit() and _LIST_OF_NOTES.fullmatch(inner):
        return "".join(_RAISED.get(character, character) for character in inner)
    if all(character in _RAISED for character in inner):
        return "".join(_RAISED[character] for character in inner)
    if inner.lower() in _TRADE_MARKS and last.isalnum() and inner.isupper():
        return inner
    if inner.lower() in _ORDINALS and (last.isdigit() or last.isupper()):
        return inner
    return _marked("^", inner, before)


def _lowered(inner: str, before: str) -> str:
    if before[-1:].strip() and all(character in _LOWERED for character in inner):
        return "".join(_LOWERED[character] for character in inner)
    return _marked("_", inner, before)


def _marked(mark: str, inner: str, before: str) -> str:
    """As in plain-text mathematics. What stands alone, or is words behind a word, is only small print."""
    word = _WORD_BEFORE.search(before)
    is_print = inner.isalpha() and len(inner) > 1 and word is not None and len(word[0]) > 2
    is_sign = not any(character.isalnum() for character in inner)
    if not before[-1:].strip() or " " in inner or is_sign or is_print:
        return inner
    is_one = inner.isalpha() or _NUMBER.fullmatch(inner) or _IN_BRACKETS.fullmatch(inner)
    return mark + (inner if is_one else f"({inner})")
