"""Finds pages that say the same as another one: mirrors, reprints and copies under other addresses."""

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
# Two short texts share a phrase easily.
_SHORT_WORDS = 40
# So much of the longer page has to be on the other one: an excerpt is no mirror, nor is a page with much of its own.
# Of two pages as long as each other it is a Jaccard similarity of 0.4.
_SHARED = 4 / 7
# Pages with the frame of one site or the same licence share much, and both have a stretch that is theirs alone.
_OWN_STRETCH = 0.2
# A shop says much of the same about each thing it sells: under other headings nearly all has to be the same.
# Of two pages as long as each other it is a Jaccard similarity of 0.9.
_NEARLY_ALL = 0.95
# So many numbers may be others where the words before them are the same: a date, or how often a page was read.
_FEW_NUMBERS = 2
_FEW_OF_THE_NUMBERS = 0.25
# So many shingles tell a share to a percent or two; of longer pages every second, fourth, ... is looked at.
_SAMPLE = 2000
_WORD = re.compile(r"[^\W_]{1,40}")
# A longer one is a paragraph that ran into it. Also a comment in code may look like one; a mirror has it as well.
_HEADING = re.compile(r"^ {0,3}#{1,6} {1,4}(\S.{0,200})$", re.MULTILINE)
_LINK_TARGET = re.compile(r"\]\([^()\s]{1,2000}\)")


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

    `size` is how many different ones the text has, and `beginning` its first words. `headings` are the words of each
    heading, and `numbers` those that stand behind the same two words.
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
        # The addresses of links are left out: a mirror has others.
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

    def is_twin_of(self, other: _Sketch) -> bool:
        if min(self.words, other.words) < _SHORT_WORDS:
            return self.words == other.words > 0 and self.beginning == other.beginning
        if min(self.words, other.words) < _SHARED * max(self.words, other.words):
            return False
        # Only those of the coarser sample are in both.
        shared = self.distinct & other.distinct
        step = max(self.step, other.step)
        share = len(shared) * step / max(self.size, other.size)
        if share < _SHARED or self._is_about_another_thing(other, share):
            return False
        stretches = (_own_stretch(_every(step, each.shingles), shared) for each in (self, other))
        return min(stretches) < _OWN_STRETCH

    def _is_about_another_thing(self, other: _Sketch, share: float) -> bool:
        """Whether the pages fill one form, with other headings or other numbers."""
        in_both = self.numbers.keys() & other.numbers.keys()
        changed = sum(self.numbers[before].isdisjoint(other.numbers[before]) for before in in_both)
        if self._has_first_heading_of(other) or other._has_first_heading_of(self):
            return changed > max(_FEW_NUMBERS, _FEW_OF_THE_NUMBERS * len(in_both))
        return changed > _FEW_NUMBERS or share < _NEARLY_ALL

    def _has_first_heading_of(self, other: _Sketch) -> bool:
        """Wherever it is, and also with the name of a site behind it; what has no heading asks for none."""
        return not other.headings or any(other.headings[0] <= heading for heading in self.headings)


def _codes(words: Sequence[str]) -> list[int]:
    codes = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
    return [codes[word] for word in words]


def _headings(text: str) -> tuple[frozenset[str], ...]:
    headings = (frozenset(_WORD.findall(heading)) for heading in _HEADING.findall(text))
    return tuple(filter(None, headings))


def _numbers(words: Sequence[str]) -> Mapping[tuple[str, ...], set[str]]:
    """The numbers by the two words before them; a number there counts as any."""
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for place, word in enumerate(words):
        if word[0].isdigit():
            before = words[max(0, place - 2) : place]
            found[tuple("0" if each[0].isdigit() else each for each in before)].add(word)
    return found


def _every(step: int, shingles: tuple[int, ...]) -> tuple[int, ...]:
    return shingles if step == 1 else tuple(shingle for shingle in shingles if shingle % step == 0)


def _own_stretch(shingles: Sequence[int], shared: frozenset[int]) -> float:
    """The longest stretch that the other page has not, as a share of the page."""
    runs = (sum(1 for _ in run) for is_shared, run in groupby(shingles, lambda each: each in shared) if not is_shared)
    return max(runs, default=0) / len(shingles)
