"""The language of a text by its script and its small words, and how the endings of its words are cut off."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from dowse.language.stopwords import ENGLISH, STOP_WORDS

# So many words tell a language; a page is looked at in no more of them.
_SAMPLE = 400
# English has more small words than this, and most pages are in English: the others need not be counted.
_SURELY = 0.2
_LEAST = 0.06
_SCRIPTS = (
    (re.compile("[\u0400-\u052f]"), ("russian",)),
    (re.compile("[\u0600-\u06ff]"), ("arabic", "persian")),
    (re.compile("[\u0900-\u097f]"), ("hindi",)),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), ("greek",)),
    (re.compile("[\u0b80-\u0bff]"), ("tamil",)),
    (re.compile("[\u0530-\u058f]"), ("armenian",)),
)
_LATIN = tuple(name for name in STOP_WORDS if name not in {other for _, names in _SCRIPTS for other in names})
_NO_STEMMER = frozenset({"vietnamese"})

Stem = Callable[[Sequence[str]], list[str]]


def language_of(words: Sequence[str]) -> str:
    """The name of the language that a text in these words is in; empty if it is none that is known here."""
    step = max(1, len(words) // _SAMPLE)
    sample = words[::step]
    if _share(sample, ENGLISH) > _SURELY:
        return "english"
    for script, names in _SCRIPTS:
        if 2 * sum(1 for word in sample if script.match(word)) > len(sample):
            return max(names, key=lambda name: _share(sample, STOP_WORDS.get(name, ())))
    best = max(_LATIN, key=lambda name: _share(sample, STOP_WORDS[name]))
    return best if _share(sample, STOP_WORDS[best]) > _LEAST else ""


def _share(sample: Sequence[str], stop_words: Iterable[str]) -> float:
    return sum(word in stop_words for word in sample) / max(1, len(sample))


@cache
def stemmer(language: str) -> Stem:
    """Cuts the endings off words: two words of one stem are taken for the same."""
    if language and language not in _NO_STEMMER:
        import Stemmer

        stem: Stem = Stemmer.Stemmer(language).stemWords
        return stem
    return _without_endings


def without_accents(word: str) -> str:
    """The word in plain letters, as people type it who have no others on their keyboard."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))


def _without_endings(words: Sequence[str]) -> list[str]:
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]
