"""Text blocks: runs of text that stand on their own, such as a paragraph, an item or a cell."""

from __future__ import annotations

from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.node import Node, Tree

_STRONG = frozenset({"b", "strong"})
# Two breaks in a row divide paragraphs on old pages.
_BREAKS = 2
# On a page with more blocks, neighbours are judged together.
_MOST = 5_000
# Around a text: its block element, the link if there is one, and whether the text is bold.
_Around = tuple[Node, Node | None, bool]


class TextBlock:
    """Text nodes in a row that share a `container`, the element that is a block around them."""

    __slots__ = ("container", "href", "linked", "links", "nodes", "strong", "text")

    def __init__(self, container: Node) -> None:
        self.container = container
        self.nodes: list[int] = []
        """The indexes of the text nodes."""
        self.text = ""
        self.linked = 0
        """Number of characters in links; `strong` of bold ones."""
        self.strong = 0
        self.links = 0
        self.href = ""
        """The target of the first link."""


def cut_blocks(tree: Tree) -> list[TextBlock]:
    """Cut a page into its blocks with text, in document order."""
    blocks = _Cutter(tree).blocks
    if len(blocks) <= _MOST:
        return blocks
    return _together(blocks, len(blocks) // _MOST + 1)


class _Cutter:
    """One pass over the nodes."""

    def __init__(self, tree: Tree) -> None:
        self.blocks: list[TextBlock] = []
        self._block: TextBlock | None = None
        self._pieces: list[str] = []
        self._last_link: Node | None = None
        self._walk(tree)

    def _walk(self, tree: Tree) -> None:
        # By the index of an element.
        arounds: list[_Around] = [(tree.root, None, False)] * len(tree.nodes)
        breaks = 0
        for node in tree.nodes:
            parent = node.parent
            if parent is None:
                continue
            tag, around = node.tag, arounds[parent.index]
            if not tag:
                if node.text.isspace():
                    self._take_blanks(node)
                else:
                    breaks = 0
                    self._take(node, around)
                continue
            if around[0].tag != "pre":
                # A block element ends the block before it, as two breaks do.
                breaks = breaks + (tag == "br") if tag in INLINE else _BREAKS
            arounds[node.index] = _around_inside(node, around)
            if breaks >= _BREAKS:
                breaks = 0
                self._close()
        self._close()

    def _take(self, node: Node, around: _Around) -> None:
        container, link, is_strong = around
        block = self._block
        if block is None or block.container is not container:
            self._close()
            block = self._block = TextBlock(container)
            self._last_link = None
        text = node.text
        self._pieces.append(text)
        block.nodes.append(node.index)
        if link is not None:
            block.linked += len(text.strip())
            if link is not self._last_link:
                block.links += 1
                block.href = block.href or link.get("href")
                self._last_link = link
        if is_strong:
            block.strong += len(text)

    def _take_blanks(self, node: Node) -> None:
        if self._block is not None:
            self._block.nodes.append(node.index)
            self._pieces.append(" ")

    def _close(self) -> None:
        block = self._block
        if block is not None:
            block.text = " ".join("".join(self._pieces).split())
            self.blocks.append(block)
            self._block = None
            self._pieces = []


def _around_inside(node: Node, around: _Around) -> _Around:
    container, link, is_strong = around
    if node.tag not in INLINE and container.tag != "pre":
        return node, link, is_strong
    if node.tag == "a":
        return container, node, is_strong
    return (container, link, True) if node.tag in _STRONG else around


def _together(blocks: list[TextBlock], count: int) -> list[TextBlock]:
    """Merge runs of so many neighbours that have the same element around them."""
    merged: list[TextBlock] = []
    joined = 0
    for block in blocks:
        last = merged[-1] if merged else None
        if last is not None and joined < count and _around(last) is _around(block):
            last.nodes += block.nodes
            last.text = f"{last.text} {block.text}"
            last.linked += block.linked
            last.links += block.links
            last.strong += block.strong
            joined += 1
        else:
            merged.append(block)
            joined = 1
    return merged


def _around(block: TextBlock) -> Node | None:
    """The element around a block and its neighbours: of a cell the table, of an item the list."""
    above = block.container.parent
    return above.parent if above is not None and above.tag == "tr" else above
