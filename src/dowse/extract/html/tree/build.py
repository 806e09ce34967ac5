"""Builds the tree of the visible part of a page: one parse, one pass over its nodes."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import filterfalse, islice
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse.extract.html.tree.css import find_imports
from dowse.extract.html.tree.grammar import INLINE, NEVER_SHOWN
from dowse.extract.html.tree.hiding import Certainty, Hiding
from dowse.extract.html.tree.listings import show_shadow_code
from dowse.extract.html.tree.node import Attributes, Node, Tree
from dowse.extract.html.tree.values import is_for_screens

# Pages fade in, or are shown by a script: an element that hides so much of a page is a wrapper around its content.
_ALL_OF_A_PAGE = 0.9
_MOST_OF_A_PAGE = 0.7
# Unless as much prose is left: then the page is there, and hidden text beside it is not the page.
_ENOUGH_PROSE = 400
_PROSE = 80
# A `noscript` shorter than this only asks for JavaScript.
_WORTHWHILE_NOSCRIPT = 150
# Shorter texts are labels, whose colours are not looked up.
_WORTH_HIDING = 16
_HEAD = frozenset({"meta", "link", "base", "html"})
_JSON_LD = "application/ld+json"
_MATHEMATICS = "math/tex"
_TITLE, _NOSCRIPT, _HIDDEN, _DOUBTFUL = "title", "noscript", "hidden", "doubtful"
_INHERITED = frozenset({_NOSCRIPT, _HIDDEN, _DOUBTFUL})
_SPECIAL = NEVER_SHOWN | _HEAD | {_NOSCRIPT}
_REASONS = {Certainty.NONE: "", Certainty.DOUBTFUL: _DOUBTFUL, Certainty.HIDDEN: _HIDDEN}
_NO_ATTRIBUTES: Attributes = {}
# Parts of a line; a text node has no tag.
_OF_LINES = INLINE | {""}
_WITH_BLANKS = INLINE | {"pre"}
# They hold no elements in HTML, and in a drawing none of the page's. JSON-LD is another reason than `script`.
_WITHOUT_ELEMENTS = frozenset({"script", "style", "meta", "link", "input"})
# Characters of style sheets in a page. Larger ones are mostly of programs, and cost more than the rest of the page.
_LARGE_SHEETS = 16_000
# So many nodes take a second or two.
_MAX_NODES = 100_000
_CONTROLS = (
    "button[aria-controls], summary[aria-controls], [role=button][aria-controls], [aria-expanded][aria-controls]"
)
_MAX_CONTROLS = 1_000


def build(markup: str, without: Sequence[str] = (), sheets: Sequence[str] | None = None) -> Tree:
    """Build the tree of a page without the elements that some CSS selectors name; its markup has passed `guard`.

    `sheets` are the texts of its linked style sheets, once they were asked for; before, they are unknown.
    """
    parser = LexborHTMLParser(show_shadow_code(markup))
    for named in [node for selector in without for node in parser.css(selector)]:
        # Nested and repeated matches do no harm.
        named.decompose(recursive=False)
    if "shadowrootmode" in markup:
        _replace_content(parser)
    styles, linked = _find_sheets(parser)
    hiding = _make_hiding(parser, styles, sheets, has_others=bool(linked))
    tree = _walk(parser, hiding).tree
    tree.sheets, tree.is_settled = linked, hiding.is_complete
    return tree


def _replace_content(parser: LexborHTMLParser) -> None:
    """Remove the text beside the template of a shadow root that has no slot for it."""
    templates = {each.parent.mem_id: each for each in parser.css("template[shadowrootmode]")[::-1] if each.parent}
    for template in templates.values():
        if template.parent is not None and "<slot" not in (template.html or ""):
            for beside in [*template.parent.iter(include_text=True)]:
                if beside.mem_id != template.mem_id:
                    beside.decompose(recursive=False)


def _make_hiding(
    parser: LexborHTMLParser, styles: Sequence[str], sheets: Sequence[str] | None, *, has_others: bool
) -> Hiding:
    """The judge of the elements; `has_others` if the page links sheets, which may be unknown."""
    is_thorough = sheets is not None or sum(map(len, styles)) <= _LARGE_SHEETS
    return Hiding(
        [*(sheets or ()), *styles],
        parser.root.attributes if parser.root is not None else None,
        is_complete=is_thorough and (sheets is not None or not has_others),
        is_scripted=parser.css_first("script") is not None,
        is_thorough=is_thorough,
        find_controlled=cache(lambda: _find_controlled(parser)),
    )


def _walk(parser: LexborHTMLParser, hiding: Hiding) -> _TreeWalk:
    """The walk over a page; a second one where the first would hide most of it."""
    walk = _TreeWalk(parser, hiding)
    if walk.is_empty and walk.doubtful > _ALL_OF_A_PAGE * (walk.doubtful + walk.seen):
        hiding = hiding.without_doubts()
        walk = _TreeWalk(parser, hiding)
    if walk.is_empty and walk.most_hidden > _MOST_OF_A_PAGE * (walk.most_hidden + walk.seen):
        walk = _TreeWalk(parser, hiding, shown=walk.most_hidden_id)
    if walk.unscripted >= max(_WORTHWHILE_NOSCRIPT, walk.seen):
        walk = _TreeWalk(parser, hiding, reads_noscript=True)
    return walk


def _find_sheets(parser: LexborHTMLParser) -> tuple[list[str], list[str]]:
    """The sheets in a page, and the addresses of others, for a screen."""
    styles: list[str] = []
    linked: list[str] = []
    for node in parser.css("style, link"):
        attributes = node.attributes
        if not is_for_screens(attributes.get("media") or "") or not _is_sheet(node, attributes):
            continue
        # Imported sheets come before the one that imports them.
        text = node.text() if node.tag == "style" else ""
        addresses = find_imports(text) if text else [(attributes.get("href") or "").strip()]
        styles += [*map(_read_data, filter(_is_data, addresses)), text]
        linked += filterfalse(_is_data, addresses)
    return list(filter(None, styles)), list(filter(None, linked))


def _find_controlled(parser: LexborHTMLParser) -> frozenset[str]:
    """The identifiers of elements that a button opens."""
    named = (node.attributes.get("aria-controls") or "" for node in parser.css(_CONTROLS))
    return frozenset(name for names in islice(named, _MAX_CONTROLS) for name in names.split())


def _is_sheet(node: LexborNode, attributes: Attributes) -> bool:
    kind = (attributes.get("type") or "text/css").lower()
    if node.tag == "style":
        # Browsers with scripts ignore it there.
        is_ignored = node.parent is not None and node.parent.tag == _NOSCRIPT
        return kind == "text/css" and not is_ignored
    relations = (attributes.get("rel") or "").lower().split()
    return "stylesheet" in relations and "alternate" not in relations and "disabled" not in attributes


def _is_data(address: str) -> bool:
    return address[:5].lower() == "data:"


def _read_data(address: str) -> str:
    """The text of a `data:` URL."""
    head, _, data = address.partition(",")
    if not head.endswith(";base64"):
        return unquote(data)
    try:
        return base64.b64decode(unquote(data), validate=False).decode("utf-8", "replace")
    except ValueError:
        return ""


class _TreeWalk:
    """One pass over a document. Weights are characters without blanks, so that Chinese counts too."""

    def __init__(
        self, parser: LexborHTMLParser, hiding: Hiding, *, reads_noscript: bool = False, shown: int = 0
    ) -> None:
        self._hiding = hiding
        # Nodes whose text is hidden: by which certainty, and by which element.
        self._dimmed: dict[int, tuple[Certainty, int]] = {}
        self._reads_noscript = reads_noscript
        self._shown = shown
        self._has_body = False
        self.tree = Tree([Node(0, "body", None, {})])
        self.seen = self.unscripted = self.doubtful = self._prose = 0
        # Elements that no script shows in the end: off-screen, cut off, or in the colour of their background.
        self._final: set[int] = set()
        # The weight that an element hides, by its identity.
        self._hidden: dict[int, int] = {}
        # An empty document has no root.
        if parser.root is not None:
            self._take_unseen(iter((parser.root,)))

    @property
    def is_empty(self) -> bool:
        """Whether hardly any prose is left."""
        return self._prose < _ENOUGH_PROSE

    @property
    def most_hidden(self) -> int:
        """The weight of the element that hides most."""
        return self._hidden.get(self.most_hidden_id, 0)

    @property
    def most_hidden_id(self) -> int:
        shown_later = self._hidden.keys() - self._final
        return max(shown_later, key=lambda identity: self._hidden[identity], default=0)

    def _take_body(self, body: LexborNode) -> None:
        """Add the body's nodes to the tree."""
        nodes = self.tree.nodes
        parent, node = self.tree.root, body.first_child
        parent.attributes = body.attributes
        self._judge_body(body, parent)
        # The open elements, each with its parent. Steps to the next node cost less than an iterator for each element.
        pending: list[tuple[LexborNode, Node]] = []
        while node is not None:
            if len(nodes) >= _MAX_NODES:
                self._cut_off(parent, pending)
                return
            tag = node.tag
            if tag == "-text":
                self._add_text(node, parent)
            elif tag and tag[0] not in "-_!":
                new = self._add_element(node, tag, parent)
                if new is not None and (child := node.first_child) is not None:
                    pending.append((node, parent))
                    parent, node = new, child
                    continue
            node = node.next
            while node is None and pending:
                parent.end = len(nodes)
                node, parent = pending.pop()
                node = node.next
        parent.end = len(nodes)

    def _judge_body(self, body: LexborNode, root: Node) -> None:
        if body.mem_id != self._shown and self._hiding.is_suspect(root):
            self._dim(root, body.mem_id, self._hiding.judge(root, body).text)

    def _add_text(self, node: LexborNode, parent: Node) -> None:
        text = node.text_content or ""
        is_blank = text.isspace()
        if not is_blank:
            # Most pages hide no text of elements that are shown, and their colours are not all known.
            if (self._dimmed or self._hiding.is_complete) and self._is_unseen(node, text, parent):
                return
            self.seen += len(text) - text.count(" ")
            self._prose += len(text) if len(text) >= _PROSE else 0
        if not is_blank or not _indents(text, parent):
            new = Node(len(self.tree.nodes), "", parent, _NO_ATTRIBUTES, text)
            self.tree.nodes.append(new)
            parent.children.append(new)

    def _is_unseen(self, node: LexborNode, text: str, parent: Node) -> bool:
        """Whether a text is hidden although its element is not; it is weighed then."""
        if parent.index in self._dimmed:
            certainty, by = self._dimmed[parent.index]
            self._weigh(node, _REASONS[certainty], by)
            return True
        around = node.parent if self._hiding.is_complete and len(text) >= _WORTH_HIDING else None
        if around is None or around.mem_id == self._shown or not self._hiding.hides_text(parent, around):
            return False
        self._final.add(around.mem_id)
        self._weigh(node, _HIDDEN, around.mem_id)
        return True

    def _add_element(self, node: LexborNode, tag: str, parent: Node) -> Node | None:
        """Add an element to the tree, unless it is left out; most elements have nothing that could keep them out."""
        attributes = node.attributes
        new = Node(len(self.tree.nodes), tag, parent, attributes)
        is_dim = bool(self._dimmed) and parent.index in self._dimmed
        is_suspect = is_dim or self._hiding.is_suspect(new)
        if (is_suspect or tag in _SPECIAL) and self._is_left_out(node, new, is_suspect=is_suspect, is_dim=is_dim):
            return None
        self.tree.nodes.append(new)
        parent.children.append(new)
        return new

    def _cut_off(self, innermost: Node, pending: list[tuple[LexborNode, Node]]) -> None:
        """End the tree, and the elements that are open."""
        self.tree.is_cut = True
        for element in (innermost, *[around for _, around in pending]):
            element.end = len(self.tree.nodes)

    def _is_left_out(self, node: LexborNode, new: Node, *, is_suspect: bool, is_dim: bool) -> bool:
        """Whether an element is not in the tree; of one that is, note whether its own text is hidden."""
        reason = self._absence_by_kind(new.tag, new.attributes)
        if is_suspect and not reason and new.tag not in NEVER_SHOWN and node.mem_id != self._shown:
            verdict = self._hiding.judge(new, node, is_dim=is_dim)
            reason = _REASONS[verdict.element]
            if verdict.is_final:
                self._final.add(node.mem_id)
            self._dim(new, node.mem_id, verdict.text)
        if reason in _INHERITED:
            self._take_hidden(node, reason)
        elif reason and reason not in _WITHOUT_ELEMENTS:
            self._take_unseen(node.iter(include_text=True), reason, node.mem_id)
        return bool(reason)

    def _dim(self, new: Node, identity: int, certainty: Certainty) -> None:
        """Note that the text of an element is hidden, by itself or by the element around it where it began."""
        if certainty is not Certainty.NONE:
            around = self._dimmed.get(new.parent.index) if new.parent is not None else None
            self._dimmed[new.index] = (certainty, around[1] if around else identity)

    def _take_hidden(self, element: LexborNode, reason: str) -> None:
        """Weigh the descendants of a hidden element, all for the same reason."""
        inside = element.traverse(include_text=True)
        # The first is the element.
        next(inside)
        for node in inside:
            tag = node.tag
            if tag == "-text":
                self._weigh(node, reason, element.mem_id)
            elif tag in _HEAD:
                self.tree.head.setdefault(tag, []).append(node.attributes)

    def _take_unseen(self, siblings: Iterator[LexborNode], reason: str = "", by: int = 0) -> None:
        """Read nodes outside of the tree: around the body, or inside of an element that `by` keeps out for a reason."""
        pending = [(siblings, reason, by)]
        while pending:
            siblings, reason, by = pending[-1]
            node = next(siblings, None)
            if node is None:
                pending.pop()
                continue
            tag = node.tag
            if tag == "-text":
                self._weigh(node, reason, by)
            elif tag == "body" and not self._has_body:
                self._has_body = True
                self._take_body(node)
            elif tag and tag[0] not in "-_!":
                inner = self._absence(node, tag, node.attributes, reason)
                if inner not in _WITHOUT_ELEMENTS:
                    pending.append((node.iter(include_text=True), inner, by if reason in _INHERITED else node.mem_id))

    def _absence(self, node: LexborNode, tag: str, attributes: Attributes, inherited: str = "") -> str:
        """The reason why an element outside of the tree is there; empty if it has none of its own."""
        if inherited in _INHERITED:
            if tag in _HEAD:
                self.tree.head.setdefault(tag, []).append(attributes)
            return inherited
        reason = self._absence_by_kind(tag, attributes)
        if reason or tag in NEVER_SHOWN or node.mem_id == self._shown:
            return reason
        new = Node(0, tag, None, attributes)
        return _REASONS[self._hiding.judge(new).element] if self._hiding.is_suspect(new) else ""

    def _absence_by_kind(self, tag: str, attributes: Attributes) -> str:
        """The reason to leave an element out for its tag."""
        if tag in _HEAD:
            self.tree.head.setdefault(tag, []).append(attributes)
        if tag in NEVER_SHOWN:
            return _absence_by_tag(tag, attributes)
        return tag if tag == _NOSCRIPT and not self._reads_noscript else ""

    def _weigh(self, node: LexborNode, reason: str, by: int) -> None:
        """Keep text about the page, such as its title, and weigh hidden text."""
        text = node.text_content or ""
        if not reason or text.isspace():
            return
        if reason == _TITLE:
            self.tree.title = self.tree.title or text
        elif reason == _JSON_LD:
            self.tree.scripts.append(text)
        elif reason in _INHERITED:
            weight = len(text) - text.count(" ")
            if reason == _NOSCRIPT:
                self.unscripted += weight
                return
            self.tree.hidden_words += len(text.split())
            self.doubtful += weight if reason == _DOUBTFUL else 0
            self._hidden[by] = self._hidden.get(by, 0) + weight


def _absence_by_tag(tag: str, attributes: Attributes) -> str:
    """The reason to leave out an element that is never shown; empty for formulas and boxes of tasks."""
    kind = (attributes.get("type") or "").lower() if tag == "script" else ""
    if kind.startswith(_MATHEMATICS) or _is_box_of_a_task(tag, attributes):
        return ""
    return _JSON_LD if kind.startswith(_JSON_LD) else tag


def _indents(blanks: str, parent: Node) -> bool:
    """Whether blanks behind a block only indent the markup; those without a line break indent code."""
    if "\n" not in blanks or parent.tag in _WITH_BLANKS:
        return False
    siblings = parent.children
    return not siblings or siblings[-1].tag not in _OF_LINES


def _is_box_of_a_task(tag: str, attributes: Attributes) -> bool:
    """Whether it is a read-only checkbox of a task list, which says whether the task is done."""
    return tag == "input" and "disabled" in attributes and attributes.get("type") == "checkbox"
