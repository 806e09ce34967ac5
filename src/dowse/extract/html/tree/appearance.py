"""Visibility of a style: switched off, out of sight; colours and sizes of text."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import lru_cache

ComputedStyle = Mapping[str, str]
Colour = tuple[float, float, float, float]
"""Red, green, blue (0 to 255) and opacity (0 to 1)."""
WHITE: Colour = (255, 255, 255, 1)
BLACK: Colour = (0, 0, 0, 1)
_COLOUR = re.compile(r"(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]{1,80})\)")
_MIXED = re.compile(
    r"color-mix\(in [\w-]{1,20}[^,]{0,30},\s*(.{1,80}?)(?:\s+([\d.]{1,9})%)?,\s*(.{1,80}?)(?:\s+[\d.]{1,9}%)?\)"
)
_NUMBER = re.compile(r"-?[\d.]{1,9}(?:e-?\d)?%?")
_NAMED = dict(
    pair.split(":")
    for pair in (
        "white:ffffff black:000000 red:ff0000 green:008000 lime:00ff00 blue:0000ff yellow:ffff00 gray:808080"
        " grey:808080 silver:c0c0c0 whitesmoke:f5f5f5 snow:fffafa ivory:fffff0 navy:000080 maroon:800000 teal:008080"
        " olive:808000 purple:800080 aqua:00ffff cyan:00ffff fuchsia:ff00ff magenta:ff00ff orange:ffa500 pink:ffc0cb"
        " brown:a52a2a gold:ffd700 tomato:ff6347 ghostwhite:f8f8ff floralwhite:fffaf0 mintcream:f5fffa azure:f0ffff"
        " aliceblue:f0f8ff lavenderblush:fff0f5 seashell:fff5ee honeydew:f0fff0 linen:faf0e6 oldlace:fdf5e6"
        " lightyellow:ffffe0 beige:f5f5dc cornsilk:fff8dc lavender:e6e6fa gainsboro:dcdcdc lightgray:d3d3d3"
        " lightgrey:d3d3d3 darkgray:a9a9a9 darkgrey:a9a9a9 dimgray:696969 dimgrey:696969 darkslategray:2f4f4f"
        " darkblue:00008b darkred:8b0000 darkgreen:006400 midnightblue:191970 indigo:4b0082 crimson:dc143c"
        " steelblue:4682b4 royalblue:4169e1 canvas:ffffff canvastext:000000"
    ).split()
)
_LONGEST_COLOUR = 200
_LENGTH = re.compile(r"([-+]?\d{0,9}\.?\d{1,9})(px|pt|r?em|ex|ch|[sdl]?v[wh]|vmin|vmax|v[ib]|%|in|cm|mm)?")
# Approximate; a hundredth of the window counts as 10.
_PIXELS = {"": 1, "px": 1, "pt": 1.33, "em": 16, "rem": 16, "ex": 8, "ch": 8, "in": 96, "cm": 38, "mm": 3.8}
_HUNDREDTH = 10
# Text that is meant to be seen is never pushed that far. Carousels are moved by hundreds of percent.
_FAR_AWAY = -900
_FAR_AWAY_PERCENT = -2000
_FAR_RIGHT = 2000
_OUT_OF_WINDOW = 1000
_INSETS = ("left", "top", "right", "bottom", "inset", "inset-inline-start", "inset-inline-end", "inset-block-start")
_SHIFTS = ("text-indent", "margin", "margin-left", "margin-top", "margin-inline-start", "margin-block-start")
_WIDTHS = ("width", "max-width", "inline-size", "max-inline-size")
_HEIGHTS = ("height", "max-height", "block-size", "max-block-size")
PROPERTIES = frozenset((*_INSETS, *_SHIFTS, *_WIDTHS, *_HEIGHTS)) | frozenset(
    "display visibility content-visibility opacity zoom z-index letter-spacing transform -webkit-transform scale"
    " translate rotate clip clip-path -webkit-clip-path mask mask-image -webkit-mask-image -webkit-text-security filter"
    " contain line-height font-size font".split()
)
"""Properties that may hide an element, without colours."""
_MASKS = ("mask", "mask-image", "-webkit-mask-image")
_FARTHEST = {"fixed": _OUT_OF_WINDOW, "absolute": _FAR_RIGHT}
_CLIPPING = ("overflow", "overflow-x", "overflow-y")
_ROOM = ("flex", "flex-grow", "min-width", "min-height", "padding", "padding-bottom", "padding-top", "padding-left")
_CONTAINED = frozenset(("strict", "content", "paint"))
_TINY = 1.5
TINY_FONT_PX = 3.0
FAINT = 0.05
_COLLAPSED_LETTERS = -10
_BLURRED = 8
_MAX_POINTS = 40
# Which of one to four values counts for the top, the right, the bottom and the left.
_SIDES = ((0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 2, 3))
_FUNCTION = re.compile(r"([a-z-]+?)(3d|x|y|z)?\(([^()]{0,200})\)")
_RECTANGLE = re.compile(r"rect\(\s{0,9}([01])(?:px)?[\s,]{1,9}([01])(?:px)?[\s,]{1,9}\1(?:px)?[\s,]{1,9}\2(?:px)?")
_CLEAR = r"(?:transparent|#0000|#00000000|rgba\(0,\s?0,\s?0,\s?0\))[^,]{0,20}"
_CLEAR_MASK = re.compile(
    rf"(?:-webkit-)?(?:linear|radial|conic)-gradient\((?:[^,#t]{{0,30}},)?\s*{_CLEAR}(?:,\s*{_CLEAR})*\)"
)
_FONT_SIZE = re.compile(r"(?:^|\s)([\d.]{1,9}(?:px|pt|r?em|%|ex|ch|v[wh])?)(?:\s*/|\s)")


_MOTION = frozenset(
    "transform -webkit-transform will-change transition transition-property transition-duration animation"
    " animation-name".split()
)


class Certainty(IntEnum):
    """Whether an element is hidden; doubtful where a script may show it later."""

    NONE = 0
    DOUBTFUL = 1
    HIDDEN = 2


def judge_display(style: ComputedStyle, *, is_moving: bool = False) -> Certainty:
    """Whether text is switched off in one of the ways in which scripts hide parts of a page until later.

    An element that moves is about to fade in.
    """
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return Certainty.HIDDEN
    is_faint = "opacity" in style and _number(style["opacity"]) < FAINT and not is_moving
    is_off = is_faint or _is_scaled_away(style)
    return Certainty.DOUBTFUL if is_off or (_clips(style) and 0 in _sizes(style, _HEIGHTS)) else Certainty.NONE


def judge_sight(style: ComputedStyle, *, is_placed: bool = True) -> Certainty:
    """Whether an element is out of sight: cut off, far away, masked, or behind the page.

    `is_placed` unless it is known that insets have no effect.
    """
    if PROPERTIES.isdisjoint(style):
        return Certainty.NONE
    if _is_cut_off(style, is_placed=is_placed) or _is_far_away(style, is_placed=is_placed) or _is_unreadable(style):
        return Certainty.HIDDEN
    is_behind = style.get("position") in ("absolute", "fixed") and _number(style.get("z-index", "0")) < 0
    is_doubtful = is_behind or _is_on_edge(style) or _filter_value(style, "blur") >= _BLURRED
    return Certainty.DOUBTFUL if is_doubtful or "strict" in style.get("contain", "") else Certainty.NONE


def is_moved(style: ComputedStyle) -> bool:
    """Whether a style speaks of motion, as that of an element that a script lets fade in does."""
    return not _MOTION.isdisjoint(style)


def font_pixels(style: ComputedStyle, around_px: float, root_px: float) -> float | None:
    """The font size; `None` for an unknown one."""
    value = style.get("font-size", "")
    if not value and "font" in style:
        found = _FONT_SIZE.search(style["font"])
        value = found[1] if found else ""
    found = _LENGTH.fullmatch(value.removeprefix("calc(").rstrip(")"))
    if found is None:
        return None
    number, unit = float(found[1]), found[2] or ""
    relative = {"em": around_px, "%": around_px / 100, "rem": root_px, "ex": around_px / 2, "ch": around_px / 2}
    return number * relative.get(unit, _PIXELS.get(unit, _HUNDREDTH))


def _is_scaled_away(style: ComputedStyle) -> bool:
    if "scale" in style and _is_flat(style["scale"].split()):
        return True
    if "zoom" in style and _number(style["zoom"], 1) <= FAINT:
        return True
    return any(map(_flattens, _functions(style, "transform")))


def _is_flat(factors: list[str]) -> bool:
    return any(abs(_number(factor.strip(), 1)) <= FAINT for factor in factors[:2])


def _flattens(function: tuple[str, str, str]) -> bool:
    name, axis, arguments = function
    parts = arguments.split(",")
    if name == "scale":
        return axis != "z" and _is_flat(parts)
    if name != "matrix" or axis or len(parts) < 4:
        return False
    a, b, c, d = (_number(part.strip(), 1) for part in parts[:4])
    return abs(a * d - b * c) <= FAINT * FAINT


def _is_on_edge(style: ComputedStyle) -> bool:
    turns = [f"{axis} {arguments}" for name, axis, arguments in _functions(style, "transform") if name == "rotate"]
    return any(
        re.match(r"[xy]\s+-?(?:90|270)deg|[xy]\s+-?\.25turn", turn) for turn in (*turns, style.get("rotate", ""))
    )


def _is_cut_off(style: ComputedStyle, *, is_placed: bool) -> bool:
    if is_placed and _RECTANGLE.search(style.get("clip", "")) is not None:
        return True
    if any(map(_is_empty_shape, _functions(style, "clip-path"))):
        return True
    return any(_CLEAR_MASK.search(style.get(name, "")) for name in _MASKS) or _is_boxed_in(style)


def _is_boxed_in(style: ComputedStyle) -> bool:
    """Whether a box without room clips the text."""
    if not _clips(style) or "flex" in style or max(_sizes(style, _ROOM), default=0) > TINY_FONT_PX:
        return False
    # An element that opens on a click may have no height either, but it has a width.
    lines = [_TINY] if style.get("line-height") in ("0", "0px", "1px") else []
    heights = [size for size in _sizes(style, _HEIGHTS) if size > 0]
    return min((*_sizes(style, _WIDTHS), *heights, *lines), default=_TINY + 1) <= _TINY


def _is_empty_shape(function: tuple[str, str, str]) -> bool:
    name, _, arguments = function
    judge = _SHAPES.get(name)
    return judge is not None and judge(arguments)


def _is_no_circle(arguments: str) -> bool:
    return arguments.lstrip()[:1] == "0" and _number(arguments.split()[0].rstrip("px%"), 1) == 0


def _is_no_polygon(arguments: str) -> bool:
    return _area([part.split()[:2] for part in arguments.split(",")[:_MAX_POINTS]]) == 0


def _is_no_rectangle(arguments: str) -> bool:
    return re.search("[1-9]", arguments) is None


def _is_no_inset(arguments: str) -> bool:
    sides = [_share(side) for side in arguments.partition("round")[0].split()[:4]] or [0.0]
    top, right, bottom, left = (sides[at] for at in _SIDES[len(sides) - 1])
    return top + bottom >= 1 or left + right >= 1


_SHAPES: dict[str, Callable[[str], bool]] = {
    "circle": _is_no_circle,
    "ellipse": _is_no_circle,
    "polygon": _is_no_polygon,
    "rect": _is_no_rectangle,
    "xywh": _is_no_rectangle,
    "inset": _is_no_inset,
}


def _share(side: str) -> float:
    """The part of a box that an inset takes."""
    if side.endswith("%"):
        return _number(side)
    return 1.0 if (_pixels(side) or 0) >= -_FAR_AWAY else 0.0


def _area(points: list[list[str]]) -> float | None:
    """The area of a polygon; `None` if a coordinate is no plain number."""
    try:
        corners = [(float(x.rstrip("px%")), float(y.rstrip("px%"))) for x, y in points]
    except ValueError:
        return None
    following = [*corners[1:], *corners[:1]]
    return sum(one[0] * two[1] - two[0] * one[1] for one, two in zip(corners, following, strict=True))


def _clips(style: ComputedStyle) -> bool:
    if any(name in style and not style[name].startswith("visible") for name in _CLIPPING):
        return True
    return "contain" in style and not _CONTAINED.isdisjoint(style["contain"].split())


def _is_far_away(style: ComputedStyle, *, is_placed: bool) -> bool:
    insets = _sizes(style, _INSETS) if is_placed else []
    if min((*insets, *_sizes(style, _SHIFTS)), default=0) <= _FAR_AWAY:
        return True
    farthest = _FARTHEST.get(style.get("position", ""))
    if farthest is not None and max(insets, default=0) >= farthest:
        return True
    return _is_moved_away(style)


def _is_moved_away(style: ComputedStyle) -> bool:
    moves = [arguments for name, _, arguments in _functions(style, "transform") if name == "translate"]
    return any(
        _is_far_move(part) for move in (*moves, style.get("translate", "")) for part in re.split(r"[\s,]+", move)
    )


def _is_far_move(part: str) -> bool:
    if part.endswith("%"):
        return abs(_number(part)) >= 10
    distance = _pixels(part)
    return distance is not None and not _FAR_AWAY < distance < _FAR_RIGHT


def _is_unreadable(style: ComputedStyle) -> bool:
    if any(size <= _COLLAPSED_LETTERS for size in _sizes(style, ("letter-spacing",))):
        return True
    if style.get("-webkit-text-security", "none") != "none" or _filter_value(style, "opacity") < FAINT:
        return True
    # Text that begins behind the edge of its box.
    return style.get("text-indent") == "100%" and _clips(style) and style.get("white-space") == "nowrap"


def _filter_value(style: ComputedStyle, wanted: str) -> float:
    """The amount of a filter; 1 without it."""
    found = [arguments for name, axis, arguments in _functions(style, "filter") if name + axis == wanted]
    return (_pixels(found[0]) or 0) if found and wanted == "blur" else _number(found[0]) if found else 1.0


def _functions(style: ComputedStyle, name: str) -> list[tuple[str, str, str]]:
    value = style.get(name) or style.get(f"-webkit-{name}", "")
    return _FUNCTION.findall(value) if "(" in value else []


def _sizes(style: ComputedStyle, names: tuple[str, ...]) -> list[float]:
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


def _number(value: str, otherwise: float = 1.0) -> float:
    try:
        return float(value.removesuffix("%")) * (0.01 if value.endswith("%") else 1)
    except ValueError:
        return otherwise


def opacity_of(style: ComputedStyle) -> float:
    """The opacity of an element, without that of its ancestors."""
    return min(1.0, max(0.0, _number(style["opacity"]))) if "opacity" in style else 1.0


def read_colour(value: str) -> Colour | None:
    """The colour; `None` for any value that is no single colour."""
    return _read_colour(value.strip()) if len(value) <= _LONGEST_COLOUR else None


@lru_cache(maxsize=2_000)
def _read_colour(value: str) -> Colour | None:
    if value == "transparent":
        return 0, 0, 0, 0
    if value.startswith("#"):
        return _from_hex(value[1:])
    if value in _NAMED:
        return _from_hex(_NAMED[value])
    if value.startswith("light-dark("):
        return read_colour(value[11:].rstrip(")").split(",")[0]) if value.count(",") == 1 else None
    if value.startswith("color-mix("):
        return _from_mix(value)
    found = _COLOUR.fullmatch(value)
    return _from_function(found[1], found[2]) if found else None


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


def _from_mix(value: str) -> Colour | None:
    found = _MIXED.fullmatch(value)
    one, other = (read_colour(found[1]), read_colour(found[3])) if found else (None, None)
    if found is None or one is None or other is None:
        return None
    share = float(found[2] or "50") / 100
    red, green, blue, opacity = (a * share + b * (1 - share) for a, b in zip(one, other, strict=True))
    return red, green, blue, opacity


def _from_function(name: str, arguments: str) -> Colour | None:
    numbers = _NUMBER.findall(arguments.removeprefix("srgb"))
    try:
        values = [float(number.rstrip("%")) * (0.01 if number.endswith("%") else 1) for number in numbers]
    except ValueError:
        return None
    if len(values) not in (3, 4):
        return None
    opacity = values[3] if len(values) == 4 else 1.0
    if name == "rgb":
        scaled = [value * 255 if number.endswith("%") else value for value, number in zip(values, numbers, strict=True)]
        return scaled[0], scaled[1], scaled[2], opacity
    red, green, blue = _SPACES[name](values[0], values[1], values[2])
    return 255 * red, 255 * green, 255 * blue, opacity


def _from_hwb(_hue: float, white: float, black: float) -> tuple[float, float, float]:
    grey = white / (white + black) if white + black > 0 else 0.5
    return grey, grey, grey


def _from_lightness(scale: float) -> Callable[[float, float, float], tuple[float, float, float]]:
    """Colours near black and white, where the hue hardly matters; any other becomes a grey."""

    def convert(lightness: float, *_others: float) -> tuple[float, float, float]:
        grey = min(1.0, lightness if lightness <= 1 else lightness / scale)
        return grey, grey, grey

    return convert


_SPACES: dict[str, Callable[[float, float, float], tuple[float, float, float]]] = {
    "hsl": lambda hue, saturation, lightness: colorsys.hls_to_rgb(hue / 360, lightness, saturation),
    "hwb": _from_hwb,
    "lab": _from_lightness(100),
    "lch": _from_lightness(100),
    "oklab": _from_lightness(1),
    "oklch": _from_lightness(1),
    "color": lambda red, green, blue: (red, green, blue),
}
