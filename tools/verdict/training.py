"""The two models of the verdict, trained and written down as plain arrays; every step is deterministic."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import lightgbm
import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.verdict.evidence import measure
from dowse.extract.verdict.model import (
    BUCKETS,
    LABELS,
    NONE,
    NOTICES,
    Scores,
    TextClassifier,
    encode_model,
    hash_grams,
)
from tools.extractor.training import arrays_of
from tools.verdict.data import Example, ShortText, texts_from

_DECAY = 5e-7
# On the short texts first; then, with the sentences of pages, from there.
_STEPS, _STEPS_AFTER = 120, 30
_INNER_FOLDS = 3
_TREES: Mapping[str, Any] = {
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "objective": "binary",
    "learning_rate": 0.06,
    "min_data_in_leaf": 6,
    "feature_fraction": 0.25,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 2.0,
    "max_bin": 63,
    "extra_trees": True,
}
# Several small forests are wrong about different pages: their mean is wrong about fewer.
_FORESTS: Sequence[tuple[Mapping[str, Any], int]] = (
    ({"num_leaves": 4, "seed": 1}, 300),
    ({"num_leaves": 12, "seed": 2}, 200),
    ({"num_leaves": 8, "extra_trees": False, "feature_fraction": 0.15, "seed": 3}, 200),
    ({"num_leaves": 6, "extra_trees": False, "feature_fraction": 0.3, "seed": 4}, 150),
)
_KINDS: Mapping[str, Any] = {
    **_TREES,
    "objective": "multiclass",
    "num_class": len(NOTICES),
    "num_leaves": 6,
    "min_data_in_leaf": 4,
    "seed": 7,
}
_KIND_ROUNDS = 80
_WEIGHT_OF_HARD_PAGES, _WEIGHT_OF_BEGINNINGS = 2.0, 0.3
# Features that may only speak for a notice, and those that may only speak for content.
_UP = frozenset(
    "status code|password field|link to login|link to offer|empty frame|unlisted|refresh|checkbox".split("|")
)
_DOWN = frozenset(
    "other words|words|sentences|unknown words|times and phones|address in text|numbers|prices|code block"
    "|longest sentence|headings|lines|links|<table>|<time>|<pre>|heading in text".split("|")
)


def group_evenly(values: Iterable[Hashable], count: int) -> dict[Hashable, int]:
    """The fold of each value, the most frequent first into the smallest fold."""
    sizes, folds = [0] * count, {}
    for value, number in Counter(values).most_common():
        folds[value] = sizes.index(min(sizes))
        sizes[folds[value]] += number
    return folds


def train(
    pages: Sequence[Example], texts: Sequence[ShortText], group: Callable[[Example], str], start: Numbers
) -> bytes:
    """The bytes of a model; `group` names what is kept together when the trees see texts as for unseen pages.

    `start` is `fit_texts` of the short texts, from which the classifiers of all folds begin.
    """
    folds = group_evenly((group(page) for page in pages if not page.is_real), _INNER_FOLDS)
    found: dict[str, Mapping[str, float]] = {}
    for fold in range(_INNER_FOLDS):
        outside = [page for page in pages if _fold(page, folds, group) != fold]
        classifier = _Cached(train_texts([*texts, *texts_from(outside)], start))
        for page in pages:
            if _fold(page, folds, group) == fold:
                found[page.name] = _measure(page, classifier)
    rows = [found[page.name] for page in pages]
    return _write(train_texts([*texts, *texts_from(pages)], start), rows, pages)


def _fold(page: Example, folds: Mapping[Hashable, int], group: Callable[[Example], str]) -> int:
    return page.fold % _INNER_FOLDS if page.is_real else folds[group(page)]


class _Cached:
    """A classifier that remembers texts; most pages are measured with their own sentences only once or twice."""

    def __init__(self, classifier: TextClassifier) -> None:
        self._weights = np.stack([np.frombuffer(each, np.int8) for each in classifier.weights], 1).astype(np.float64)
        self._weights *= np.array(classifier.scales)
        self._biases = np.array(classifier.biases)
        self._known: dict[str, Scores] = {}

    def probabilities(self, text: str) -> Scores:
        if text not in self._known:
            grams = _grams_of(text)
            odds = self._weights[grams].sum(0) / math.sqrt(max(1, len(grams))) + self._biases
            powers = np.exp(odds - odds.max())
            self._known[text] = tuple((powers / powers.sum()).tolist())
        return self._known[text]


def _measure(page: Example, classifier: _Cached) -> Mapping[str, float]:
    return measure(page.outline, page.context, classifier)


def train_texts(texts: Sequence[ShortText], start: Numbers) -> TextClassifier:
    """The classifier of texts from the weights of an earlier one, in bytes."""
    found = fit_texts(texts, start)
    size = BUCKETS * len(LABELS)
    return _quantize(found[:size].reshape(BUCKETS, -1), found[size:])


def fit_texts(texts: Sequence[ShortText], start: Numbers | None = None) -> Numbers:
    """Logistic regression over hashed n-grams; notices and other texts of each language weigh the same."""
    some = [text for text in texts if text.text]
    inputs = _inputs([text.text for text in some])
    labels = np.array([LABELS.index(text.label) for text in some])
    weights = _balance(some, labels)
    wanted = np.zeros((len(some), len(LABELS)), np.float32)
    wanted[np.arange(len(some)), labels] = 1
    turned, size = inputs.T.tocsr(), BUCKETS * len(LABELS)

    def loss(values: Numbers) -> tuple[float, Numbers]:
        table, biases = values[:size].reshape(BUCKETS, -1).astype(np.float32), values[size:].astype(np.float32)
        odds = inputs @ table + biases
        odds -= odds.max(1, keepdims=True)
        powers = np.exp(odds)
        totals = powers.sum(1, keepdims=True)
        value = -(weights * (odds[np.arange(len(some)), labels] - np.log(totals[:, 0]))).sum()
        rest = (powers / totals - wanted) * weights[:, None]
        slopes = np.concatenate([(turned @ rest + _DECAY * table).ravel(), rest.sum(0)])
        return float(value + _DECAY / 2 * (table.astype(np.float64) ** 2).sum()), slopes.astype(np.float64)

    steps = _STEPS if start is None else _STEPS_AFTER
    begin = np.zeros(size + len(LABELS)) if start is None else start
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxcor": 6})
    return np.asarray(found.x)


def _inputs(texts: Sequence[str]) -> Any:
    """A row for each text: how often it has each n-gram, over the root of their number."""
    rows = list(map(_grams_of, texts))
    ends = np.cumsum([0, *map(len, rows)])
    values = np.concatenate([np.full(len(row), 1 / math.sqrt(max(1, len(row))), np.float32) for row in rows])
    matrix = sparse.csr_matrix((values, np.concatenate(rows), ends), (len(rows), BUCKETS), dtype=np.float32)
    matrix.sum_duplicates()
    return matrix


@cache
def _grams_of(text: str) -> Numbers:
    """The buckets of a text; all folds ask for nearly the same ones."""
    return np.array(hash_grams(text), np.uint16)


def _balance(texts: Sequence[ShortText], labels: Numbers) -> Numbers:
    weights = np.array([text.weight for text in texts], np.float32)
    totals = np.bincount(labels, weights=weights, minlength=len(LABELS))
    weights *= np.sqrt(totals.sum() / len(LABELS) / np.maximum(totals, 1)).astype(np.float32)[labels]
    languages = np.array([text.language for text in texts])
    for language in sorted(set(languages.tolist())):
        here, is_other = languages == language, labels == NONE
        notices, others = weights[here & ~is_other].sum(), weights[here & is_other].sum()
        if others > 0:
            weights[here & is_other] *= notices / others if notices > 0 else 0.3
    return np.asarray(weights / weights.sum())


def _quantize(table: Numbers, biases: Numbers) -> TextClassifier:
    """One byte for each weight; the few largest are cut."""
    weights, scales = [], []
    for column in table.T:
        scale = float(np.float32(max(np.quantile(np.abs(column), 0.9995), 1e-9) / 127))
        weights.append(array("b", np.clip(np.rint(column / scale), -127, 127).astype(np.int8).tobytes()))
        scales.append(scale)
    return TextClassifier(tuple(weights), tuple(scales), tuple(float(np.float32(bias)) for bias in biases))


def _write(classifier: TextClassifier, rows: Sequence[Mapping[str, float]], pages: Sequence[Example]) -> bytes:
    features = list(rows[0])
    inputs = np.array([[row[name] for name in features] for row in rows], np.float32)
    arrays: dict[str, array[Any]] = {
        f"text {label}": each for label, each in zip(LABELS, classifier.weights, strict=True)
    }
    arrays |= _notice_arrays(features, inputs, pages) | _kind_arrays(inputs, pages)
    head = {
        "scales": classifier.scales,
        "biases": classifier.biases,
        "features": features,
        "groups": {"notices": 1, "kinds": len(NOTICES)},
    }
    return encode_model(head, arrays)


def _notice_arrays(features: Sequence[str], inputs: Numbers, pages: Sequence[Example]) -> dict[str, array[Any]]:
    labels = np.array([page.label != "none" for page in pages]).astype(int)
    weights = list(map(_weight_of, pages))
    constraints = [_direction(name) for name in features]
    forests = []
    for options, rounds in _FORESTS:
        chosen = {**_TREES, **options, "monotone_constraints": constraints}
        forests.append(lightgbm.train(chosen, lightgbm.Dataset(inputs, labels, weight=weights), rounds))
    return _join([arrays_of(forest, "tree") for forest in forests], "notices", 1 / len(forests))


def _weight_of(page: Example) -> float:
    if page.is_cut:
        return _WEIGHT_OF_BEGINNINGS
    return _WEIGHT_OF_HARD_PAGES if page.label == "none" and not page.is_real else 1.0


def _kind_arrays(inputs: Numbers, pages: Sequence[Example]) -> dict[str, array[Any]]:
    some = [number for number, page in enumerate(pages) if page.label != "none"]
    labels = np.array([NOTICES.index(pages[number].label) for number in some])
    forest = lightgbm.train({**_KINDS}, lightgbm.Dataset(inputs[some], labels), _KIND_ROUNDS)
    return _join([arrays_of(forest, "tree", len(NOTICES))], "kinds", 1.0)


def _direction(feature: str) -> int:
    """Whether the feature may only raise (1) or only lower (-1) the probability of a notice; 0 for both."""
    if ":" in feature:
        return -1 if feature.endswith(": none") else 1
    return 1 if feature in _UP else -1 if feature in _DOWN else 0


def _join(forests: Sequence[Mapping[str, Numbers]], name: str, scale: float) -> dict[str, array[Any]]:
    """Several forests as one whose score is their sum times `scale`."""
    starts = np.cumsum([0, *(len(forest["tree_values"]) for forest in forests)])
    parts = {
        "features": ("H", np.concatenate([forest["tree_features"] for forest in forests])),
        "thresholds": ("f", np.concatenate([forest["tree_thresholds"] for forest in forests])),
        "children": (
            "H",
            np.concatenate([forest["tree_children"] + start for forest, start in zip(forests, starts, strict=False)]),
        ),
        "values": ("f", np.concatenate([forest["tree_values"] * np.float32(scale) for forest in forests])),
        "roots": (
            "H",
            np.concatenate([forest["tree_roots"] + start for forest, start in zip(forests, starts, strict=False)]),
        ),
    }
    assert starts[-1] < 1 << 16
    return {f"{name} {part}": array(code, values.tolist()) for part, (code, values) in parts.items()}
