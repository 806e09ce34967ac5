"""Document tree: nodes in document order, with their ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Attributes = dict[str, str | None]
ANY = "*"
"""The tag in a selector, and the key of an index, that any element has."""
Item = TypeVar("Item")
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
    `sheets` are the addresses of style sheets that were not read; `is_settled` if every sheet that may hide text was.
    """

    nodes: list[Node]
    title: str = ""
    head: dict[str, list[Attributes]] = field(default_factory=dict)
    scripts: list[str] = field(default_factory=list)
    hidden_words: int = 0
    is_cut: bool = False
    sheets: list[str] = field(default_factory=list)
    is_settled: bool = True
    listings: frozenset[int] | None = field(default=None, repr=False, compare=False)
    """Indexes of the elements with code in lines, once they were looked for."""
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


UNNAMED = frozenset(("class", "id", "style", "href", "src", "alt", "title", "width", "height", "target", "rel"))
"""Attributes that are too common to tell elements apart by having them."""
# Classes that the scripts of a page remove at its start.
_REMOVED = frozenset(("no-js", "nojs"))
_NO_NAMES: frozenset[str] = frozenset()


class WorkSpent(Exception):
    """A page has used up the work for its style sheets."""


@dataclass(slots=True)
class Work:
    """Budget of steps for the style sheets of one page."""

    left: int

    def spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise WorkSpent


