"""The trained model, as `tools/train_extractor.py` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Self

import numpy as np

from dowse.extract.html.content import features
from dowse.extract.html.content.forest import Forest
from dowse.extract.html.content.network import Network, Page
from dowse.extract.html.content.outline import Numbers

# How much trees and networks count; of trees, those for threads more, because they are surer.
_TREES, _NETWORKS = 0.6, 0.4
_THREADS = 1.2
# A second opinion takes time, and changes little where there is no doubt. Trees are not asked about a block that
# networks are so sure of, and one network does for a page unless so much of its text is in doubt.
_SURE = 4.0
_IN_DOUBT = 2.0
_MUCH = 0.2
# Below this, a page is no thread.
_LEAST_LIKELY = 0.15
# How much a post is judged by all of them.
_TOGETHER = 0.3


@dataclass(frozen=True, slots=True)
class Model:
    """A forest for the kind of a page, and for its blocks another and a few networks.

    Trees and networks are wrong about different blocks, so together they are wrong about fewer. What is a comment
    elsewhere is content of a forum, so there is one more forest for the `threads` there.
    """

    kinds: Forest
    blocks: Forest
    networks: tuple[Network, ...]
    threads: Forest

    @classmethod
    def load(cls, data: bytes) -> Self:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            every = {name: arrays[name] for name in arrays.files}
        count = sum(name.endswith("_last_bias") for name in every)
        networks = tuple(Network.load(every, f"network{number}") for number in range(count))
        kinds, blocks, threads = (Forest.load(every, name) for name in ("kinds", "blocks", "threads"))
        return cls(kinds, blocks, networks, threads)

    def kinds_of(self, page: Numbers) -> Numbers:
        """How likely a page is of each kind."""
        return np.asarray(self.kinds.probabilities(page[None, :])[0])

    def probabilities(self, rows: Numbers, alike: Numbers, forum: float = 0.0) -> Numbers:
        """How likely each block of a page is content, which is itself so likely one of a `forum`.

        Blocks with the same number in `alike` look alike.
        """
        words = rows[:, features.WORDS]
        page = Page(rows, words, alike)
        scores = self._networks(page, words)
        doubtful = np.flatnonzero(np.abs(scores) < _SURE)
        if len(doubtful):
            scores[doubtful] = _NETWORKS * scores[doubtful] + _TREES * self._trees(rows[doubtful], forum)
        if forum >= _LEAST_LIKELY:
            together = page.groups.spread(page.groups.means(scores[:, None]))[:, 0]
            scores += forum * _TOGETHER * (together - scores)
        return np.asarray(1 / (1 + np.exp(-scores)))

    def _networks(self, page: Page, words: Numbers) -> Numbers:
        """What the first network says, or the mean of all."""
        first, *others = self.networks
        scores = first.scores(page)
        if words[np.abs(scores) < _IN_DOUBT].sum() > _MUCH * words.sum():
            scores = np.mean([scores, *(other.scores(page) for other in others)], 0)
        return scores

    def _trees(self, rows: Numbers, forum: float) -> Numbers:
        """What the forests say; that for threads as much as the page is likely to be one."""
        scores = self.blocks.scores(rows)[:, 0]
        if forum >= _LEAST_LIKELY:
            scores += forum * (_THREADS * self.threads.scores(rows)[:, 0] - scores)
        return scores


@cache
def shipped() -> Model:
    """The model that comes with dowse."""
    return Model.load(resources.files(__package__).joinpath("model.npz").read_bytes())
