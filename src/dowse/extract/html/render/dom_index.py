"""Index over the tree for rendering: counts and positions of a subtree without walking it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.listings import find_listings
from dowse.extract.html.tree.node import Node, Tree

LEAVES = frozenset({"img", "image", "hr", "math"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
MATH = frozenset({"math"})
CODE = frozenset({"pre", "xmp", "listing", "plaintext"})
# Inline elements and parts of others, which do not make a block of their parent.
_NO_BLOCK = INLINE | frozenset({"", "source", "annotation", "semantics", "wbr", "col", "colgroup"})
# Most subtrees are small and are read node by node; for larger ones the whole page is counted once.
_FEW_NODES = 30


class DomIndex:
    """Positions by tag, and how much of the page is kept up to each node."""

    def __init__(self, tree: Tree, kept: Sequence[int] | None) -> None:
        nodes = tree.nodes
        self.nodes = nodes
        self.listings = find_listings(tree)
        self._tree = tree
        if kept is None:
            kept = [bool(node.text and not node.text.isspace()) or node.tag in LEAVES for node in nodes]
        self.kept = kept
        self.shown = [0, *accumulate(kept)]
        self._by_tag: dict[frozenset[str], Sequence[int]] = {}

    def shows(self, node: Node) -> bool:
        """Whether a node has kept content."""
        return self.shown[node.end] > self.shown[node.index]

    def shows_text(self, node: Node) -> bool:
        """Whether a node has kept text."""
        return self._shown_texts[node.end] > self._shown_texts[node.index]

    @cached_property
    def _shown_texts(self) -> list[int]:
        texts = [bool(kept and node.text) for kept, node in zip(self.kept, self.nodes, strict=True)]
        return [0, *accumulate(texts)]

    def characters(self, node: Node) -> int:
        """The length of the text in a node, with blanks."""
        if node.end - node.index <= _FEW_NODES:
            return sum([len(each.text) for each in self.nodes[node.index : node.end]])
        return self._characters[node.end] - self._characters[node.index]

    @cached_property
    def _characters(self) -> list[int]:
        return [0, *accumulate([len(node.text) for node in self.nodes])]

    def has_block(self, node: Node) -> bool:
        """Whether a node contains a block element."""
        if node.end - node.index <= _FEW_NODES:
            inside = self.nodes[node.index + 1 : node.end]
            if _NO_BLOCK.issuperset([each.tag for each in inside]):
                return False
        return self._count(self._blocks, node) > 0

    def count(self, tags: frozenset[str], node: Node) -> int:
        """How many elements with these tags are inside of a node."""
        places = self._places(tags)
        return self._count(places, node) if places else 0

    def first(self, tags: frozenset[str], node: Node) -> Node | None:
        """The first element with one of these tags inside of a node."""
        places = self._places(tags)
        found = bisect_right(places, node.index)
        return self.nodes[places[found]] if found < len(places) and places[found] < node.end else None

    def words(self, node: Node) -> str:
        """All the text in a node on one line."""
        return " ".join("".join([each.text for each in self.nodes[node.index : node.end]]).split())

    def _places(self, tags: frozenset[str]) -> Sequence[int]:
        places = self._by_tag.get(tags)
        if places is None:
            places = self._by_tag[tags] = self._tree.places(tags)
        return places

    @cached_property
    def _blocks(self) -> Sequence[int]:
        places = self._tree.places([tag for tag in self._tree.by_tag() if tag not in _NO_BLOCK and "-" not in tag])
        formulas = self._places(MATH)
        if not formulas:
            return places
        # The elements of a formula are inline, as the formula is.
        ends = [0, *accumulate([self.nodes[place].end for place in formulas], max)]
        return [place for place in places if place >= ends[bisect_right(formulas, place)]]

    @staticmethod
    def _count(places: Sequence[int], node: Node) -> int:
        return bisect_left(places, node.end) - bisect_right(places, node.index)
