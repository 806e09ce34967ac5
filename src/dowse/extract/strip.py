"""The linear tag stripper: readable text from markup no parser should be trusted with."""

from __future__ import annotations

import html
import re

from dowse.core.models import Body, Text
from dowse.document.clean import clean
from dowse.extract import verdict
from dowse.extract.decode import decode
from dowse.extract.formats.kinds import Kind, text_kind
from dowse.extract.html.tree.grammar import INLINE, RAW, VOID, position_after, scan_tags
from dowse.extract.html.tree.hiding import hides

# Elements whose end tags are hardly ever left out: what is missing would take the rest of the page with it.
_DROPPED = (RAW - {"xmp"}) | frozenset(("noscript", "object", "select", "template"))
_INLINE = INLINE - {"br"}
_CELLS = frozenset({"td", "th"})
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n(?: ?\n)+")


def to_stripped_text(body: Body) -> Text:
    """The words of a body of markup in linear time, for what could not be converted.

    Raises `PageUnreadable` for HTML that is not the page it stands for, as `to_text` does.
    """
    markup = decode(body.data, body.charset)
    text = Text(clean(strip_html(markup)))
    if text_kind(body.media_type, body.url, markup) is Kind.HTML:
        verdict.check_page(markup, body.url, text.markdown)
    return text


def strip_html(markup: str) -> str:
    """The text a person would see, a line for each block; links and structure are lost."""
    return _tidy(html.unescape("".join(_pieces(markup))))


def _pieces(markup: str) -> list[str]:
    """Text between tags; while `skipping` names an element, `level` counts how many of it are open."""
    pieces: list[str] = []
    skipping, level, position = "", 0, 0
    for name, found in scan_tags(markup):
        if not skipping:
            pieces.append(markup[position : found.start()])
        position = found.end() if name else position_after(found)
        if skipping:
            level += (-1 if found["slash"] else 1) if name == skipping else 0
            skipping = skipping if level else ""
        elif not found["slash"] and (name in _DROPPED or _is_hidden(name, found["attributes"])):
            skipping, level = name, 1
        elif name and name not in _INLINE:
            pieces.append(" " if name in _CELLS else "\n")
    if not skipping:
        pieces.append(markup[position:])
    return pieces


def _is_hidden(name: str, attributes: str | None) -> bool:
    # A void element has no end tag that would end the skipping.
    return bool(attributes) and name not in VOID and hides(attributes or "")


def _tidy(text: str) -> str:
    text = _BLANKS.sub(" ", text)
    return _BLANK_LINES.sub("\n", text).replace("\n ", "\n").replace(" \n", "\n").strip()
