"""Render walk: one pass over the nodes of a page, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from dowse.extract.html.render.dom_index import DomIndex
from dowse.extract.html.render.line import LINK, LineBuilder
from dowse.extract.html.render.references import Images, Links, Notes
from dowse.extract.html.render.writer import MarkdownWriter, OpenList
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.node import Node

_NOTE_INDENT = 4
_BULLETS = "•◦▪‣●○■· "
Handler = Callable[["RenderWalk", Node], bool]
"""Called where an element begins; returns whether the walk descends into it."""
_End = tuple[int, Callable[[], None]]
"""The index behind an element, and the action for its end."""


@dataclass(slots=True)
class Card:
    """A link around blocks, written around the heading in it, or around its first line."""

    target: str
    is_for_heading: bool


class RenderWalk:
    """State of the walk: position, open line, open lists, output."""

    def __init__(
        self,
        dom: DomIndex,
        handlers: Mapping[str, Handler],
        links: Links,
        images: Images,
        posts: Collection[int] = frozenset(),
    ) -> None:
        self.dom = dom
        self.links = links
        self.images = images
        self.notes = Notes(dom)
        self.line = LineBuilder()
        self.writer = MarkdownWriter()
        self.lists: list[OpenList] = []
        self.ended_list: tuple[str, tuple[int, int]] | None = None
        self.card: Card | None = None
        # Number of open headings and cells, and whether one of them is bold by itself.
        self.lines_around = 0
        self.is_bold = False
        self._handlers = handlers
        self._posts = posts
        self._open: list[_End] = []

    @property
    def is_flat(self) -> bool:
        """Whether all text must stay on one line: in headings and cells, in emphasis and links."""
        return self.lines_around > 0 or self.line.is_inside

    def run(self, start: int, end: int) -> None:
        """Render the nodes between two positions."""
        nodes, kept, shown = self.dom.nodes, self.dom.kept, self.dom.shown
        opened: list[_End] = []
        waiting, self._open = self._open, opened
        at = start
        while at < end:
            _close_before(at, opened)
            node = nodes[at]
            if not node.tag:
                # Blanks count where a line has begun.
                if self.line.pieces if node.text.isspace() else kept[at]:
                    self.line.pieces.append(node.text)
                at += 1
            elif shown[node.end] == shown[at] and node.tag != "br":
                self._skip(node)
                at = node.end
            else:
                at = at + 1 if self._begin(node) else node.end
        _close_before(len(nodes), opened)
        self._open = waiting

    def _begin(self, node: Node) -> bool:
        """Begin an element with kept content; returns whether to descend into it."""
        if node.index in self.notes.labels:
            self._begin_note(node)
        handler = self._handlers.get("pre" if node.index in self.dom.listings else node.tag)
        descends = handler(self, node) if handler else self._begin_other(node)
        if descends and node.index in self._posts:
            self.write_rule()
        return descends

    def at_end(self, node: Node, action: Callable[[], None]) -> None:
        """Schedule an action for the end of an element."""
        self._open.append((node.end, action))

    def begin_block(self, node: Node) -> bool:
        """Begin a block element."""
        self.end_paragraph()
        self._open.append((node.end, self.end_paragraph))
        return True

    def end_paragraph(self) -> None:
        """End the paragraph; only the word where all is on one line."""
        if not self.line.pieces:
            return
        if self.is_flat:
            self.line.text(" ")
            return
        if self.card is not None and not self.card.is_for_heading and not self.line.is_blank:
            self.line.wrap(LINK, self.card.target)
            self.card = None
        for paragraph in self.line.take():
            # Some pages write the bullets of their lists as characters.
            text = paragraph.lstrip(_BULLETS) if self.writer.is_at_item else paragraph
            if text:
                self.writer.paragraph(text)

    def write_rule(self) -> None:
        """Write a rule between two posts."""
        self.end_paragraph()
        if not self.is_flat:
            self.writer.rule()

    def _begin_other(self, node: Node) -> bool:
        """Begin an unknown element: a block, unless it is a custom element without blocks."""
        if "-" not in node.tag or self.dom.has_block(node):
            return self.begin_block(node)
        nodes = self.dom.nodes
        if nodes[node.index - 1].tag or nodes[node.index - 1].parent is not node.parent:
            self.line.text(" ")
        if node.end < len(nodes) and (nodes[node.end].tag or nodes[node.end].parent is not node.parent):
            self.at_end(node, lambda: self.line.text(" "))
        return True

    def _begin_note(self, node: Node) -> None:
        """Begin a footnote, indented like an item."""
        if not self.is_flat:
            self.end_paragraph()
            self.writer.open_item(f"[^{self.notes.labels[node.index]}]: ", width=_NOTE_INDENT)
            self.at_end(node, self.close)

    def close(self) -> None:
        """End an item, a quotation or a note."""
        self.end_paragraph()
        self.writer.close()

    def _skip(self, node: Node) -> None:
        """Skip an element without kept content; the texts on either side stay apart."""
        if node.tag in INLINE or "-" in node.tag:
            if self.dom.characters(node):
                self.line.text(" ")
        else:
            self.end_paragraph()


def _close_before(at: int, opened: list[_End]) -> None:
    while opened and opened[-1][0] <= at:
        opened.pop()[1]()