class Element:
    """An element as selectors see it, hidden siblings included."""

    def __init__(self, tag: str, attributes: Attributes, parent: Element | None, work: Work) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.work = work
        self.identifier = (attributes.get("id") or "").lower()
        names = attributes.get("class")
        self.classes = frozenset(names.lower().split()) - _REMOVED if names else _NO_NAMES
        # The parser's node, known for the elements that were looked at and for their siblings.
        self.known_node: LexborNode | None = None
        self.child: Element | None = None
        if parent is not None:
            parent.child = self

    @cached_property
    def keys(self) -> list[str]:
        """The keys of the index under which rules for this element may stand, without its attributes."""
        named = [f".{name}" for name in self.classes]
        return [ANY, self.tag, f"#{self.identifier}", *named] if self.identifier else [ANY, self.tag, *named]

    @property
    def node(self) -> LexborNode | None:
        """The parser's node, found by way of a descendant that was looked at."""
        below: list[Element] = [self]
        while below[-1].known_node is None and below[-1].child is not None:
            below.append(below[-1].child)
        for inner, outer in pairwise(reversed(below)):
            outer.known_node = inner.known_node.parent if inner.known_node is not None else None
        return self.known_node

    @cached_property
    def lineage(self) -> frozenset[str]:
        """The names of all ancestors: tags, classes, identifiers and rare attributes."""
        return self.parent.names if self.parent is not None else _NO_NAMES

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the element and of its ancestors."""
        missing: list[Element] = []
        current: Element | None = self
        while current is not None and "names" not in current.__dict__:
            missing.append(current)
            current = current.parent
        found = current.names if current is not None else _NO_NAMES
        for each in reversed(missing):
            rare = [f"[{name}" for name in each.attributes if name not in UNNAMED]
            found = found.union((each.tag, f"#{each.identifier}", *map(".{}".format, each.classes), *rare))
            each.__dict__["names"] = found
        return found

    @cached_property
    def previous(self) -> Element | None:
        return self._sibling(lambda node: node.prev)

    @cached_property
    def next(self) -> Element | None:
        return self._sibling(lambda node: node.next)

    def ancestors(self) -> Iterator[Element]:
        above = self.parent
        while above is not None:
            self.work.spend()
            yield above
            above = above.parent

    def before(self) -> Iterator[Element]:
        """The earlier siblings, the nearest first."""
        beside = self.previous
        while beside is not None:
            self.work.spend()
            yield beside
            beside = beside.previous

    def after(self) -> Iterator[Element]:
        beside = self.next
        while beside is not None:
            self.work.spend()
            yield beside
            beside = beside.next

    def is_first_of_type(self, beside: Iterable[Element]) -> bool:
        """Whether none of these siblings has the same tag."""
        return all(other.tag != self.tag for other in beside)

    def children(self) -> Iterator[Element]:
        for node in self.node.iter() if self.node is not None else ():
            self.work.spend()
            if _is_element(node):
                yield self._relative(node, self)

    def descendants(self) -> Iterator[Element]:
        """All elements inside, each as if it were a child."""
        if self.node is None:
            return
        for node in self.node.traverse():
            self.work.spend()
            if node.mem_id != self.node.mem_id and _is_element(node):
                yield self._relative(node, self)

    def _sibling(self, step: Callable[[LexborNode], LexborNode | None]) -> Element | None:
        node = step(self.node) if self.node is not None else None
        while node is not None and not _is_element(node):
            self.work.spend()
            node = step(node)
        return self._relative(node, self.parent) if node is not None else None

    def _relative(self, node: LexborNode, parent: Element | None) -> Element:
        found = Element(node.tag or "", node.attributes, parent, self.work)
        found.known_node = node
        return found


class ElementIndex(Generic[Item]):
    """Items by the tag, class, identifier or attribute of the elements that they are about, such as `.note`.

    Items for a tag are many, and each applies in few places: they stand under the name of an ancestor too.
    """

    def __init__(self) -> None:
        self._by_key: dict[str, list[Item]] = {}
        self._by_attribute: dict[str, list[Item]] = {}
        self._inside: dict[str, dict[str, list[Item]]] = {}

    def names(self, mark: str) -> frozenset[str]:
        """Names of items that may apply anywhere: classes (`.`), ids (`#`), attributes (`[`), or tags (empty mark)."""
        if not mark:
            return frozenset(key for key in self._by_key if key[0] not in ".#")
        return frozenset(self._by_attribute if mark == "[" else (key[1:] for key in self._by_key if key[0] == mark))

    def tags_below(self) -> Mapping[str, frozenset[str]]:
        """The tags of items that apply inside of some elements only, by the name of such an element."""
        found: dict[str, set[str]] = {}
        for tag, inside in self._inside.items():
            for name in inside:
                found.setdefault(name, set()).add(tag)
        return {name: frozenset(tags) for name, tags in found.items()}

    def has_attributes(self, element: Element) -> bool:
        """Whether an item asks for an attribute that the element has."""
        return not self._by_attribute.keys().isdisjoint(element.attributes)

    def candidates(self, element: Element) -> list[Item]:
        """The items that may be about an element."""
        found: list[Item] = []
        for key in element.keys:
            if key in self._by_key:
                found += self._by_key[key]
        for name in self._by_attribute.keys() & element.attributes.keys() if self._by_attribute else ():
            found += self._by_attribute[name]
        for key in (element.tag, ANY):
            if key in self._inside:
                inside = self._inside[key]
                for name in inside.keys() & element.lineage:
                    found += inside[name]
        element.work.spend(len(found))
        return found

    def insert(self, key: str, ancestor: str, item: Item) -> None:
        if key[0] == "[":
            self._by_attribute.setdefault(key[1:], []).append(item)
        elif ancestor and key[0] not in ".#":
            self._inside.setdefault(key, {}).setdefault(ancestor, []).append(item)
        else:
            self._by_key.setdefault(key, []).append(item)


def _is_element(node: LexborNode) -> bool:
    return bool(node.tag) and (node.tag or "-")[0] not in "-_!"


STRUCTURAL: dict[str, Callable[[Element], bool]] = {
    "root": lambda element: element.tag == "html",
    "scope": lambda element: element.tag == "html",
    "link": lambda element: "href" in element.attributes,
    "any-link": lambda element: "href" in element.attributes,
    "defined": lambda _element: True,
    "empty": lambda element: element.node is not None and element.node.first_child is None,
    "first-child": lambda element: element.previous is None,
    "last-child": lambda element: element.next is None,
    "only-child": lambda element: element.previous is None and element.next is None,
    "first-of-type": lambda element: element.is_first_of_type(element.before()),
    "last-of-type": lambda element: element.is_first_of_type(element.after()),
    "only-of-type": lambda element: element.is_first_of_type(chain(element.before(), element.after())),
    "read-only": lambda _element: True,
}
"""Pseudo-classes about the place or the kind of an element."""
COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}
"""Comparisons of an attribute in a selector, by their operator."""


def is_in(element: Element, attribute: str, wanted: Sequence[str]) -> bool:
    """Whether text is in a wanted language (`lang`) or direction (`dir`): that of the nearest element that has one."""
    around: Element | None = element
    while around is not None and not around.attributes.get(attribute):
        element.work.spend()
        around = around.parent
    if around is None:
        return attribute == "dir" and "ltr" in wanted
    own = (around.attributes[attribute] or "").lower()
    return any(own == each or own.startswith(f"{each}-") for each in wanted if each)


def is_for_the_eyes(tag: str, attributes: Attributes) -> bool:
    """Whether only screen readers skip it: pictures, and the second link of a card to its page."""
    target = attributes.get("href") or "#"
    return tag == "img" or not target.startswith("#")


def is_moved_later(attributes: Attributes) -> bool:
    """Whether a script moves a hidden element into its place."""
    # React streams late parts of a page as <div hidden id="S:1"> and moves them into place.
    return (attributes.get("hidden") or "").lower() == "until-found" or (attributes.get("id") or "").startswith("S:")
