"""The lead of a page: its first paragraph of prose, which is what most pages open with."""

from __future__ import annotations

from dowse.text import one_line

MAX_CHARS = 500
_MIN_CHARS = 60
_LOOKED_AT = 20_000  # A lead comes early, and this runs on the event loop.
_NOT_PROSE = ("#", "|", "```", "- ", "* ", "> ", "![", "1. ")


def lead(markdown: str) -> str:
    """The first paragraph of some length, on one line; empty when the page has no prose."""
    fenced = False
    for block in markdown[:_LOOKED_AT].split("\n\n"):
        inside = fenced
        fenced ^= block.count("```") % 2 == 1
        text = block.strip()
        if not inside and len(text) >= _MIN_CHARS and not text.startswith(_NOT_PROSE):
            return one_line(text, MAX_CHARS)
    return ""
