"""Values of declarations, and conditions of style sheets: lengths, colours, media queries."""

from __future__ import annotations

import colorsys
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

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
_LENGTH = re.compile(r"([-+]?\d{0,9}\.?\d{1,9})([a-z]{1,5}|%)?")
# Approximate pixels; a hundredth of the window counts as 10.
UNITS = {
    **{"": 1.0, "px": 1.0, "pt": 1.33, "pc": 16.0, "q": 0.94, "in": 96.0, "cm": 38.0, "mm": 3.8},
    **{"em": 16.0, "rem": 16.0, "ex": 8.0, "rex": 8.0, "ch": 8.0, "rch": 8.0, "lh": 20.0, "rlh": 20.0, "ic": 16.0},
    **{"cap": 11.0, "rcap": 11.0, "dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 1 / 38},
    **dict.fromkeys((each + side for each in ("", "s", "l", "d") for side in ("vw", "vh", "vi", "vb", "vmin")), 10.0),
    **dict.fromkeys("vmax svmax lvmax dvmax cqw cqh cqi cqb cqmin cqmax".split(), 10.0),
}
_FAR_AWAY_PERCENT = -2000
_HUNDREDTH_OF_WIDTH = 12.8
_TERMS = re.compile(r"[a-z-]*+\(|[-+]?(?:[\d.]++(?:e-?\d)?|infinity)(?:[a-z]++|%)?|[-+*/,)]|\S")
_LONGEST_CALCULATION = 200
_MATH: dict[str, Callable[[list[float]], float]] = {
    **dict.fromkeys(("(", "calc("), lambda values: values[0]),
    "min(": min,
    "max(": max,
    "clamp(": lambda values: max(values[0], min(values[1:])),
}
DISPLAYS = frozenset(
    "none block inline inline-block flex inline-flex grid inline-grid contents flow flow-root table"
    " inline-table list-item run-in ruby table-row table-cell table-column table-caption table-row-group"
    " table-header-group table-footer-group table-column-group math -webkit-box -webkit-inline-box -webkit-flex"
    " -ms-flexbox inherit initial unset revert revert-layer".split()
)


def pixels(value: str) -> float | None:
    """The length in pixels; `None` for an unknown one, such as most percentages."""
    if "%" not in value:
        return evaluate(value if "(" in value else value.partition(" ")[0])
    if "(" not in value:
        share = 100 * number(value.partition(" ")[0])
        return share if share == 0 or share <= _FAR_AWAY_PERCENT else None
    # The base is unknown, but a length that is far off for a small one and for a large one is far off.
    bounds = [evaluate(value, {**UNITS, "%": base}) for base in (0.0, _HUNDREDTH_OF_WIDTH)]
    return max((bound for bound in bounds if bound), default=None) if all(map(_is_negative, bounds)) else None


def _is_negative(bound: float | None) -> bool:
    return bound is not None and bound < 0


def number(value: str, otherwise: float = 1.0) -> float:
    """A number or a percentage."""
    try:
        return float(value.removesuffix("%")) * (0.01 if value.endswith("%") else 1)
    except ValueError:
        known = evaluate(value, {"": 1.0, "%": 0.01}) if "(" in value else None
        return otherwise if known is None else known


def evaluate(value: str, units: Mapping[str, float] = UNITS) -> float | None:
    """A number with a unit, or a calculation with such; `None` for any other value."""
    found = _LENGTH.fullmatch(value)
    if found is not None:
        unit = units.get(found[2] or "")
        return None if unit is None else float(found[1]) * unit
    if "(" not in value or len(value) > _LONGEST_CALCULATION:
        return None
    calculation = _Calculation(value, units)
    try:
        result = calculation.read_sum()
    except (ArithmeticError, LookupError, ValueError):
        return None
    return None if calculation.terms else result


class _Calculation:
    """Reads `calc()` and the like from left to right; an error for any other text."""

    def __init__(self, value: str, units: Mapping[str, float]) -> None:
        self.terms = _TERMS.findall(value)[::-1]
        self._units = units

    def read_sum(self) -> float:
        result = self._read_product()
        while self._next_is("+-"):
            sign = 1 if self.terms.pop() == "+" else -1
            result += sign * self._read_product()
        return result

    def _read_product(self) -> float:
        result = self._read_value()
        while self._next_is("*/"):
            is_product = self.terms.pop() == "*"
            other = self._read_value()
            result = result * other if is_product else result / other
        return result

    def _read_value(self) -> float:
        term = self.terms.pop()
        if term[-1] == "(":
            return self._read_function(_MATH[term])
        bare = term.rstrip("abcdefghijklmnopqrstuvwxyz%") if "infinity" not in term else term
        return float(bare) * (self._units[term[len(bare) :]] if bare else 1)

    def _read_function(self, function: Callable[[list[float]], float]) -> float:
        values = [self.read_sum()]
        while self.terms.pop() == ",":
            values.append(self.read_sum())
        return function(values)

    def _next_is(self, signs: str) -> bool:
        return bool(self.terms) and self.terms[-1] in signs


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


# A screen of the usual size, with a mouse.
_FEATURES = dict(
    pair.split(":")
    for pair in (
        "hover:hover any-hover:hover pointer:fine any-pointer:fine orientation:landscape"
        " prefers-color-scheme:light scripting:enabled update:fast display-mode:browser color-gamut:srgb"
        " dynamic-range:standard overflow-block:scroll forced-colors:none inverted-colors:none"
    ).split()
)
_NUMBERS = {
    **dict.fromkeys(("width", "device-width", "inline-size"), 1280.0),
    **dict.fromkeys(("height", "device-height", "block-size"), 800.0),
    **{"aspect-ratio": 1.6, "resolution": 1.0, "device-pixel-ratio": 1.0, "color": 8.0, "monochrome": 0.0, "grid": 0.0},
}
_RANGE = re.compile(r"(?:([^<>=]+?)\s*([<>]=?|=)\s*)?([a-z-]+)\s*(?:([<>]=?|=)\s*([^<>=]+))?")
_TERM = re.compile(r"\s*+(?:(not|and|or|only)(?![\w-])|([\w-]*+)(\()|([\w-]++))")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
}
_MAX_CONDITIONS = 20
_OF_SAFARI = frozenset(("-webkit-touch-callout", "-webkit-overflow-scrolling", "-webkit-hyphens"))
_SUPPORTED = frozenset(
    "display position color background background-color background-image background-clip opacity visibility overflow"
    " float clear width height min-width max-width min-height max-height margin padding border border-radius font"
    " font-size font-family font-variation-settings font-feature-settings line-height text-decoration text-wrap"
    " transform transition animation filter backdrop-filter mix-blend-mode clip-path mask mask-image mask-size"
    " object-fit object-position aspect-ratio gap row-gap column-gap grid grid-area grid-template"
    " grid-template-columns grid-template-areas flex flex-wrap order align-items justify-content place-items inset"
    " content-visibility contain container container-type scroll-snap-type scroll-behavior overscroll-behavior"
    " scrollbar-gutter scrollbar-color will-change writing-mode appearance accent-color columns column-count hyphens"
    " shape-outside touch-action pointer-events user-select view-transition-name animation-timeline translate rotate"
    " scale line-clamp text-underline-offset margin-inline padding-inline inset-inline anchor-name".split()
)


