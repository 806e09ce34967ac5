"""A text in words, whatever it is written in; pairs of characters where no blanks are between words."""

from __future__ import annotations

import re
from collections.abc import Callable

# Digits and small letters from Latin to Cherokee, named because that is quicker than to ask what a letter is. Bounded,
# so that a page without blanks is many words and not one of megabytes; `MAX_TOKENS` is two words.
_PLAIN = re.compile(
    "[0-9a-z\u00aa\u00b5\u00ba\u00df-\u00f6\u00f8-\u02af\u0370-\u0556\u0560-\u0588\u05d0-\u05f2\u0620-\u064a"
    "\u0660-\u0669\u0671-\u06d3\u10a0-\u10ff\u1200-\u135a\u13a0-\u1c7f\u1d00-\u1dbf\u1e00-\u1fff\u2c00-\u2dff]{1,40}"
)
# Vowel signs and accents that stand alone are part of a word, although Python does not count them as letters.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e3a\u0e40-\u0e4e\u0eb0-\u0ecd\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u200c\u200d"
)
_MARKED = re.compile(rf"[\w{_MARKS}]{{1,40}}")
_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]{{1,40}}|[^{_UNSPACED}]{{1,40}}")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_EAST_ASIAN = "\u3000"
_NOT_PLAIN = re.compile(f"[{_MARKS}{_UNSPACED}]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
# What a link leads to is not read by anybody.
_TARGET = re.compile(r"\]\([^()\s]{1,2000}\)")

# Where words are not told apart, those that every question has have to go before it is divided. Longer stretches of
# hiragana are grammar.
_QUESTION_WORDS = re.compile(
    "[ぁ-ん]{3,40}|为什么|為什麼|什么|什麼|多少|多长|多久|怎么|怎麼|怎样|哪个|哪里|哪裡|哪些|吗|呢"
    "|어떻게|얼마나|얼마|무엇|무슨|어디|언제|누구|나요|습니까|인가요|합니까|됩니까"
    "|เท่าไร|เท่าไหร่|อะไร|อย่างไร|ที่ไหน|เมื่อไร|เมื่อไหร่|ทำไม|ใคร|ไหม"
)

Splitter = Callable[[str], list[str]]


def splitter(text: str) -> Splitter:
    """The quickest way to take a text apart that is written in this way."""
    return _words if _NOT_PLAIN.search(text) else _plain_words


def asked_words(question: str, split: Splitter) -> list[str]:
    """The words of a question, without those that every question has in scripts that do not tell words apart."""
    return split(_QUESTION_WORDS.sub(" ", question)) or split(question)


def _plain_words(text: str) -> list[str]:
    return _PLAIN.findall(_visible(text).lower())


def _words(text: str) -> list[str]:
    words: list[str] = []
    for word in _MARKED.findall(_visible(text).lower().replace("_", " ")):
        if word.isascii() or not _IS_UNSPACED.search(word):
            words.append(word)
            continue
        for run in _RUN.findall(word):
            words += _grams(run) if _IS_UNSPACED.match(run) else [run]
    return words


def _visible(text: str) -> str:
    return _TARGET.sub("]", text) if "](" in text else text


def _grams(run: str) -> list[str]:
    """Pairs of characters, and single ones where each has a meaning; three of them where most are half a syllable."""
    size = 2 if run[0] > _EAST_ASIAN else 3
    grams = [run[at : at + size] for at in range(max(1, len(run) - size + 1))]
    return grams + _HAN.findall(run)
