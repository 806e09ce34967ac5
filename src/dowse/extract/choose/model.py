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
_WORDS = texts.COLUMNS.index("words")


@dataclass(frozen=True, slots=True)
class Model:
    """A forest for the kind of a page, and for its blocks another and a few networks.

    Trees and networks are wrong about different blocks, so together they are wrong about fewer.
    """

    kinds: Forest
    blocks: Forest
    networks: tuple[Network, ...] = ()

    @classmethod
    def load(cls, data: bytes) -> Self:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            every = {name: arrays[name] for name in arrays.files}
        count = sum(name.endswith("_last_bias") for name in every)
        networks = tuple(Network.load(every, f"network{number}") for number in range(count))
        return cls(Forest.load(every, "kinds"), Forest.load(every, "blocks"), networks)

    def kinds_of(self, page: Numbers) -> Numbers:
        """How likely a page is of each kind."""
        return np.asarray(self.kinds.probabilities(page[None, :])[0])

    def probabilities(self, rows: Numbers, alike: Numbers) -> Numbers:
        """How likely each block of a page is content; those with the same number in `alike` look alike."""
        scores = self.blocks.scores(rows)[:, 0]
        if self.networks:
            page = Page(rows, rows[:, _WORDS], alike)
            others = [network.scores(page) for network in self.networks]
            scores = _FOREST * scores + _NETWORKS * sum(others) / len(others)
        return np.asarray(1 / (1 + np.exp(-scores)))


@cache
def shipped() -> Model:
    """The model that comes with dowse."""
    return Model.load(resources.files(__package__).joinpath("model.npz").read_bytes())
