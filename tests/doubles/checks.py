"""Checks of request fields: as strict as the real APIs, so that a wrong request fails here first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime

Check = Callable[[object], bool]


def problem(body: Mapping[str, object], spec: Mapping[str, Check], required: str) -> str:
    """What is wrong with a body in one sentence; empty when nothing is."""
    if required not in body:
        return f"Field '{required}' is required"
    unknown = next((name for name in body if name not in spec), "")
    if unknown:
        return f"Field '{unknown}' is not known"
    invalid = next((name for name, value in body.items() if not spec[name](value)), "")
    return f"Field '{invalid}' has an invalid value" if invalid else ""


def number_in(body: Mapping[str, object], name: str, default: int) -> int:
    value = body.get(name, default)
    return value if isinstance(value, int) else default


def texts_in(body: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = body.get(name)
    return tuple(value) if isinstance(value, list) else ()


def text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def texts(value: object) -> bool:
    return isinstance(value, list) and all(text(item) for item in value)


def address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def addresses(most: int) -> Check:
    return lambda value: isinstance(value, list) and 0 < len(value) <= most and all(map(address, value))


def flag(value: object) -> bool:
    return isinstance(value, bool)


def whole(low: int, high: int) -> Check:
    """A whole number in a range; `true` is not one, although Python thinks so."""
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def one_of(*options: str) -> Check:
    return lambda value: isinstance(value, str) and value in options


def flag_or(check: Check) -> Check:
    return lambda value: flag(value) or check(value)


def nested(spec: Mapping[str, Check]) -> Check:
    """An object with known fields only, none of them required."""
    return lambda value: (
        isinstance(value, dict) and all(name in spec and spec[name](item) for name, item in value.items())
    )


def day(value: object) -> bool:
    """A date such as 2026-10-01."""
    return _parses(date.fromisoformat, value)


def moment(value: object) -> bool:
    """A date, or a date and time, by ISO 8601."""
    return _parses(datetime.fromisoformat, value)


def _parses(read: Callable[[str], object], value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        read(value)
    except ValueError:
        return False
    return True
