"""Elements of a page as numeric columns: range, ancestors, class-name groups, look-alikes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.extract.html.content import vocabulary
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.tree.node import Node, Tree

Numbers = NDArray[Any]  # of counts, shares, scores or flags
# The tag, the class, the identifier and the role of an element.
_Key = tuple[str, str | None, str | None, str | None]
AROUND = (
    *("nav", "header", "footer", "aside", "main", "article", "section", "form", "ul", "ol", "table", "figure"),
    *"blockquote dl details pre a address figcaption thead td dt dd li p label".split(),
)
"""Elements with a meaning for their descendants, in the order of their bits."""
ROLES = {"navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside", "main": "main"}
_AROUND_BITS = {tag: 1 << bit for bit, tag in enumerate(AROUND)}
CLOSEST = 6
"""Number of distinct ancestors of a block that are looked at, from the inside out."""
OUTERMOST = 3
"""Number of those from the outside in."""
# Blocks look alike if so many elements around them do.
_LOOKED_AT = 3
TIERS = 5
_HOLDERS = frozenset({"article", "div", "main", "section", "td", "span"})
_LONGEST = 300
# A pattern that begins with certain letters is found much faster than another with a choice or a position, so
# every choice of a beginning is written out.
_WRITTEN = "|".join(
    rf"{what}[-_]{{0,2}}(?:text|body|content|entry|copy)\b"
    for what in ("article", "post", "entry", "story", "blog", "news")
)
_BODY = re.compile(
    rf"post(?<!\Spost)(?!\S)|entry(?<!\Sentry)(?!\S)|articlebody|{_WRITTEN}"
    r"|text[-_]?(?:content|text)\b|rich[-_]?(?:content|text)\b|page[-_]?(?:content|text)\b|body[-_]?(?:content|text)\b"
    r"|mw-parser-output|markdown-body|post[-_]?message|postbody|cooked"
)
_STORY = re.compile(
    r"story|single[-_](?:content|post)|main[-_]?(?:column|article)|blog[-_]?(?:post|content)|article(?<!\Sarticle)"
    r"|field[-_]{1,2}body|theme[-_]?content|section[-_]?content|art[-_]?content|inner[-_]?content|wpb_text_column"
    r"|prose(?<!\Sprose)|rte(?!\S)|product[-_]{0,2}(?:description|detail)|item[-_]{0,2}(?:description|detail)"
)
_CONTENT = re.compile(r"content(?:(?:[-_]?(?:main|body|area|wrapper|inner))?(?!\S)|(?<!\Scontent))")
_MAIN = re.compile(r"main(?<!\Smain)|primary(?<!\Sprimary)")
# Each pattern needs one of these; most names have none.
_SIGN = re.compile(
    "content|post|text|main|body|article|entry|story|prose|rte|primary|copy|detail|description|cooked|parser"
)
_TIERS = {1: _BODY, 3: _STORY, 4: _CONTENT, 5: _MAIN}
_TIER_OF_TAG = {"article": 2, "main": 5}


class DomColumns:
    """Columns by the index of a node; `levels`, `tops` and `alike` are by block, the first two indexes of elements."""

    def __init__(self, tree: Tree, blocks: Sequence[TextBlock]) -> None:
        # Without the root: it is around everything and so says nothing.
        elements = [node for node in tree.nodes[1:] if node.tag]
        self._size = len(tree.nodes)
        self._below_root = np.array([node.index for node in elements], np.int64)
        self._parents = np.zeros(self._size, np.int64)
        self._parents[self._below_root] = [node.parent.index for node in elements if node.parent is not None]
        self.inner = np.array([block.container.index for block in blocks], np.int64)
        self._find_ranges(elements, [block.nodes[0] for block in blocks])
        self._images = _before(tree.places(("img",)), self._size)
        self._read_names(elements)
        self._find_distinct()
        self.levels = [self.inner]
        for _ in range(CLOSEST - 1):
            self.levels.append(self.up[self.levels[-1]])
        self.tops = self._outermost()
        self.alike = self._alike()

    def images_in(self, elements: Numbers) -> Numbers:
        """Number of images in each of these elements."""
        return self._images[self._last[elements]] - self._images[elements]

    def _read_names(self, elements: Sequence[Node]) -> None:
        """Class-name groups of each element, alone and with its ancestors, and counts of look-alikes."""
        # A page has many elements, but few different ones: those are numbered as they come.
        numbers: defaultdict[_Key, int] = defaultdict(count().__next__)
        kinds = np.array(
            [
                numbers[node.tag, (get := node.attributes.get)("class"), get("id"), get("role")]
                if node.attributes
                else numbers[node.tag, None, None, None]
                for node in elements
            ],
            np.int64,
        )
        looks = np.array(_looks(list(numbers), self._are_around(kinds, len(numbers))), np.int64)
        columns = np.zeros((len(looks), self._size), np.int64)
        columns[:, self._below_root] = looks.take(kinds, axis=1)
        self._own_names, self.tiers, around, signs_here = columns
        marks = np.stack((self._own_names, around, 1 << self.tiers), 1)
        self.all_names, self.around, self.holders = _along(marks, self._parents, np.bitwise_or)[0].T
        self._count_alike(signs_here)

    def _are_around(self, kinds: Numbers, total: int) -> list[bool]:
        """Which kinds of elements are around blocks: names matter only there."""
        containers = _before(self.inner, self._size)
        are_around = np.zeros(total, np.bool_)
        are_around[kinds[containers[self._last[self._below_root]] > containers[self._below_root]]] = True
        return are_around.tolist()

    def _count_alike(self, signs: Numbers) -> None:
        self._signs = signs
        counts = np.bincount(signs[self._below_root], minlength=1)
        counts[0] += 1  # the root
        self.same_sign = counts[signs].astype(np.float32)
        places = self._parents[self._below_root] * len(counts) + signs[self._below_root]
        _, groups, sizes = np.unique(places, return_inverse=True, return_counts=True)
        self.siblings = np.ones(self._size, np.float32)
        self.siblings[self._below_root] = sizes[groups]

    def _find_ranges(self, elements: Sequence[Node], first: Sequence[int]) -> None:
        """The end of each element, and the range of its blocks."""
        self._last = np.arange(1, self._size + 1)
        self._last[self._below_root] = [node.end for node in elements]
        # The root holds everything.
        self._last[0] = self._size
        blocks_before = _before(first, self._size)
        self.begins, self.ends = blocks_before[:-1], blocks_before[self._last]

    def _find_distinct(self) -> None:
        """For each element its closest ancestor with more blocks, and the names of the elements up to it."""
        parents = self._parents
        is_same = (self.begins == self.begins[parents]) & (self.ends == self.ends[parents])
        same = np.where(is_same, parents, np.arange(self._size))
        self.names_here, self.outer = _along(self._own_names, same, np.bitwise_or)
        self.up = parents[self.outer]
        steps = np.stack((np.ones(self._size, np.int64), ~is_same), 1)
        steps[0] = 0
        self.depth, self.level = _along(steps, parents, np.add)[0].T.astype(np.float32)

    def _alike(self) -> Numbers:
        """A number for each block, the same for blocks in elements that look alike, such as the posts of a thread."""
        found = np.zeros(len(self.inner), np.int64)
        element = self.inner
        for _ in range(_LOOKED_AT):
            found = found * (int(self._signs.max()) + 1) + self._signs[element]
            element = self._parents[element]
        return found

    def _outermost(self) -> list[Numbers]:
        """Of the ancestors of each block the innermost at most one level deep, two levels, and so on."""
        found = [self.inner]
        for number in range(OUTERMOST, 0, -1):
            element = found[-1]
            while (is_deeper := self.level[element] > number).any():
                element = np.where(is_deeper, self.up[element], element)
            found.append(element)
        return found[:0:-1]


def _along(values: Numbers, parents: Numbers, combine: np.ufunc) -> tuple[Numbers, Numbers]:
    """Combine the values of each node with those of its ancestors; also returns the last ancestor.

    All nodes go at once, first one step, then two, then four: a few rounds reach the root of any page.
    """
    while True:
        values = combine(values, values.take(parents, axis=0))
        further = parents[parents]
        if np.array_equal(further, parents):
            return values, parents
        parents = further


def _before(places: Numbers | Sequence[int], size: int) -> Numbers:
    """For each of `size` positions, and their end, the number of distinct places before it."""
    found = np.zeros(size + 1, np.int64)
    found[1:][np.asarray(places, np.int64)] = 1
    return np.cumsum(found)


def _looks(kinds: Sequence[_Key], are_around: Sequence[bool]) -> tuple[list[int], ...]:
    """Of each kind of element the name groups, the tier, the bit in `AROUND` and the number of its tag and classes."""
    signs: defaultdict[str, int] = defaultdict(count().__next__)
    rows = [_look(kind, signs, is_around=is_around) for kind, is_around in zip(kinds, are_around, strict=True)]
    return tuple(map(list, zip(*rows, strict=True))) or ([], [], [], [])


def _look(kind: _Key, signs: defaultdict[str, int], *, is_around: bool) -> tuple[int, int, int, int]:
    tag, classes, identifier, role = kind
    called = f"{classes or ''} {identifier or ''}"
    return (
        vocabulary.of_class(called) if is_around else 0,
        tier_of(tag, called),
        _AROUND_BITS.get(ROLES.get(role, tag) if role else tag, 0),
        signs[f"{tag} {classes or ''}" if len(called) > 1 else tag],
    )


def tier_of(tag: str, called: str) -> int:
    """How surely a name marks the article text, 1 being the surest; 0 for any other element."""
    if tag not in _HOLDERS:
        return 0
    best = _TIER_OF_TAG.get(tag, TIERS + 1)
    lower = called[:_LONGEST].lower()
    if _SIGN.search(lower):
        best = min(best, next((tier for tier, pattern in _TIERS.items() if pattern.search(lower)), best))
    return best if best <= TIERS else 0
