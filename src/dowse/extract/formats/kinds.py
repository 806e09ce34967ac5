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
# The rest of the time is for rendering and sending the answer.
_READING_SHARE = 0.6


class DocumentKind(Enum):
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
    media_types.PDF: DocumentKind.PDF,
    media_types.WORD: DocumentKind.WORD,
    media_types.SHEETS: DocumentKind.SHEETS,
    media_types.SLIDES: DocumentKind.SLIDES,
}
_TEXTUAL = {
    "text/csv": DocumentKind.CSV,
    "application/csv": DocumentKind.CSV,
    media_types.TABBED: DocumentKind.CSV,
    "application/x-ndjson": DocumentKind.JSON_LINES,
    "application/ndjson": DocumentKind.JSON_LINES,
    "application/jsonl": DocumentKind.JSON_LINES,
    "application/x-jsonlines": DocumentKind.JSON_LINES,
    "application/x-json": DocumentKind.JSON,
    "application/json-seq": DocumentKind.JSON_LINES,
    "text/markdown": DocumentKind.TEXT,
}


def binary_kind(media_type: str) -> DocumentKind | None:
    """The kind of a binary document; None for text."""
    return _BINARY.get(_name(media_type))


def text_kind(media_type: str, url: str, markup: str) -> DocumentKind:
    """The kind of a text document; `markup` decides where the media type is vague."""
    name = _name(media_type)
    if name in (media_types.HTML, "application/xhtml+xml"):
        return DocumentKind.FEED if _is_feed(markup) else DocumentKind.HTML
    if name in ("", "application/octet-stream"):
        return DocumentKind.HTML if _HTML.search(markup[:_LOOKED_AT]) else DocumentKind.TEXT
    # Data served as plain text is recognised by its file name.
    kind = _data_kind(media_types.type_of_url(url) if name == media_types.PLAIN else name)
    if kind is DocumentKind.XML:
        return _markup_kind(markup)
    return kind or (DocumentKind.CODE if language_of(media_type, url) else DocumentKind.TEXT)


def language_of(media_type: str, url: str) -> str:
    """The programming language of a text, as Markdown names it; empty for prose."""
    name = _name(media_type)
    return media_types.language_of_file(url) if name == media_types.PLAIN else media_types.language_of_type(name)


def is_tabbed(media_type: str, url: str) -> bool:
    """Whether a table is declared to be separated by tabs."""
    return media_types.TABBED in (_name(media_type), media_types.type_of_url(url))


def is_markdown(media_type: str, url: str) -> bool:
    """Whether prose is Markdown; servers call it plain text as well."""
    name = _name(media_type)
    return "markdown" in (media_types.type_of_url(url) if name == media_types.PLAIN else name)


def _data_kind(name: str) -> DocumentKind | None:
    if name.endswith(("+json", "/json")):
        return DocumentKind.JSON
    return DocumentKind.XML if name.endswith(("/xml", "+xml")) else _TEXTUAL.get(name)


def _markup_kind(markup: str) -> DocumentKind:
    if _is_feed(markup):
        return DocumentKind.FEED
    return DocumentKind.HTML if _HTML.search(markup[:_LOOKED_AT]) else DocumentKind.XML


def _is_feed(markup: str) -> bool:
    head = markup[:_LOOKED_AT].lstrip("\ufeff \t\r\n")
    return head.startswith(("<?xml", "<rss", "<feed", "<rdf:RDF")) and _FEED.search(head) is not None


def _name(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits of one conversion; a document that exceeds them is cut, with a note."""

    pdf_pages: int = 100
    stop_at: float = math.inf
    now: Callable[[], float] = time.monotonic

    @classmethod
    def within(cls, seconds: float, *, pdf_pages: int) -> Self:
        """The limits of a job that has so much time from now on."""
        return cls(pdf_pages, time.monotonic() + _READING_SHARE * seconds)

    @property
    def is_late(self) -> bool:
        """Whether to stop reading: half a document is better than a killed process."""
        return self.now() > self.stop_at
