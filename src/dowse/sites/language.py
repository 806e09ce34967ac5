"""The language of a query, as far as it can be told without reading it."""

from __future__ import annotations

import re

from dowse.core.models import Query

_ENGLISH = "en"
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,2}")
_ANY = ("all", "any")
# Japanese is told by its syllables, as its other characters are Chinese ones. Formulas have single letters of others,
# and even two in a row if they are Greek.
_SCRIPTS = (
    (re.compile("[\u3041-\u30ff]"), "ja"),
    (re.compile("[\uac00-\ud7af\u1100-\u11ff]"), "ko"),
    (re.compile("[\u3400-\u9fff]"), "zh"),
    (re.compile("[іїєґІЇЄҐ]"), "uk"),
    (re.compile("[\u0400-\u04ff]{2}"), "ru"),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]{3}"), "el"),
    (re.compile("[\u0590-\u05ff]{2}"), "he"),
    (re.compile("[پچژگ]"), "fa"),
    (re.compile("[\u0600-\u06ff]{2}"), "ar"),
    (re.compile("[\u0900-\u097f]{2}"), "hi"),
    (re.compile("[\u0980-\u09ff]{2}"), "bn"),
    (re.compile("[\u0b80-\u0bff]{2}"), "ta"),
    (re.compile("[\u0e00-\u0e7f]{2}"), "th"),
    (re.compile("[\u0530-\u058f]{2}"), "hy"),
    (re.compile("[\u10a0-\u10ff]{2}"), "ka"),
)


def language_of(query: Query) -> str:
    """The language that was asked for, else the one of the script; English cannot be told from its neighbours."""
    editions = (domain.lower().removesuffix(".wikipedia.org") for domain in query.include_domains)
    named = (name for name in (query.language.lower(), *editions) if _LANGUAGE.fullmatch(name) and name not in _ANY)
    by_script = (language for script, language in _SCRIPTS if script.search(query.text))
    return next(named, "") or next(by_script, _ENGLISH)


def is_english(query: Query) -> bool:
    return language_of(query).partition("-")[0] == _ENGLISH
