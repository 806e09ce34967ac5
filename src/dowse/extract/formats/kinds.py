"""Document kinds by media type, file name and first bytes, and the limits of one conversion."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Self

from dowse.core import media_types

_FEED = re.compile(r"<(?:rss|feed|rdf:RDF)[\s>]")
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<body[\s>]", re.I)
_LOOKED_AT = 2048
# The rest is for making Markdown of it and sending it back.
_READING_SHARE = 0.6


class Kind(Enum):
    HTML = "html"
    PDF = "pdf"
    WORD = "word"
    SHEETS = "sheets"
    SLIDES = "slides"
    FEED = "feed"
    XML = "xml"
    JSON = "json"
    JSON_LINES = "json lines"
    CSV = "csv"
    CODE = "code"
    TEXT = "text"


_BINARY = {
    media_types.PDF: Kind.PDF,
    media_types.WORD: Kind.WORD,
    media_types.SHEETS: Kind.SHEETS,
    media_types.SLIDES: Kind.SLIDES,
}
_TEXTUAL = {
    "text/csv": Kind.CSV,
    "application/csv": Kind.CSV,
    media_types.TABBED: Kind.CSV,
    "application/x-ndjson": Kind.JSON_LINES,
    "application/ndjson": Kind.JSON_LINES,
    "application/jsonl": Kind.JSON_LINES,
    "application/x-jsonlines": Kind.JSON_LINES,
    "application/x-json": Kind.JSON,
    "application/json-seq": Kind.JSON_LINES,
    "text/markdown": Kind.TEXT,
}


def binary_kind(media_type: str) -> Kind | None:
    """The kind of a document that is not made of text."""
    return _BINARY.get(_name(media_type))


def text_kind(media_type: str, url: str, markup: str) -> Kind:
    """The kind of a document that is; `markup` is asked where a type says only half of it."""
    name = _name(media_type)
    if name in (media_types.HTML, "application/xhtml+xml"):
        return Kind.FEED if _is_feed(markup) else Kind.HTML
    if not name or name == "application/octet-stream":
        return Kind.HTML if _HTML.search(markup[:_LOOKED_AT]) else Kind.TEXT
    # Data that is served as plain text is what the name of its file says.
    kind = _data_kind(media_types.type_of_url(url) if name == media_types.PLAIN else name)
    if kind is Kind.XML:
        return _markup_kind(markup)
    return kind or (Kind.CODE if language_of(media_type, url) else Kind.TEXT)


def language_of(media_type: str, url: str) -> str:
    """The programming language of a text, as Markdown names it; empty for prose."""
    name = _name(media_type)
    return media_types.language_of_file(url) if name == media_types.PLAIN else media_types.language_of_type(name)


def is_tabbed(media_type: str, url: str) -> bool:
    """Whether a table says that tabs separate its cells; otherwise it has to be found out."""
    return media_types.TABBED in (_name(media_type), media_types.type_of_url(url))


def is_markdown(media_type: str, url: str) -> bool:
    """Whether prose is Markdown; servers call it plain text as well."""
    name = _name(media_type)
    return "markdown" in (media_types.type_of_url(url) if name == media_types.PLAIN else name)


def _data_kind(name: str) -> Kind | None:
    if name.endswith(("+json", "/json")):
        return Kind.JSON
    return Kind.XML if name.endswith(("/xml", "+xml")) else _TEXTUAL.get(name)


def _markup_kind(markup: str) -> Kind:
    if _is_feed(markup):
        return Kind.FEED
    return Kind.HTML if _HTML.search(markup[:_LOOKED_AT]) else Kind.XML


def _is_feed(markup: str) -> bool:
    head = markup[:_LOOKED_AT].lstrip("\ufeff \t\r\n")
    return head.startswith(("<?xml", "<rss", "<feed", "<rdf:RDF")) and _FEED.search(head) is not None


def _name(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a job; a document that exceeds them is cut where that is possible, and says so."""

    pdf_pages: int = 100
    stop_at: float = math.inf
    now: Callable[[], float] = time.monotonic

    @classmethod
    def within(cls, seconds: float, *, pdf_pages: int) -> Self:
        """Those of a job that has so much time from now on."""
        return cls(pdf_pages, time.monotonic() + _READING_SHARE * seconds)

    @property
    def is_late(self) -> bool:
        """Whether to stop reading: half a document is better than a process that was killed."""
        return self.now() > self.stop_at
