"""Finds pages that say the same as another one: mirrors, reprints and copies under other addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from zlib import crc32

_LOOKED_AT = 200_000
_SHINGLE_WORDS = 4
# Two short texts share a phrase easily.
_SHORT_WORDS = 40
# So much of the longer page has to be on the other one: an excerpt is no mirror, nor is a page with much of its own.
# Of two pages as long as each other it is a Jaccard similarity of 0.4.
_SHARED = 4 / 7
# Pages with the frame of one site or the same licence share much, and both have a stretch that is theirs alone.
_OWN_STRETCH = 0.2
# So many shingles tell a share to a percent or two; of longer pages every second, fourth, ... is looked at.
_SAMPLE = 2000
_WORD = re.compile(r"[^\W_]{1,40}")
_LINK_TARGET = re.compile(r"\]\([^()\s]{1,2000}\)")
# Thai, Lao, Myanmar, Khmer, kana and Chinese characters: no blanks tell words, so each character is taken for one.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def twins(texts: Sequence[str]) -> list[int | None]:
    """For each page the index of the first earlier one that says the same, if there is one.

    A page that has a twin is nobody's twin: those that say the same all have the first of them.
    """
    found: list[int | None] = []
    sketches: list[_Sketch] = []
    for text in texts:
        sketch = _Sketch.of(text)
        same = (number for number, twin in enumerate(found) if twin is None and sketch.is_twin_of(sketches[number]))
        found.append(next(same, None))
        sketches.append(sketch)
    return found


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A sample of the shingles of a text, in their order: those whose number is divided by the step.

    `size` is how many different ones the text has, and `beginning` its first words.
    """

    words: int
    beginning: tuple[int, ...]
    size: int
    step: int
    shingles: tuple[int, ...]
    distinct: frozenset[int]

    @classmethod
    def of(cls, text: str) -> _Sketch:
        codes = _word_codes(text)
        # The hash of a tuple of numbers is the same in every process.
        shingles = tuple(map(hash, zip(*(codes[start:] for start in range(_SHINGLE_WORDS)), strict=False)))
        step, size = 1, len(set(shingles))
        while size > step * _SAMPLE:
            step *= 2
        sample = _every(step, shingles)
        return cls(len(codes), tuple(codes[:_SHORT_WORDS]), size, step, sample, frozenset(sample))

    def is_twin_of(self, other: _Sketch) -> bool:
        if min(self.words, other.words) < _SHORT_WORDS:
            return self.words == other.words > 0 and self.beginning == other.beginning
        if min(self.words, other.words) < _SHARED * max(self.words, other.words):
            return False
        # Only those of the coarser sample are in both.
        shared = self.distinct & other.distinct
        step = max(self.step, other.step)
        if not shared or len(shared) * step < _SHARED * max(self.size, other.size):
            return False
        stretches = (_own_stretch(_every(step, each.shingles), shared) for each in (self, other))
        return min(stretches) < _OWN_STRETCH


def spaced(text: str) -> str:
    """The text with blanks around each character of a script that has none between words."""
    return text if text.isascii() else _UNSPACED.sub(r" \g<0> ", text)


def _word_codes(text: str) -> list[int]:
    """The words as numbers, without the addresses of links: a mirror has others."""
    words = _WORD.findall(spaced(_LINK_TARGET.sub("]", text[:_LOOKED_AT].lower())))
    codes = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
    return [codes[word] for word in words]


def _every(step: int, shingles: tuple[int, ...]) -> tuple[int, ...]:
    return shingles if step == 1 else tuple(shingle for shingle in shingles if shingle % step == 0)


def _own_stretch(shingles: Sequence[int], shared: frozenset[int]) -> float:
    """The longest stretch that the other page has not, as a share of the page."""
    runs = (sum(1 for _ in run) for is_shared, run in groupby(shingles, lambda each: each in shared) if not is_shared)
    return max(runs, default=0) / len(shingles)
