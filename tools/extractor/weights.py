"""How much each block of a page counts in training."""

from __future__ import annotations

import numpy as np

from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import FORUM
from tools.extractor.dataset import Example
from tools.extractor.labels import are_judged

# How much the length of a block counts, and how much that of its page: a short page is as much of a page.
_BLOCK_POWER, _PAGE_POWER = 0.7, 0.5


def weights(example: Example) -> Numbers:
    """The weight of each block of a page."""
    lengths = (example.words + 1) ** _BLOCK_POWER
    found = np.asarray(lengths / lengths.sum() ** _PAGE_POWER)
    if example.kind == FORUM:
        found *= are_judged(example.shares, example.words, example.alike)
    return found
