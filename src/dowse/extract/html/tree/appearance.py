"""Visibility of a computed style: switched off, out of sight, or text in the colour of its background."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping
from enum import IntEnum

ComputedStyle = Mapping[str, str]
_LENGTH = re.compile(r"([-+]?\d{0,9}\.?\d{1,9})(px|pt|r?em|ex|ch|v[wh]|vmin|vmax|%|in|cm|mm)?")
# Approximate; a hundredth of the window counts as 10.
_PIXELS = {"": 1, "px": 1, "pt": 1.33, "em": 16, "rem": 16, "ex": 8, "ch": 8, "in": 96, "cm": 38, "mm": 3.8}
_HUNDREDTH = 10
# Text that is meant to be seen is never pushed that far. Carousels are moved by hundreds of percent.
_FAR_AWAY = -900
_FAR_AWAY_PERCENT = -2000
_PLACES = ("left", "top", "right", "bottom", "text-indent", "margin", "margin-left", "margin-top")
# Without one of these properties no text is out of sight.
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
# In these a font size of zero removes the gaps between children, which have a size of their own.
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
# A difference of 8 in 255 is not visible.
_SAME = 8
Colour = tuple[float, float, float, float]


class Certainty(IntEnum):
    """Whether an element is hidden; doubtful where a script may show it later."""

    NONE = 0
    DOUBTFUL = 1
    HIDDEN = 2


def judge_display(style: ComputedStyle) -> Certainty:
    """Whether text is switched off in one of the ways in which scripts hide parts of a page until later."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return Certainty.HIDDEN
    is_off = style.get("visibility") in ("hidden", "collapse") or _is_faint(style) or _is_scaled_away(style)
    return (
        Certainty.DOUBTFUL
        if is_off or (_clips(style) and 0 in _sizes(style, "height", "max-height"))
        else Certainty.NONE
    )


def judge_sight(style: ComputedStyle, tag: str) -> Certainty:
    """Whether text is out of sight: cut off, far away, camouflaged, tiny, or behind the page."""
    if _TELLING.isdisjoint(style):
        return Certainty.NONE
    if _is_cut_off(style) or _is_far_away(style) or _is_camouflaged(style) or _finds(_NO_OPACITY, style, "filter"):
        return Certainty.HIDDEN
    if _is_tiny(style):
        return Certainty.DOUBTFUL if tag in _CONTAINERS else Certainty.HIDDEN
    is_doubtful = _is_behind(style) or _finds(_ON_EDGE, style, "transform")
    return Certainty.DOUBTFUL if is_doubtful else Certainty.NONE


def _finds(pattern: re.Pattern[str], style: ComputedStyle, name: str) -> bool:
    return name in style and pattern.search(style[name]) is not None


def _is_faint(style: ComputedStyle) -> bool:
    # An element that moves as well is about to fade in.
    return "opacity" in style and _number(style["opacity"]) < _FAINT and _MOVING.isdisjoint(style)


def _is_scaled_away(style: ComputedStyle) -> bool:
    return style.get("scale") == "0" or _finds(_ZERO_SCALE, style, "transform")


def _is_tiny(style: ComputedStyle) -> bool:
    return any(size <= _TINY for size in _sizes(style, "font-size")) or style.get("zoom") == "0"


def _is_behind(style: ComputedStyle) -> bool:
    is_placed = style.get("position") in ("absolute", "fixed")
    return is_placed and "z-index" in style and _number(style["z-index"]) < 0


def _is_cut_off(style: ComputedStyle) -> bool:
    if _finds(_NO_CLIP, style, "clip") or _finds(_NO_PATH, style, "clip-path"):
        return True
    # An element that opens on a click may have no height either, but it has a width.
    return _clips(style) and (
        any(size <= _TINY for size in _sizes(style, "width", "max-width"))
        or any(0 < size <= _TINY for size in _sizes(style, "height", "max-height", "line-height"))
    )


def _clips(style: ComputedStyle) -> bool:
    return "overflow" in style and style["overflow"].startswith(("hidden", "clip"))


def _is_far_away(style: ComputedStyle) -> bool:
    if any(place <= _FAR_AWAY for place in _sizes(style, *_PLACES)):
        return True
    if "transform" not in style and "translate" not in style:
        return False
    moves = f"{style.get('transform', '')} translate({style.get('translate', '')})"
    return _FAR_TRANSLATION.search(moves) is not None


def _is_camouflaged(style: ComputedStyle) -> bool:
    """Whether text has the colour of its background."""
    text = style.get("-webkit-text-fill-color") or style.get("color")
    if not text:
        return False
    if _is_transparent(text):
        # A picture may be cut out in the form of the letters, and a shadow has their form too.
        clips = style.get("background-clip", "") + style.get("-webkit-background-clip", "")
        return "text" not in clips and "text-shadow" not in style
    ground = style.get("background-color") or style.get("background")
    return bool(ground) and _is_same_colour(text, ground or "")


def _sizes(style: ComputedStyle, *names: str) -> list[float]:
    """The lengths of these properties, in pixels."""
    return [size for name in names if name in style and (size := _pixels(style[name])) is not None]


def _pixels(value: str) -> float | None:
    found = _LENGTH.fullmatch(value.removeprefix("calc(").rstrip(")").split(" ")[0])
    if found is None:
        return None
    number, unit = float(found[1]), found[2] or ""
    if unit == "%":
        # The base is unknown, but 0 % of it is 0.
        return number if number == 0 or number <= _FAR_AWAY_PERCENT else None
    return number * _PIXELS.get(unit, _HUNDREDTH)


def _number(value: str) -> float:
    try:
        return float(value.removesuffix("%")) * (0.01 if value.endswith("%") else 1)
    except ValueError:
        return 1


def _read_colour(value: str) -> Colour | None:
    """Red, green, blue (0 to 255) and opacity (0 to 1); None for any value that is no single colour."""
    value = value.strip()
    if value == "transparent":
        return 0, 0, 0, 0
    if value.startswith("#"):
        return _from_hex(value[1:])
    if value in _NAMED:
        return _from_hex(_NAMED[value])
    found = _FUNCTION.fullmatch(value)
    return _from_function(found[1], _NUMBER.findall(found[2])) if found else None


def _is_same_colour(one: str, other: str) -> bool:
    """Whether text of one colour is invisible on a background of the other."""
    first, second = _read_colour(one), _read_colour(other)
    if first is None or second is None:
        return one == other and one.isalpha() and one not in ("inherit", "initial", "unset", "currentcolor", "none")
    return second[3] > 0 and all(abs(a - b) < _SAME for a, b in zip(first[:3], second[:3], strict=True))


def _is_transparent(value: str) -> bool:
    colour = _read_colour(value)
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
