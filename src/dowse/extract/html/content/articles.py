"""Second classifier on the blocks of a page: comments, other stories and boxes are told from the text of an article.

Its features are the first scores around a block, labels before it, and the names of the elements around it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from dowse.extract.html.content import features, vocabulary
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import KINDS, Features
from dowse.extract.html.tree.node import Node

_WORDS_FILE = Path(__file__).with_name("articles.txt")
_SECTION = re.compile(r"^\[(label|name) (\w+)(?: (\w+))?\]\n((?:[^\[\n].*\n)*)", re.M)


def _read_words(kind: str, groups: Mapping[str, str], joint: str) -> dict[str, str]:
    """The sections of a kind, each with the group of the vocabulary that is part of it."""
    sections = (found.groups() for found in _SECTION.finditer(_WORDS_FILE.read_text(encoding="utf-8")))
    return {
        name: joint.join([*([groups[group]] if group else []), *lines.splitlines()])
        for section, name, group, lines in sections
        if section == kind
    }


LABELS = _read_words("label", vocabulary.TEXT_GROUPS, "|")
"""Patterns of the beginnings of short texts that begin a part of a page, or stand beside its entries."""
NAMES = _read_words("name", vocabulary.CLASS_GROUPS, " ")
"""Words of classes, identifiers, tags of custom elements, and the names of components."""
# A tilde stands for the rest of a word. Scripts without blanks do not end words.
_WHOLE = [words.replace("~", r"\w{0,20}") for words in LABELS.values()]
_PATTERNS = [re.compile(rf"(?:{words})(?:\b|(?<=[©\u3040-\u9fff\uac00-\ud7a3]))", re.I) for words in _WHOLE]
# For lower case, which is compared much faster.
_ANY = re.compile("|".join(_WHOLE))
_BITS: dict[str, int] = {}

for _bit, _words in enumerate(NAMES.values()):
    for _word in _words.split():
        _BITS[_word] = _BITS.get(_word, 0) | 1 << _bit
# From this probability on a page is a thread.
_LIKELY = 0.5
# On a page of these kinds the first classifier counts in so far as it is likely to be one.
_FIRST = {"product": 2.0, "collection": 1.0, "service": 0.5, "listing": 0.5}
# Documentation ends with lists of further pages, which are content there; articles may look like it to some part.
_MANUAL, _SURELY_A_MANUAL = 0.6, 0.75
# Weight of the mean over look-alike blocks, such as the comments of a page.
_TOGETHER = 0.3
_NEIGHBOURS = (-2, -1, 1, 2)
_NEAR = 3
# Larger distances are all the same.
_FAR = 60
_LONGEST_LABEL = 60
# A block of prose with this score is surely content.
_SURE, _WORDS_OF_PROSE = 0.8, 8
MOST_LOG_ODDS = 8.0
_NAMING = ("class", "id", "data-component", "data-testid", "data-module", "data-type")


class ForestLike(Protocol):
    """A forest: log odds for each row and group, or probabilities of the rows."""

    def scores(self, rows: Numbers) -> Numbers: ...

    def probabilities(self, rows: Numbers) -> Numbers: ...


@dataclass(frozen=True, slots=True)
class SecondClassifier:
    """A forest that tells threads from other pages, with comments or without, and one for the blocks of the others."""

    pages: ForestLike
    blocks: ForestLike

    def is_thread(self, found: Features, kinds: Numbers, scores: Numbers) -> bool:
        """Whether a page is a thread, whose posts are its content."""
        row = measure_page(found, kinds, scores)
        return float(self.pages.probabilities(row[None, :])[0]) >= _LIKELY

    def probabilities(
        self, blocks: Sequence[TextBlock], found: Features, kinds: Numbers, rows: Numbers, scores: Numbers
    ) -> Numbers:
        """Probability of each block of a page to be content, given the first scores."""
        first = _weight_of_first(kinds)
        second = self.blocks.scores(measure(blocks, found, rows, scores))[:, 0]
        odds = first * log_odds(scores) + (1 - first) * np.clip(second, -MOST_LOG_ODDS, MOST_LOG_ODDS)
        _, group, sizes = np.unique(found.alike, return_inverse=True, return_counts=True)
        together = np.bincount(group, odds, len(sizes)) / sizes
        odds += _TOGETHER * (together[group] - odds)
        return np.asarray(1 / (1 + np.exp(-odds)))


def _weight_of_first(kinds: Numbers) -> float:
    """The weight of the first classifier on a page, given the probabilities of its kinds."""
    weights = sum(weight * float(kinds[KINDS.index(kind)]) for kind, weight in _FIRST.items())
    manual = (float(kinds[KINDS.index("documentation")]) - _MANUAL) / (_SURELY_A_MANUAL - _MANUAL)
    return min(1.0, weights + max(0.0, manual))


def measure(blocks: Sequence[TextBlock], found: Features, rows: Numbers, scores: Numbers) -> Numbers:
    """A row for each block: that of the first model, its scores around the block, and labels and names around it."""
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
    """The row of a page: that of the first model, its kinds, and the share of it that seems to be content."""
    words = found.blocks[:, features.WORDS]
    share = float((words * scores).sum() / max(float(words.sum()), 1.0))
    return np.concatenate((found.page, kinds, [share]), dtype=np.float32)


def log_odds(scores: Numbers) -> Numbers:
    """The log odds of probabilities, bounded."""
    with np.errstate(divide="ignore"):
        found = np.log(scores) - np.log1p(-scores)
    return np.asarray(np.clip(found, -MOST_LOG_ODDS, MOST_LOG_ODDS))


def _measure_scores(scores: Numbers, words: Numbers) -> Numbers:
    """The first score of each block and its neighbours, and its place between the sure ones."""
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
    """For the ancestors of each block the share of them that is content, and of the content in them."""
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
    count, kinds = len(blocks), len(LABELS)
    marks = np.array([of_label(block.text) if len(block.text) <= _LONGEST_LABEL else 0 for block in blocks], np.int64)
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
    bits = np.arange(len(NAMES))
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
        return of_names(node.tag) if "-" in node.tag else 0
    called = " ".join([attributes[name] or "" for name in _NAMING if name in attributes])
    return of_names(f"{node.tag} {called}" if "-" in node.tag else called) if called or "-" in node.tag else 0


@lru_cache(maxsize=20_000)
def of_label(text: str) -> int:
    """Mask of `LABELS` for a short text, by its first words."""
    if _ANY.match(text.lower()) is None:
        return 0
    return sum(1 << bit for bit, pattern in enumerate(_PATTERNS) if pattern.match(text))


@lru_cache(maxsize=20_000)
def of_names(names: str) -> int:
    """Mask of `NAMES` for the names of an element."""
    marks = 0
    for word in vocabulary.words_of(names):
        marks |= _BITS.get(word, 0)
    return marks