@lru_cache(maxsize=500)
def is_for_screens(media: str) -> bool:
    """Whether a list of media queries holds for a usual screen."""
    queries = [query.strip() for query in media.lower().split(",")]
    return not media.strip() or any(map(_is_query_met, filter(None, queries)))


def _is_query_met(query: str) -> bool:
    # In front of a medium `not` negates the whole query.
    is_negated = query.startswith("not ") and query[4:].lstrip()[:1] != "("
    return _holds(query[4:] if is_negated else query, _has_feature) != is_negated


def _holds(condition: str, decide: Callable[[str], bool], depth: int = 0) -> bool:
    """Evaluate `not`, `and` and `or` from left to right; `decide` judges the content of parentheses."""
    result, negated, joined_by = True, False, "and"
    at = 0
    while (term := _TERM.match(condition, at)) is not None and depth < _MAX_CONDITIONS:
        at = term.end()
        if term[1]:
            negated = negated != (term[1] == "not")
            joined_by = term[1] if term[1] in ("and", "or") else joined_by
            continue
        inner, at = _argument(condition, at) if term[3] else (term[4], at)
        value = _is_met(term, inner.strip(), decide, depth)
        value, negated = value != negated, False
        result = (result and value) if joined_by == "and" else (result or value)
    return result


def _is_met(term: re.Match[str], inner: str, decide: Callable[[str], bool], depth: int) -> bool:
    """Whether a medium or the content of parentheses holds; functions such as `selector()` always do."""
    if not term[3]:
        return inner in ("screen", "all")
    if term[2]:
        return True
    return _holds(inner, decide, depth + 1) if inner.startswith(("(", "not ", "not(")) else decide(inner)


