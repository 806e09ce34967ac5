"""One walk over the nodes of a page, from its beginning to its end, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from dowse.extract.html.render.dom_index import Outline
from dowse.extract.html.render.line import LINK, Line
from dowse.extract.html.render.references import Images, Links, Notes
from dowse.extract.html.render.writer import List, Writer
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.node import Node

_NOTE_INDENT = 4
_BULLETS = "•◦▪‣●○■· "
Handler = Callable[["Walk", Node], bool]
"""What is done where an element begins; whether the walk goes on inside of it."""


@dataclass(slots=True)
class Card:
    """A link around whole blocks: it is written around the heading in it, or around its first line."""

    target: str
    is_for_heading: bool


class Walk:
    """Where the walk is, and what has come of it so far."""

    def __init__(
        self,
        outline: Outline,
        handlers: Mapping[str, Handler],
        links: Links,
        images: Images,
        posts: Collection[int] = frozenset(),
    ) -> None:
        self.outline = outline
        self.links = links
        self.images = images
        self.notes = Notes(outline)
        self.line = Line()
        self.writer = Writer()
        self.lists: list[List] = []
        self.ended_list: tuple[str, tuple[int, int]] | None = None
        self.card: Card | None = None
        # In how many headings and cells the walk is, and whether one of them is bold by itself.
        self.lines_around = 0
        self.is_bold = False
        self._handlers = handlers
        self._posts = posts
        self._open: list[tuple[int, Callable[[], None]]] = []

    @property
    def flat(self) -> bool:
        """Whether everything has to stay on one line: in headings and cells, in emphasis and links."""
        return self.lines_around > 0 or self.line.is_inside

    def run(self, start: int, end: int) -> None:
        """Write what is between two places."""
        nodes, kept, shown = self.outline.nodes, self.outline.kept, self.outline.shown
        opened: list[tuple[int, Callable[[], None]]] = []
        waiting, self._open = self._open, opened
        at = start
        while at < end:
            while opened and opened[-1][0] <= at:
                opened.pop()[1]()
            node = nodes[at]
            if not node.tag:
                # Blanks that are nobody's count where a line has begun.
                if self.line.pieces if node.text.isspace() else kept[at]:
                    self.line.pieces.append(node.text)
                at += 1
            elif shown[node.end] == shown[at] and node.tag != "br":
                self._pass(node)
                at = node.end
            else:
                if at in self.notes.labels:
                    self._begin_note(node)
                handler = self._handlers.get(node.tag)
                descends = handler(self, node) if handler else self._other(node)
                if descends and at in self._posts:
                    self.rule()
                at = at + 1 if descends else node.end
        while opened:
            opened.pop()[1]()
        self._open = waiting

    def at_end(self, node: Node, action: Callable[[], None]) -> None:
        """Do something where an element ends."""
        self._open.append((node.end, action))

    def block(self, node: Node) -> bool:
        """An element that is a block of its own."""
        self.divide()
        self._open.append((node.end, self.divide))
        return True

    def divide(self) -> None:
        """End the paragraph, or only the word where all is on one line."""
        if not self.line.pieces:
            return
        if self.flat:
            self.line.text(" ")
            return
        if self.card is not None and not self.card.is_for_heading and not self.line.is_blank:
            self.line.wrap(LINK, self.card.target)
            self.card = None
        for paragraph in self.line.take():
            # Some pages draw the bullets of their lists with characters of their own.
            text = paragraph.lstrip(_BULLETS) if self.writer.is_at_item else paragraph
            if text:
                self.writer.paragraph(text)

    def rule(self) -> None:
        """Keep apart what comes before and what comes behind."""
        self.divide()
        if not self.flat:
            self.writer.rule()

    def _other(self, node: Node) -> bool:
        """An element of a kind of its own is a block if it holds blocks, else a word or a few."""
        if "-" not in node.tag or self.outline.has_block(node):
            return self.block(node)
        nodes = self.outline.nodes
        if nodes[node.index - 1].tag or nodes[node.index - 1].parent is not node.parent:
            self.line.text(" ")
        if node.end < len(nodes) and (nodes[node.end].tag or nodes[node.end].parent is not node.parent):
            self.at_end(node, lambda: self.line.text(" "))
        return True

    def _begin_note(self, node: Node) -> None:
        """A footnote: its blocks are as far in as those of an item."""
        if not self.flat:
            self.divide()
            self.writer.open_item(f"[^{self.notes.labels[node.index]}]: ", width=_NOTE_INDENT)
            self.at_end(node, self.close)

    def close(self) -> None:
        """End an item, a quotation or a note."""
        self.divide()
        self.writer.close()

    def _pass(self, node: Node) -> None:
        """Leave out an element; what stood on either side of a block is still apart."""
        if node.tag in INLINE or "-" in node.tag:
            if self.outline.characters(node):
                self.line.text(" ")
        else:
            self.divide()
