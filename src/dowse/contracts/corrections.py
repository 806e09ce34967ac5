"""Corrections of sloppy argument values with a plain meaning, such as `English`, `past week` or `2026-1-5`."""

from __future__ import annotations

import re
from functools import cache

_LANGUAGES = """
english:en:eng german:de:deu:ger:deutsch french:fr:fra:fre:français spanish:es:spa:español castilian:es
portuguese:pt:por:português italian:it:ita:italiano dutch:nl:nld:dut:nederlands swedish:sv:swe:svenska
danish:da:dan:dansk norwegian:no:nor:norsk finnish:fi:fin:suomi polish:pl:pol:polski czech:cs:ces:cze:čeština
slovak:sk:slk:slo hungarian:hu:hun:magyar romanian:ro:ron:rum:română bulgarian:bg:bul croatian:hr:hrv serbian:sr:srp
slovenian:sl:slv greek:el:ell:gre turkish:tr:tur:türkçe russian:ru:rus:русский ukrainian:uk:ukr:українська
arabic:ar:ara:العربية hebrew:he:heb persian:fa:fas:per farsi:fa hindi:hi:hin bengali:bn:ben tamil:ta:tam thai:th:tha
vietnamese:vi:vie indonesian:id:ind malay:ms:msa:may chinese:zh:zho:chi:中文 mandarin:zh japanese:ja:jpn:日本語
korean:ko:kor:한국어 catalan:ca:cat estonian:et:est latvian:lv:lav lithuanian:lt:lit icelandic:is:isl:ice
irish:ga:gle welsh:cy:cym:wel basque:eu:eus:baq galician:gl:glg
"""
_TAG = re.compile(r"([a-z]{2})(?:-([a-z]{4}))?(?:-([a-z]{2}))?", re.IGNORECASE | re.ASCII)
# Scripts that providers only know as countries.
_SCRIPTS = {"hans": "CN", "hant": "TW"}
_ANY = ("any", "all", "auto", "none", "*")
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?", re.ASCII)
_PERIODS = {
    "d": "day", "1d": "day", "24h": "day", "pd": "day", "today": "day", "24 hours": "day", "24hours": "day",
    "w": "week", "1w": "week", "7d": "week", "pw": "week", "7 days": "week",
    "m": "month", "1m": "month", "30d": "month", "pm": "month", "30 days": "month",
    "y": "year", "1y": "year", "12m": "year", "365d": "year", "py": "year", "12 months": "year",
}  # fmt: skip
_CATEGORIES = {
    "web": "general", "search": "general", "any": "general", "all": "general", "image": "images", "video": "videos",
    "maps": "map", "tech": "it", "technology": "it", "code": "it", "programming": "it", "academic": "science",
    "scholar": "science", "papers": "science", "research": "science", "file": "files",
}  # fmt: skip
_SAFETY = {"off": "0", "none": "0", "moderate": "1", "medium": "1", "on": "1", "strict": "2", "high": "2"}


def correct_language(text: str) -> str:
    """`EN`, `en_us`, `eng` and `English` as `en`, `en-US`, `en` and `en`; `any` as nothing, other texts as they are."""
    written = text.strip().replace("_", "-")
    if tag := _TAG.fullmatch(written):
        country = tag[3] or _SCRIPTS.get((tag[2] or "").lower(), "")
        return "-".join(filter(None, [tag[1].lower(), country.upper()]))
    name = written.casefold()
    return "" if name in _ANY else _language_tags().get(name, text)


def correct_date(text: str) -> str:
    """`2026-1-5`, `2026/01/05` and a date with its time as `2026-01-05`."""
    found = _DATE.fullmatch(text.strip())
    return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}" if found else text


def correct_period(text: str) -> str:
    """`past week`, `7d` and `w` as `week`."""
    name = re.sub(r"[\s_-]+", " ", text.strip().lower())
    name = re.sub(r"^(?:the )?(?:past|last|this) ", "", name)
    return "" if name in _ANY else _PERIODS.get(name, name)


def correct_category(text: str) -> str:
    """`web` as `general`, `image` as `images`, and their like."""
    name = text.strip().lower()
    return _CATEGORIES.get(name, name)


def correct_safety(text: str) -> str:
    """`off`, `moderate` and `strict` as 0, 1 and 2."""
    return _SAFETY.get(text.strip().lower(), text)


@cache
def _language_tags() -> dict[str, str]:
    """Tags by name and by three-letter code."""
    entries = [entry.split(":") for entry in _LANGUAGES.split()]
    return {name: entry[1] for entry in entries for name in (entry[0], *entry[2:])}
