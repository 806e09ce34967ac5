"""Values of declarations, and conditions of style sheets: lengths, numbers, media queries."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

_LENGTH = re.compile(r"([-+]?\d{0,9}\.?\d{1,9}(?:e[-+]?\d{1,2})?)([a-z]{1,5}|%)?")
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
    **{"sin(": lambda values: math.sin(values[0]), "cos(": lambda values: math.cos(values[0])},
    **{"sqrt(": lambda values: math.sqrt(values[0]), "abs(": lambda values: abs(values[0])},
    **{"mod(": lambda values: values[0] % values[1], "rem(": lambda values: math.fmod(values[0], values[1])},
    **{"pow(": lambda values: math.pow(values[0], values[1]), "hypot(": lambda values: math.hypot(*values)},
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
