"""Scripts of the world as ranges for character classes, and the folding of letters that people type in several ways.

The ranges are strings, so that a module compiles its pattern when it needs one: such sets take milliseconds.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import filterfalse

KANA = "\u3005\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
"""Hiragana and katakana, with the mark that repeats a character."""
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HANGUL = "\uac00-\ud7af"
THAI_TO_KHMER = "\u0e00-\u109f\u1780-\u17ff"
"""Thai, Lao, Tibetan, Burmese and Khmer."""
CJK = KANA + HAN
"""Chinese and Japanese: about two characters make a word."""
CJK_PUNCTUATION = "\u3001-\u303f\uff01-\uff60"
UNSPACED = THAI_TO_KHMER + CJK
"""Scripts without spaces between words."""
AGGLUTINATED = UNSPACED + HANGUL
"""Scripts in which a space does not tell a word: Korean writes particles and words together."""
MODEL_WIDE = "\u3040-\u9fff\uac00-\ud7a3"
"""East Asian characters as the extraction model was trained to count them: a change asks for a new training."""

CYRILLIC = "\u0400-\u052f"
GREEK = "\u0370-\u03ff\u1f00-\u1fff"
HEBREW = "\u0590-\u05ff"
ARABIC = "\u0600-\u06ff"
DEVANAGARI = "\u0900-\u097f"
BENGALI = "\u0980-\u09ff"
TAMIL = "\u0b80-\u0bff"
THAI = "\u0e00-\u0e7f"
ARMENIAN = "\u0530-\u058f"
GEORGIAN = "\u10a0-\u10ff"


def separate_characters(text: str, script: str = UNSPACED) -> str:
    """Put spaces around each character of a script, so that each counts as a word."""
    return text if text.isascii() else _any_of(script).sub(r" \g<0> ", text)


def count_words(text: str) -> int:
    """The approximate number of words; two characters of Chinese or Japanese count as one."""
    return len(text.split()) + len(_any_of(CJK).findall(text)) // 2


def fold(text: str) -> str:
    """Lower case without accents, for comparison."""
    if text.isascii():
        return text.lower()
    # Composed again at the end: NFKD also takes the syllables of Korean apart.
    return unicodedata.normalize("NFC", strip_accents(text.casefold()))


def strip_accents(word: str) -> str:
    """The letters without their marks, decomposed as in NFKD."""
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", word)))


@cache
def _any_of(script: str) -> re.Pattern[str]:
    return re.compile(f"[{script}]")
