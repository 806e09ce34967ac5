"""A query as the open APIs take it: keywords, language and period; and plain text out of their markup."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from html import unescape

from dowse.core.models import Query, TimeRange
from dowse.core.text import cut_at_word, without_markup
from dowse.language.detection import detect_query_tag
from dowse.language.stopwords import ENGLISH_FUNCTION_WORDS

# Most of these APIs require every word to occur, so function words would leave nothing to find.
_STOP_WORDS = ENGLISH_FUNCTION_WORDS | {"what's"}
# A sign before a word is an operator; within a word it is part of a name: `C++`, `node.js`, `read_text`.
_WORD = re.compile(r"\w(?:[\w.+#/@'-]{0,60}[\w+#])?[+#]{0,2}")
_OPERATORS = ("AND", "OR", "NOT")
_PARAGRAPH = re.compile(r"<(?:p|br|/p|/li|/h[1-6])\b[^<>]{0,200}>", re.IGNORECASE)
# Crossref marks abstracts up as JATS, which no HTML parser knows.
_JATS = re.compile(r"</?(?:jats|mml):[a-zA-Z-]{1,40}(?:\s[^<>]{0,300})?/?>")
_MARKUP_CHARS = 4_000  # A snippet has a quarter of that.
_DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 30, TimeRange.YEAR: 365}
_ENGLISH = "en"
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,2}")
_ANY = ("all", "any")


@dataclass(frozen=True, slots=True)
class Period:
    """From the first to the last day, both included; `None` where it is open."""

    first: date | None = None
    last: date | None = None

    def __bool__(self) -> bool:
        return bool(self.first or self.last)

    @property
    def starts_at(self) -> int | None:
        """Its first second in Unix time."""
        return _seconds(self.first) if self.first else None

    @property
    def ends_at(self) -> int | None:
        """The first second after it."""
        return _seconds(self.last + timedelta(days=1)) if self.last else None


def period_of(query: Query, today: date) -> Period:
    first = date.fromisoformat(query.start_date) if query.start_date else None
    last = date.fromisoformat(query.end_date) if query.end_date else None
    if first is None and query.time_range is not TimeRange.ANY:
        first = today - timedelta(days=_DAYS[query.time_range])
    return Period(first, last)


def language_of(query: Query) -> str:
    """The requested language, else the one of the script; Latin script counts as English."""
    editions = (domain.lower().removesuffix(".wikipedia.org") for domain in query.include_domains)
    named = (name for name in (query.language.lower(), *editions) if _LANGUAGE.fullmatch(name) and name not in _ANY)
    return next(named, "") or detect_query_tag(query.text) or _ENGLISH


def is_english(query: Query) -> bool:
    return language_of(query).partition("-")[0] == _ENGLISH


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def keywords(text: str, *, max_chars: int, most: int = 12, without: frozenset[str] = frozenset()) -> str:
    """The query without stop words and operators; all words where nothing else is left."""
    words = words_of(text)
    kept = [word for word in words if word.lower() not in _STOP_WORDS | without]
    plain = [word.lower() if word in _OPERATORS else word for word in kept or words]
    return cut_at_word(" ".join(plain[:most]), max_chars)


def without_tags(markup: str) -> str:
    """The visible text of a piece of HTML, for a snippet. Escaped tags stay: they are quoted code."""
    spaced = _PARAGRAPH.sub(" ", _JATS.sub(" ", markup[:_MARKUP_CHARS]))
    return unescape(without_markup(spaced))


def _seconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
