"""Second judgement on articles: comments, other stories and boxes around them are told from their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Self

import numpy as np

from dowse.extract.html.content import article_features
from dowse.extract.html.content.article_features import MOST_LOG_ODDS, log_odds
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import KINDS, Features
from dowse.extract.html.content.forest import Forest

# From this probability on a page is a thread.
_LIKELY = 0.8
# On a page of these kinds the first judgement counts in so far as it is likely to be one.
_FIRST = {"product": 1.0, "collection": 1.0, "service": 0.5}
# Documentation ends with lists of further pages, which are content there; articles may look like it to some part.
_MANUAL, _SURELY_A_MANUAL = 0.6, 0.75
# Weight of the mean over look-alike blocks, such as the comments of a page.
_TOGETHER = 0.3


@dataclass(frozen=True, slots=True)
class ArticleModel:
    """A forest that tells threads from other pages, with comments or without, and one for the blocks of the others."""

    pages: Forest
    blocks: Forest

    @classmethod
    def load(cls, data: bytes) -> Self:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            every = {name: arrays[name] for name in arrays.files}
        return cls(Forest.load(every, "pages"), Forest.load(every, "blocks"))

    def is_thread(self, found: Features, kinds: Numbers, scores: Numbers) -> bool:
        """Whether a page is a thread, whose posts are its content."""
        row = article_features.measure_page(found, kinds, scores)
        return float(self.pages.probabilities(row[None, :])[0]) >= _LIKELY

    def probabilities(
        self, blocks: Sequence[TextBlock], found: Features, kinds: Numbers, rows: Numbers, scores: Numbers
    ) -> Numbers:
        """Probability of each block of a page to be content, given the first scores."""
        first = _weight_of_first(kinds)
        second = self.blocks.scores(article_features.measure(blocks, found, rows, scores))[:, 0]
        odds = first * log_odds(scores) + (1 - first) * np.clip(second, -MOST_LOG_ODDS, MOST_LOG_ODDS)
        _, group, sizes = np.unique(found.alike, return_inverse=True, return_counts=True)
        together = np.bincount(group, odds, len(sizes)) / sizes
        odds += _TOGETHER * (together[group] - odds)
        return np.asarray(1 / (1 + np.exp(-odds)))


def _weight_of_first(kinds: Numbers) -> float:
    """The weight of the first judgement on a page, given the probabilities of its kinds."""
    weights = sum(weight * float(kinds[KINDS.index(kind)]) for kind, weight in _FIRST.items())
    manual = (float(kinds[KINDS.index("documentation")]) - _MANUAL) / (_SURELY_A_MANUAL - _MANUAL)
    return min(1.0, weights + max(0.0, manual))
