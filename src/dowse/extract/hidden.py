"""What a person cannot see, told from the attributes of one tag where there is no tree."""

from __future__ import annotations

import html
from functools import lru_cache

from dowse.extract.html.tree.grammar import ATTRIBUTE
from dowse.extract.html.tree.hiding import Certainty, Hiding

# Without one of these no attribute hides anything.
_TELLING = ("hidden", "style", "popover", "sr-only", "visually", "screen-reader")
_HIDING = Hiding()


# A page has many tags that are written alike.
@lru_cache(maxsize=2_000)
def hides(attributes: str) -> bool:
    """Whether a tag's raw attributes hide the element."""
    lower = attributes.lower()
    if not any(word in lower for word in _TELLING):
        return False
    written: dict[str, str | None] = {}
    for found in ATTRIBUTE.finditer(attributes):
        _, _, value = found[0].partition("=")
        written.setdefault(found[1].lower(), html.unescape(value.strip().strip("\"'")))
    return _HIDING.judge("div", written) is not Certainty.NONE
