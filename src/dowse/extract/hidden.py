"""What a person cannot see, told from the attributes of one tag where there is no tree."""

from __future__ import annotations

import html
import re
from functools import lru_cache

from dowse.extract.tree.grammar import ATTRIBUTE
from dowse.extract.tree.hiding import Certainty, Hiding

# Without one of these no attribute hides anything.
_TELLING = re.compile("hidden|style|popover|sr-only|visually|screen-reader", re.I)
_HIDING = Hiding()


# A page has many tags that are written alike.
@lru_cache(maxsize=2_000)
def hides(attributes: str) -> bool:
    """Whether a tag's raw attributes hide the element."""
    if not _TELLING.search(attributes):
        return False
    written: dict[str, str | None] = {}
    for found in ATTRIBUTE.finditer(attributes):
        _, _, value = found[0].partition("=")
        written.setdefault(found[1].lower(), html.unescape(value.strip().strip("\"'")))
    return _HIDING.judge("div", written) is not Certainty.NONE
