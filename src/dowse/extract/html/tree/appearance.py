"""Visibility of a computed style: switched off, out of sight, or text in the colour of its background."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping
from enum import IntEnum

Style = Mapping[str, str]
_LENGTH = re.compile(r"([-+]?\d{0,9}\.?\d{1,9})(px|pt|r?em|ex|ch|v[wh]|vmin|vmax|%|in|cm|mm)?")
# About; of the window 10 for a hundredth.
_PIXELS = {"": 1, "px": 1, "pt": 1.33, "em": 16, "rem": 16, "ex": 8, "ch": 8, "in": 96, "cm": 38, "mm": 3.8}
_HUNDREDTH = 10
# Nobody pushes a text that far who wants it to be seen, and no text is that small. Carousels are moved by hundreds of
# percent.
_FAR_AWAY = -900
_FAR_AWAY_PERCENT = -2000
_PLACES = ("left", "top", "right", "bottom", "text-indent", "margin", "margin-left", "margin-top")
# Without one of these nothing is out of sight.
_TELLING = frozenset(_PLACES) | frozenset(
    "clip clip-path overflow transform translate filter font-size zoom z-index color -webkit-text-fill-color".split()
)
_TINY = 1.5
_FAINT = 0.05
_MOVING = frozenset(("transform", "-webkit-transform", "transition", "animation", "will-change"))
_ZERO_SCALE = re.compile(r"scale(?:3d|[xy])?\(\s{0,9}0(?:\.0{1,9})?[\s,)]|matrix\(0,\s{0,9}0,\s{0,9}0,\s{0,9}0")
_ON_EDGE = re.compile(r"rotate[xy]\(\s{0,9}-?90deg")
_FAR_TRANSLATION = re.compile(r"translate(?:3d|[xy])?\([^()]{0,20}-\d{4}")
_NO_CLIP = re.compile(r"rect\(\s{0,9}([01])(?:px)?[\s,]{1,9}([01])(?:px)?[\s,]{1,9}\1(?:px)?[\s,]{1,9}\2(?:px)?")
_NO_PATH = re.compile(
    r"inset\(\s{0,9}(?:[5-9]\d|100)%|(?:circle|ellipse)\(\s{0,9}0"
    r"|polygon\(\s{0,9}(0(?:px|%)? 0(?:px|%)?)(?:\s{0,9},\s{0,9}\1){1,9}\s{0,9}\)"
)
_NO_OPACITY = re.compile(r"opacity\(\s{0,9}0?\.?0{0,9}%?\s{0,9}\)")
# In these a size of nothing is for the blanks between what they hold, which has a size of its own.
_CONTAINERS = frozenset(("div", "ul", "ol", "section", "table", "tbody", "tr", "td", "th", "figure", "main", "article"))
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]{1,80})\)")
_NUMBER = re.compile(r"-?[\d.]{1,9}%?")
_NAMED = {
    "white": "ffffff",
    "black": "000000",
    "red": "ff0000",
    "green": "008000",
    "lime": "00ff00",
    "blue": "0000ff",
    "yellow": "ffff00",
    "gray": "808080",
    "grey": "808080",
    "silver": "c0c0c0",
    "whitesmoke": "f5f5f5",
    "snow": "fffafa",
    "ivory": "fffff0",
    "navy": "000080",
}
# Nobody sees a difference of 8 in 255.
_SAME = 8
Colour = tuple[float, float, float, float]


class Certainty(IntEnum):
    """Whether an element is hidden; doubtful where a script may show it later."""

    NONE = 0
    DOUBTFUL = 1
    HIDDEN = 2


def switched_off(style: Style) -> Certainty:
    """Whether text is hidden in one of the ways in which scripts hide what they show later."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return Certainty.HIDDEN
    if style.get("visibility") in ("hidden", "collapse"):
        return Certainty.DOUBTFUL
    # What is moved as well is about to fade in.
    if "opacity" in style and _number(style["opacity"]) < _FAINT and _MOVING.isdisjoint(style):
        return Certainty.DOUBTFUL
    if style.get("scale") == "0" or ("transform" in style and _ZERO_SCALE.search(style["transform"])):
        return Certainty.DOUBTFUL
    return Certainty.DOUBTFUL if _cuts(style) and 0 in _sizes(style, "height", "max-height") else Certainty.NONE


