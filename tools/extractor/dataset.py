"""Pages as the model sees them, with the truth beside it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from dowse.extract.decode import decode
from dowse.extract.html.content import features
from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import KINDS
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from tools.extractor.data import Sample
from tools.extractor.labels import shares

_WORKERS = 2


@dataclass(slots=True)
class Example:
    """One page: a row for each block, one for the page, and for each block the share of it that is content."""

    name: str
    url: str
    kind: int
    fold: int
    blocks: Numbers
    page: Numbers
    alike: Numbers
    shares: Numbers
    kinds: Numbers
    """How likely the page is of each kind; filled by a model that has not seen it."""

    @property
    def words(self) -> Numbers:
        return self.blocks[:, features.WORDS]


def examples(samples: Sequence[Sample]) -> list[Example]:
    """The pages that have any text, in their order."""
    with ProcessPoolExecutor(_WORKERS) as workers:
        made = workers.map(_example, samples, chunksize=16)
        return [example for example in made if example is not None]


def _example(sample: Sample) -> Example | None:
    tree = build(cap_markup(decode(sample.html)))
    blocks = cut_blocks(tree)
    if not blocks:
        return None
    found = features.measure(tree, blocks, sample.url)
    truth = shares([block.text for block in blocks], sample.content)
    return Example(
        sample.name,
        sample.url,
        KINDS.index(sample.kind),
        sample.fold,
        found.blocks,
        found.page,
        found.alike,
        np.array(truth, np.float32),
        np.zeros(len(KINDS), np.float32),
    )
