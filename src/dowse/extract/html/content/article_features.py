"""Features of the second judgement on articles: first scores around a block, labels before it, names around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dowse.extract.html.content import features, labels
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import Features
from dowse.extract.html.tree.node import Node

_NEIGHBOURS = (-2, -1, 1, 2)
_NEAR = 3
# Larger distances are all the same.
_FAR = 60
_LONGEST_LABEL = 60
# A block of prose with this score is surely content.
_SURE, _WORDS_OF_PROSE = 0.8, 8
MOST_LOG_ODDS = 8.0
_NAMING = ("class", "id", "data-component", "data-testid", "data-module", "data-type")


def measure(blocks: Sequence[TextBlock], found: Features, rows: Numbers, scores: Numbers) -> Numbers:
    """A row for each block: that of the first model, and what its scores, the labels and the names around it say."""
    words = rows[:, features.WORDS]
    parts = (
        rows,
        _measure_scores(scores, words),
        _measure_ranges(found, scores, words),
        _measure_alike(found.alike, scores, rows),
        _measure_labels(blocks),
        _measure_names(blocks),
    )
    return np.concatenate(parts, 1, dtype=np.float32)


def measure_page(found: Features, kinds: Numbers, scores: Numbers) -> Numbers:
    """The row of a page: that of the first model, its kinds, and how much of it seems to be content."""
    words = found.blocks[:, features.WORDS]
    share = float((words * scores).sum() / max(float(words.sum()), 1.0))
    return np.concatenate((found.page, kinds, [share]), dtype=np.float32)


def log_odds(scores: Numbers) -> Numbers:
    """The log odds of probabilities, bounded."""
    with np.errstate(divide="ignore"):
        found = np.log(scores) - np.log1p(-scores)
    return np.asarray(np.clip(found, -MOST_LOG_ODDS, MOST_LOG_ODDS))


def _measure_scores(scores: Numbers, words: Numbers) -> Numbers:
    """The first score of each block and its neighbours, and where the block is between the sure ones."""
    count = len(scores)
    odds, numbers = log_odds(scores), np.arange(count)
    beyond = np.full(2, -MOST_LOG_ODDS)
    padded = np.concatenate((beyond, odds, beyond))
    mass = np.cumsum(scores * words)
    is_sure = (scores >= _SURE) & (words >= _WORDS_OF_PROSE)
    last = np.maximum.accumulate(np.where(is_sure, numbers, -_FAR))
    following = np.minimum.accumulate(np.where(is_sure, numbers, count + _FAR)[::-1])[::-1]
    return np.stack(
        [
            odds,
            *(padded[2 + offset : 2 + offset + count] for offset in _NEIGHBOURS),
            mass / max(float(mass[-1]), 1e-6),
            np.minimum(numbers - last, _FAR),
            np.minimum(following - numbers, _FAR),
        ],
        1,
    )


def _measure_ranges(found: Features, scores: Numbers, words: Numbers) -> Numbers:
    """For the ancestors of each block how much of them is content, and how much of the content is in them."""
    begins, ends = found.ranges
    sums = np.zeros((2, len(scores) + 1))
    np.cumsum(np.stack((scores * words, words)), 1, np.float64, sums[:, 1:])
    mass, total = sums[:, ends] - sums[:, begins]
    return np.concatenate((mass / np.maximum(total, 1), mass / max(float(sums[0, -1]), 1e-6))).T


def _measure_alike(alike: Numbers, scores: Numbers, rows: Numbers) -> Numbers:
    """Number, means and first place of the blocks that look like each block."""
    _, first, group, sizes = np.unique(alike, return_index=True, return_inverse=True, return_counts=True)
    values = (scores, *(rows[:, column] for column in (features.WORDS, features.LINKED, features.STOPS)))
    means = [np.bincount(group, each, len(sizes)) / sizes for each in values]
    return np.stack((sizes, first / len(alike), *means), 1)[group]


def _measure_labels(blocks: Sequence[TextBlock]) -> Numbers:
    """The labels that a block is, the blocks since the last one of each kind, and how many are near."""
    count, kinds = len(blocks), len(labels.LABELS)
    marks = np.array(
        [labels.of_label(block.text) if len(block.text) <= _LONGEST_LABEL else 0 for block in blocks], np.int64
    )
    is_label = (marks[:, None] >> np.arange(kinds) & 1) > 0
    numbers = np.arange(count)
    last = np.maximum.accumulate(np.where(is_label, numbers[:, None], -_FAR), 0)
    since = np.minimum(numbers[:, None] - last, _FAR)
    sums = np.zeros((count + 1, kinds))
    np.cumsum(is_label, 0, np.float64, sums[1:])
    near = sums[np.minimum(numbers + _NEAR + 1, count)] - sums[np.maximum(numbers - _NEAR, 0)]
    return np.concatenate((is_label, since, near), 1)


def _measure_names(blocks: Sequence[TextBlock]) -> Numbers:
    """Groups of the names of the innermost elements around each block, and of all."""
    known: dict[int, tuple[int, int, int]] = {}
    found = [_names_around(block.container, known) for block in blocks]
    bits = np.arange(len(labels.NAMES))
    columns = [np.array([each[part] for each in found], np.int64)[:, None] >> bits & 1 for part in (0, 2)]
    return np.concatenate(columns, 1)


def _names_around(node: Node, known: dict[int, tuple[int, int, int]]) -> tuple[int, int, int]:
    """Masks of the names of an element and the one around it, of itself, and of it and all its ancestors."""
    missing: list[Node] = []
    current: Node | None = node
    while current is not None and current.index not in known:
        missing.append(current)
        current = current.parent
    _, around, every = known[current.index] if current is not None else (0, 0, 0)
    for each in reversed(missing):
        own = _names(each)
        every |= own
        known[each.index] = own | around, own, every
        around = own
    return known[node.index]


def _names(node: Node) -> int:
    attributes = node.attributes
    if not attributes:
        return labels.of_names(node.tag) if "-" in node.tag else 0
    called = " ".join([attributes[name] or "" for name in _NAMING if name in attributes])
    return labels.of_names(f"{node.tag} {called}" if "-" in node.tag else called) if called or "-" in node.tag else 0
