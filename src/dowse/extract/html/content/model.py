"""Trained model for main-content extraction: two kinds of classifiers, as `tools/train_extractor.py` writes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Self

import numpy as np

from dowse.extract.html.content import features
from dowse.extract.html.content.dom_columns import Numbers

# How much trees and networks count; of trees, those for threads more, because they are surer.
_TREES, _NETWORKS = 0.6, 0.4
_THREADS = 1.2
# A second opinion takes time, and changes little where there is no doubt. Trees are not asked about a block that
# networks are so sure of, and one network does for a page unless so much of its text is in doubt.
_SURE = 4.0
_IN_DOUBT = 2.0
_MUCH = 0.2
# Below this, a page is no thread.
_LEAST_LIKELY = 0.15
# How much a post is judged by all of them.
_TOGETHER = 0.3
# So many rows at a time stay in the processor's cache.
_ROWS = 256
# Most rows are in a leaf after so many levels.
_SHALLOW = 6
REACHES = (1, 2, 4)
"""How far away the neighbours are that each layer looks at."""
MOST = 4.0
"""No number is further from what is usual than this."""


@dataclass(frozen=True, slots=True)
class Model:
    """A forest for the kind of a page, and for its blocks another and a few networks.

    Trees and networks are wrong about different blocks, so together they are wrong about fewer. What is a comment
    elsewhere is content of a forum, so there is one more forest for the `threads` there.
    """

    kinds: Forest
    blocks: Forest
    networks: tuple[Network, ...]
    threads: Forest

    @classmethod
    def load(cls, data: bytes) -> Self:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            every = {name: arrays[name] for name in arrays.files}
        count = sum(name.endswith("_last_bias") for name in every)
        networks = tuple(Network.load(every, f"network{number}") for number in range(count))
        kinds, blocks, threads = (Forest.load(every, name) for name in ("kinds", "blocks", "threads"))
        return cls(kinds, blocks, networks, threads)

    def kinds_of(self, page: Numbers) -> Numbers:
        """How likely a page is of each kind."""
        return np.asarray(self.kinds.probabilities(page[None, :])[0])

    def probabilities(self, rows: Numbers, alike: Numbers, forum: float = 0.0) -> Numbers:
        """How likely each block of a page is content, which is itself so likely one of a `forum`.

        Blocks with the same number in `alike` look alike.
        """
        words = rows[:, features.WORDS]
        page = Page(rows, words, alike)
        scores = self._networks(page, words)
        doubtful = np.flatnonzero(np.abs(scores) < _SURE)
        if len(doubtful):
            scores[doubtful] = _NETWORKS * scores[doubtful] + _TREES * self._trees(rows[doubtful], forum)
        if forum >= _LEAST_LIKELY:
            together = page.groups.spread(page.groups.means(scores[:, None]))[:, 0]
            scores += forum * _TOGETHER * (together - scores)
        return np.asarray(1 / (1 + np.exp(-scores)))

    def _networks(self, page: Page, words: Numbers) -> Numbers:
        """What the first network says, or the mean of all."""
        first, *others = self.networks
        scores = first.scores(page)
        if words[np.abs(scores) < _IN_DOUBT].sum() > _MUCH * words.sum():
            scores = np.mean([scores, *(other.scores(page) for other in others)], 0)
        return scores

    def _trees(self, rows: Numbers, forum: float) -> Numbers:
        """What the forests say; that for threads as much as the page is likely to be one."""
        scores = self.blocks.scores(rows)[:, 0]
        if forum >= _LEAST_LIKELY:
            scores += forum * (_THREADS * self.threads.scores(rows)[:, 0] - scores)
        return scores


@cache
def shipped() -> Model:
    """The model that comes with dowse."""
    return Model.load(resources.files(__package__).joinpath("model.npz").read_bytes())


@dataclass(frozen=True, slots=True)
class Forest:
    """The nodes of all trees in a row. The right child of a node follows the left one; a leaf is its own left child.

    `groups` is the number of classes: tree number i adds to class i modulo `groups`.
    """

    features: Numbers
    thresholds: Numbers
    children: Numbers
    values: Numbers
    roots: Numbers
    depth: int
    groups: int = 1

    @classmethod
    def load(cls, arrays: dict[str, Numbers], prefix: str) -> Self:
        """The forest of which the arrays have names that begin like this."""
        depth, groups = (int(number) for number in arrays[f"{prefix}_shape"])
        return cls(
            arrays[f"{prefix}_features"].astype(np.intp),
            arrays[f"{prefix}_thresholds"],
            arrays[f"{prefix}_children"].astype(np.intp),
            arrays[f"{prefix}_values"],
            arrays[f"{prefix}_roots"].astype(np.intp),
            depth,
            groups,
        )

    def probabilities(self, rows: Numbers) -> Numbers:
        """For each row how likely it is; with several groups, how likely each of them is."""
        scores = self.scores(rows)
        if self.groups == 1:
            return np.asarray(1 / (1 + np.exp(-scores[:, 0])))
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return np.asarray(powers / powers.sum(1, keepdims=True))

    def scores(self, rows: Numbers) -> Numbers:
        """For each row and group the sum of the leaves that the row ends in; of one group the logarithm of the odds."""
        return np.concatenate([self._sums(rows[start : start + _ROWS]) for start in range(0, len(rows), _ROWS)])

    def contributions(self, row: Numbers) -> dict[int, float]:
        """How much each feature of a row adds to its score: what the trees expect before and after asking for it."""
        found: dict[int, float] = {}
        for root in self.roots:
            node = int(root)
            while self.children[node] != node:
                feature = int(self.features[node])
                following = int(self.children[node]) + int(row[feature] > self.thresholds[node])
                found[feature] = found.get(feature, 0.0) + float(self.values[following] - self.values[node])
                node = following
        return found

    def _sums(self, rows: Numbers) -> Numbers:
        flat = np.ascontiguousarray(rows, np.float32).ravel()
        starts = np.repeat(np.arange(len(rows)) * rows.shape[1], len(self.roots))
        nodes = self._further(flat, starts, np.tile(self.roots, len(rows)), min(self.depth, _SHALLOW))
        places = np.flatnonzero(np.take(self.children, nodes) != nodes)
        nodes[places] = self._further(flat, starts[places], nodes[places], self.depth - _SHALLOW)
        leaves = np.take(self.values, nodes)
        return np.asarray(leaves.reshape(len(rows), -1, self.groups).sum(1, dtype=np.float64))

    def _further(self, flat: Numbers, starts: Numbers, nodes: Numbers, levels: int) -> Numbers:
        """The nodes so many levels down for rows that start at these places."""
        for _ in range(levels):
            asked = np.take(self.features, nodes)
            asked += starts
            above = np.take(flat, asked) > np.take(self.thresholds, nodes)
            nodes = np.take(self.children, nodes)
            nodes += above
        return nodes


class _Groups:
    """Rows with the same number."""

    def __init__(self, numbers: Numbers) -> None:
        _, self._group, self._sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.cumsum(self._sizes) - self._sizes

    def means(self, rows: Numbers) -> Numbers:
        """The mean row of each group."""
        sums = np.add.reduceat(rows[self._order], self._starts, 0)
        return np.asarray(sums / self._sizes[:, None].astype(np.float32))

    def spread(self, rows: Numbers) -> Numbers:
        """A row of each group as a row for each member."""
        return rows[self._group]


class Page:
    """The blocks of a page as every network sees them; those with the same number in `alike` look alike."""

    def __init__(self, rows: Numbers, words: Numbers, alike: Numbers) -> None:
        self.rows = squeezed(rows)
        self.groups = _Groups(alike)
        lengths = np.sqrt(words, dtype=np.float32)
        self.lengths = lengths / (lengths.sum() + np.float32(1e-6))


@dataclass(frozen=True, slots=True)
class Layer:
    """What a block becomes by its neighbours, by those that look like it, and by the page as a whole."""

    near: Numbers
    page: Numbers
    alike: Numbers
    bias: Numbers


@dataclass(frozen=True, slots=True)
class Network:
    """The numbers of a block as they differ from what is usual, then a few made of them, then what the layers add."""

    usual: Numbers
    scale: Numbers
    first: Numbers
    first_bias: Numbers
    layers: tuple[Layer, ...]
    last: Numbers
    last_bias: float

    @classmethod
    def load(cls, arrays: dict[str, Numbers], prefix: str) -> Self:
        """The network of which the arrays have names that begin like this."""
        own = {name: arrays[f"{prefix}_{name}"].astype(np.float32) for name in names()}
        layers = tuple(
            Layer(*(own[f"{part}{number}"] for part in ("near", "page", "alike", "bias")))
            for number in range(len(REACHES))
        )
        first, bias = own["first"], own["first_bias"]
        return cls(own["usual"], own["scale"], first, bias, layers, own["last"], float(own["last_bias"][0]))

    def scores(self, page: Page) -> Numbers:
        """For each block of a page the logarithm of its odds."""
        lengths, groups = page.lengths, page.groups
        hidden = self._usual(page.rows) @ self.first
        hidden += self.first_bias
        np.maximum(hidden, 0, out=hidden)
        for reach, layer in zip(REACHES, self.layers, strict=True):
            seen = _between(hidden, reach) @ layer.near
            seen += lengths @ hidden @ layer.page + layer.bias
            seen += groups.spread(groups.means(hidden) @ layer.alike)
            hidden += np.maximum(seen, 0, out=seen)
        return np.asarray((hidden @ self.last).astype(np.float64) + self.last_bias)

    def _usual(self, rows: Numbers) -> Numbers:
        found = rows - self.usual
        found *= self.scale
        np.minimum(found, MOST, out=found)
        return np.asarray(np.maximum(found, -MOST, out=found))


def names() -> tuple[str, ...]:
    """The names of the arrays of a network."""
    layers = (f"{part}{number}" for number in range(len(REACHES)) for part in ("near", "page", "alike", "bias"))
    return ("usual", "scale", "first", "first_bias", *layers, "last", "last_bias")


def squeezed(rows: Numbers) -> Numbers:
    """Numbers of any size as numbers of a few."""
    found = np.abs(rows, dtype=np.float32)
    found += 1
    np.log(found, out=found)
    return np.copysign(found, rows, out=found)


def _between(hidden: Numbers, reach: int) -> Numbers:
    """Each row between the one so far before it and the one so far behind it, which are zero beyond the page."""
    count, width = hidden.shape
    found = np.zeros((count, 3 * width), np.float32)
    found[reach:, :width] = hidden[:-reach]
    found[:, width : 2 * width] = hidden
    found[:-reach, 2 * width :] = hidden[reach:]
    return found
