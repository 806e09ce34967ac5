"""Words of a text in any script, and their stems; pairs of characters where no spaces stand between words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from dowse.language.scripts import AGGLUTINATED, HAN

# Digits and lower-case letters from Latin to Cherokee, listed because that is faster than `\w`. Bounded, so that a
# page without spaces is many words and not one of megabytes; `MAX_TOKENS` is two words.
_PLAIN = re.compile(
    "[0-9a-z\u00aa\u00b5\u00ba\u00df-\u00f6\u00f8-\u02af\u0370-\u0556\u0560-\u0588\u05d0-\u05f2\u0620-\u064a"
    "\u0660-\u0669\u0671-\u06d3\u10a0-\u10ff\u1200-\u135a\u13a0-\u1c7f\u1d00-\u1dbf\u1e00-\u1fff\u2c00-\u2dff]{1,40}"
)
# Combining vowel signs and accents are part of a word, although `\w` does not match them.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e3a\u0e40-\u0e4e\u0eb0-\u0ecd\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u200c\u200d"
)
_MARKED = re.compile(rf"[\w{_MARKS}]{{1,40}}")
_RUN = re.compile(f"[{AGGLUTINATED}]{{1,40}}|[^{AGGLUTINATED}]{{1,40}}")
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_EAST_ASIAN = "\u3000"
_NOT_PLAIN = re.compile(f"[{_MARKS}{AGGLUTINATED}]")
_AGGLUTINATED = re.compile(f"[{AGGLUTINATED}]")
_LINK_TARGET = re.compile(r"\]\([^()\s]{1,2000}\)")
# Question words of scripts without spaces, removed before the question is split. Longer runs of hiragana are grammar.
_QUESTION_WORDS = re.compile(
    "[ぁ-ん]{3,40}|为什么|為什麼|什么|什麼|多少|多长|多久|怎么|怎麼|怎样|哪个|哪里|哪裡|哪些|吗|呢"
    "|어떻게|얼마나|얼마|무엇|무슨|어디|언제|누구|나요|습니까|인가요|합니까|됩니까"
    "|เท่าไร|เท่าไหร่|อะไร|อย่างไร|ที่ไหน|เมื่อไร|เมื่อไหร่|ทำไม|ใคร|ไหม"
)
_WITHOUT_STEMMER = frozenset({"vietnamese"})

Splitter = Callable[[str], list[str]]
Stem = Callable[[Sequence[str]], list[str]]


def choose_splitter(text: str) -> Splitter:
    """The fastest function that splits texts in the scripts of this one into words."""
    return _split_words if _NOT_PLAIN.search(text) else _split_plain_words


def split_question(question: str, split: Splitter) -> list[str]:
    """The words of a question, without the question words of scripts that have no spaces."""
    return split(_QUESTION_WORDS.sub(" ", question)) or split(question)


@cache
def load_stemmer(language: str) -> Stem:
    """The Snowball stemmer of a language; else a function that cuts off a plural `s`."""
    if language and language not in _WITHOUT_STEMMER:
        import Stemmer

        stem: Stem = Stemmer.Stemmer(language).stemWords
        return stem
    return _strip_plurals


def _split_plain_words(text: str) -> list[str]:
    return _PLAIN.findall(_strip_link_targets(text).lower())


def _split_words(text: str) -> list[str]:
    words: list[str] = []
    for word in _MARKED.findall(_strip_link_targets(text).lower().replace("_", " ")):
        if word.isascii() or not _AGGLUTINATED.search(word):
            words.append(word)
            continue
        for run in _RUN.findall(word):
            words += _grams(run) if _AGGLUTINATED.match(run) else [run]
    return words


def _strip_link_targets(text: str) -> str:
    return _LINK_TARGET.sub("]", text) if "](" in text else text


def _grams(run: str) -> list[str]:
    """Bigrams, and single Chinese characters, each of which has a meaning; trigrams of scripts of half syllables."""
    size = 2 if run[0] > _EAST_ASIAN else 3
    grams = [run[at : at + size] for at in range(max(1, len(run) - size + 1))]
    return grams + _HAN_CHARACTER.findall(run)


def _strip_plurals(words: Sequence[str]) -> list[str]:
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]
