"""Results that a tool has written down for a model: labelled lines, or Markdown links with a few lines below each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from dowse.net.json_api import Json

# What stands before the colon, and which part of a result it is; the parts without a name are passed over.
_LABELS = {
    "title": "title",
    **dict.fromkeys(("url", "link"), "url"),
    **dict.fromkeys(("published date", "published", "date"), "published"),
    **dict.fromkeys(("text", "highlights", "summary", "snippet", "description", "content", "excerpts"), "snippet"),
    **dict.fromkeys(("author", "id", "score", "image", "favicon"), ""),
}
_LONGEST_LABEL = 20
_MISSING = ("n/a", "none", "null", "unknown")
# So many lines below its title a result has its address, or it is not one.
_HEAD_LINES = 4
_BODY_LINES = 40
_MARKS = " \t#>*-+.)0123456789"
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\((https?://(?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,2000})\)")


def labelled(text: str) -> list[Json]:
    """Results such as Exa's: `Title: …`, `URL: …`, `Published: …`, then `Highlights:` and lines of the page."""
    lines = [line.rstrip() for line in text.split("\n")]
    starts = [place for place in range(len(lines)) if _begins(lines, place)]
    return [_row(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]


def linked(text: str) -> list[Json]:
    """Results as links, each at the beginning of a line; what follows it up to the next one is its snippet."""
    found: list[tuple[str, str, list[str]]] = []
    for line in text.split("\n"):
        if link := _LINK.match(line.lstrip(_MARKS)):
            found.append((link[1], link[2], [link.string[link.end() :].strip(" *:-\u2013\u2014")]))
        elif found and len(found[-1][2]) < _BODY_LINES:
            found[-1][2].append(line)
    return [{"title": title, "url": url, "snippet": " ".join(lines).strip()} for title, url, lines in found]


def _begins(lines: Sequence[str], place: int) -> bool:
    """Whether a result begins here: pages that are quoted have such lines too, but seldom apart from others."""
    if _label(lines[place]) != "title" or (place and lines[place - 1].strip(" -=*_")):
        return False
    return "url" in map(_label, lines[place + 1 : place + _HEAD_LINES])


def _label(line: str) -> str | None:
    name, colon, _ = line[:_LONGEST_LABEL].partition(":")
    return _LABELS.get(name.strip(" *#").lower()) if colon else None


def _row(lines: Sequence[str]) -> Json:
    """The first value of each part: what the page says further down cannot change it."""
    parts: dict[str, str] = {}
    body_starts = len(lines)
    for place, line in enumerate(lines):
        label, value = _label(line), line.partition(":")[2].strip(" *")
        if label is None:
            body_starts = place
            break
        if value and value.lower() not in _MISSING:
            parts.setdefault(label, value)
        if label == "snippet" and not value:
            body_starts = place + 1
            break
    body = [line for line in lines[body_starts : body_starts + _BODY_LINES] if line.strip(" -=*_")]
    return {**parts, "snippet": " ".join([parts.get("snippet", ""), *body]).strip()}
