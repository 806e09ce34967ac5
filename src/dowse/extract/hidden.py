"""What a person cannot see, told from an element's attributes: text put there is meant for machines."""

from __future__ import annotations

import html
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
_COLOURS = re.compile(
    r"""(?:^|[;\s"'])(?P<ground>background(?:-color)?|color)\s{0,9}:\s{0,9}
    (?P<colour>\#[0-9a-f]{3,6}|[a-z]{3,20}|rgb\([\d\s,]{5,30}\))(?=\s{0,9}(?:!important)?\s{0,9}(?:[;"']|$))""",
    re.I | re.X,
)
_NAMED = {"white": "#ffffff", "black": "#000000"}
_NO_COLOURS = frozenset({"inherit", "initial", "unset", "transparent", "currentcolor", "none"})


def hides(attributes: str) -> bool:
    """Whether a tag's raw attributes hide the element."""
    if len(attributes) < len(" hidden"):
        return False
    if _ATTRIBUTES.search(attributes):
        return True
    # `&#58;` is a colon to whoever parses it.
    style = html.unescape(attributes) if "style" in attributes.lower() else ""
    return bool(STYLE.search(style)) or is_camouflaged(style)


def is_camouflaged(style: str) -> bool:
    """Whether text has the colour of its background."""
    colours = {found["ground"].lower() == "color": _rgb(found["colour"]) for found in _COLOURS.finditer(style)}
    return len(colours) == 2 and colours[True] == colours[False] and colours[True] not in _NO_COLOURS


def _rgb(colour: str) -> str:
    """A colour in one spelling: `#ffffff`."""
    colour = colour.lower()
    if colour.startswith("rgb("):
        parts = [part.strip() for part in colour[4:-1].split(",")]
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in parts if part.isdecimal())
    if colour.startswith("#") and len(colour) == 4:
        return "#" + "".join(digit * 2 for digit in colour[1:])
    return _NAMED.get(colour, colour)
