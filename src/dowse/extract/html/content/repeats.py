"""What a page says twice: once for wide and once for narrow screens, or a post and what answers quote of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dowse.extract.html.content.blocks import Block
from dowse.extract.html.content.outline import Numbers

# Anything shorter may well be said twice.
_FEWEST_WORDS = 5
# Code and data mean what they say, each time.
_VERBATIM = frozenset({"pre", "table", "dl"})


def without(blocks: Sequence[Block], words: Numbers, kept: Numbers) -> Numbers:
    """The blocks to keep without those that say what one before them has said, somewhere else on the page.

    A refrain stands beside its first: within an element, everything is said as often as it is written.
    """
    found = kept.copy()
    said: dict[str, Block] = {}
    for number in np.flatnonzero(kept & (words >= _FEWEST_WORDS)).tolist():
        block = blocks[number]
        first = said.setdefault(block.text, block)
        if first is not block and first.container.parent is not block.container.parent:
            found[number] = _is_verbatim(block)
    return found


def _is_verbatim(block: Block) -> bool:
    return block.container.tag in _VERBATIM or any(above.tag in _VERBATIM for above in block.container.ancestors())
