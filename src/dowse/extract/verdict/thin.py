"""Content that is so little for a page with scripts that a browser may show more of it."""

from __future__ import annotations

from dowse.extract.verdict.outline import Outline
from dowse.extract.verdict.shell import is_bundle, is_rooted

# A heading and a line below it.
_FEW_WORDS = 15
# What frames an application: a line about it, a line at its foot.
_FRAME_WORDS = 60


def judge(page: Outline) -> bool:
    """Whether scripts may have more to say than the page. What it links to is no text of its own."""
    if page.words > _FRAME_WORDS:
        return False
    programs = [attributes for attributes in page.shape.scripts if "json" not in attributes]
    if not programs or page.words <= _FEW_WORDS:
        return bool(programs)
    return is_rooted(page) or any(map(is_bundle, programs))
