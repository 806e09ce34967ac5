"""One body in, one text out: HTML by selecting and rendering, everything else as its media type asks for."""

from __future__ import annotations

import json

from dowse.core.models import Body, Text
from dowse.document.clean import clean
from dowse.extract.decode import decode
from dowse.extract.formats import kinds, plain
from dowse.extract.formats.kinds import Kind, Limits
from dowse.extract.html import page


def to_text(body: Body, limits: Limits | None = None, *, with_images: bool = False) -> Text:
    """The Markdown of a body of any type that dowse reads; `with_images` with the descriptions of pictures.

    Raises `PageUnreadable` for HTML that is not the page it stands for, and for a document that is locked or broken.
    """
    kind = kinds.binary_kind(body.media_type)
    if kind is not None:
        return _from_document(kind, body, limits or Limits())
    markup = decode(body.data, body.charset)
    kind = kinds.text_kind(body.media_type, body.url, markup)
    if kind is Kind.HTML:
        return page.to_text(markup, body.url, with_images=with_images)
    return _from_source(kind, markup, body)


def _from_document(kind: Kind, body: Body, limits: Limits) -> Text:
    # Imported by need, like all that few pages ask for: a worker that reads web pages starts without them.
    if kind is Kind.PDF:
        from dowse.extract.formats import pdf

        return pdf.to_text(body.data, limits)
    from dowse.extract.formats import office

    readers = {Kind.WORD: office.from_word, Kind.SHEETS: office.from_sheets, Kind.SLIDES: office.from_slides}
    return readers[kind](body)


def _from_source(kind: Kind, source: str, body: Body) -> Text:
    match kind:
        case Kind.FEED | Kind.XML:
            return _from_xml(kind, source, body.url)
        case Kind.JSON:
            return _from_json(source, body.url)
        case Kind.JSON_LINES:
            return plain.from_json_lines(source)
        case Kind.CSV:
            return plain.from_csv(source, is_tabbed=kinds.is_tabbed(body.media_type, body.url))
        case Kind.CODE:
            return plain.from_code(source, kinds.language_of(body.media_type, body.url))
    return plain.from_prose(source, is_markdown=kinds.is_markdown(body.media_type, body.url))


def _from_xml(kind: Kind, source: str, url: str) -> Text:
    from dowse.extract.formats import feeds

    feed = feeds.from_feed(source, url) if kind is Kind.FEED else None
    return feed or plain.from_xml(source)


def _from_json(source: str, url: str) -> Text:
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        return Text(clean(source))
    from dowse.extract.formats import feeds

    return feeds.from_json_feed(value, url) or plain.from_json(source, value)
