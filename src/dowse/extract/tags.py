"""A linear-time look at markup before any parser sees it: where its tags are, and whether it is safe to parse."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Lexbor compares each attribute with all earlier ones and walks up the open elements for each tag,
# so both are quadratic: 100,000 attributes on one tag, or as many nested elements, take minutes.
_MAX_ATTRIBUTES = 250
_MAX_DEPTH = 300
_FEW_CHARACTERS = 2 * _MAX_ATTRIBUTES

# Possessive throughout and matching whatever follows: no input makes it step back, and the next
# search starts where this one ended. As in a browser, a quote opens a value only after `=`.
_TAG = re.compile(
    r"""<(?:(?P<slash>/?)(?P<name>[a-zA-Z][^\s/>]*+)(?P<attributes>(?:[^>=]++|=\s*+(?:"[^"]*+"?+|'[^']*+'?+)?+)*+)>?"""
    r"""|(?P<comment>!--)|!\[CDATA\[|[!?/][^>]*+>?)"""
)
_ATTRIBUTE = re.compile(r"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"?+|'[^']*+'?+|[^\s>]*+))?+|=""")
# Their content is text to a browser, even where it looks like tags.
_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.I)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
# Their end tag may be left out, and `a` cannot nest: a thousand of them are no depth.
_SELF_CLOSING = VOID | frozenset(
    {
        "a",
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "colgroup",
        "option",
        "optgroup",
        "rb",
        "rt",
        "rp",
        "html",
        "head",
        "body",
    }
)


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
            if found["comment"] or name in _RAW:
                # Only here does the next tag not begin where the scan would look for it.
                position = _after_text(name, found)
                break


def after(found: re.Match[str]) -> int:
    """Where the text behind a tag begins; a comment that never ends takes the rest, as in a browser."""
    if not found["comment"]:
        return found.end()
    # `<!-->` and `<!--->` are whole comments.
    end = found.string.find("-->", found.end() - 2)
    return len(found.string) if end < 0 else end + 3


def is_parseable(markup: str) -> bool:
    """Whether a parser of the usual kind gets through this markup in reasonable time."""
    depth = 0
    for name, found in tags(markup):
        if found.end() - found.start() > _FEW_CHARACTERS and _has_too_many_attributes(found):
            return False
        if not name or name in _SELF_CLOSING:
            continue
        depth = max(0, depth - 1) if found["slash"] else depth + 1
        if depth > _MAX_DEPTH:
            return False
    return True


def _after_text(name: str, found: re.Match[str]) -> int:
    if name not in _RAW or found["slash"]:
        return after(found)
    end = _RAW[name].search(found.string, found.end())
    return end.start() if end else len(found.string)


def _has_too_many_attributes(found: re.Match[str]) -> bool:
    span = found.span("attributes")
    return any(count >= _MAX_ATTRIBUTES for count, _ in enumerate(_ATTRIBUTE.finditer(found.string, *span)))
