"""Document tree: nodes in document order, with their ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

Attributes = dict[str, str | None]
# Text has none, and there is so much of it that a list for each would cost time.
_NO_CHILDREN: list[Node] = []


class Node:
    """An element, or a text node with an empty `tag`.

    `index` is its position in the tree's list, `end` the one behind its last descendant: a subtree is one slice, and
    containment takes two comparisons.
    """

    __slots__ = ("attributes", "children", "end", "index", "parent", "tag", "text")

    def __init__(self, index: int, tag: str, parent: Node | None, attributes: Attributes, text: str = "") -> None:
        self.index = index
        self.end = index + 1
        self.tag = tag
        self.parent = parent
        self.attributes = attributes
        self.text = text
        self.children: list[Node] = [] if tag else _NO_CHILDREN

    def __repr__(self) -> str:
        return f"<{self.tag or 'text'} {self.index}:{self.end}>"

    def get(self, name: str) -> str:
        """The value of an attribute, or an empty string."""
        return self.attributes.get(name) or ""

    def holds(self, other: Node) -> bool:
        """Whether another node is this one or a descendant."""
        return self.index <= other.index < self.end

    def ancestors(self) -> Iterator[Node]:
        """The ancestors, from the inside out."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent


@dataclass(slots=True)
class Tree:
    """The visible part of a page. Its first node is the body.

    `scripts` are the texts of JSON-LD; `head` holds the attributes of `meta`, `link`, `base` and `html` by tag.
    `hidden_words` counts hidden text. `is_cut` for a page with more nodes than are read.
    """

    nodes: list[Node]
    title: str = ""
    head: dict[str, list[Attributes]] = field(default_factory=dict)
    scripts: list[str] = field(default_factory=list)
    hidden_words: int = 0
    is_cut: bool = False
    _by_tag: dict[str, list[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def root(self) -> Node:
        return self.nodes[0]

    def places(self, tags: Iterable[str]) -> Sequence[int]:
        """The indexes of all elements with one of these tags, in document order."""
        by_tag = self.by_tag()
        found = [by_tag[tag] for tag in tags if tag in by_tag]
        return found[0] if len(found) == 1 else sorted(chain.from_iterable(found))

    def by_tag(self) -> Mapping[str, Sequence[int]]:
        """Indexes of elements by tag, computed once: the tree must be complete."""
        if not self._by_tag:
            for node in self.nodes:
                self._by_tag.setdefault(node.tag, []).append(node.index)
        return self._by_tag

    def words_of(self, node: Node) -> str:
        """The text in a node on one line."""
        pieces = [each.text if not each.tag else " " for each in self.nodes[node.index : node.end]]
        return " ".join("".join(pieces).split())
