"""Pages as the second classifier on articles sees them, and its forests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from dowse.extract.decode import decode
from dowse.extract.html.content import articles, features
from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import FORUM
from dowse.extract.html.content.forum import weigh_url
from dowse.extract.html.content.model import Model
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from tools.extractor.data import Sample
from tools.extractor.labels import shares
from tools.extractor.training import arrays_of

FOLDS = Path(__file__).resolve().parents[2] / "tests" / "eval" / "folds"
THREAD = "forum"
_WORKERS = 2
# So many blocks of a page say as much as all of them.
_MOST_BLOCKS = 200
# How much the length of a block counts, and how much that of its page.
_BLOCK_POWER, _PAGE_POWER = 0.7, 0.5
_COMMON: Mapping[str, Any] = {
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "max_bin": 63,
    "extra_trees": True,
    "feature_fraction": 0.3,
    "bagging_freq": 1,
    "bagging_fraction": 0.7,
    "seed": 7,
}
_PAGES: Mapping[str, Any] = {
    **_COMMON,
    "objective": "binary",
    "learning_rate": 0.08,
    "num_leaves": 8,
    "min_data_in_leaf": 10,
    "lambda_l2": 1.0,
}
_PAGE_ROUNDS = 120
_BLOCKS: Mapping[str, Any] = {
    **_COMMON,
    "objective": "cross_entropy",
    "learning_rate": 0.1,
    "num_leaves": 24,
    "max_depth": 9,
    "min_data_in_leaf": 40,
    "lambda_l2": 5.0,
}
_BLOCK_ROUNDS = 120


@dataclass(frozen=True, slots=True)
class ArticleExample:
    """One page: its row, and unless it is a thread those of its blocks, with the share of each that is content."""

    fold: int
    is_thread: bool
    page: Numbers
    blocks: Numbers
    shares: Numbers
    weights: Numbers


def examples(samples: Sequence[Sample]) -> list[ArticleExample]:
    """The pages that have any text, in their order, with scores of a model that has not seen them."""
    with ProcessPoolExecutor(_WORKERS) as workers:
        return [each for each in workers.map(example, samples, chunksize=16) if each is not None]


def example(sample: Sample) -> ArticleExample | None:
    """One page, unless it has no text."""
    tree = build(cap_markup(decode(sample.html)))
    blocks = cut_blocks(tree)
    if not blocks:
        return None
    found = features.measure(tree, blocks, sample.url)
    model = _model(sample.fold)
    kinds = weigh_url(model.kinds_of(found.page), sample.url)
    rows = features.rows(found.blocks, found.page, kinds)
    scores = model.probabilities(rows, found.alike, float(kinds[FORUM]))
    page = articles.measure_page(found, kinds, scores)
    if sample.kind == THREAD:
        nothing = np.zeros(0, np.float32)
        return ArticleExample(sample.fold, True, page, nothing, nothing, nothing)
    judged = articles.measure(blocks, found, rows, scores)
    lengths = (rows[:, features.WORDS] + 1) ** _BLOCK_POWER
    chosen = np.unique(np.linspace(0, len(blocks) - 1, min(len(blocks), _MOST_BLOCKS)).astype(np.intp))
    weights = lengths / lengths.sum() ** _PAGE_POWER * len(blocks) / len(chosen)
    truth = np.array(shares([block.text for block in blocks], sample.content), np.float32)
    return ArticleExample(sample.fold, False, page, judged[chosen], truth[chosen], weights[chosen])


def train(chosen: Sequence[ArticleExample]) -> dict[str, Numbers]:
    """The forests as `dowse.extract.html.content.articles` reads them."""
    rows = np.stack([each.page for each in chosen])
    labels = np.array([each.is_thread for each in chosen], np.float32)
    pages = lightgbm.train(dict(_PAGES), lightgbm.Dataset(rows, labels), _PAGE_ROUNDS)
    others = [each for each in chosen if not each.is_thread]
    weights = np.concatenate([each.weights for each in others])
    data = lightgbm.Dataset(
        np.concatenate([each.blocks for each in others]),
        np.concatenate([each.shares for each in others]),
        weight=weights / weights.mean(),
    )
    blocks = lightgbm.train(dict(_BLOCKS), data, _BLOCK_ROUNDS)
    return {**arrays_of(pages, "pages"), **arrays_of(blocks, "blocks")}


@cache
def _model(fold: int) -> Model:
    return Model.load((FOLDS / f"fold-{fold}.npz").read_bytes())
