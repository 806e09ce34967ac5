"""What a person cannot see, told from an element's attributes: text put there is meant for machines."""

from __future__ import annotations

import re

# Each needs its whole value, so that `opacity: 0.9` and `font-size: 0.8em` stay visible.
STYLE = re.compile(
    r"""display\s{0,9}:\s{0,9}none
    |visibility\s{0,9}:\s{0,9}(?:hidden|collapse)
    |opacity\s{0,9}:\s{0,9}0?\.?0{1,9}(?![.\d])
    |font-size\s{0,9}:\s{0,9}0{1,9}(?![.\d])
    |(?:^|[^-\w])(?:left|top|text-indent)\s{0,9}:\s{0,9}-\d{4}""",
    re.I | re.X,
)
_ATTRIBUTES = re.compile(r"""(?:^|[\s"'])hidden(?=[\s=/]|$)(?!\s*=\s*["']?until)|aria-hidden\s*=\s*["']?true""", re.I)


def hides(attributes: str) -> bool:
    """Whether a tag's raw attributes hide the element."""
    if len(attributes) < len(" hidden"):
        return False
    return bool(_ATTRIBUTES.search(attributes) or ("style" in attributes.lower() and STYLE.search(attributes)))
