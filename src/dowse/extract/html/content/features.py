"""Feature matrix of a page: one row of numbers per block, and one for the page as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, starmap

import numpy as np

from dowse.extract.html.content import dom_columns, page_features, text_features
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import AROUND, CLOSEST, OUTERMOST, DomColumns, Numbers
from dowse.extract.html.content.vocabulary import CLASS_GROUPS, TEXT_GROUPS
from dowse.extract.html.tree.node import Tree

_TAGS = tuple("p div li td th dd dt pre span section article blockquote figcaption label summary body".split())
_TAG_NUMBERS = {tag: number for number, tag in enumerate(_TAGS, 1)}
_WINDOWS = (3, 8)
_NEIGHBOURS = (-2, -1, 1, 2)
_CONTAINER = tuple("words linked blocks share place long like images dates prices again common".split())
WORDS_OF_PROSE = 8
WORDS = text_features.COLUMNS.index("words")
"""Column with the number of words; `LINKED` the share of links, `STOPS` the number of sentence ends."""
LINKED, STOPS = text_features.COLUMNS.index("linked"), text_features.COLUMNS.index("stops")
PAGE_COLUMNS = (
    *(f"page_{name}" for name in (*page_features.COLUMNS, *page_features.DECLARED_PAGE_COLUMNS)),
    *"page_words page_blocks page_linked page_prose page_longest page_stops page_main page_article".split(),
    *("page_dates", "page_prices", "page_common", "page_again", "page_short", "page_top", "page_depth"),
    *(f"page_class_{name}" for name in CLASS_GROUPS),
    *(f"page_text_{name}" for name in TEXT_GROUPS),
)
# The page columns that each block row repeats. With more of them a model would learn pages by heart.
_SHARED = (
    *"page_words page_blocks page_linked page_prose page_longest page_main page_article page_top".split(),
    "page_declared_share",
)
SHARED_COLUMNS = list(map(PAGE_COLUMNS.index, _SHARED))
KINDS = ("article", "collection", "documentation", "forum", "listing", "product", "service")
ARTICLE, FORUM = KINDS.index("article"), KINDS.index("forum")


@dataclass(slots=True)
class Features:
    """The features of the blocks, one row each, and of the page."""

    blocks: Numbers
    page: Numbers
    alike: Numbers
    """A number for each block, the same for blocks that look alike."""
    ranges: tuple[Numbers, Numbers]
    """Of the closest distinct ancestors of each block, a row for each level: the first block in them and the end."""


def block_columns() -> tuple[str, ...]:
    """Names of the columns of a block itself."""
    return (
        *text_features.COLUMNS,
        *page_features.DECLARED_COLUMNS,
        *text_features.LINK_COLUMNS,
        *("tag", "heading", "depth", "level", "same_sign", "nodes"),
        *_names("around_{}", AROUND),
        *_names("near_{}", CLASS_GROUPS),
        *_names("mid_{}", CLASS_GROUPS),
        *_names("all_{}", CLASS_GROUPS),
        *_names("text_{}", TEXT_GROUPS),
        *_names("up{}_{}", range(1, CLOSEST), _CONTAINER),
        *_names("top{}_{}", range(1, OUTERMOST + 1), _CONTAINER),
        *_names("{1}{0:+}", _NEIGHBOURS, ("words", "linked", "heading", "same", "stops")),
        *_names("{1}~{0}", _WINDOWS, ("words", "linked", "stops")),
        *("place", "words_before", "after_h1", "after_title", "since_heading", "heading_level", "section_words"),
        *("section_linked", "section_place"),
        *_names("section_{}", TEXT_GROUPS),
        *_names("holder{}", range(1, dom_columns.TIERS + 1)),
        *_names("held{}", range(1, dom_columns.TIERS + 1)),
        *("in_best", "best_ratio1", "best_ratio2", "best_ratio3", "best_share", "from_best"),
    )


def _names(template: str, *parts: Iterable[object]) -> Iterator[str]:
    return starmap(template.format, product(*parts))


def columns() -> tuple[str, ...]:
    """Names of all columns of the block model."""
    return (*block_columns(), *_SHARED, *(f"kind_{kind}" for kind in KINDS))


def rows(blocks: Numbers, page: Numbers, kinds: Numbers) -> Numbers:
    """Rows for the block model: the features of each block, then the shared ones of the page and its kind."""
    shared = np.concatenate((page[SHARED_COLUMNS], kinds), dtype=np.float32)
    return np.concatenate((blocks, np.broadcast_to(shared, (len(blocks), len(shared)))), 1)


def measure(tree: Tree, blocks: Sequence[TextBlock], url: str) -> Features:
    """Measure the features of a page with at least one block."""
    return _Measuring(tree, blocks, url).features()


class _Measuring:
    """The columns of one page, and running sums over its blocks, from which the sums of any element follow."""

    def __init__(self, tree: Tree, blocks: Sequence[TextBlock], url: str) -> None:
        self._tree, self._blocks, self._url = tree, blocks, url
        self._count = len(blocks)
        self._dom = DomColumns(tree, blocks)
        self._text = text_features.measure_texts(blocks, tree.title)
        self._declared, self._declared_of_page = page_features.measure_declared(tree, blocks)
        self._links = text_features.measure_links(blocks, url)
        self._marks = text_features.text_groups(blocks)
        self._headings = np.fromiter(map(text_features.heading_level, blocks), np.float32, self._count)
        column = dict(zip(text_features.COLUMNS, self._text.T, strict=True))
        self._words, self._chars, self._stops = column["words"], column["chars"], column["stops"]
        self._linked_chars = column["linked"] * column["chars"]
        self._column = column
        self._long = np.where((self._words >= WORDS_OF_PROSE) & (column["linked"] < 0.5), self._words, 0)
        summed = {
            "words": self._words,
            "chars": self._chars,
            "linked": self._linked_chars,
            "long": self._long,
            "stops": self._stops,
            "dates": column["is_date"],
            "prices": column["is_price"],
            "again": column["said_again"] > 1,
            "common": column["common"] * self._words,
        }
        # Sums up to each block: the difference of two is the sum between them.
        self._all_sums = np.zeros((len(summed), self._count + 1))
        np.cumsum(np.stack(list(summed.values())), 1, np.float64, self._all_sums[:, 1:])
        self._sums = dict(zip(summed, self._all_sums, strict=True))

    def features(self) -> Features:
        dom = self._dom
        numbers = np.arange(self._count)
        tags = np.array([_TAG_NUMBERS.get(block.container.tag, 0) for block in self._blocks], np.float32)
        nodes = np.array([len(block.nodes) for block in self._blocks], np.float32)
        inner, levels = dom.inner, dom.levels
        near = _bits(dom.names_here[inner] | dom.names_here[levels[1]], len(CLASS_GROUPS))
        mid = _bits(dom.names_here[levels[2]] | dom.names_here[levels[3]], len(CLASS_GROUPS))
        marks = _bits(self._marks, len(TEXT_GROUPS))
        rows = [
            self._text,
            self._declared,
            self._links,
            np.stack([tags, self._headings, dom.depth[inner], dom.level[inner], dom.same_sign[inner], nodes], 1),
            _bits(dom.around[inner], len(AROUND)),
            near,
            mid,
            _bits(dom.all_names[inner], len(CLASS_GROUPS)),
            marks,
            self._containers(np.stack([*levels[1:], *dom.tops]), numbers),
            *self._neighbours(),
            *map(self._window, _WINDOWS),
            self._places(numbers),
            _bits(dom.holders[inner] >> 1, dom_columns.TIERS),
            self._tier_shares(numbers),
            self._best(numbers),
        ]
        above = np.stack(levels[1:])
        ranges = (dom.begins[above], dom.ends[above])
        return Features(np.concatenate(rows, 1, dtype=np.float32), self._page(near, marks), dom.alike, ranges)

    def _containers(self, elements: Numbers, numbers: Numbers) -> Numbers:
        """Features of some ancestors of each block: size, and position of the block in them."""
        begins, ends = self._dom.begins[elements], self._dom.ends[elements]
        held = self._all_sums.take(ends, 1) - self._all_sums.take(begins, 1)
        words, chars, linked, long, _, dates, prices, again, common = held
        count = np.maximum(ends - begins, 1)
        some_words = np.maximum(words, 1)
        about = np.stack(
            [
                words,
                linked / np.maximum(chars, 1),
                count,
                words / max(self._sums["words"][-1], 1),
                (numbers - begins) / count,
                long / some_words,
                self._dom.siblings[self._dom.outer[elements]],
                self._dom.images_in(elements) / count,
                dates / count,
                prices / count,
                again / count,
                common / some_words,
            ],
            2,
            dtype=np.float32,
            casting="same_kind",
        )
        return about.transpose(1, 0, 2).reshape(self._count, -1)

    def _neighbours(self) -> list[Numbers]:
        """Features of the blocks before and behind each block."""
        level, level_at = self._dom.levels[1], 3
        about = np.stack([self._words, self._column["linked"], self._headings, level, self._stops], 1)
        # Beyond the page there are no words and no elements.
        beyond = [[0, 1, 0, -1, 0]] * max(map(abs, _NEIGHBOURS))
        places = np.concatenate((beyond, about, beyond))
        found = []
        for offset in _NEIGHBOURS:
            begin = len(beyond) + offset
            neighbour = places[begin : begin + self._count].copy()
            neighbour[:, level_at] = neighbour[:, level_at] == level
            found.append(neighbour)
        return found

    def _window(self, width: int) -> Numbers:
        numbers = np.arange(self._count)
        begins, ends = np.maximum(numbers - width, 0), np.minimum(numbers + width + 1, self._count)
        count = ends - begins
        return np.stack(
            [
                self._sum("words", begins, ends) / count,
                self._sum("linked", begins, ends) / np.maximum(self._sum("chars", begins, ends), 1),
                self._sum("stops", begins, ends) / count,
            ],
            1,
        )

    def _places(self, numbers: Numbers) -> Numbers:
        """Position of each block on the page, and below its heading."""
        count = self._count
        title_at = int(np.argmax(self._column["in_title"] * np.minimum(self._words, 8)))
        first_h1 = int(np.argmax(self._headings == 1)) if (self._headings == 1).any() else title_at
        last = np.maximum.accumulate(np.where(self._headings > 0, numbers, -1))
        below = np.maximum(last, 0)
        is_heading = np.concatenate((self._headings > 0, [True]))
        following = np.where(is_heading, np.arange(count + 1), count)
        ends = np.minimum.accumulate(following[::-1])[::-1][1:]
        words = self._sum("words", below, ends)
        linked = self._sum("linked", below, ends) / np.maximum(self._sum("chars", below, ends), 1)
        heading_marks = np.where(last >= 0, self._marks[below], 0)
        return np.concatenate(
            (
                np.stack(
                    [
                        numbers / count,
                        self._sums["words"][:-1] / max(self._sums["words"][-1], 1),
                        numbers - first_h1,
                        numbers - title_at,
                        numbers - last,
                        np.where(last >= 0, self._headings[below], 0),
                        words,
                        linked,
                        below / count,
                    ],
                    1,
                ),
                _bits(heading_marks, len(TEXT_GROUPS)),
            ),
            1,
        )

    def _tier_shares(self, numbers: Numbers) -> Numbers:
        """For each tier of names the share of the page's prose in its best element, negative outside of it."""
        dom = self._dom
        rows = np.zeros((self._count, dom_columns.TIERS), np.float32)
        for tier in range(1, dom_columns.TIERS + 1):
            elements = np.flatnonzero(dom.tiers == tier)
            if len(elements):
                held = self._sum("long", dom.begins[elements], dom.ends[elements])
                best = elements[int(np.argmax(held))]
                share = float(held.max()) / max(self._sums["long"][-1], 1)
                inside = (numbers >= dom.begins[best]) & (numbers < dom.ends[best])
                rows[:, tier - 1] = np.where(inside, share, -share)
        return rows

    def _best(self, numbers: Numbers) -> Numbers:
        """Distance from the element with most of the prose, as a reader mode would find it."""
        dom = self._dom
        prose = np.where(
            (self._words >= WORDS_OF_PROSE) & (self._column["linked"] < 0.5),
            1 + self._column["commas"] + np.minimum(self._chars / 100, 3),
            0,
        )
        elements = np.concatenate(dom.levels[1:3])
        scores: Numbers = np.bincount(elements, np.concatenate((prose, prose / 2)), minlength=len(dom.up))
        linked = self._sum("linked", dom.begins, dom.ends) / np.maximum(self._sum("chars", dom.begins, dom.ends), 1)
        scores *= 1 - linked
        best = int(np.argmax(scores))
        begin, end = int(dom.begins[best]), int(dom.ends[best])
        most = max(float(scores[best]), 1e-6)
        self._best_share = (self._sums["words"][end] - self._sums["words"][begin]) / max(self._sums["words"][-1], 1)
        return np.stack(
            [
                (numbers >= begin) & (numbers < end),
                *(scores[dom.levels[level]] / most for level in (1, 2, 3)),
                np.full(self._count, self._best_share),
                np.where(numbers < begin, numbers - begin, np.where(numbers >= end, numbers - end + 1, 0)),
            ],
            1,
        )

    def _page(self, near: Numbers, marks: Numbers) -> Numbers:
        """Features of the page, given the class-name groups and the text groups of its blocks."""
        words = max(float(self._sums["words"][-1]), 1.0)
        around = self._dom.around[self._dom.inner]
        main, article = AROUND.index("main"), AROUND.index("article")
        return np.concatenate(
            (
                page_features.measure_page(self._tree, self._url),
                self._declared_of_page,
                [
                    words,
                    self._count,
                    self._sums["linked"][-1] / max(self._sums["chars"][-1], 1),
                    self._sums["long"][-1] / words,
                    self._words.max(),
                    self._sums["stops"][-1] / self._count,
                    float(self._words[(around >> main & 1) > 0].sum()) / words,
                    float(self._words[(around >> article & 1) > 0].sum()) / words,
                    self._sums["dates"][-1] / self._count,
                    self._sums["prices"][-1] / self._count,
                    float((self._column["common"] * self._words).sum()) / words,
                    self._sums["again"][-1] / self._count,
                    (self._words < 3).mean(),
                    self._best_share,
                    self._dom.depth[self._dom.inner].mean(),
                ],
                self._words @ near / words,
                marks.mean(0),
            ),
            dtype=np.float32,
        )

    def _sum(self, name: str, begins: Numbers, ends: Numbers) -> Numbers:
        sums = self._sums[name]
        return sums[ends] - sums[begins]


def _bits(marks: Numbers, count: int) -> Numbers:
    """Unpack so many bits of each mask into a row, from the lowest up."""
    octets = marks.astype("<i8").view(np.uint8).reshape(len(marks), -1)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little").astype(np.float32)
