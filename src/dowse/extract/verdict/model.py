"""Trained model of the verdict: a character n-gram classifier for short texts, and gradient-boosted trees over a page.

Written by `tools/train_verdict.py`. Evaluated without numpy: the server process judges text too, and loads no parser.
"""

from __future__ import annotations

import json
import math
import zlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import islice
from operator import itemgetter
from typing import Self
from zlib import crc32

LABELS = ("missing", "login", "blocked", "consent", "error", "pay", "loading", "none")
"""Labels of short texts: kinds of notices, or none."""
NONE = LABELS.index("none")
NOTICES = LABELS[:NONE]
BUCKETS = 1 << 15
_MASK = BUCKETS - 1
_SIZES = (2, 3, 4, 5)
_STRONGEST = 3
# A smaller part in the score is no sign.
_LEAST = 0.05
_WORD_BYTES = 2
Scores = tuple[float, ...]


def hash_grams(text: str) -> list[int]:
    """The bucket of each n-gram of characters, from two to five."""
    coded = f" {text} ".encode("utf-16-le", "surrogatepass")
    found = []
    for size in _SIZES:
        width = _WORD_BYTES * size
        last = len(coded) - width + 1
        found += [crc32(coded[at : at + width]) & _MASK for at in range(0, last, _WORD_BYTES)]
    return found


@dataclass(frozen=True, slots=True)
class TextClassifier:
    """Multinomial logistic regression over hashed n-grams, with a weight of one byte for each bucket and label."""

    weights: tuple[array[int], ...]
    scales: tuple[float, ...]
    biases: tuple[float, ...]

    def probabilities(self, text: str) -> Scores:
        """The probability of each label for a text in lower case."""
        # Two at least, since a getter of one item returns no tuple.
        found = hash_grams(text or " ")
        root = math.sqrt(len(found))
        # Several times as fast as a loop over the buckets.
        take = itemgetter(*found)
        odds = [
            sum(take(weights)) * scale / root + bias
            for weights, scale, bias in zip(self.weights, self.scales, self.biases, strict=True)
        ]
        return _softmax(odds)


@dataclass(frozen=True, slots=True)
class Trees:
    """Gradient-boosted trees as flat arrays; a leaf is its own left child, a right child follows the left one.

    Tree number i adds to group i modulo `groups`.
    """

    features: Sequence[int]
    thresholds: Sequence[float]
    children: Sequence[int]
    values: Sequence[float]
    roots: Sequence[int]
    groups: int

    def scores(self, row: Sequence[float]) -> list[float]:
        """The sum of the leaves for each group."""
        sums = [0.0] * self.groups
        for number, root in enumerate(self.roots):
            node = root
            while (left := self.children[node]) != node:
                node = left + (row[self.features[node]] > self.thresholds[node])
            sums[number % self.groups] += self.values[node]
        return sums

    def contributions(self, row: Sequence[float]) -> dict[int, float]:
        """The part of each feature in the score: the change of the expected value at its splits."""
        found: dict[int, float] = {}
        for root in self.roots:
            node = root
            while (left := self.children[node]) != node:
                feature = self.features[node]
                following = left + (row[feature] > self.thresholds[node])
                found[feature] = found.get(feature, 0.0) + self.values[following] - self.values[node]
                node = following
        return found


@dataclass(frozen=True, slots=True)
class VerdictModel:
    """Classifier of texts, trees for notices against content, and trees for the kind of a notice."""

    classifier: TextClassifier
    features: tuple[str, ...]
    notices: Trees
    kinds: Trees

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Read the file that `encode_model` writes."""
        size = int.from_bytes(data[:4], "little")
        head = json.loads(data[4 : 4 + size])
        arrays = _split_arrays(head["arrays"], zlib.decompress(data[4 + size :]))
        weights = tuple(arrays[f"text {label}"] for label in LABELS)
        classifier = TextClassifier(weights, tuple(head["scales"]), tuple(head["biases"]))
        notices, kinds = (_trees(arrays, name, int(head["groups"][name])) for name in ("notices", "kinds"))
        return cls(classifier, tuple(head["features"]), notices, kinds)

    def judge(self, measured: Mapping[str, float]) -> Opinion:
        """The log odds of a page to be a notice; its kind and the strongest signs on demand."""
        row = array("f", (measured.get(name, 0.0) for name in self.features))
        (odds,) = self.notices.scores(row)
        return Opinion(odds, self, row)

    def find_kind(self, row: Sequence[float]) -> str:
        """The most likely kind of a page that is a notice."""
        kinds = self.kinds.scores(row)
        return NOTICES[kinds.index(max(kinds))]

    def find_signs(self, row: Sequence[float], *, is_notice: bool) -> tuple[str, ...]:
        """The features that speak most for the judgement, each with its value."""
        side = 1 if is_notice else -1
        parts = sorted(self.notices.contributions(row).items(), key=lambda part: -side * part[1])
        strong = (number for number, part in parts if side * part > _LEAST)
        return tuple(f"{self.features[number]} {row[number]:.2g}" for number in islice(strong, _STRONGEST))


@dataclass(frozen=True)
class Opinion:
    """The judgement of the model: log odds of a notice, its kind if it is one, and up to three signs.

    Most pages are content, and their kind and signs are never asked for.
    """

    odds: float
    judge: VerdictModel
    row: Sequence[float]

    @cached_property
    def kind(self) -> str:
        return self.judge.find_kind(self.row)

    @cached_property
    def signs(self) -> tuple[str, ...]:
        return self.judge.find_signs(self.row, is_notice=self.odds > 0)


TREE_PARTS = ("features", "thresholds", "children", "values", "roots")


def encode_model(head: Mapping[str, object], arrays: Mapping[str, array[int] | array[float]]) -> bytes:
    """The bytes of a model file: a header in JSON, and the compressed arrays in its order."""
    described = [[name, each.typecode, len(each)] for name, each in arrays.items()]
    header = json.dumps({**head, "arrays": described}, separators=(",", ":")).encode()
    packed = zlib.compress(b"".join(each.tobytes() for each in arrays.values()), 9)
    return len(header).to_bytes(4, "little") + header + packed


@cache
def load_shipped() -> VerdictModel:
    """The model that comes with dowse."""
    return VerdictModel.load(resources.files(__package__).joinpath("model.bin").read_bytes())


def _trees(arrays: Mapping[str, array[int]], name: str, groups: int) -> Trees:
    features, thresholds, children, values, roots = (arrays[f"{name} {part}"] for part in TREE_PARTS)
    return Trees(features, thresholds, children, values, roots, groups)


def _split_arrays(described: Sequence[tuple[str, str, int]], data: bytes) -> dict[str, array[int]]:
    found, start = {}, 0
    for name, code, length in described:
        values: array[int] = array(code)
        end = start + length * values.itemsize
        values.frombytes(data[start:end])
        found[name], start = values, end
    return found


def _softmax(odds: Sequence[float]) -> Scores:
    top = max(odds)
    powers = [math.exp(each - top) for each in odds]
    total = sum(powers)
    return tuple(power / total for power in powers)