def _argument(text: str, start: int) -> tuple[str, int]:
    """The text up to the parenthesis that closes, and the place behind it."""
    level = 1
    for at in range(start, len(text)):
        level += {"(": 1, ")": -1}.get(text[at], 0)
        if level == 0:
            return text[start:at], at + 1
    return text[start:], len(text)


def _has_feature(feature: str) -> bool:
    name, colon, value = (part.strip() for part in feature.partition(":"))
    name = name.removeprefix("-webkit-")
    bound = name.partition("-")[0] if name.startswith(("min-", "max-")) else ""
    number = _NUMBERS.get(name[4:] if bound else name)
    if colon and number is not None:
        wanted = _measure(value)
        return wanted is not None and _COMPARE[{"min": ">=", "max": "<="}.get(bound, "=")](number, wanted)
    if colon:
        return _FEATURES.get(name, "no-preference") == value
    if name in _FEATURES or name.startswith("prefers-"):
        return _FEATURES.get(name, "none") != "none"
    return _is_in_range(feature)


def _is_in_range(feature: str) -> bool:
    found = _RANGE.fullmatch(feature)
    number = _NUMBERS.get(found[3]) if found else None
    if found is None or number is None:
        return False
    if not found[2] and not found[4]:
        return number > 0
    return _is_ordered(_measure(found[1] or "0"), found[2], number) and _is_ordered(
        number, found[4], _measure(found[5] or "0")
    )


def _is_ordered(one: float | None, comparison: str | None, other: float | None) -> bool:
    if not comparison:
        return True
    return one is not None and other is not None and _COMPARE[comparison](one, other)


def _measure(value: str) -> float | None:
    # A ratio is a calculation.
    return evaluate(f"({value})")


@lru_cache(maxsize=500)
def _is_supported(condition: str) -> bool:
    return _holds(condition, _has_property)


def _has_property(declaration: str) -> bool:
    name, _, value = (part.strip() for part in declaration.partition(":"))
    if name == "display":
        return DISPLAYS.issuperset(value.split())
    if value.startswith("-apple-") or name in _OF_SAFARI:
        return False
    return name in _SUPPORTED or name.startswith(("--", "-webkit-"))


@lru_cache(maxsize=500)
def _fits_container(condition: str) -> bool:
    """Whether a container of any usual width meets a condition."""
    return "(" in condition and _holds(condition[condition.index("(") :], _has_feature)


CONDITIONS: dict[str, Callable[[str], bool]] = {
    "media": is_for_screens,
    "supports": _is_supported,
    "container": _fits_container,
    "document": lambda _condition: False,
}
