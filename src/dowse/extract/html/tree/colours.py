"""Whether two colours of a style sheet look the same."""

from __future__ import annotations

import colorsys
import re

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