def out_of_sight(style: Style, tag: str) -> Certainty:
    """Whether text is hidden in a way that is hardly for people."""
    if _TELLING.isdisjoint(style):
        return Certainty.NONE
    if _is_cut_off(style) or _is_far_away(style) or _is_camouflaged(style):
        return Certainty.HIDDEN
    if "filter" in style and _NO_OPACITY.search(style["filter"]):
        return Certainty.HIDDEN
    if any(size <= _TINY for size in _sizes(style, "font-size")) or style.get("zoom") == "0":
        return Certainty.DOUBTFUL if tag in _CONTAINERS else Certainty.HIDDEN
    is_behind = "z-index" in style and style.get("position") in ("absolute", "fixed") and _number(style["z-index"]) < 0
    is_on_edge = "transform" in style and _ON_EDGE.search(style["transform"])
    return Certainty.DOUBTFUL if is_behind or is_on_edge else Certainty.NONE


def _is_cut_off(style: Style) -> bool:
    if "clip" in style and _NO_CLIP.search(style["clip"]):
        return True
    if "clip-path" in style and _NO_PATH.search(style["clip-path"]):
        return True
    # What opens on a click may have no height either, but it has a width.
    return _cuts(style) and (
        any(size <= _TINY for size in _sizes(style, "width", "max-width"))
        or any(0 < size <= _TINY for size in _sizes(style, "height", "max-height", "line-height"))
    )


def _cuts(style: Style) -> bool:
    return "overflow" in style and style["overflow"].startswith(("hidden", "clip"))


def _is_far_away(style: Style) -> bool:
    if any(place <= _FAR_AWAY for place in _sizes(style, *_PLACES)):
        return True
    if "transform" not in style and "translate" not in style:
        return False
    moves = f"{style.get('transform', '')} translate({style.get('translate', '')})"
    return _FAR_TRANSLATION.search(moves) is not None


def _is_camouflaged(style: Style) -> bool:
    """Whether text has the colour of what is behind it."""
    text = style.get("-webkit-text-fill-color") or style.get("color")
    if not text:
        return False
    if is_transparent(text):
        # A picture may be cut out in the form of the letters, and a shadow has their form too.
        clips = style.get("background-clip", "") + style.get("-webkit-background-clip", "")
        return "text" not in clips and "text-shadow" not in style
    ground = style.get("background-color") or style.get("background")
    return bool(ground) and is_same(text, ground or "")


def _sizes(style: Style, *names: str) -> list[float]:
    """The lengths that these properties have, in pixels."""
    return [size for name in names if name in style and (size := _pixels(style[name])) is not None]


def _pixels(value: str) -> float | None:
    found = _LENGTH.fullmatch(value.removeprefix("calc(").rstrip(")").split(" ")[0])
    if found is None:
        return None
    number, unit = float(found[1]), found[2] or ""
    if unit == "%":
        # Of what is not known; but nothing is nothing.
        return number if number == 0 or number <= _FAR_AWAY_PERCENT else None
    return number * _PIXELS.get(unit, _HUNDREDTH)


def _number(value: str) -> float:
    try:
        return float(value.removesuffix("%")) * (0.01 if value.endswith("%") else 1)
    except ValueError:
        return 1


def read(value: str) -> Colour | None:
    """Red, green, blue (0 to 255) and opacity (0 to 1); None for what is no single colour."""
    value = value.strip()
    if value == "transparent":
        return 0, 0, 0, 0
    if value.startswith("#"):
        return _from_hex(value[1:])
    if value in _NAMED:
        return _from_hex(_NAMED[value])
    found = _FUNCTION.fullmatch(value)
    return _from_function(found[1], _NUMBER.findall(found[2])) if found else None


def is_same(one: str, other: str) -> bool:
    """Whether text of one colour cannot be told from a ground of the other."""
    first, second = read(one), read(other)
    if first is None or second is None:
        return one == other and one.isalpha() and one not in ("inherit", "initial", "unset", "currentcolor", "none")
    return second[3] > 0 and all(abs(a - b) < _SAME for a, b in zip(first[:3], second[:3], strict=True))


def is_transparent(value: str) -> bool:
    """Whether nothing of a colour is seen."""
    colour = read(value)
    return colour is not None and colour[3] < 0.05


def _from_hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) not in (6, 8):
        return None
    try:
        red, green, blue, opacity = bytes.fromhex(digits.ljust(8, "f"))
    except ValueError:
        return None
    return red, green, blue, opacity / 255


def _from_function(name: str, numbers: list[str]) -> Colour | None:
    try:
        values = [float(number.rstrip("%")) * (0.01 if number.endswith("%") else 1) for number in numbers]
    except ValueError:
        return None
    if len(values) not in (3, 4):
        return None
    opacity = values[3] if len(values) == 4 else 1.0
    if name == "hsl":
        red, green, blue = colorsys.hls_to_rgb(values[0] / 360, values[2], values[1])
        return 255 * red, 255 * green, 255 * blue, opacity
    red, green, blue = (
        value * 255 if number.endswith("%") else value for value, number in zip(values[:3], numbers, strict=False)
    )
    return red, green, blue, opacity
