"""Linear tag stripper: readable text from markup that the parser failed on."""

from __future__ import annotations

import html
import re

from dowse.core.models import Body, Text
from dowse.document.clean import clean
from dowse.extract import verdict
from dowse.extract.decode import decode
from dowse.extract.formats.kinds import DocumentKind, text_kind
from dowse.extract.html.tree.grammar import INLINE, RAW, VOID, position_after, scan_tags
from dowse.extract.html.tree.hiding import hides

# Only elements that nearly always have an end tag: a missing one would drop the rest of the page.
_DROPPED = (RAW - {"xmp"}) | frozenset(("noscript", "object", "select", "template"))
_INLINE = INLINE - {"br"}
_CELLS = frozenset({"td", "th"})
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\n(?: ?\n)+")


def to_stripped_text(body: Body) -> Text:
    """The words of a body of markup in linear time, after conversion has failed.

    Raises `PageUnreadable` for HTML that is not the page it stands for, as `to_text` does.
    """
    markup = decode(body.data, body.charset)
    text = Text(clean(strip_html(markup)))
    if text_kind(body.media_type, body.url, markup) is DocumentKind.HTML:
        verdict.check_page(markup, body.url, text.markdown)
    return text


def strip_html(markup: str) -> str:
    """The visible text, a line for each block; links and structure are lost."""
    return _tidy(html.unescape("".join(_pieces(markup))))


def _pieces(markup: str) -> list[str]:
    """Text between tags; while `skipping` names an element, `level` counts its open tags."""
    pieces: list[str] = []
    skipping, level, position = "", 0, 0
    for name, found in scan_tags(markup):
        if not skipping:
            pieces.append(markup[position : found.start()])
        position = found.end() if name else position_after(found)
        if skipping:
            level += _depth_change(found["slash"]) * (name == skipping)
            skipping = skipping if level else ""
        elif _is_dropped(name, found):
            skipping, level = name, 1
        else:
            pieces.append(_separator(name))
    if not skipping:
        pieces.append(markup[position:])
    return pieces


def _separator(name: str) -> str:
    if not name or name in _INLINE:
        return ""
    return " " if name in _CELLS else "\n"


def _depth_change(slash: str | None) -> int:
    return -1 if slash else 1


def _is_dropped(name: str, tag: re.Match[str]) -> bool:
    if tag["slash"]:
        return False
    # A void element has no end tag that would end the skipping.
    is_hidden = tag["attributes"] and name not in VOID and hides(tag["attributes"])
    return name in _DROPPED or bool(is_hidden)


def _tidy(text: str) -> str:
    text = _BLANKS.sub(" ", text)
    return _BLANK_LINES.sub("\n", text).replace("\n ", "\n").replace(" \n", "\n").strip()
