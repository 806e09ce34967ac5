"""Pages that show a frame around nothing: a menu, a foot, and scripts that would fill what is between them."""

from __future__ import annotations

from dowse.extract.html.content import features
from dowse.extract.html.content.outline import Numbers

# No block of such a page looks like content, and it says no more than menus do.
_HOPELESS = 0.2
_MOST_WORDS = 600
_NEARLY_ALL = 0.9
_FRAME = [
    features.columns().index(name)
    for name in (
        *("around_nav", "around_header", "around_footer", "around_aside"),
        *("all_nav", "all_footer", "all_header", "all_side", "all_modal", "all_consent", "all_sign"),
    )
]


def is_bare(rows: Numbers, scores: Numbers) -> bool:
    """Whether all that a page says belongs to its frame."""
    words = rows[:, features.WORDS]
    if scores.max() >= _HOPELESS or words.sum() > _MOST_WORDS:
        return False
    in_frame = rows[:, _FRAME].max(1) > 0
    return bool(words[in_frame].sum() >= _NEARLY_ALL * words.sum())
