"""Near-duplicate detection by shingles: mirrors, reprints and copies under other addresses."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from zlib import crc32

from dowse.language.scripts import separate_characters

_LOOKED_AT = 200_000
_SHINGLE_WORDS = 4
# Shorter texts share a phrase easily; they have to be equal.
_SHORT_WORDS = 40
# The share of the longer page that the other one must have: neither an excerpt nor a page with much text of its own is
# a mirror. For pages of equal length it is a Jaccard similarity of 0.4.
_SHARED = 4 / 7
# Pages with the boilerplate of one site or the same licence share much, and each has a stretch of its own.
_OWN_STRETCH = 0.2
# Product pages of a shop share much text: under other headings nearly all has to be equal.
# For pages of equal length it is a Jaccard similarity of 0.9.
_NEARLY_ALL = 0.95
# Numbers that may differ behind equal words: a date, a count of views.
_FEW_NUMBERS = 2
_FEW_OF_THE_NUMBERS = 0.25
# Enough shingles for a share within one or two percent; of longer pages every second, fourth, ... one is taken.
_SAMPLE = 2000
_WORD = re.compile(r"[^\W_]{1,40}")
# A longer line is a paragraph. A comment in code may match as well; a mirror has it too.
_HEADING = re.compile(r"^ {0,3}#{1,6} {1,4}(\S.{0,200})$", re.MULTILINE)
_LINK_TARGET = re.compile(r"\]\([^()\s]{1,2000}\)")


def find_near_duplicates(texts: Sequence[str]) -> list[int | None]:
    """For each page the index of the earlier one that it duplicates, if any.

    All pages of a group of near-duplicates refer to the first of them.
    """
    found: list[int | None] = []
    sketches: list[_Sketch] = []
    for text in texts:
        sketch = _Sketch.of(text)
        same = (
            number
            for number, duplicate_of in enumerate(found)
            if duplicate_of is None and sketch.is_near_duplicate_of(sketches[number])
        )
        found.append(next(same, None))
        sketches.append(sketch)
    return found


@dataclass(frozen=True, slots=True)
class _Sketch:
    """A sample of the shingles of a text in their order: the ones with a hash divisible by `step`.

    `size` is the number of distinct shingles of the text, `beginning` its first words. `headings` has the words of each
    heading, and `numbers` the numbers by the two words before them.
    """

    words: int
    beginning: tuple[int, ...]
    size: int
    step: int
    shingles: tuple[int, ...]
    distinct: frozenset[int]
    headings: tuple[frozenset[str], ...]
    numbers: Mapping[tuple[str, ...], set[str]]

    @classmethod
    def of(cls, text: str) -> _Sketch:
        # Without link targets: a mirror has others.
        plain = separate_characters(_LINK_TARGET.sub("]", text[:_LOOKED_AT].lower()))
        words = _WORD.findall(plain)
        codes = _codes(words)
        # The hash of a tuple of numbers is the same in every process.
        shingles = tuple(map(hash, zip(*(codes[start:] for start in range(_SHINGLE_WORDS)), strict=False)))
        step, size = 1, len(set(shingles))
        while size > step * _SAMPLE:
            step *= 2
        sample = _every(step, shingles)
        beginning = tuple(codes[:_SHORT_WORDS])
        return cls(len(codes), beginning, size, step, sample, frozenset(sample), _headings(plain), _numbers(words))

    def is_near_duplicate_of(self, other: _Sketch) -> bool:
        if min(self.words, other.words) < _SHORT_WORDS:
            return self.words == other.words > 0 and self.beginning == other.beginning
        if min(self.words, other.words) < _SHARED * max(self.words, other.words):
            return False
        # Only shingles of the coarser sample are in both.
        shared = self.distinct & other.distinct
        step = max(self.step, other.step)
        share = len(shared) * step / max(self.size, other.size)
        if share < _SHARED or self._is_about_another_thing(other, share):
            return False
        stretches = (_own_stretch(_every(step, each.shingles), shared) for each in (self, other))
        return min(stretches) < _OWN_STRETCH

    def _is_about_another_thing(self, other: _Sketch, share: float) -> bool:
        """Whether the pages fill one template, with other headings or other numbers."""
        in_both = self.numbers.keys() & other.numbers.keys()
        changed = sum(self.numbers[before].isdisjoint(other.numbers[before]) for before in in_both)
        if self._has_first_heading_of(other) or other._has_first_heading_of(self):
            return changed > max(_FEW_NUMBERS, _FEW_OF_THE_NUMBERS * len(in_both))
        return changed > _FEW_NUMBERS or share < _NEARLY_ALL

    def _has_first_heading_of(self, other: _Sketch) -> bool:
        """Whether a heading has all words of the other page's first one; true if that has none."""
        return not other.headings or any(other.headings[0] <= heading for heading in self.headings)


def _codes(words: Sequence[str]) -> list[int]:
    codes = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
    return [codes[word] for word in words]


def _headings(text: str) -> tuple[frozenset[str], ...]:
    headings = (frozenset(_WORD.findall(heading)) for heading in _HEADING.findall(text))
    return tuple(filter(None, headings))


def _numbers(words: Sequence[str]) -> Mapping[tuple[str, ...], set[str]]:
    """The numbers by the two words before them; other numbers among these count as equal."""
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for place, word in enumerate(words):
        if word[0].isdigit():
            before = words[max(0, place - 2) : place]
            found[tuple("0" if each[0].isdigit() else each for each in before)].add(word)
    return found


def _every(step: int, shingles: tuple[int, ...]) -> tuple[int, ...]:
    return shingles if step == 1 else tuple(shingle for shingle in shingles if shingle % step == 0)


def _own_stretch(shingles: Sequence[int], shared: frozenset[int]) -> float:
    """The longest stretch without shared shingles, as a share of the page."""
    runs = (sum(1 for _ in run) for is_shared, run in groupby(shingles, lambda each: each in shared) if not is_shared)
    return max(runs, default=0) / len(shingles)
