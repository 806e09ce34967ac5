"""How much each block of a page counts in training."""

from __future__ import annotations

import numpy as np

from dowse.extract.choose.outline import Numbers

# How much the length of a block counts, and how much that of its page: a short page is as much of a page.
_BLOCK_POWER, _PAGE_POWER = 0.7, 0.5


def weights(words: Numbers) -> Numbers:
    """The weight of each block, given how many words each has."""
    lengths = (words + 1) ** _BLOCK_POWER
    return np.asarray(lengths / lengths.sum() ** _PAGE_POWER)
