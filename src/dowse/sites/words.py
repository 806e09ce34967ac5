"""The words of a query that an API is asked for, and plain words out of the markup that it answers with."""

from __future__ import annotations

import re
from html import unescape

from dowse.core.text import cut_at_word, without_markup

# Most of these APIs want every word to occur: those that only make a sentence of the others would find nothing.
_LITTLE = frozenset(
    "a an and any are as at be been but by can could did do does for from get had has have he her his how i if in into "
    "is it its me my of on or our she should so some that the their them then there these they this to was we were "
    "what what's when where which who whom whose why will with would you your".split()
)
# A sign before a word means something to a search; within a word it is part of a name: `C++`, `node.js`, `read_text`.
_WORD = re.compile(r"\w(?:[\w.+#/@'-]{0,60}[\w+#])?[+#]{0,2}")
_PARAGRAPH = re.compile(r"<(?:p|br|/p|/li|/h[1-6])\b[^<>]{0,200}>", re.IGNORECASE)
# Abstracts at Crossref are marked up as JATS has it, which no browser knows.
_JATS = re.compile(r"</?(?:jats|mml):[a-zA-Z-]{1,40}(?:\s[^<>]{0,300})?/?>")
_LOOKED_AT = 4_000  # A snippet has a quarter of that.


def words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def keywords(text: str, *, max_chars: int, most: int = 12, without: frozenset[str] = frozenset()) -> str:
    """The words that matter, in their order and without any operator; all of them where none seems to."""
    words = words_of(text)
    kept = [word for word in words if word.lower() not in _LITTLE | without]
    # In capitals they would be operators.
    plain = [word.lower() if word in ("AND", "OR", "NOT") else word for word in kept or words]
    return cut_at_word(" ".join(plain[:most]), max_chars)


def without_tags(markup: str) -> str:
    """What people see of a piece of HTML, for a snippet; a tag that is left is the text of somebody's code."""
    spaced = _PARAGRAPH.sub(" ", _JATS.sub(" ", markup[:_LOOKED_AT]))
    return unescape(without_markup(spaced))
