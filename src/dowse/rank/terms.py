"""The words of a question that count, and the words of a page that stand for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from dowse.language.scripts import strip_accents
from dowse.language.stopwords import COMMON, ENGLISH, STOP_WORDS
from dowse.language.words import load_stemmer
from dowse.rank.synonyms import synonyms

# Nobody asks with more words; what is pasted behind them would only take time.
_MOST_TERMS = 64
# Nothing is looked for in words that begin in another way.
_BEGINNING = 2
# Words of nearly one meaning: cost and price, begin and began.
_KINSHIP = 0.45
# Words that begin alike may be of one family: colony and colonial, invade and invasion.
_FAMILY_BEGINNING = 4
_FAMILY_SHARE, _FAMILY_CHARS = 0.6, 5
_FAMILY = 0.3
# What is not on the page may be spelled otherwise there, or be part of a longer word: fibre, colour, e-book.
_SPELLED_ALIKE = 0.5
_ALIKE_SHARE, _ALIKE_CHARS = 0.75, 5
_PART_CHARS = 4
# What a word tells before it is known how rare it is on the page.
_COMMON, _SINGLE, _CODE = 0.6, 0.7, 1.3
_HAS_DIGIT = re.compile(r"\d")


class Match(NamedTuple):
    """Which word of the question a word of the page stands for, and how surely."""

    term: int
    strength: float


class Terms:
    """The words of a question, numbered; words that every question has are left out if others remain."""

    def __init__(self, words: Sequence[str], language: str) -> None:
        self._language = language
        small = ENGLISH | STOP_WORDS.get(language, frozenset())
        telling = [word for word in words if word not in small] or list(words)
        by_key: dict[str, str] = {}
        for word, key in zip(telling, self._keys(telling), strict=True):
            by_key.setdefault(key, word)
        self.words = tuple(by_key.values())[:_MOST_TERMS]
        self.weights = tuple(map(_weight, self.words))
        self._numbers = {key: number for number, key in enumerate(list(by_key)[:_MOST_TERMS])}

    def matches(self, vocabulary: Collection[str]) -> dict[str, Match]:
        """For the words of a page that have to do with the question, the word that they stand for."""
        exact = {key: Match(number, 1.0) for key, number in self._numbers.items()}
        keys = self._kindred() | exact
        beginnings = {word[:_BEGINNING] for word in (*keys, *self.words)}
        # Most words of a page have nothing to do with the question: they are not looked at any closer.
        near = [word for word in vocabulary if word[:_BEGINNING] in beginnings or not word.isascii()]
        families = self._families()
        found: dict[str, Match] = {}
        for word, key in zip(near, self._keys(near), strict=True):
            if key in keys:
                found[word] = keys[key]
            elif word[:_FAMILY_BEGINNING] in families:
                found.update(_relative(word, families[word[:_FAMILY_BEGINNING]]))
        on_page = {match.term for match in found.values() if match.strength == 1.0}
        for number, word in enumerate(self.words):
            if number not in on_page:
                match = Match(number, _SPELLED_ALIKE)
                found.update((other, match) for other in _spelled_alike(word, vocabulary) if other not in found)
        return found

    def _keys(self, words: Sequence[str]) -> list[str]:
        """What two forms of a word have in common."""
        return [stem if stem.isascii() else strip_accents(stem) for stem in load_stemmer(self._language)(words)]

    def _kindred(self) -> dict[str, Match]:
        if self._language != "english":
            return {}
        related = synonyms()
        return {
            other: Match(number, _KINSHIP) for key, number in self._numbers.items() for other in related.get(key, ())
        }

    def _families(self) -> dict[str, list[tuple[int, str]]]:
        """The words of the question by their beginning."""
        families: dict[str, list[tuple[int, str]]] = {}
        for number, word in enumerate(self.words):
            if len(word) >= _FAMILY_BEGINNING:
                families.setdefault(word[:_FAMILY_BEGINNING], []).append((number, word))
        return families


def _relative(word: str, family: Sequence[tuple[int, str]]) -> Iterator[tuple[str, Match]]:
    for number, asked in family:
        shared, longest = _shared(word, asked), max(len(word), len(asked))
        if shared >= _FAMILY_CHARS or shared >= _FAMILY_SHARE * longest:
            yield word, Match(number, _FAMILY)
            return


def _spelled_alike(asked: str, vocabulary: Collection[str]) -> Iterator[str]:
    """Words that contain this one or are contained in it, or differ from it in a letter or two."""
    size, first = len(asked), asked[0]
    if size < _ALIKE_CHARS or not asked.isalpha():
        return
    parts = {asked[:end] for end in range(_PART_CHARS, size)} | {asked[at:] for at in range(1, size - _PART_CHARS)}
    for word in vocabulary:
        if word in parts or asked in word:
            yield word
        elif word[0] == first and abs(len(word) - size) <= 2 and len(word) >= _PART_CHARS:
            same, longest = _shared(asked, word) + _shared(asked[::-1], word[::-1]), max(size, len(word))
            if (longest > _ALIKE_CHARS and same >= _ALIKE_SHARE * longest) or sorted(asked) == sorted(word):
                yield word


def _shared(one: str, other: str) -> int:
    """How many characters two words have in common at their beginning."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return count
    return min(len(one), len(other))


def _weight(word: str) -> float:
    if word in COMMON:
        return _COMMON
    if len(word) == 1 and not word.isascii():
        return _SINGLE
    return _CODE if _HAS_DIGIT.search(word) else 1.0
