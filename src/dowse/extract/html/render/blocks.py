"""Block elements: headings, quotations, captions, rules, lists and terms."""

from __future__ import annotations

from dowse.extract.html.render import code
from dowse.extract.html.render.dom_index import HEADINGS
from dowse.extract.html.render.line import EMPHASIS, LINK, NEXT_ITEM, STRONG
from dowse.extract.html.render.walk import RenderWalk
from dowse.extract.html.render.writer import OpenList
from dowse.extract.html.tree.node import Node

# Doxygen and LaTeXML write code without `pre`.
_LISTINGS = frozenset({"fragment", "ltx_lstlisting"})
# Some pages mark their comments as headings; a longer one is a text.
_LONGEST_HEADING = 200
_AFTER_HEADINGS = " ¶§🔗⚓"
_MOST_DIGITS = 9
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_TERMS = frozenset({"dt"})
_PARTS = frozenset({"p", "pre", "table", "blockquote", "figure"})
_PARTS_OF_A_TEXT = 2
# A checkbox stands before the words of its task, in a paragraph or a label.
_NODES_ASKED = 5


def begin_division(walk: RenderWalk, node: Node) -> bool:
    """Begin a `div`: a heading by its role, a listing by its class, or a plain block."""
    if node.get("role") == "heading" and walk.dom.characters(node) <= _LONGEST_HEADING:
        return begin_heading(walk, node)
    if node.attributes and not _LISTINGS.isdisjoint(node.get("class").split()):
        return code.write_block(walk, node)
    return walk.begin_block(node)


def begin_heading(walk: RenderWalk, node: Node) -> bool:
    if walk.is_flat:
        return walk.begin_block(node)
    walk.end_paragraph()
    walk.lines_around += 1
    walk.is_bold = True
    walk.at_end(node, lambda: _end_heading(walk, node))
    return True


def begin_quote(walk: RenderWalk, node: Node) -> bool:
    if walk.is_flat:
        return walk.begin_block(node)
    walk.end_paragraph()
    walk.writer.open_quote()
    walk.at_end(node, walk.close)
    return True


def write_rule(walk: RenderWalk, _node: Node) -> bool:
    walk.write_rule()
    return False


def begin_summary(walk: RenderWalk, node: Node) -> bool:
    if walk.is_flat or walk.dom.has_block(node):
        return walk.begin_block(node)
    walk.end_paragraph()
    walk.at_end(node, lambda: _end_bold(walk))
    return True


def begin_caption(walk: RenderWalk, node: Node) -> bool:
    """Begin the caption of a figure or a table."""
    if walk.is_flat or walk.dom.has_block(node):
        return walk.begin_block(node)
    walk.end_paragraph()
    walk.line.begin(EMPHASIS)
    walk.at_end(node, lambda: _end_caption(walk))
    return True


def _end_caption(walk: RenderWalk) -> None:
    walk.line.end()
    walk.end_paragraph()


def _end_bold(walk: RenderWalk) -> None:
    walk.line.wrap(STRONG)
    walk.end_paragraph()


def _end_heading(walk: RenderWalk, node: Node) -> None:
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
    """Escape `#` at the end, which Markdown would take for the end of the heading."""
    bare = text.rstrip("#")
    return f"{bare}\\{text[len(bare) :]}" if bare != text and (not bare or bare[-1] == " ") else text


def begin_list(walk: RenderWalk, node: Node) -> bool:
    walk.end_paragraph()
    # A list between the items of another list belongs to the item before it.
    is_part = not walk.is_flat and _is_between_items(walk, node)
    if is_part:
        walk.writer.reopen_item(walk.lists[-1].width)
    sign, other = (".", ")") if node.tag == "ol" else ("-", "*")
    # Two lists with the same sign, one behind the other, would be one.
    made = OpenList(other if walk.ended_list == (sign, walk.writer.place) else sign)
    if node.tag == "ol":
        made.step = -1 if "reversed" in node.attributes else 1
        made.number = _number(node.get("start"), 1 if made.step == 1 else _item_count(walk, node))
    made.hugs = walk.writer.can_hug and made.number in (None, 1)
    made.is_layout = _is_layout(walk, node)
    walk.lists.append(made)
    walk.at_end(node, lambda: _end_list(walk, is_part=is_part))
    return True


