"""Colours of text and of the background behind it: their notations, gradients and filters."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from dowse.extract.html.tree.values import number, pixels

Colour = tuple[float, float, float, float]
"""Red, green, blue (0 to 255) and opacity (0 to 1)."""
WHITE: Colour = (255, 255, 255, 1)
BLACK: Colour = (0, 0, 0, 1)
_COLOUR = re.compile(r"(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]{1,80})\)")
_SHARE = r"(?:\s+(\d{1,3}\.?\d{0,9})%)?"
_MIXED = re.compile(rf"color-mix\(in [\w-]{{1,20}}[^,]{{0,30}},\s*(.{{1,80}}?){_SHARE},\s*(.{{1,80}}?){_SHARE}\)")
_RELATIVE = re.compile(r"(\w{3,5})\(from ([^()]{1,40}|\w{3,5}\([^()]{1,40}\)) (\S{1,20}) (\S{1,20}) (\S{1,20})(.*)\)")
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
        " steelblue:4682b4 royalblue:4169e1 canvas:ffffff canvastext:000000 field:ffffff fieldtext:000000"
    ).split()
)
_LONGEST_COLOUR = 200
FAINT = 0.05
"""Opacity below which nothing is seen."""
# Text in a colour that differs by less from its background is not visible.
_SAME = 16
_PARTS = re.compile(r"[\w#.%-]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?")
_GRADIENT = re.compile(r"(?:linear|radial|conic)-gradient\((.*)\)")
_INKS = frozenset(("color", "-webkit-text-fill-color"))
_GROUNDS = frozenset(("background", "background-color"))
_FAR_SHADOW = 100
_LONGEST_GRADIENT = 1_000
_MAX_PARTS = 40
_EDGE = 16
# An outline of letters that is wider covers them.
_BROAD_STROKE_PX = 3


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
    if "(from " in value:
        return _from_other(value)
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
    share = float(found[2] or (100 - float(found[4]) if found[4] else 50)) / 100
    red, green, blue, opacity = (a * share + b * (1 - share) for a, b in zip(one, other, strict=True))
    return red, green, blue, opacity


def _from_other(value: str) -> Colour | None:
    """A colour made from another one: the same channels, or numbers in their place."""
    found = _RELATIVE.fullmatch(value)
    base = read_colour(found[2]) if found else None
    if found is None or base is None or found[6]:
        return None
    channels = found[1].removesuffix("a")
    if "".join(found.group(3, 4, 5)) == channels[-3:]:
        return base
    known = dict(zip("rgb", map(str, base), strict=False)) if channels == "rgb" else {}
    return _read_colour(f"{channels}({' '.join(known.get(each, each) for each in found.group(3, 4, 5))})")


def _from_function(name: str, arguments: str) -> Colour | None:
    numbers = _NUMBER.findall(arguments.partition(" ")[2] if name == "color" else arguments)
    try:
        values = [float(number.rstrip("%")) * (0.01 if number.endswith("%") else 1) for number in numbers]
    except ValueError:
        return None
    if len(values) not in (3, 4):
        return None
    opacity = values[3] if len(values) == 4 else 1.0
    if name == "rgb":
        red, green, blue = (
            value * 255 if each.endswith("%") else value for value, each in zip(values[:3], numbers[:3], strict=True)
        )
        return red, green, blue, opacity
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


def is_same_colour(text: Colour, ground: Colour) -> bool:
    """Whether text of one colour is invisible on a background of the other."""
    return all(abs(one - other) * text[3] < _SAME for one, other in zip(text[:3], ground[:3], strict=True))


def find_ground_colour(style: Mapping[str, str]) -> Colour | None:
    """The background colour; `None` without one."""
    value = style.get("background-color") or style.get("background")
    if not value:
        return None
    whole = read_colour(value)
    return whole or next((colour for part in _PARTS.findall(value)[:9] if (colour := read_colour(part))), None)


def is_relief(value: str, ground: Colour) -> bool:
    """Whether a shadow or an outline of letters is seen on a background; one far away, or blurred, is not."""
    parts = _PARTS.findall(value)[:_MAX_PARTS]
    if any(abs(pixels(part) or 0) >= _FAR_SHADOW for part in parts):
        return False
    colours = [colour for part in parts if (colour := read_colour(part)) is not None]
    return bool(colours) and not all(is_same_colour(colour, ground) for colour in colours)


def has_picture(style: Mapping[str, str]) -> bool:
    """Whether a picture or a gradient is the background."""
    value = style.get("background", "") + style.get("background-image", "")
    return "(" in value and ("url(" in value or "gradient(" in value or "image" in value)


def is_camouflage(style: Mapping[str, str]) -> bool:
    """Whether declarations give text the colour of its background, or none."""
    if _INKS.isdisjoint(style):
        return False
    text = ink_of(style)
    colour = read_colour(text)
    behind = find_ground_colour(style)
    if colour is None or behind is None:
        return (colour is not None and colour[3] < FAINT) or (
            "var(" in text and behind is None and _GROUNDS & style.keys() != set()
        )
    return is_same_colour(colour, behind)


def ink_of(style: Mapping[str, str]) -> str:
    return style.get("-webkit-text-fill-color") or style.get("color", "")


def find_gradient_colour(value: str) -> Colour | None:
    """The colour of a background with gradients of one colour only; `None` for any other background."""
    colours = _gradient_colours(value)
    is_one = bool(colours) and all(each[3] == 1 and is_same_colour(each, colours[0]) for each in colours)
    return colours[0] if is_one else None


def is_clear_gradient(value: str) -> bool:
    """Whether a gradient draws nothing."""
    colours = _gradient_colours(value)
    return bool(colours) and all(colour[3] < FAINT for colour in colours)


def _gradient_colours(value: str) -> list[Colour]:
    """The colours of gradients; none beside a picture."""
    found = _GRADIENT.search(value[:_LONGEST_GRADIENT]) if "gradient(" in value and "url(" not in value else None
    parts = _PARTS.findall(found[1])[:_MAX_PARTS] if found else []
    return [colour for part in parts if (colour := read_colour(part))]


def is_smothered(stroke: str, colour: Colour, ground: Colour | None) -> bool:
    """Whether letters lie under a broad outline in the colour of their background."""
    parts = _PARTS.findall(stroke)[:_MAX_PARTS]
    own = next((found for part in parts if (found := read_colour(part))), colour)
    width = max((pixels(part) or 0 for part in parts), default=0)
    return width >= _BROAD_STROKE_PX and ground is not None and is_same_colour(own, ground)


def filter_colour(colour: Colour | None, functions: list[tuple[str, str]]) -> Colour | None:
    """A colour after the filters of an element, of which those count that make all colours alike."""
    for name, arguments in functions:
        if colour is None or name not in _FILTERS:
            continue
        red, green, blue = (min(255.0, max(0.0, _FILTERS[name](each, number(arguments)))) for each in colour[:3])
        colour = red, green, blue, colour[3]
    return colour


_FILTERS: dict[str, Callable[[float, float], float]] = {
    "brightness": lambda channel, amount: channel * amount,
    "contrast": lambda channel, amount: (channel - 127.5) * amount + 127.5,
    "invert": lambda channel, amount: channel * (1 - amount) + (255 - channel) * amount,
}


def blend_colours(over: Colour | None, under: Colour | None) -> Colour | None:
    if over is None or under is None:
        return under
    red, green, blue = (a * over[3] + b * (1 - over[3]) for a, b in zip(over[:3], under[:3], strict=True))
    return red, green, blue, 1


def keeps_blended(ground: Colour) -> bool:
    """Whether blending leaves text in the colour of this background invisible."""
    return max(ground[:3]) < _EDGE or min(ground[:3]) > WHITE[0] - _EDGE
