"""Trained model for main-content extraction: two kinds of classifiers, as `tools/train_extractor.py` writes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Self

import numpy as np

from dowse.extract.html.content import features
from dowse.extract.html.content.articles import SecondClassifier
from dowse.extract.html.content.dom_columns import Numbers

# Weights of trees and networks; the trees for threads count more, because they are surer.
_TREES, _NETWORKS = 0.6, 0.4
_THREADS = 1.2
# A second opinion takes time, and changes little where there is no doubt. Trees are skipped for a block with so clear a
# score, and one network does for a page unless so much of its text is in doubt.
_SURE = 4.0
_IN_DOUBT = 2.0
_MUCH = 0.2
# Below this, a page is no thread.
_LEAST_LIKELY = 0.15
# So many rows at a time stay in the processor's cache.
_ROWS = 256
# Most rows are in a leaf after so many levels.
_SHALLOW = 6
# Weight of the mean over look-alike posts.
_TOGETHER = 0.3
REACHES = (1, 2, 4)
"""Distance of the neighbours that each layer sees."""
MOST = 4.0
"""Inputs are clipped to so many standard deviations."""


@dataclass(frozen=True, slots=True)
class Model:
    """A forest for the kind of a page, and for its blocks another and a few networks.

    Trees and networks are wrong about different blocks, so together they are wrong about fewer. Comments are
    boilerplate elsewhere and content in a forum, so there is one more forest for `threads`. What seems to be an article
    is judged once more, by `articles`.
    """

    kinds: Forest
    blocks: Forest
    networks: tuple[Network, ...]
    threads: Forest
    articles: SecondClassifier | None = None

    @classmethod
    def load(cls, data: bytes, articles: bytes = b"") -> Self:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            every = {name: arrays[name] for name in arrays.files}
        count = sum(name.endswith("_last_bias") for name in every)
        networks = tuple(Network.load(every, f"network{number}") for number in range(count))
        kinds, blocks, threads = (Forest.load(every, name) for name in ("kinds", "blocks", "threads"))
        return cls(kinds, blocks, networks, threads, _load_second(articles) if articles else None)

    def kinds_of(self, page: Numbers) -> Numbers:
        """Probability of each kind of page."""
        return np.asarray(self.kinds.probabilities(page[None, :])[0])

    def probabilities(self, rows: Numbers, alike: Numbers, forum: float = 0.0) -> Numbers:
        """Probability of each block to be content, given the probability of a `forum`.

        Blocks with the same number in `alike` look alike.
        """
        words = rows[:, features.WORDS]
        page = PageInput(rows, words, alike)
        scores = self._networks(page, words)
        doubtful = np.flatnonzero(np.abs(scores) < _SURE)
        if len(doubtful):
            scores[doubtful] = _NETWORKS * scores[doubtful] + _TREES * self._trees(rows[doubtful], forum)
        if forum >= _LEAST_LIKELY:
            together = page.groups.spread(page.groups.means(scores[:, None]))[:, 0]
            scores += forum * _TOGETHER * (together - scores)
        return np.asarray(1 / (1 + np.exp(-scores)))

    def _networks(self, page: PageInput, words: Numbers) -> Numbers:
        """The scores of the first network, or the mean of all."""
        first, *others = self.networks
        scores = first.scores(page)
        if words[np.abs(scores) < _IN_DOUBT].sum() > _MUCH * words.sum():
            scores = np.mean([scores, *(other.scores(page) for other in others)], 0)
        return scores

    def _trees(self, rows: Numbers, forum: float) -> Numbers:
        """The scores of the forests; the one for threads weighted by the probability of a forum."""
        scores = self.blocks.scores(rows)[:, 0]
        if forum >= _LEAST_LIKELY:
            scores += forum * (_THREADS * self.threads.scores(rows)[:, 0] - scores)
        return scores


def _load_second(data: bytes) -> SecondClassifier:
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        every = {name: arrays[name] for name in arrays.files}
    return SecondClassifier(Forest.load(every, "pages"), Forest.load(every, "blocks"))


@cache
def load_shipped() -> Model:
    """The model that comes with dowse."""
    folder = resources.files(__package__)
    return Model.load(folder.joinpath("model.npz").read_bytes(), folder.joinpath("articles.npz").read_bytes())


@dataclass(frozen=True, slots=True)
class Forest:
    """Gradient-boosted trees as plain arrays, evaluated for all rows and all trees at once.

    The right child of a node follows the left one; a leaf is its own left child.

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
        """Load the forest from the arrays with this prefix."""
        depth, groups = map(int, arrays[f"{prefix}_shape"])
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
        """Probability of each row; with several groups, of each group."""
        scores = self.scores(rows)
        if self.groups == 1:
            return np.asarray(1 / (1 + np.exp(-scores[:, 0])))
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return np.asarray(powers / powers.sum(1, keepdims=True))

    def scores(self, rows: Numbers) -> Numbers:
        """For each row and group the sum of its leaves; for one group the log odds."""
        return np.concatenate([self._sums(rows[start : start + _ROWS]) for start in range(0, len(rows), _ROWS)])

    def contributions(self, row: Numbers) -> dict[int, float]:
        """The part of each feature in the score of a row: the change of the expected value at its splits."""
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
        """Descend so many levels for rows that start at these positions."""
        for _ in range(levels):
            asked = np.take(self.features, nodes)
            asked += starts
            above = np.take(flat, asked) > np.take(self.thresholds, nodes)
            nodes = np.take(self.children, nodes)
            nodes += above
        return nodes


