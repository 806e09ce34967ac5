"""Pages that do nothing but send a browser elsewhere, by a `Refresh` header or the tag that stands for it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from dowse.core import urls
from dowse.fetch.media import parse_media_type

# Such pages are small, and say so in their head.
_MAX_BYTES = 8192
_HEAD_CHARS = 4096
_MAX_VISIBLE_WORDS = 60
# Who has to wait longer than this is meant to read.
_MAX_DELAY_S = 5
_RAW_TEXT = ("script", "style")
# What is written in these is no tag of the page. `noscript` leads away those who cannot run the page's scripts; a
# browser can, and the page it leads to mostly says no more than that.
_OPAQUE = ("script", "style", "noscript", "template", "textarea", "title", "iframe", "xmp")
_TAG = re.compile(r"""<([a-z][a-z0-9-]{0,30})((?:[^<>"']|"[^"]{0,2000}"|'[^']{0,2000}')*+)>""", re.I)
_IS_REFRESH = re.compile(r"""http-equiv\s{0,9}=\s{0,9}["']?refresh\b""", re.I)
_CONTENT = re.compile(r"""\bcontent\s{0,9}=\s{0,9}(?:"([^"]{1,900})"|'([^']{1,900})'|([^\s"'<>]{1,900}))""", re.I)
_CHARSET = re.compile(rb"""<meta\b[^<>]{0,512}?\bcharset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})""", re.I)
_VALUE = re.compile(r"""\s{0,9}(\d{1,4})[.\d]{0,9}\s{0,9}[;,\s]\s{0,9}(?:url\s{0,9}=\s{0,9})?(.{1,900})""", re.I)


def refreshed(url: str, headers: Mapping[str, str], body: bytes) -> str:
    """The address a page leads to at once without having said anything itself; empty for any other page."""
    if len(body) > _MAX_BYTES:
        return ""
    markup = _markup(headers.get("content-type", "text/html"), body)
    address = _target(headers.get("refresh", "")) or _meta_target(markup)
    target, source = urls.parse(address, url), urls.parse(url)
    if not address or target is None or source is None or _visible_words(markup) > _MAX_VISIBLE_WORDS:
        return ""
    # One that comes back to itself waits for a script or a cookie, and we have neither.
    is_itself = (target.host, target.port, target.path) == (source.host, source.port, source.path)
    return "" if is_itself else target.href


def _markup(content_type: str, body: bytes) -> str:
    """The text of a page of HTML, in which the address may be written in any charset; empty for anything else."""
    declared = parse_media_type(content_type)
    if declared.name and "html" not in declared.name:
        return ""
    named = _CHARSET.search(body[:_HEAD_CHARS])
    label = declared.charset or (named[1].decode("ascii", "replace") if named else "utf-8")
    try:
        return body.decode(label)
    except (LookupError, ValueError):
        # No such charset, or a false one; browsers fall back on this one too, and it makes text of most bytes.
        return body.decode("cp1252", "replace")


def _meta_target(markup: str) -> str:
    head = _without_comments(markup[:_HEAD_CHARS])
    position = 0
    while tag := _TAG.search(head, position):
        name, attributes = tag[1].lower(), tag[2]
        position = _end_of(head, name, tag.end()) if name in _OPAQUE else tag.end()
        content = _CONTENT.search(attributes) if name == "meta" and _IS_REFRESH.search(attributes) else None
        if content:
            return _target(html.unescape(content[1] or content[2] or content[3]))
    return ""


def _end_of(markup: str, name: str, start: int) -> int:
    """Where an element ends whose content is not looked at; at the end of all if nothing closes it."""
    end = markup.lower().find(f"</{name}", start)
    return end if end >= 0 else len(markup)


def _target(value: str) -> str:
    """The address in `0; url=/there`; empty where there is none, or where it comes too late."""
    found = _VALUE.fullmatch(value[:1000])
    if not found or int(found[1]) > _MAX_DELAY_S:
        return ""
    address = found[2].strip()
    quote = address[:1]
    return address[1:].partition(quote)[0] if quote in ("'", '"') else address


def _without_comments(markup: str) -> str:
    first, *rest = markup.split("<!--")
    return first + "".join(piece.partition("-->")[2] for piece in rest)


def _visible_words(markup: str) -> int:
    """About how many words a reader sees, in one pass that no page can make slow."""
    before, *pieces = _without_comments(markup).lower().split("<")
    words, raw = len(before.split()), ""
    for piece in pieces:
        if raw and not piece.startswith("/" + raw):
            continue
        raw = next((name for name in _RAW_TEXT if piece.startswith(name)), "")
        words += 0 if raw else len(piece.partition(">")[2].split())
    return words
