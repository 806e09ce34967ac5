"""The trained model, as `tools/train_extractor.py` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO
from typing import Self

import numpy as np

from dowse.extract.choose.forest import Forest
from dowse.extract.choose.outline import Numbers


@dataclass(frozen=True, slots=True)
class Model:
    """One forest for the kind of a page, and one for its blocks."""

    kinds: Forest
    blocks: Forest

    @classmethod
    def load(cls, data: bytes) -> Self:
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            every = {name: arrays[name] for name in arrays.files}
        return cls(*(Forest.load(every, name) for name in ("kinds", "blocks")))

    def kinds_of(self, page: Numbers) -> Numbers:
        """How likely a page is of each kind."""
        return np.asarray(self.kinds.probabilities(page[None, :])[0])


@cache
def shipped() -> Model:
    """The model that comes with dowse."""
    return Model.load(resources.files(__package__).joinpath("model.npz").read_bytes())
