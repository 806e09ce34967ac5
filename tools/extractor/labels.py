"""Which blocks of a page are content, told from the text that should be extracted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from dowse.extract.html.content.dom_columns import Numbers
from tools.extractor.metrics import words

_SHINGLE = 4
# So much of what looks alike has to be content, and so many of its words, for the rest of it to be some as well.
_MOST = 0.7
_FEWEST_WORDS = 100


def shares(texts: Sequence[str], content: str) -> list[float]:
    """For each block the share of its words that belong to the content.

    Four words in a row that are in the content, too, are content, also across blocks. What a page says twice and
    the content once is counted where it stands in the longer run: teasers and tables of contents repeat headings.
    """
    tokens: list[str] = []
    owners: list[int] = []
    for number, text in enumerate(texts):
        found = words(text)
        tokens += found
        owners += [number] * len(found)
    covered = _covered(tokens, words(content))
    totals, hits = [0] * len(texts), [0] * len(texts)
    for owner, is_covered in zip(owners, covered, strict=True):
        totals[owner] += 1
        hits[owner] += is_covered
    return [hit / total if total else 0.0 for hit, total in zip(hits, totals, strict=True)]


def are_judged(found: Numbers, lengths: Numbers, alike: Numbers) -> Numbers:
    """For each block of a thread whether its truth says anything of it, given the share that was found there.

    That of a long thread ends after the first posts: what looks like them and comes behind its end is left open.
    """
    judged = np.ones(len(found), np.bool_)
    is_content = found > 0.5
    if not is_content.any():
        return judged
    end = int(np.flatnonzero(is_content)[-1]) + 1
    for look in np.unique(alike[:end]):
        members = alike == look
        before = members[:end]
        content = lengths[:end][before & is_content[:end]].sum()
        if content > max(_FEWEST_WORDS, _MOST * lengths[:end][before].sum()):
            judged[end:] &= ~members[end:]
    return judged


def _covered(tokens: list[str], truth: list[str]) -> list[bool]:
    width = min(_SHINGLE, len(truth))
    covered = [False] * len(tokens)
    if not width:
        return covered
    left = Counter(zip(*(truth[start:] for start in range(width)), strict=False))
    shingles = list(zip(*(tokens[start:] for start in range(width)), strict=False))
    for begin, end in sorted(_runs([shingle in left for shingle in shingles]), key=lambda run: run[0] - run[1]):
        for place in range(begin, end):
            if left[shingles[place]] > 0:
                left[shingles[place]] -= 1
                covered[place : place + width] = [True] * width
    return covered


def _runs(flags: list[bool]) -> list[tuple[int, int]]:
    runs, begin = [], None
    for place, flag in enumerate([*flags, False]):
        if flag and begin is None:
            begin = place
        elif not flag and begin is not None:
            runs.append((begin, place))
            begin = None
    return runs
