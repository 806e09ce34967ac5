"""Block elements: headings, quotations, captions, rules, lists and terms."""

from __future__ import annotations

from dowse.extract.html.render import code
from dowse.extract.html.render.dom_index import HEADINGS
from dowse.extract.html.render.line import EMPHASIS, LINK, NEXT_ITEM, STRONG
from dowse.extract.html.render.walk import Walk
from dowse.extract.html.render.writer import List
from dowse.extract.html.tree.node import Node

# Doxygen and LaTeXML write code without `pre`.
_LISTINGS = frozenset({"fragment", "ltx_lstlisting"})
# Some pages call their comments so; what is longer is a text.
_LONGEST_HEADING = 200
_AFTER_HEADINGS = " ¶§🔗⚓"
_MOST_DIGITS = 9
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_TERMS = frozenset({"dt"})
_PARTS = frozenset({"p", "pre", "table", "blockquote", "figure"})
_PARTS_OF_A_TEXT = 2
# A box stands before the words of its task, in a paragraph or a label of it.
_NODES_ASKED = 5


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


def begin_list(walk: Walk, node: Node) -> bool:
    walk.divide()
    # A list that stands between the items of another belongs to the one before it.
    is_part = not walk.flat and _is_between_items(walk, node)
    if is_part:
        walk.writer.reopen_item(walk.lists[-1].width)
    sign, other = (".", ")") if node.tag == "ol" else ("-", "*")
    # Two lists with the same sign, one behind the other, would be one.
    made = List(other if walk.ended_list == (sign, walk.writer.place) else sign)
    if node.tag == "ol":
        made.step = -1 if "reversed" in node.attributes else 1
        made.number = _number(node.get("start"), 1 if made.step == 1 else _item_count(walk, node))
    made.hugs = walk.writer.can_hug and made.number in (None, 1)
    made.is_layout = _is_layout(walk, node)
    walk.lists.append(made)
    walk.at_end(node, lambda: _end_list(walk, is_part=is_part))
    return True


def item(walk: Walk, node: Node) -> bool:
    around = walk.lists[-1] if walk.lists else List("-")
    walk.divide()
    around.count += 1
    if walk.flat:
        if around.count > 1:
            walk.line.divide(NEXT_ITEM)
        walk.at_end(node, walk.divide)
        return True
    if around.is_layout or node.index in walk.notes.labels:
        return walk.block(node)
    if around.number is not None:
        around.number = _number(node.get("value"), around.number)
    mark = around.mark()
    walk.writer.open_item(mark + _task(walk, node), width=len(mark), hugs=around.hugs or around.count > 1)
    walk.at_end(node, walk.close)
    if around.number is not None:
        around.number = max(0, around.number + around.step)
    return True


def begin_terms(walk: Walk, node: Node) -> bool:
    """A list of terms: they are bold, and what they mean is items below them. Without terms it only indents."""
    walk.divide()
    walk.lists.append(List("-", is_layout=not walk.outline.count(_TERMS, node)))
    walk.at_end(node, lambda: _end_list(walk, is_part=False))
    return True


def term(walk: Walk, node: Node) -> bool:
    if walk.flat or walk.outline.has_block(node):
        return walk.block(node)
    walk.divide()
    walk.is_bold = True
    walk.at_end(node, lambda: _end_term(walk, node))
    return True


def meaning(walk: Walk, node: Node) -> bool:
    is_layout = bool(walk.lists) and walk.lists[-1].is_layout
    if walk.flat or is_layout or walk.outline.count(HEADINGS, node):
        return walk.block(node)
    walk.divide()
    walk.writer.open_item("- ", hugs=walk.writer.ends_in_paragraph)
    walk.at_end(node, walk.close)
    return True


def _end_list(walk: Walk, *, is_part: bool) -> None:
    walk.divide()
    ended = walk.lists.pop()
    walk.ended_list = (ended.sign, walk.writer.place)
    if is_part:
        walk.writer.close()


def _end_term(walk: Walk, node: Node) -> None:
    walk.is_bold = False
    if "sig" in node.get("class").split():
        # The signature of a function is code, whatever it is highlighted with.
        words = walk.line.words()
        if words:
            walk.line.literal(code.span(words))
    else:
        walk.line.wrap(STRONG)
    walk.divide()


def _is_between_items(walk: Walk, node: Node) -> bool:
    around = walk.lists[-1] if walk.lists else None
    is_inside = node.parent is not None and node.parent.tag in _LISTS
    return is_inside and around is not None and around.count > 0 and not around.is_layout


def _is_layout(walk: Walk, node: Node) -> bool:
    """Whether a list only arranges blocks: cards with headings, or one item that holds a whole text."""
    outline = walk.outline
    if outline.count(HEADINGS, node):
        return True
    return outline.count(_PARTS, node) > _PARTS_OF_A_TEXT and _item_count(walk, node) == 1


def _item_count(walk: Walk, node: Node) -> int:
    return sum(child.tag == "li" and walk.outline.shows(child) for child in node.children)


def _number(value: str, otherwise: int) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS else otherwise


def _task(walk: Walk, node: Node) -> str:
    """The box before a task, from the box that the page has there or from what it says about one."""
    for each in walk.outline.nodes[node.index + 1 : min(node.end, node.index + _NODES_ASKED)]:
        if each.tag == "input" and each.get("type").lower() == "checkbox":
            return "[x] " if "checked" in each.attributes else "[ ] "
    state = node.get("data-checked") or node.get("aria-checked") if node.attributes else ""
    return {"true": "[x] ", "false": "[ ] "}.get(state, "")
