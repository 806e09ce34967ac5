"""One body in, one text out: decode, select, render, or whatever its media type asks for."""

from __future__ import annotations

import json
import re

from dowse.extract import strip, tags
from dowse.extract.decode import decode
from dowse.extract.markdown import render
from dowse.extract.select import select
from dowse.extract.tidy import fenced, without_repeated_title
from dowse.markdown import clean
from dowse.models import Body, Text

_LOOKS_LIKE_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<body[\s>]", re.I)
_SNIFFED = 2048
# Indenting is slow, and nobody reads more of it.
_LARGEST_INDENTED_JSON = 500_000


def to_text(body: Body) -> Text:
    """The Markdown of a body of any text type; raises nothing of its own."""
    markup = decode(body.data, body.charset)
    match _kind(body.media_type, markup):
        case "html":
            return _from_html(markup, body.url)
        case "xml":
            return Text(clean(strip.strip_xml(markup)))
        case "json":
            return Text(clean(_json(markup)))
    return Text(clean(markup))


def _kind(media_type: str, markup: str) -> str:
    media_type = media_type.partition(";")[0].strip().lower()
    if media_type in ("text/html", "application/xhtml+xml"):
        return "html"
    if media_type == "application/json" or media_type.endswith(("+json", "/json")):
        return "json"
    is_xml = media_type.endswith(("/xml", "+xml"))
    if (is_xml or not media_type or media_type == "application/octet-stream") and _LOOKS_LIKE_HTML.search(
        markup[:_SNIFFED]
    ):
        return "html"
    return "xml" if is_xml else "text"


def _from_html(markup: str, url: str) -> Text:
    if not tags.is_parseable(markup):
        return Text(clean(strip.strip_html(markup)))
    selected = select(markup, url)
    markdown = render(selected.html)
    if not markdown:
        # The converter returns nothing for trees deeper than it likes.
        markdown = clean(strip.strip_html(selected.html))
    return Text(without_repeated_title(markdown, selected.title), selected.title)


def _json(source: str) -> str:
    try:
        value = json.loads(source)
        pretty = _indented(value) if len(source) <= _LARGEST_INDENTED_JSON else ""
    except (ValueError, RecursionError):
        return source
    return fenced(pretty or source.strip(), "json")


def _indented(value: object) -> str:
    """Indented JSON; nothing when nesting would make it many times longer than its source."""
    pieces: list[str] = []
    size = 0
    for piece in json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value):
        pieces.append(piece)
        size += len(piece)
        if size > 4 * _LARGEST_INDENTED_JSON:
            return ""
    return "".join(pieces)
