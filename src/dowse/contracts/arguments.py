"""Tool arguments: one table gives the JSON schema, the lenient reading and the texts of the errors.

Models send "5" for 5, "true" for true and a lone string for a list. All of that is accepted; a value out of range is
refused in one sentence, before anything else happens.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dowse.core.errors import InvalidRequest
from dowse.core.text import one_line

_MAX_REMARKS = 5
_LARGEST_NUMBER = 10**15
_LONGEST_NAME = 64  # Finding a similar name takes the square of the length, and no argument has a longer one.

Value = str | int | float | bool | tuple[str, ...] | None
Kind = Literal["string", "integer", "number", "boolean", "array"]


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a tool.

    An empty choice means "none of them". Some clients refuse a schema that lists it, so it stays out
    unless a contract promises it (`lists_empty`).
    """

    name: str
    kind: Kind
    about: str
    default: Value = None
    required: bool = False
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] | tuple[int, ...] = ()
    lists_empty: bool = False
    pattern: str = ""
    aliases: tuple[str, ...] = ()
    is_listed: bool = True
    """Whether the schema has it; the schema of a drop-in has no more than the original's."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.name, *self.aliases

    def schema(self) -> dict[str, object]:
        low, high = ("minLength", "maxLength") if self.kind == "string" else ("minimum", "maximum")
        optional: dict[str, object] = {
            low: self.minimum,
            high: self.maximum,
            "pattern": self.pattern,
            "enum": list(self.choices if self.lists_empty else filter(_is_not_empty, self.choices)),
            "items": {"type": "string"} if self.kind == "array" else None,
            "default": list(self.default) if isinstance(self.default, tuple) else self.default,
        }
        schema = {name: value for name, value in optional.items() if _is_not_empty(value)}
        if self.default == "" and self.lists_empty:
            schema["default"] = ""
        return {"type": self.kind, "description": self.about, **schema}


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments as read: typed values with defaults filled in, and warnings for the caller."""

    values: Mapping[str, Value]
    warnings: tuple[str, ...]
    given: frozenset[str]
    """The names that the caller sent; the others have their defaults."""

    def text(self, name: str) -> str:
        return str(self.values.get(name) or "")

    def integer(self, name: str) -> int:
        value = self.values[name]
        assert isinstance(value, int)
        return value

    def number(self, name: str) -> float | None:
        value = self.values.get(name)
        assert value is None or isinstance(value, int | float)
        return value

    def flag(self, name: str) -> bool:
        return self.values.get(name) is True

    def names(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        return value if isinstance(value, tuple) else ()


OFFLINE_MODE = Param("offline_mode", "boolean", "Refuse instead of using the network.", False)


def input_schema(params: Sequence[Param]) -> dict[str, object]:
    """The schema that clients see, without the aliases."""
    return {
        "type": "object",
        "properties": {param.name: param.schema() for param in params if param.is_listed},
        "required": [param.name for param in params if param.required],
    }


def read(params: Sequence[Param], given: Mapping[str, object], *, ignored: Sequence[str] = ()) -> Arguments:
    """Read the arguments of a call; raise `InvalidRequest` with one sentence for a value that cannot be meant."""
    warnings = _warn_of_unknown(params, given, ignored)
    values: dict[str, Value] = {param.name: param.default for param in params}
    sent: set[str] = set()
    for param in params:
        # `null` counts as not sent.
        found = {name: given[name] for name in param.names if given.get(name) is not None}
        if found:
            values[param.name] = _read_value(param, found)
            sent.add(param.name)
        elif param.required:
            raise InvalidRequest(" ".join([f"{param.name} is required.", *warnings[:1]]))
    return Arguments(values, warnings, frozenset(sent))


def _warn_of_unknown(params: Sequence[Param], given: Mapping[str, object], ignored: Sequence[str]) -> tuple[str, ...]:
    known = {name for param in params for name in param.names}
    unknown = [name for name in given if name not in known and name not in ignored]
    return tuple(_describe_unknown(name, known) for name in unknown[:_MAX_REMARKS])


def _is_not_empty(value: object) -> bool:
    return value not in (None, "", [])


def _read_value(param: Param, sent: Mapping[str, object]) -> Value:
    values = {name: _check_value(param, name, value) for name, value in sent.items()}
    if len(set(values.values())) > 1:
        raise InvalidRequest(f"{' and '.join(values)} are two names for one argument, but their values differ.")
    return next(iter(values.values()))


def _check_value(param: Param, name: str, raw: object) -> Value:
    value = _READERS[param.kind](raw)
    if value is None:
        raise InvalidRequest(f"{name} must be {_describe_expected(param)}, not {_describe_sent(raw)}.")
    if isinstance(value, str):
        value = value.lower() if param.choices else value
    if param.choices and value not in param.choices:
        raise InvalidRequest(f"{name} must be {_describe_expected(param)}, not {_describe_sent(value)}.")
    if isinstance(value, str):
        _check_text(param, name, value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_range(param, name, value)
    return value


def _check_text(param: Param, name: str, value: str) -> None:
    if param.minimum and len(value) < param.minimum:
        few = f"have at least {param.minimum} characters; it has {len(value)}" if param.minimum > 1 else "not be empty"
        raise InvalidRequest(f"{name} must {few}.")
    if param.maximum is not None and len(value) > param.maximum:
        raise InvalidRequest(f"{name} must have at most {param.maximum} characters; it has {len(value)}.")
    if param.pattern and value and not re.fullmatch(param.pattern, value):
        raise InvalidRequest(f"{name} must be {_describe_expected(param)}, not {_describe_sent(value)}.")


def _check_range(param: Param, name: str, value: float) -> None:
    too_low = param.minimum is not None and value < param.minimum
    too_high = param.maximum is not None and value > param.maximum
    if too_low or too_high:
        raise InvalidRequest(f"{name} must be {_describe_expected(param)}, not {_describe_sent(value)}.")


def _describe_expected(param: Param) -> str:
    if param.choices:
        return "one of " + ", ".join(str(choice) for choice in param.choices if choice != "")
    if param.pattern:
        return (
            f"like {param.about.rpartition('such as ')[2].rstrip('.')}" if "such as" in param.about else "well-formed"
        )
    what = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "array": "a list of texts"}
    bounds = f" from {param.minimum} to {param.maximum}" if param.kind in ("integer", "number") else ""
    return what.get(param.kind, "text") + bounds


def _describe_sent(raw: object) -> str:
    """A short text for a value in an error; a nested value by its type."""
    if isinstance(raw, list | dict):
        return "a list" if isinstance(raw, list) else "an object"
    if isinstance(raw, int) and abs(raw) > _LARGEST_NUMBER:
        return "a number beyond all bounds"
    return one_line(json.dumps(raw, default=str, ensure_ascii=False)[:300], 60)


def _describe_unknown(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), n=1) if len(name) <= _LONGEST_NAME else []
    return f"unknown argument {_describe_sent(name)} was ignored" + (f"; did you mean {near[0]}?" if near else ".")


def as_text(raw: object) -> str | None:
    """A text or a number as one clean line; `None` for anything else."""
    if isinstance(raw, str):
        return one_line(raw)
    number = _read_number(raw)
    return None if number is None else str(raw)


def _read_integer(raw: object) -> int | None:
    number = _read_number(raw)
    return int(number) if number is not None and number == int(number) else None


def _read_number(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return None
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < _LARGEST_NUMBER else None  # rejects nan and infinities too


def _read_boolean(raw: object) -> bool | None:
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if isinstance(raw, bool):
        return raw
    return words.get(str(raw).strip().lower()) if isinstance(raw, str) or raw in (0, 1) else None


def _read_array(raw: object) -> tuple[str, ...] | None:
    if isinstance(raw, str):
        text = raw.strip()
        if text.startswith("["):
            try:
                return _read_array(json.loads(text))
            except (ValueError, RecursionError):
                return None
        raw = text.split(",")
    if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
        return None
    return tuple(dict.fromkeys(filter(None, (one_line(item) for item in raw))))


_READERS = {
    "string": as_text,
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
    "array": _read_array,
}
