"""Conversion of one body to Markdown: HTML, documents, feeds, and plain formats."""

from __future__ import annotations

import json

from dowse.core.models import Body, Text
from dowse.document.clean import clean
from dowse.extract.decode import decode
from dowse.extract.formats import kinds, plain
from dowse.extract.formats.kinds import DocumentKind, ReadingLimits
from dowse.extract.html import page


def to_text(body: Body, limits: ReadingLimits | None = None, *, with_images: bool = False) -> Text:
    """Convert a body of any supported type; `with_images` keeps the alt texts of images.

    Raises `PageUnreadable` for HTML that is not the page it stands for, and for a document that is locked or broken.
    """
    kind = kinds.binary_kind(body.media_type)
    if kind is not None:
        return _from_document(kind, body, limits or ReadingLimits())
    markup = decode(body.data, body.charset)
    kind = kinds.text_kind(body.media_type, body.url, markup)
    if kind is DocumentKind.HTML:
        return page.to_text(markup, body.url, with_images=with_images, sheets=body.sheets)
    return _from_source(kind, markup, body)


def _from_document(kind: DocumentKind, body: Body, limits: ReadingLimits) -> Text:
    # Lazily, like all rare formats: a worker that reads web pages starts without them.
    if kind is DocumentKind.PDF:
        from dowse.extract.formats import pdf

        return pdf.to_text(body.data, limits)
    from dowse.extract.formats import office

    readers = {
        DocumentKind.WORD: office.from_word,
        DocumentKind.SHEETS: office.from_sheets,
        DocumentKind.SLIDES: office.from_slides,
    }
    return readers[kind](body)


def _from_source(kind: DocumentKind, source: str, body: Body) -> Text:
    match kind:
        case DocumentKind.FEED | DocumentKind.XML:
            return _from_xml(kind, source, body.url)
        case DocumentKind.JSON:
            return _from_json(source, body.url)
        case DocumentKind.JSON_LINES:
            return plain.from_json_lines(source)
        case DocumentKind.CSV:
            return plain.from_csv(source, is_tabbed=kinds.is_tabbed(body.media_type, body.url))
        case DocumentKind.CODE:
            return plain.from_code(source, kinds.language_of(body.media_type, body.url))
    return plain.from_prose(source, is_markdown=kinds.is_markdown(body.media_type, body.url))


def _from_xml(kind: DocumentKind, source: str, url: str) -> Text:
    from dowse.extract.formats import feeds

    feed = feeds.from_feed(source, url) if kind is DocumentKind.FEED else None
    return feed or plain.from_xml(source)


def _from_json(source: str, url: str) -> Text:
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        return Text(clean(source))
    from dowse.extract.formats import feeds

    return feeds.from_json_feed(value, url) or plain.from_json(source, value)
