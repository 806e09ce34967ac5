"""Where the tags of markup are, in linear time and without a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dowse.extract.html.tree.grammar import ATTRIBUTES, RAW

_TAG = re.compile(
    rf"<(?:(?P<slash>/?)(?P<name>[a-zA-Z][^ \t\n\f\r/>]*+)(?P<attributes>{ATTRIBUTES})/?>?"
    r"|(?P<comment>!--)|!\[CDATA\[|[!?/][^>]*+>?)"
)
_COMMENT_END = re.compile("--!?>")
# Their content is text to a browser, even where it looks like tags.
_RAW = {name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.I) for name in RAW}


def tags(markup: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Each tag with its lower-case name and a match that has `slash` and `attributes`; the name of a comment is empty.

    A comment's match ends before its text; use `after` to step over it.
    """
    position: int | None = 0
    while position is not None:
        start, position = position, None
        for found in _TAG.finditer(markup, start):
            name = (found["name"] or "").lower()
            yield name, found
            if name in _RAW or (not name and found["comment"]):
                # Only here does the next tag not begin where the scan would look for it.
                position = _after_text(name, found)
                break


def after(found: re.Match[str]) -> int:
    """Where the text behind a tag begins; a comment that never ends takes the rest, as in a browser."""
    if not found["comment"]:
        return found.end()
    # `<!-->` and `<!--->` are whole comments.
    end = _COMMENT_END.search(found.string, found.end() - 2)
    return end.end() if end else len(found.string)


def _after_text(name: str, found: re.Match[str]) -> int:
    if name not in _RAW or found["slash"]:
        return after(found)
    end = _RAW[name].search(found.string, found.end())
    return end.start() if end else len(found.string)
