"""Inline elements: emphasis, links, code, images, quotations, ruby, superscripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from dowse.extract.html.render import code, formula, references
from dowse.extract.html.render.dom_index import HEADINGS, DomIndex
from dowse.extract.html.render.line import LINK, STRONG, collapse_blanks
from dowse.extract.html.render.walk import Card, Handler, RenderWalk
from dowse.extract.html.tree.node import Node

_LOOKED_AT = 20
_LONGEST_MARK = 200
# Links to edit a section, back from a citation, and to the source of a function.
_TOOLS = frozenset({"mw-editsection", "mw-cite-backlink", "viewcode-link"})
_NODES_ASKED = 12
# Pages write a minus as a hyphen or a dash, too.
_PLAIN = "0123456789+-−–=()"
_TRANSLATABLE = frozenset(_PLAIN)
_RAISED = str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
_NOT_IN_SCRIPTS = frozenset({"a", "code", "img", "math"})
# Raised by habit, not for a meaning.
_ORDINALS = frozenset({"st", "nd", "rd", "th", "e", "er", "re", "ère", "ème", "nde", "o", "os", "a", "as", "lle", "me"})
_TRADE_MARKS = frozenset({"tm", "sm", "r", "c"})
_NUMBER = re.compile(r"[\d.]{1,30}")
_IN_BRACKETS = re.compile(r"\([^()]{1,30}\)")
_LIST_OF_NOTES = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){1,20}")
_WORD_BEFORE = re.compile(r"[^\W\d_]{1,20}\Z")
_LONGEST = 30
_MOST_NODES = 40


def descend(_walk: RenderWalk, _node: Node) -> bool:
    """Descend into an element without a meaning of its own."""
    return True


def begin_span(walk: RenderWalk, node: Node) -> bool:
    """Begin a `span`: inline, unless its style makes it a block."""
    if not node.attributes:
        return True
    if "display:block" in node.get("style").replace(" ", ""):
        return walk.begin_block(node)
    if _follows_another(walk, node):
        walk.line.text(" ")
    names = node.get("class")
    if names in _TOOLS:
        return False
    if formula.is_wrapper(node):
        return formula.write_wrapper(walk, node)
    # The name of a language above a block of code.
    return names != "lang" or node.parent is None or "language-" not in node.parent.get("class")


def emphasis_handler(kind: str) -> Handler:
    """A handler for a kind of emphasis. Around blocks, or inside of the same kind, it is left out."""
    return partial(_begin_emphasis, kind)


def _begin_emphasis(kind: str, walk: RenderWalk, node: Node) -> bool:
    is_given = walk.line.is_open(kind) or (kind == STRONG and walk.is_bold)
    if is_given or (not walk.is_flat and walk.dom.has_block(node)):
        return True
    walk.line.begin(kind)
    walk.at_end(node, walk.line.end)
    return True


def begin_link(walk: RenderWalk, node: Node) -> bool:
    dom = walk.dom
    words = dom.words(node) if dom.characters(node) < _LONGEST_MARK else ""
    if words and references.is_navigation(node, words):
        walk.line.text(" ")
        return False
    target = walk.links.target(node)
    if not target:
        return not _write_note(walk, node, words)
    if walk.line.is_open(LINK):
        return True
    if not words and _is_repeated(walk, node, target):
        return False
    _open_link(walk, node, target)
    return True


def _open_link(walk: RenderWalk, node: Node, target: str) -> None:
    """Begin a link in its line, or a card if there are blocks in it."""
    if not walk.is_flat and walk.dom.has_block(node):
        walk.end_paragraph()
        walk.card = Card(target, is_for_heading=walk.dom.count(HEADINGS, node) > 0)
        walk.at_end(node, lambda: _end_card(walk))
        return
    walk.line.begin(LINK, target)
    walk.at_end(node, walk.line.end)


def _write_note(walk: RenderWalk, node: Node, words: str) -> bool:
    """Write a link to a footnote as its mark; false for any other link."""
    label = walk.notes.label(node, words) if node.get("href").startswith("#") else ""
    if label:
        walk.line.literal(f"[^{label}]")
    return bool(label)


def write_break(walk: RenderWalk, _node: Node) -> bool:
    if walk.is_flat:
        walk.line.text(" ")
    else:
        walk.line.divide()
    return False


def write_code(walk: RenderWalk, node: Node) -> bool:
    if not walk.is_flat and code.has_lines(walk.dom, node):
        return code.write_block(walk, node)
    written = code.inline_source(walk.dom, node)
    source = " ".join(written.split())
    if source:
        walk.line.text(" " if written[0].isspace() else "")
        _write_source(walk, node, code.quote_code(source))
        walk.line.text(" " if written[-1].isspace() else "")
    return False


def _write_source(walk: RenderWalk, node: Node, source: str) -> None:
    """Inline code; a link around all of it is written around its mark."""
    link = code.only_link(walk.dom, node)
    target = walk.links.target(link) if link is not None and not walk.line.is_open(LINK) else ""
    if target:
        walk.line.begin(LINK, target)
    walk.line.literal(source)
    if target:
        walk.line.end()


def begin_quotation(walk: RenderWalk, node: Node) -> bool:
    walk.line.text("“")
    walk.at_end(node, lambda: walk.line.text("”"))
    return True


def begin_reading(walk: RenderWalk, node: Node) -> bool:
    """Begin the reading of a word in ruby."""
    walk.line.text("(")
    walk.at_end(node, lambda: walk.line.text(")"))
    return True


def write_script(walk: RenderWalk, node: Node) -> bool:
    """Write a superscript or a subscript."""
    inner = _render_script(walk.dom, node, walk.line.before(_LOOKED_AT))
    if inner is None:
        return True
    walk.line.text(inner)
    return False


def write_image(walk: RenderWalk, node: Node) -> bool:
    if formula.write_image(walk, node):
        return False
    words = walk.images.words(node)
    if words:
        walk.line.text(f" {words} ")
    return False


def _is_repeated(walk: RenderWalk, node: Node, target: str) -> bool:
    """Whether the words right behind an image have the same link."""
    if walk.dom.shows_text(node):
        return False
    behind = walk.dom.nodes[node.end : node.end + _NODES_ASKED]
    following = next((each for each in behind if each.tag == "a"), None)
    return following is not None and walk.links.target(following) == target and walk.dom.shows_text(following)


def _follows_another(walk: RenderWalk, node: Node) -> bool:
    """Whether a word in a `span` stands right behind another one, parted only by a style sheet."""
    nodes = walk.dom.nodes
    before, inside = nodes[node.index - 1], nodes[min(node.index + 1, len(nodes) - 1)]
    other = before.parent
    if before.tag or other is None or other is node.parent or other.tag != "span":
        return False
    return len(before.text) > 1 < len(inside.text) and before.text[-1].isalnum() and inside.text[0].isalnum()


def _end_card(walk: RenderWalk) -> None:
    walk.end_paragraph()
    walk.card = None


def _render_script(dom: DomIndex, node: Node, before: str) -> str | None:
    """A superscript or subscript with its meaning; `None` for notes, links and longer text.

    Without it, text would say 109 where a page says 10 to the power of 9.
    """
    if dom.characters(node) > 2 * _LONGEST or node.end - node.index > _MOST_NODES:
        return None
    inside = dom.nodes[node.index : node.end]
    if not _NOT_IN_SCRIPTS.isdisjoint([each.tag for each in inside]):
        return None
    inner = collapse_blanks(_render_nested(inside))
    if not inner or len(inner) > _LONGEST or inner.startswith("[") or _is_all_of_a_link(dom, node):
        return None
    return _mark_script(node.tag, inner, before)


def _render_nested(inside: Sequence[Node]) -> str:
    """The text of a script, given as its nodes, with the scripts in it."""
    rendered: dict[int, str] = {}
    # From the end, so that children come before their parents.
    for position in range(len(inside) - 1, -1, -1):
        node = inside[position]
        inner = "".join([rendered[child.index] for child in node.children]) if node.tag else node.text
        if position and node.tag in ("sup", "sub"):
            before = "".join([other.text for other in inside[:position]])
            inner = _mark_script(node.tag, collapse_blanks(inner), before)
        rendered[node.index] = inner
    return rendered[inside[0].index]


def _is_all_of_a_link(dom: DomIndex, node: Node) -> bool:
    above = next((each for each in node.ancestors() if each.tag == "a"), None)
    return above is not None and dom.characters(above) <= dom.characters(node)


def _mark_script(tag: str, inner: str, before: str) -> str:
    last = before[-1:]
    is_translatable = _TRANSLATABLE.issuperset(inner)
    if tag == "sub":
        return inner.translate(_LOWERED) if last.strip() and is_translatable else _write_mark("_", inner, before)
    if is_translatable or (not last.isdigit() and _LIST_OF_NOTES.fullmatch(inner)):
        return inner.translate(_RAISED)
    return inner if _is_raised_by_habit(inner, last) else _write_mark("^", inner, before)


def _is_raised_by_habit(inner: str, last: str) -> bool:
    if inner.lower() in _TRADE_MARKS and inner.isupper() and last.isalnum():
        return True
    return inner.lower() in _ORDINALS and (last.isdigit() or last.isupper())


def _write_mark(mark: str, inner: str, before: str) -> str:
    """A script as in plain-text mathematics, such as `x^(a+b)`; small print stays as it is."""
    if not before[-1:].strip() or " " in inner or _is_small_print(inner, before):
        return inner
    is_one = inner.isalpha() or _NUMBER.fullmatch(inner) or _IN_BRACKETS.fullmatch(inner)
    return mark + (inner if is_one else f"({inner})")


def _is_small_print(inner: str, before: str) -> bool:
    """Whether a script is a sign alone, or words behind a word."""
    word = _WORD_BEFORE.search(before)
    is_word = inner.isalpha() and len(inner) > 1 and word is not None and len(word[0]) > 2
    return is_word or not any(map(str.isalnum, inner))
