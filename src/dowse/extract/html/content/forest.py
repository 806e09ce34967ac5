"""Gradient-boosted trees, evaluated with numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from dowse.extract.html.content.dom_columns import Numbers

# So many rows at a time stay in the processor's cache.
_ROWS = 256
# Most rows are in a leaf after so many levels.
_SHALLOW = 6


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
