"""The words of a question that count, and how often a text has them, whatever their endings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

# Bounded, so that a page without blanks is many words and not one of megabytes; `MAX_TOKENS` is two words.
_WORD = re.compile(r"[^\W_]{1,40}")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_STEM_CHARS = 3
_PREFIX_CHARS = 2
_STOP = frozenset(
    _WORD.findall(
        "a about after all also am an and any are as at be because been before being between both but by can could "
        "did do does doing during each few for from further get had has have having he her here hers him his how i "
        "if in into is it its itself just many may me might more most much must my no nor not of off on once only "
        "or other our out over own please same shall she should so some such tell than that the their them then "
        "there these they this those through to too under until up us very was we were what when where which while "
        "who whom whose why will with would you your"
    )
)


class Terms:
    """The words of a question, numbered; words that every question has are left out if others remain."""

    def __init__(self, question: str) -> None:
        words = _WORD.findall(question.lower())
        telling = [word for word in words if word not in _STOP] or words
        stems = dict.fromkeys(stem for word in telling for stem in _stems(word))
        self._numbers = {stem: number for number, stem in enumerate(stems)}
        self._prefixes = {stem[:_PREFIX_CHARS] for stem in stems}

    def count(self, text: str) -> Counter[int]:
        """How often each word of the question is in a text."""
        numbers, prefixes = self._numbers, self._prefixes
        return Counter(
            numbers[stem]
            for word in _WORD.findall(text.lower())
            # Most words of a page have nothing to do with the question: they are not looked at any closer.
            if word[:_PREFIX_CHARS] in prefixes or not word.isascii()
            for stem in _stems(word)
            if stem in numbers
        )


def _stems(word: str) -> Iterator[str]:
    """A word without its ending; pairs of characters where words are written without blanks between them."""
    if word.isascii() or not _HAN.search(word):
        yield _stem(word)
    else:
        yield from (word[start : start + 2] for start in range(max(1, len(word) - 1)))


def _stem(word: str) -> str:
    """The word without plural, tense or adverb endings; crude, but the same for both sides."""
    if len(word) <= _STEM_CHARS:
        return word
    if word.endswith("ies") and len(word) > len("ties"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "ly", "ation", "ion", "er"):
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_CHARS:
            word = word[: -len(ending)]
            break
    if len(word) > _STEM_CHARS and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word[:-1] if len(word) > _STEM_CHARS and word[-1] in "ey" else word
