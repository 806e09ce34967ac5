"""Language detection: by script, and by the stop words of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dowse.language import scripts
from dowse.language.stopwords import ENGLISH, STOP_WORDS

# More words do not change the answer.
_SAMPLE_WORDS = 400
# Above this share of English stop words the other languages need not be counted; most pages are in English.
_CERTAIN_SHARE = 0.2
_MIN_SHARE = 0.06
_BY_SCRIPT = (
    (re.compile(f"[{scripts.CYRILLIC}]"), ("russian",)),
    (re.compile(f"[{scripts.ARABIC}]"), ("arabic", "persian")),
    (re.compile(f"[{scripts.DEVANAGARI}]"), ("hindi",)),
    (re.compile(f"[{scripts.GREEK}]"), ("greek",)),
    (re.compile(f"[{scripts.TAMIL}]"), ("tamil",)),
    (re.compile(f"[{scripts.ARMENIAN}]"), ("armenian",)),
)
_LATIN = tuple(name for name in STOP_WORDS if name not in {other for _, names in _BY_SCRIPT for other in names})
# In this order: the other characters of Japanese are Chinese ones.
_TAGS_BY_SCRIPT = (
    ("ja", scripts.KANA),
    ("ko", scripts.HANGUL),
    ("zh", scripts.HAN),
    ("ru", scripts.CYRILLIC),
    ("el", scripts.GREEK),
    ("he", scripts.HEBREW),
    ("ar", scripts.ARABIC),
    ("hi", scripts.DEVANAGARI),
    ("th", scripts.THAI),
)
_UKRAINIAN = re.compile("[іїєґ]")
# For queries: kana before Han, which Japanese uses as well. Formulas contain single letters of other scripts, Greek
# ones in pairs.
_QUERY_SCRIPTS = (
    ("ja", f"[{scripts.KANA}]"),
    ("ko", f"[{scripts.HANGUL}\u1100-\u11ff]"),
    ("zh", f"[{scripts.HAN}]"),
    ("uk", "[іїєґІЇЄҐ]"),
    ("ru", f"[{scripts.CYRILLIC}]{{2}}"),
    ("el", f"[{scripts.GREEK}]{{3}}"),
    ("he", f"[{scripts.HEBREW}]{{2}}"),
    ("fa", "[پچژگ]"),
    ("ar", f"[{scripts.ARABIC}]{{2}}"),
    ("hi", f"[{scripts.DEVANAGARI}]{{2}}"),
    ("bn", f"[{scripts.BENGALI}]{{2}}"),
    ("ta", f"[{scripts.TAMIL}]{{2}}"),
    ("th", f"[{scripts.THAI}]{{2}}"),
    ("hy", f"[{scripts.ARMENIAN}]{{2}}"),
    ("ka", f"[{scripts.GEORGIAN}]{{2}}"),
)
_MIN_SCRIPT_SHARE = 0.3
# Kana among Chinese characters are enough for Japanese.
_MIN_KANA_SHARE = 0.05
_TAGS = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "portuguese": "pt", "italian": "it",
    "dutch": "nl", "swedish": "sv", "danish": "da", "norwegian": "no", "finnish": "fi", "turkish": "tr",
    "polish": "pl", "czech": "cs", "hungarian": "hu", "romanian": "ro", "indonesian": "id", "vietnamese": "vi",
}  # fmt: skip
LATIN_TAGS = frozenset(_TAGS.values()) | {"nb"}
"""Tags of languages in Latin script."""
_WORD = re.compile(r"[^\W\d_]+")


def detect_language(words: Sequence[str]) -> str:
    """The language of a text in words, by the name of its stemmer; empty if unknown."""
    sample = words[:: max(1, len(words) // _SAMPLE_WORDS)]
    if _share(sample, ENGLISH) > _CERTAIN_SHARE:
        return "english"
    for script, names in _BY_SCRIPT:
        if 2 * sum(1 for word in sample if script.match(word)) > len(sample):
            return max(names, key=lambda name: _share(sample, STOP_WORDS.get(name, ())))
    best = max(_LATIN, key=lambda name: _share(sample, STOP_WORDS[name]))
    return best if _share(sample, STOP_WORDS[best]) > _MIN_SHARE else ""


def detect_tag_by_script(text: str) -> str:
    """The tag (`ja`, `ru`) of the language of a non-Latin script that much of a text is in; empty if there is none."""
    if text.isascii():
        return ""
    letters = sum(map(str.isalpha, text)) or 1
    for tag, script in _TAGS_BY_SCRIPT:
        share = len(re.findall(f"[{script}]", text)) / letters
        if share > (_MIN_KANA_SHARE if tag == "ja" else _MIN_SCRIPT_SHARE):
            return "uk" if tag == "ru" and _UKRAINIAN.search(text) else tag
    return ""


def detect_tag_by_words(text: str) -> str:
    """The tag (`de`, `pt`) of a language in Latin script, by its stop words; empty if unknown."""
    return _TAGS.get(detect_language(_WORD.findall(text.lower())), "")


def detect_query_tag(query: str) -> str:
    """The tag of a language if its script occurs in a query at all; empty for Latin script."""
    if query.isascii():
        return ""
    return next((tag for tag, pattern in _QUERY_SCRIPTS if re.search(pattern, query)), "")


def _share(sample: Sequence[str], stop_words: Iterable[str]) -> float:
    return sum(word in stop_words for word in sample) / max(1, len(sample))
