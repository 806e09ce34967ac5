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
from dowse.extract.html.content.blocks import Block
from dowse.extract.html.tree.node import Node, Tree

Numbers = NDArray[Any]
# The tag, the class, the identifier and the role of an element.
_Key = tuple[str, str | None, str | None, str | None]
AROUND = (
    *("nav", "header", "footer", "aside", "main", "article", "section", "form", "ul", "ol", "table", "figure"),
    *(
        "blockquote",
        "dl",
        "details",
        "pre",
        "a",
        "address",
        "figcaption",
        "thead",
        "td",
        "dt",
        "dd",
        "li",
        "p",
        "label",
    ),
)
"""Elements that mean something for whatever is in them, in the order of their bits."""
ROLES = {"navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside", "main": "main"}
_AROUND_BITS = {tag: 1 << bit for bit, tag in enumerate(AROUND)}
CLOSEST = 6
"""So many distinct elements around a block are looked at, from the inside out."""
OUTERMOST = 3
"""And so many from the outside in."""
# By so many elements around them blocks are told apart.
_LOOKED_AT = 3
TIERS = 5
_HOLDERS = frozenset({"article", "div", "main", "section", "td", "span"})
_LONGEST = 300
# What begins with certain letters is found much faster than what begins with a choice or a place, so every choice of a
# beginning is written out.
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
# Each of the patterns asks for one of these; most names have none of them.
_SIGN = re.compile(
    "content|post|text|main|body|article|entry|story|prose|rte|primary|copy|detail|description|cooked|parser"
)
_TIERS = {1: _BODY, 3: _STORY, 4: _CONTENT, 5: _MAIN}
_TIER_OF_TAG = {"article": 2, "main": 5}


class Outline:
    """Columns by the index of a node; `levels`, `tops` and `alike` are by block, the first two indexes of elements."""

    def __init__(self, tree: Tree, blocks: Sequence[Block]) -> None:
        # The root is the body, which is around everything and so says nothing.
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
        """How many images each of these elements holds."""
        return self._images[self._last[elements]] - self._images[elements]

    def _read_names(self, elements: Sequence[Node]) -> None:
        """What each element is called, by itself and with all that is around it, and how many look like it."""
        # A page has many elements, and few that look different: those are numbered as they come.
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
        """Which of so many kinds of elements are around blocks: it is only there that names are asked for."""
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
        """Where each element ends, and of which blocks it holds the first node."""
        self._last = np.arange(1, self._size + 1)
        self._last[self._below_root] = [node.end for node in elements]
        # The root holds everything.
        self._last[0] = self._size
        blocks_before = _before(first, self._size)
        self.begins, self.ends = blocks_before[:-1], blocks_before[self._last]

    def _find_distinct(self) -> None:
        """For each element the next one around it that holds more, and the names of all that hold just the same."""
        parents = self._parents
        is_same = (self.begins == self.begins[parents]) & (self.ends == self.ends[parents])
        same = np.where(is_same, parents, np.arange(self._size))
        self.names_here, self.outer = _along(self._own_names, same, np.bitwise_or)
        self.up = parents[self.outer]
        steps = np.stack((np.ones(self._size, np.int64), ~is_same), 1)
        steps[0] = 0
        self.depth, self.level = _along(steps, parents, np.add)[0].T.astype(np.float32)

    def _alike(self) -> Numbers:
        """A number for each block, the same for those in elements that look alike, such as the posts of a thread."""
        found = np.zeros(len(self.inner), np.int64)
        element = self.inner
        for _ in range(_LOOKED_AT):
            found = found * (int(self._signs.max()) + 1) + self._signs[element]
            element = self._parents[element]
        return found

    def _outermost(self) -> list[Numbers]:
        """Of the elements around each block the innermost that is at most one level deep, two levels, and so on."""
        found = [self.inner]
        for number in range(OUTERMOST, 0, -1):
            element = found[-1]
            while (is_deeper := self.level[element] > number).any():
                element = np.where(is_deeper, self.up[element], element)
            found.append(element)
        return found[:0:-1]


def _along(values: Numbers, parents: Numbers, combine: np.ufunc) -> tuple[Numbers, Numbers]:
    """The values of each node combined with those on its way up, and where that way ends.

    All nodes go at once, first one step, then two, then four: a few rounds reach the root of any page.
    """
    while True:
        values = combine(values, values.take(parents, axis=0))
        further = parents[parents]
        if np.array_equal(further, parents):
            return values, parents
        parents = further


def _before(places: Numbers | Sequence[int], size: int) -> Numbers:
    """How many different ones of these places are before each of so many, and before their end."""
    found = np.zeros(size + 1, np.int64)
    found[1:][np.asarray(places, np.int64)] = 1
    return np.cumsum(found)


def _looks(kinds: Sequence[_Key], are_around: Sequence[bool]) -> tuple[list[int], ...]:
    """Of each kind of elements the names, the tier, the bit in `AROUND` and the number of the sign."""
    called = [f"{classes or ''} {identifier or ''}" for _, classes, identifier, _ in kinds]
    signs: defaultdict[str, int] = defaultdict(count().__next__)
    return (
        [vocabulary.of_class(each) if is_around else 0 for each, is_around in zip(called, are_around, strict=True)],
        [tier_of(kind[0], each) for kind, each in zip(kinds, called, strict=True)],
        [_AROUND_BITS.get(ROLES.get(role, tag) if role else tag, 0) for tag, _, _, role in kinds],
        [
            signs[f"{tag} {classes or ''}" if len(each) > 1 else tag]
            for (tag, classes, _, _), each in zip(kinds, called, strict=True)
        ],
    )


def tier_of(tag: str, called: str) -> int:
    """How sure a name is, 1 being the surest; 0 for elements that are no holders of text by name."""
    if tag not in _HOLDERS:
        return 0
    best = _TIER_OF_TAG.get(tag, TIERS + 1)
    lower = called[:_LONGEST].lower()
    if _SIGN.search(lower):
        best = min(best, next((tier for tier, pattern in _TIERS.items() if pattern.search(lower)), best))
    return best if best <= TIERS else 0
