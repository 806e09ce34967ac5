"""Markup to a tree of what can be seen: one parse, one pass over its nodes."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from dowse.extract.tree.css import is_for_screens
from dowse.extract.tree.elements import INLINE, NEVER_SHOWN
from dowse.extract.tree.hiding import Certainty, Hiding
from dowse.extract.tree.node import Attributes, Node, Tree

# Pages fade in, or are shown by a script: something that hides so much of a page is a wrapper around its content.
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
# More of a page than anybody reads; it takes a second or two.
_MAX_NODES = 100_000


def build(markup: str, without: Sequence[str] = ()) -> Tree:
    """The tree of a page without what some selectors name; its markup has passed `guard`."""
    parser = LexborHTMLParser(markup)
    for named in [node for selector in without for node in parser.css(selector)]:
        # One that is inside another of them, or named twice, does no harm.
        named.decompose(recursive=False)
    styles = parser.css("style")
    hiding = Hiding([node.text() for node in styles if is_for_screens(node.attributes.get("media") or "")])
    walk = _Walk(parser, hiding)
    if walk.doubtful > _ALL_OF_A_PAGE * (walk.doubtful + walk.seen):
        hiding = hiding.without_doubts()
        walk = _Walk(parser, hiding)
    if walk.most_hidden > _MOST_OF_A_PAGE * (walk.most_hidden + walk.seen):
        walk = _Walk(parser, hiding, shown=walk.most_hidden_id)
    if walk.unscripted >= max(_WORTHWHILE_NOSCRIPT, walk.seen):
        walk = _Walk(parser, hiding, reads_noscript=True)
    return walk.tree


class _Walk:
    """One pass over a document. Weights are characters without blanks, so that Chinese counts too."""

    def __init__(
        self, parser: LexborHTMLParser, hiding: Hiding, *, reads_noscript: bool = False, shown: int = 0
    ) -> None:
        self._hiding = hiding
        self._reads_noscript = reads_noscript
        self._shown = shown
        self.tree = Tree([Node(0, "body", None, {})])
        self.seen = self.unscripted = self.doubtful = 0
        # By identity: the elements of the tree, why others are not in it, and what is hidden by which of them.
        self._places: dict[int, Node] = {}
        self._absent: dict[int, str] = {}
        self._hidden_by: dict[int, int] = {}
        self._hidden: dict[int, int] = {}
        # An empty document has no root.
        if parser.root is not None:
            self._walk(parser.root)
        self._tell_ends()

    @property
    def most_hidden(self) -> int:
        """How much the element hides that hides most."""
        return max(self._hidden.values(), default=0)

    @property
    def most_hidden_id(self) -> int:
        return max(self._hidden, key=lambda identity: self._hidden[identity], default=0)

    def _walk(self, root: LexborNode) -> None:
        places, nodes, is_suspect = self._places, self.tree.nodes, self._hiding.is_suspect
        seen = 0
        for node in root.traverse(include_text=True):
            if len(nodes) >= _MAX_NODES:
                self.tree.is_cut = True
                break
            tag = node.tag
            above = node.parent
            parent = places.get(above.mem_id) if above is not None else None
            if tag == "-text":
                text = node.text_content or ""
                if parent is None:
                    self._take_unseen(text, above)
                    continue
                if text.isspace():
                    # Those without a line break indent code rather than markup.
                    if "\n" in text and _is_between_blocks(parent):
                        continue
                else:
                    seen += len(text) - text.count(" ")
                new = Node(len(nodes), "", parent, _NO_ATTRIBUTES, text)
            elif not tag or tag[0] in "-_!":
                continue
            else:
                attributes = node.attributes
                if parent is None:
                    self._take_outside(node, tag, attributes, above)
                    continue
                # There is nothing about most elements that could keep them out.
                is_plain = tag not in _SPECIAL and not is_suspect(tag, attributes)
                if not is_plain and self._is_left_out(node, tag, attributes):
                    continue
                new = places[node.mem_id] = Node(len(nodes), tag, parent, attributes)
            nodes.append(new)
            parent.children.append(new)
        self.seen = seen

    def _take_outside(self, node: LexborNode, tag: str, attributes: Attributes, above: LexborNode | None) -> None:
        """An element whose parent is not in the tree: one of those around the body, or of what is left out."""
        if tag == "body" and not self._places:
            self.tree.root.attributes = attributes
            self._places[node.mem_id] = self.tree.root
        else:
            self._is_left_out(node, tag, attributes, above)

    def _is_left_out(
        self, node: LexborNode, tag: str, attributes: Attributes, absent: LexborNode | None = None
    ) -> bool:
        if tag in _HEAD:
            self.tree.head.setdefault(tag, []).append(attributes)
        reason = self._absence(node, tag, attributes, absent)
        if reason or absent is not None:
            self._absent[node.mem_id] = reason
        return bool(reason)

    def _absence(self, node: LexborNode, tag: str, attributes: Attributes, absent: LexborNode | None) -> str:
        """Why an element is not in the tree; empty if it is. `absent` is its parent if that is not in it."""
        inherited = self._absent.get(absent.mem_id, "") if absent is not None else ""
        if inherited in _INHERITED:
            self._hidden_by[node.mem_id] = self._hidden_by.get(absent.mem_id, 0) if absent is not None else 0
            return inherited
        if tag in NEVER_SHOWN:
            kind = (attributes.get("type") or "").lower() if tag == "script" else ""
            if kind.startswith(_MATHEMATICS) or _is_box_of_a_task(tag, attributes):
                return ""
            return _JSON_LD if kind.startswith(_JSON_LD) else tag
        if tag == _NOSCRIPT:
            return "" if self._reads_noscript else tag
        certainty = self._hiding.judge(tag, attributes)
        if certainty is Certainty.NONE or node.mem_id == self._shown:
            return ""
        self._hidden_by[node.mem_id] = node.mem_id
        return _DOUBTFUL if certainty is Certainty.DOUBTFUL else _HIDDEN

    def _take_unseen(self, text: str, above: LexborNode | None) -> None:
        """Text that is not in the tree: some of it is about the page, and the rest is weighed."""
        reason = self._absent.get(above.mem_id, "") if above is not None else ""
        if not reason or above is None or text.isspace():
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
            by = self._hidden_by.get(above.mem_id, 0)
            self._hidden[by] = self._hidden.get(by, 0) + weight

    def _tell_ends(self) -> None:
        # What is inside of an element comes behind it, so that its end is known first.
        for node in reversed(self.tree.nodes):
            if node.children:
                node.end = node.children[-1].end


def _is_between_blocks(parent: Node) -> bool:
    """Whether blanks behind the last child of an element mean nothing: most are there to indent the markup."""
    tag = parent.tag
    if tag == "pre" or tag in INLINE:
        return False
    last = parent.children[-1] if parent.children else None
    return last is None or (last.tag not in INLINE and last.tag != "")


def _is_box_of_a_task(tag: str, attributes: Attributes) -> bool:
    """Whether it is one of the boxes in lists of tasks, which nobody can tick: it says what is done."""
    return tag == "input" and "disabled" in attributes and attributes.get("type") == "checkbox"
