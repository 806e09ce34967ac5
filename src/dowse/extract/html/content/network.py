"""A small network over the blocks of a page: it sees each of them between its neighbours and beside those like it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from dowse.extract.html.content.outline import Numbers

REACHES = (1, 2, 4)
"""How far away the neighbours are that each layer looks at."""
MOST = 4.0
"""No number is further from what is usual than this."""


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