class _Groups:
    """Groups of rows with the same number."""

    def __init__(self, numbers: Numbers) -> None:
        _, self._group, self._sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.cumsum(self._sizes) - self._sizes

    def means(self, rows: Numbers) -> Numbers:
        """The mean row of each group."""
        sums = np.add.reduceat(rows[self._order], self._starts, 0)
        return np.asarray(sums / self._sizes[:, None].astype(np.float32))

    def spread(self, rows: Numbers) -> Numbers:
        """Repeat the row of each group for each member."""
        return rows[self._group]


class PageInput:
    """Input of the networks: the blocks of a page; equal numbers in `alike` mark look-alikes."""

    def __init__(self, rows: Numbers, words: Numbers, alike: Numbers) -> None:
        self.rows = squash(rows)
        self.groups = _Groups(alike)
        lengths = np.sqrt(words, dtype=np.float32)
        self.lengths = lengths / (lengths.sum() + np.float32(1e-6))


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights for the neighbours of a block, its look-alikes, and the page as a whole."""

    near: Numbers
    page: Numbers
    alike: Numbers
    bias: Numbers


@dataclass(frozen=True, slots=True)
class Network:
    """Small residual network over the blocks of a page: standardised input, one dense layer, then `layers`."""

    usual: Numbers
    scale: Numbers
    first: Numbers
    first_bias: Numbers
    layers: tuple[Layer, ...]
    last: Numbers
    last_bias: float

    @classmethod
    def load(cls, arrays: dict[str, Numbers], prefix: str) -> Self:
        """Load the network from the arrays with this prefix."""
        own = {name: arrays[f"{prefix}_{name}"].astype(np.float32) for name in names()}
        layers = tuple(
            Layer(*(own[f"{part}{number}"] for part in ("near", "page", "alike", "bias")))
            for number in range(len(REACHES))
        )
        first, bias = own["first"], own["first_bias"]
        return cls(own["usual"], own["scale"], first, bias, layers, own["last"], float(own["last_bias"][0]))

    def scores(self, page: PageInput) -> Numbers:
        """The log odds of each block of a page."""
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
    """Names of the arrays of a network."""
    layers = (f"{part}{number}" for number in range(len(REACHES)) for part in ("near", "page", "alike", "bias"))
    return ("usual", "scale", "first", "first_bias", *layers, "last", "last_bias")


def squash(rows: Numbers) -> Numbers:
    """Squash numbers of any size: sign times log(1 + |x|)."""
    found = np.abs(rows, dtype=np.float32)
    found += 1
    np.log(found, out=found)
    return np.copysign(found, rows, out=found)


def _between(hidden: Numbers, reach: int) -> Numbers:
    """Each row between its neighbours at this distance, which are zero beyond the page."""
    count, width = hidden.shape
    found = np.zeros((count, 3 * width), np.float32)
    found[reach:, :width] = hidden[:-reach]
    found[:, width : 2 * width] = hidden
    found[:-reach, 2 * width :] = hidden[reach:]
    return found
