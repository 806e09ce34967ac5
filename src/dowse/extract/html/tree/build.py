"""Builds the tree of the visible part of a page: one parse, one pass over its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse.extract.html.tree.css import is_for_screens
from dowse.extract.html.tree.grammar import INLINE, NEVER_SHOWN
from dowse.extract.html.tree.hiding import Certainty, Hiding
from dowse.extract.html.tree.node import Attributes, Node, Tree

# Pages fade in, or are shown by a script: an element that hides so much of a page is a wrapper around its content.
_ALL_OF_A_PAGE = 0.9
_MOST_OF_A_PAGE = 0.7
# A `noscript` shorter than this only asks for JavaScript.
_WORTHWHILE_NOSCRIPT = 150
_HEAD = frozenset({"meta", "link", "base", "html"})
_JSON_LD = "application/ld+json"
_MATHEMATICS = "math/tex"
_TITLE, _NOSCRIPT, _HIDDEN, _DOUBTFUL = "title", "noscript", "hidden", "doubtful"
_INHERITED = frozenset({_NOSCRIPT, _HIDDEN, _DOUBTFUL})
_SPECIAL = NEVER_SHOWN | _HEAD | {_NOSCRIPT}
_NO_ATTRIBUTES: Attributes = {}
# Parts of a line; a text node has no tag.
_OF_LINES = INLINE | {""}
_WITH_BLANKS = INLINE | {"pre"}
# They hold no elements in HTML, and in a drawing none of the page's. JSON-LD is another reason than `script`.
_WITHOUT_ELEMENTS = frozenset({"script", "style", "meta", "link", "input"})
# So many nodes take a second or two.
_MAX_NODES = 100_000


def build(markup: str, without: Sequence[str] = ()) -> Tree:
    """Build the tree of a page without the elements that some CSS selectors name; its markup has passed `guard`."""
    parser = LexborHTMLParser(markup)
    for named in [node for selector in without for node in parser.css(selector)]:
        # Nested and repeated matches do no harm.
        named.decompose(recursive=False)
    styles = parser.css("style")
    hiding = Hiding([node.text() for node in styles if is_for_screens(node.attributes.get("media") or "")])
    walk = _TreeWalk(parser, hiding)
    if walk.doubtful > _ALL_OF_A_PAGE * (walk.doubtful + walk.seen):
        hiding = hiding.without_doubts()
        walk = _TreeWalk(parser, hiding)
    if walk.most_hidden > _MOST_OF_A_PAGE * (walk.most_hidden + walk.seen):
        walk = _TreeWalk(parser, hiding, shown=walk.most_hidden_id)
    if walk.unscripted >= max(_WORTHWHILE_NOSCRIPT, walk.seen):
        walk = _TreeWalk(parser, hiding, reads_noscript=True)
    return walk.tree


class _TreeWalk:
    """One pass over a document. Weights are characters without blanks, so that Chinese counts too."""

    def __init__(
        self, parser: LexborHTMLParser, hiding: Hiding, *, reads_noscript: bool = False, shown: int = 0
    ) -> None:
        self._hiding = hiding
        self._suspect_tags = _SPECIAL | hiding.suspect_tags
        self._reads_noscript = reads_noscript
        self._shown = shown
        self._has_body = False
        self.tree = Tree([Node(0, "body", None, {})])
        self.seen = self.unscripted = self.doubtful = 0
        # The weight that an element hides, by its identity.
        self._hidden: dict[int, int] = {}
        # An empty document has no root.
        if parser.root is not None:
            self._take_unseen(iter((parser.root,)))

    @property
    def most_hidden(self) -> int:
        """The weight of the element that hides most."""
        return max(self._hidden.values(), default=0)

    @property
    def most_hidden_id(self) -> int:
        return max(self._hidden, key=lambda identity: self._hidden[identity], default=0)

    def _take_body(self, body: LexborNode) -> None:
        """Add the body's nodes to the tree."""
        nodes = self.tree.nodes
        parent, node = self.tree.root, body.first_child
        parent.attributes = body.attributes
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

    def _add_text(self, node: LexborNode, parent: Node) -> None:
        text = node.text_content or ""
        is_blank = text.isspace()
        if not is_blank:
            self.seen += len(text) - text.count(" ")
        if not is_blank or not _indents(text, parent):
            new = Node(len(self.tree.nodes), "", parent, _NO_ATTRIBUTES, text)
            self.tree.nodes.append(new)
            parent.children.append(new)

    def _add_element(self, node: LexborNode, tag: str, parent: Node) -> Node | None:
        """Add an element to the tree, unless it is left out; most elements have nothing that could keep them out."""
        attributes = node.attributes
        may_be_absent = tag in self._suspect_tags or (attributes and self._hiding.is_suspect(attributes))
        if may_be_absent and self._is_left_out(node, tag, attributes):
            return None
        new = Node(len(self.tree.nodes), tag, parent, attributes)
        self.tree.nodes.append(new)
        parent.children.append(new)
        return new

    def _cut_off(self, innermost: Node, pending: list[tuple[LexborNode, Node]]) -> None:
        """End the tree, and the elements that are open."""
        self.tree.is_cut = True
        for element in (innermost, *[around for _, around in pending]):
            element.end = len(self.tree.nodes)

    def _is_left_out(self, node: LexborNode, tag: str, attributes: Attributes) -> bool:
        reason = self._absence(node, tag, attributes)
        if reason in _INHERITED:
            self._take_hidden(node, reason)
        elif reason and reason not in _WITHOUT_ELEMENTS:
            self._take_unseen(node.iter(include_text=True), reason, node.mem_id)
        return bool(reason)

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
        """The reason why an element is not in the tree; empty if it is, or has no reason of its own."""
        if tag in _HEAD:
            self.tree.head.setdefault(tag, []).append(attributes)
        if inherited in _INHERITED:
            return inherited
        if tag in NEVER_SHOWN:
            return _absence_by_tag(tag, attributes)
        if tag == _NOSCRIPT:
            return "" if self._reads_noscript else tag
        certainty = self._hiding.judge(tag, attributes)
        if certainty is Certainty.NONE or node.mem_id == self._shown:
            return ""
        return _DOUBTFUL if certainty is Certainty.DOUBTFUL else _HIDDEN

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