def begin_item(walk: RenderWalk, node: Node) -> bool:
    around = walk.lists[-1] if walk.lists else OpenList("-")
    walk.end_paragraph()
    around.count += 1
    if walk.is_flat:
        if around.count > 1:
            walk.line.divide(NEXT_ITEM)
        walk.at_end(node, walk.end_paragraph)
        return True
    if around.is_layout or node.index in walk.notes.labels:
        return walk.begin_block(node)
    if around.number is not None:
        around.number = _number(node.get("value"), around.number)
    mark = around.mark()
    walk.writer.open_item(mark + _task(walk, node), width=len(mark), hugs=around.hugs or around.count > 1)
    walk.at_end(node, walk.close)
    if around.number is not None:
        around.number = max(0, around.number + around.step)
    return True


def begin_terms(walk: RenderWalk, node: Node) -> bool:
    """Begin a list of bold terms with their meanings as items; one without terms is layout."""
    walk.end_paragraph()
    walk.lists.append(OpenList("-", is_layout=not walk.dom.count(_TERMS, node)))
    walk.at_end(node, lambda: _end_list(walk, is_part=False))
    return True


def begin_term(walk: RenderWalk, node: Node) -> bool:
    if walk.is_flat or walk.dom.has_block(node):
        return walk.begin_block(node)
    walk.end_paragraph()
    walk.is_bold = True
    walk.at_end(node, lambda: _end_term(walk, node))
    return True


def begin_meaning(walk: RenderWalk, node: Node) -> bool:
    is_layout = bool(walk.lists) and walk.lists[-1].is_layout
    if walk.is_flat or is_layout or walk.dom.count(HEADINGS, node):
        return walk.begin_block(node)
    walk.end_paragraph()
    walk.writer.open_item("- ", hugs=walk.writer.ends_in_paragraph)
    walk.at_end(node, walk.close)
    return True


def _end_list(walk: RenderWalk, *, is_part: bool) -> None:
    walk.end_paragraph()
    ended = walk.lists.pop()
    walk.ended_list = (ended.sign, walk.writer.place)
    if is_part:
        walk.writer.close()


def _end_term(walk: RenderWalk, node: Node) -> None:
    walk.is_bold = False
    if "sig" in node.get("class").split():
        # The signature of a function is code, however it is highlighted.
        words = walk.line.words()
        if words:
            walk.line.literal(code.quote_code(words))
    else:
        walk.line.wrap(STRONG)
    walk.end_paragraph()


def _is_between_items(walk: RenderWalk, node: Node) -> bool:
    around = walk.lists[-1] if walk.lists else None
    is_inside = node.parent is not None and node.parent.tag in _LISTS
    return is_inside and around is not None and around.count > 0 and not around.is_layout


def _is_layout(walk: RenderWalk, node: Node) -> bool:
    """Whether a list is layout: cards with headings, or one item that holds a whole text."""
    dom = walk.dom
    if dom.count(HEADINGS, node):
        return True
    return dom.count(_PARTS, node) > _PARTS_OF_A_TEXT and _item_count(walk, node) == 1


def _item_count(walk: RenderWalk, node: Node) -> int:
    return sum(child.tag == "li" and walk.dom.shows(child) for child in node.children)


def _number(value: str, otherwise: int) -> int:
    return int(value) if value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS else otherwise


def _task(walk: RenderWalk, node: Node) -> str:
    """The box of a task, from its checkbox or its attributes."""
    for each in walk.dom.nodes[node.index + 1 : min(node.end, node.index + _NODES_ASKED)]:
        if each.tag == "input" and each.get("type").lower() == "checkbox":
            return "[x] " if "checked" in each.attributes else "[ ] "
    state = node.get("data-checked") or node.get("aria-checked") if node.attributes else ""
    return {"true": "[x] ", "false": "[ ] "}.get(state, "")
