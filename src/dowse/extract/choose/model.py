"""The trained model, as `tools/train_extractor.py` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Self

import numpy as np

from dowse.extract.choose import texts
from dowse.extract.choose.forest import Forest
from dowse.extract.choose.network import Network, Page
from dowse.extract.choose.outline import Numbers

# How much the forest and the networks count. It is more than one in all: what both of them say is surer than either.
_FOREST, _NETWORKS = 0.7, 0.5
# The forest for threads counts as much as a page is likely to be one, and is not asked if that is unlikely.
_THREADS = 1.2
_LEAST_LIKELY = 0.15
# How much a post is judged by all of them.
_TOGETHER = 0.4
_WORDS = texts.COLUMNS.index("words")


@dataclass(frozen=True, slots=True)
class Model:
    """A forest for the kind of a page, and for its blocks another and a few networks.

    Trees and networks are wrong about different blocks, so together they are wrong about fewer. What is a comment
    elsewhere is content of a forum, so there is one more forest for the `threads` there.
    """

    kinds: Forest
    blocks: Forest
    networks: tuple[Network, ...] = ()
    threads: Forest | None = None

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
        scores = self.blocks.scores(rows)[:, 0]
        page = Page(rows, rows[:, _WORDS], alike)
        if self.networks:
            others = [network.scores(page) for network in self.networks]
            scores = _FOREST * scores + _NETWORKS * sum(others) / len(others)
        if self.threads is not None and forum >= _LEAST_LIKELY:
            scores += forum * (_THREADS * self.threads.scores(rows)[:, 0] - scores)
            together = page.groups.spread(page.groups.means(scores[:, None]))[:, 0]
            scores += forum * _TOGETHER * (together - scores)
        return np.asarray(1 / (1 + np.exp(-scores)))


@cache
def shipped() -> Model:
    """The model that comes with dowse."""
    return Model.load(resources.files(__package__).joinpath("model.npz").read_bytes())
