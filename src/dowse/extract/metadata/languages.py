"""Which language a page is in: as it says, unless its letters say otherwise."""

from __future__ import annotations

import re

from dowse.extract.html.tree.node import Tree
from dowse.extract.metadata.head import Head

_TAG = re.compile(r"([a-z]{2,3})(?:[-_](?:[a-z]{4}[-_])?([a-z]{2}|\d{3}))?(?![a-z])", re.I)
_SAMPLE_CHARS = 1500
_SHORTEST_LINE = 40
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST_HITS = 5
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
# Kana among Chinese characters are enough for Japanese.
_SCRIPT_SHARE = 0.3
_KANA_SHARE = 0.05
_LATIN = frozenset("en de fr es it pt nl pl sv da no nb fi cs tr ro hu id vi".split())
_COMMON = {
    "en": frozenset("the and of to is that for with are this you from have".split()),
    "de": frozenset("der die und das ist nicht mit den von für auf ein eine sich".split()),
    "fr": frozenset("les des est une dans pour que qui sur pas avec vous du et".split()),
    "es": frozenset("los las una que por para con del más como está el y es".split()),
    "it": frozenset("che di il per una della con non sono gli alla è più nel".split()),
    "pt": frozenset("que não uma para com os dos mais como das ao em é você".split()),
    "nl": frozenset("het een van de en dat niet zijn met voor op aan ook maar".split()),
    "pl": frozenset("nie się jest na że do przez oraz jak dla są od po tym".split()),
}


def language_of(tree: Tree, head: Head, declared: str = "") -> str:
    """A tag such as `de` or `en-GB`; empty where nothing tells it."""
    html = next(iter(tree.head.get("html", ())), {})
    said = (
        html.get("lang"),
        html.get("xml:lang"),
        *head.each("content-language", "og:locale", "dc.language"),
        declared,
    )
    tag = next((tag for each in said if each and (tag := _tag(each))), "")
    # Templates say `en` on pages in any script; those have a title in it, and few others need a look.
    if tag and (tree.title.isascii() or tag[:2] not in _LATIN):
        return tag
    sample = _sample(tree)
    return _script(sample) or tag or _by_words(sample)


def _tag(text: str) -> str:
    match = _TAG.match(text.strip())
    if match is None:
        return ""
    return match[1].lower() + (f"-{match[2].upper()}" if match[2] else "")


def _sample(tree: Tree) -> str:
    """The first sentences of the page: short lines are menus, often in another language."""
    pieces, length = [], 0
    for node in tree.nodes:
        if len(node.text) > _SHORTEST_LINE and not node.text.isspace():
            pieces.append(node.text[:_SAMPLE_CHARS])
            length += len(pieces[-1])
            if length > _SAMPLE_CHARS:
                break
    return " ".join(pieces)[:_SAMPLE_CHARS]


def _script(sample: str) -> str:
    if sample.isascii():
        return ""
    letters = sum(map(str.isalpha, sample)) or 1
    for language, characters in _SCRIPTS:
        share = len(characters.findall(sample)) / letters
        if share > (_KANA_SHARE if language == "ja" else _SCRIPT_SHARE):
            return "uk" if language == "ru" and re.search("[іїєґ]", sample) else language
    return ""


def _by_words(sample: str) -> str:
    words = _WORD.findall(sample.lower())
    hits = sorted(
        ((sum(word in common for word in words), language) for language, common in _COMMON.items()), reverse=True
    )
    (most, language), (second, _) = hits[:2]
    return language if most >= _FEWEST_HITS and most >= 1.5 * second else ""
