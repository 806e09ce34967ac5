"""LightGBM's trees, grown from examples and written down as plain arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import lightgbm
import numpy as np

from dowse.extract.html.content import features
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import FORUM, KINDS
from tools.extractor.dataset import Example
from tools.extractor.weights import weights

Arrays = dict[str, Numbers]

# Thresholds at random and few columns for each tree: the pages are few, and one knows its neighbours too well.
_COMMON: Mapping[str, Any] = {
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "max_bin": 63,
    "extra_trees": True,
    "feature_fraction": 0.3,
    "bagging_freq": 1,
}
_KINDS: Mapping[str, Any] = {
    **_COMMON,
    "objective": "multiclass",
    "num_class": len(KINDS),
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 10,
    "bagging_fraction": 0.8,
    "lambda_l2": 1.0,
}
_KIND_ROUNDS = 200
_BLOCKS: Mapping[str, Any] = {
    **_COMMON,
    "objective": "cross_entropy",
    "learning_rate": 0.08,
    "num_leaves": 31,
    "max_depth": 10,
    "min_data_in_leaf": 50,
    "bagging_fraction": 0.7,
    "lambda_l2": 5.0,
}
_BLOCK_ROUNDS = 200
_SEED = 7
# Threads are few: other pages help, but each of them counts less, and every other of them is enough.
_OTHERS = 2
_WEIGHT_OF_OTHERS = 0.3
# So many blocks of a page say as much as all of them.
_MOST_BLOCKS = 500


def train_kinds(examples: Sequence[Example]) -> lightgbm.Booster:
    """A forest that tells the kind of a page."""
    rows = np.stack([example.page for example in examples])
    labels = np.array([example.kind for example in examples])
    return lightgbm.train({**_KINDS, "seed": _SEED}, lightgbm.Dataset(rows, labels), _KIND_ROUNDS)


def train_blocks(examples: Sequence[Example]) -> lightgbm.Booster:
    """A forest that tells which blocks are content."""
    return lightgbm.train({**_BLOCKS, "seed": _SEED}, _data(examples, [1.0] * len(examples)), _BLOCK_ROUNDS)


def train_threads(examples: Sequence[Example]) -> lightgbm.Booster:
    """A forest that tells which blocks are content where people talk to each other."""
    threads = [example for example in examples if example.kind == FORUM]
    others = [example for example in examples if example.kind != FORUM][::_OTHERS]
    data = _data([*threads, *others], [1.0] * len(threads) + [_WEIGHT_OF_OTHERS] * len(others))
    return lightgbm.train({**_BLOCKS, "seed": _SEED}, data, _BLOCK_ROUNDS)


def arrays_of(booster: lightgbm.Booster, prefix: str, groups: int = 1) -> Arrays:
    """A forest as `dowse.extract.html.content.model` reads it."""
    nodes: list[tuple[int, float, int, float]] = []
    roots: list[int] = []
    depth = 0
    for tree in booster.dump_model()["tree_info"]:
        roots.append(len(nodes))
        nodes.append((0, 0.0, 0, 0.0))
        for place, node, level in _placed(tree["tree_structure"], len(nodes) - 1, nodes):
            depth = max(depth, level)
            if "leaf_value" in node:
                nodes[place] = (0, np.inf, place, node["leaf_value"])
            else:
                nodes[place] = (node["split_feature"], node["threshold"], nodes[place][2], node["internal_value"])
    asked, thresholds, children, values = (np.array(column) for column in zip(*nodes, strict=True))
    return {
        f"{prefix}_features": asked.astype(np.uint16),
        f"{prefix}_thresholds": _rounded_down(thresholds),
        f"{prefix}_children": children.astype(np.uint32),
        f"{prefix}_values": values.astype(np.float32),
        f"{prefix}_roots": np.array(roots, np.uint32),
        f"{prefix}_shape": np.array([depth, groups], np.uint32),
    }


def _data(examples: Sequence[Example], factors: Sequence[float]) -> lightgbm.Dataset:
    """All blocks, of each page with the weight that it has."""
    rows, labels, weighed = [], [], []
    for example, factor in zip(examples, factors, strict=True):
        chosen = _chosen(len(example.blocks))
        rows.append(features.rows(example.blocks[chosen], example.page, example.kinds))
        labels.append(example.shares[chosen])
        weighed.append(factor * weights(example)[chosen] * len(example.words) / len(chosen))
    whole = np.concatenate(weighed)
    return lightgbm.Dataset(np.concatenate(rows), np.concatenate(labels), weight=whole / whole.mean())


def _chosen(count: int) -> Numbers:
    """The numbers of the blocks that are learnt from, evenly over the page."""
    return np.unique(np.linspace(0, count - 1, min(count, _MOST_BLOCKS)).astype(np.intp))


def _placed(
    root: dict[str, Any], place: int, nodes: list[tuple[int, float, int, float]]
) -> Iterator[tuple[int, dict[str, Any], int]]:
    """Each node with its place and level; room for two children is made side by side."""
    waiting = [(place, root, 0)]
    while waiting:
        place, node, level = waiting.pop()
        if "leaf_value" not in node:
            left = len(nodes)
            nodes.extend([(0, 0.0, 0, 0.0)] * 2)
            nodes[place] = (0, 0.0, left, 0.0)
            waiting += [(left, node["left_child"], level + 1), (left + 1, node["right_child"], level + 1)]
        yield place, node, level


def _rounded_down(thresholds: Numbers) -> Numbers:
    """As 32-bit numbers that are not larger: `x <= threshold` then says the same for every 32-bit x."""
    rounded = thresholds.astype(np.float32)
    return np.where(rounded > thresholds, np.nextafter(rounded, np.float32(-np.inf)), rounded).astype(np.float32)
