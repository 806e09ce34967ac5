"""Tool arguments: one table gives the JSON schema, the lenient reading and the texts of the errors.

Models send "5" for 5, "true" for true and a lone string for a list. All of that is accepted. A lenient argument is also
clamped and corrected where the meaning is plain, with a remark; any other value is refused in one sentence, before
anything else happens.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from dowse.contracts.corrections import correct_language
from dowse.core.errors import InvalidRequest
from dowse.core.text import ArgumentName, Sentence, enclose, one_line

_MAX_REMARKS = 5
_BETWEEN_ADDRESSES = re.compile(r",?\s+|,(?=\w+://)")
_LARGEST_NUMBER = 10**15
_LONGEST_NAME = 64  # Finding a similar name takes the square of the length, and no argument has a longer one.

Value = str | int | float | bool | tuple[str, ...] | None
Kind = Literal["string", "integer", "number", "boolean", "array"]


@dataclass(frozen=True, slots=True)
class Param:
    """One argument of a tool.

    An empty choice means "none of them". Some clients refuse a schema that lists it, so it stays out
    unless a contract promises it (`lists_empty`). `rare` choices stay out too. `misnomers` are names that models use by
    mistake: understood, with a remark. `correct` maps a sloppy text to the intended one.
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
    rare: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    misnomers: tuple[str, ...] = ()
    correct: Callable[[str], str] | None = None
    is_listed: bool = True
    """Whether the schema has it; the schema of a drop-in has no more than the original's."""
    is_lenient: bool = False
    """Whether a number out of range is clamped. The schema has no bounds then: some clients would enforce them."""
    names: tuple[str, ...] = field(init=False)
    """Every name that is understood, the one of the schema first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", (self.name, *self.aliases, *self.misnomers))

    def schema(self) -> dict[str, object]:
        unlisted = self.rare if self.lists_empty else (*self.rare, "")
        optional: dict[str, object] = {
            "description": self.about,
            **self._bounds(),
            "enum": [choice for choice in self.choices if choice not in unlisted],
            "items": _ITEMS.get(self.kind),
            "default": list(self.default) if isinstance(self.default, tuple) else self.default,
        }
        schema = {name: value for name, value in optional.items() if _is_not_empty(value)}
        if self.default == "" and self.lists_empty:
            schema["default"] = ""
        return {"type": self.kind, **schema}

    def _bounds(self) -> dict[str, object]:
        if self.is_lenient:
            return {}
        low, high = ("minLength", "maxLength") if self.kind == "string" else ("minimum", "maximum")
        return {low: self.minimum, high: self.maximum, "pattern": self.pattern}


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


# Both are rare, and each entry of a schema costs tokens in every conversation.
OFFLINE_MODE = Param("offline_mode", "boolean", "Refuse instead of using the network.", False, is_listed=False)
TIMEOUT_S = Param(
    "timeout_s", "number", "Longest time for the whole call, in seconds.", minimum=1, maximum=300,
    is_listed=False, is_lenient=True,
)  # fmt: skip
LANGUAGE = Param(
    "language", "string", "A code such as en or pt-BR.", pattern="^[a-z]{2}(-[A-Z]{2})?$", correct=correct_language,
    is_lenient=True,
)  # fmt: skip


def input_schema(params: Sequence[Param]) -> dict[str, object]:
    """The schema that clients see, without the aliases."""
    properties = {param.name: param.schema() for param in params if param.is_listed}
    required = [param.name for param in params if param.required]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def read(params: Sequence[Param], given: Mapping[str, object], *, ignored: Sequence[str] = ()) -> Arguments:
    """Read the arguments of a call; raise `InvalidRequest` with one sentence for a value that cannot be meant."""
    remarks = _remark_unknown(params, given, ignored)
    values: dict[str, Value] = {param.name: param.default for param in params}
    sent: set[str] = set()
    for param in params:
        # `null` counts as not sent.
        found = {name: given[name] for name in param.names if given.get(name) is not None}
        if found:
            values[param.name] = _read_value(param, found, remarks)
            sent.add(param.name)
        elif param.required:
            raise InvalidRequest(ArgumentName(param.name), " ".join([" is required.", *remarks[:1]]))
    return Arguments(values, tuple(remarks), frozenset(sent))


def _remark_unknown(params: Sequence[Param], given: Mapping[str, object], ignored: Sequence[str]) -> list[str]:
    known = set(chain.from_iterable([param.names for param in params]))
    unknown = given.keys() - known - set(ignored)
    return [_describe_unknown(name, known) for name in given if name in unknown][:_MAX_REMARKS]


def _is_not_empty(value: object) -> bool:
    return value not in (None, "", [])


def _read_value(param: Param, sent: Mapping[str, object], remarks: list[str]) -> Value:
    values = {name: _check_value(param, name, value, remarks) for name, value in sent.items()}
    if len(set(values.values())) > 1:
        raise InvalidRequest(f"{' and '.join(values)} are two names for one argument, but their values differ.")
    remarks += [f"{name} was read as {param.name}" for name in values if name in param.misnomers]
    return next(iter(values.values()))


def _check_value(param: Param, name: str, raw: object, remarks: list[str]) -> Value:
    sent = _correct(param, raw, remarks)
    value = _READERS[param.kind](sent)
    if isinstance(value, str) and param.choices:
        value = value.lower()
    if value is None or (param.choices and value not in param.choices):
        raise _refuse(param, name, sent)
    if isinstance(value, str):
        _check_text(param, name, value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = _check_range(param, name, value, remarks)
    return value


def _correct(param: Param, raw: object, remarks: list[str]) -> object:
    if param.correct is None or not isinstance(raw, str):
        return raw
    sent = raw.strip()
    corrected = param.correct(sent)
    # The case of a choice never matters.
    if corrected != (sent.lower() if param.choices else sent):
        read_as = f" {_describe_sent(sent)} was read as {corrected or 'any'}"
        remarks.append(Sentence(ArgumentName(param.name), read_as))
    return corrected


def _refuse(param: Param, name: str, sent: object) -> InvalidRequest:
    return InvalidRequest(ArgumentName(name), f" must be {_describe_expected(param)}, not {_describe_sent(sent)}.")


def _check_text(param: Param, name: str, value: str) -> None:
    size, least, most = len(value), param.minimum or 0, param.maximum
    if size < least:
        few = f"have at least {least} characters; it has {size}" if least > 1 else "not be empty"
        raise InvalidRequest(ArgumentName(name), f" must {few}.")
    if most is not None and size > most:
        raise InvalidRequest(ArgumentName(name), f" must have at most {most} characters; it has {size}.")
    if param.pattern and value and not re.fullmatch(param.pattern, value):
        raise _refuse(param, name, value)


def _check_range(param: Param, name: str, value: float, remarks: list[str]) -> float:
    """The number; of a lenient argument the nearest one in range, unless it is below 1 and may mean anything."""
    low, high = param.minimum, param.maximum
    nearest = value if low is None else max(value, low)
    nearest = nearest if high is None else min(nearest, high)
    if nearest == value:
        return value
    if value <= 0 or not param.is_lenient:
        raise _refuse(param, name, value)
    bound = "most" if nearest < value else "least"
    changed = f" is at {bound} {nearest}; {_describe_sent(value)} was read as {nearest}"
    remarks.append(Sentence(ArgumentName(name), changed))
    return nearest


def _describe_expected(param: Param) -> str:
    if param.choices:
        return "one of " + ", ".join(str(choice) for choice in param.choices if choice != "")
    if param.pattern:
        example = param.about.partition("such as ")[2].rstrip(".")
        return f"like {example}" if example else "well-formed"
    return _EXPECTED[param.kind].format(param.minimum, param.maximum)


def _describe_sent(raw: object) -> str:
    """A short text for a value in an error; a nested value by its type."""
    if isinstance(raw, list | dict):
        return "a list" if isinstance(raw, list) else "an object"
    if isinstance(raw, int) and abs(raw) > _LARGEST_NUMBER:
        return "a number beyond all bounds"
    return one_line(json.dumps(raw, default=str, ensure_ascii=False)[:300], 60)


def _describe_unknown(name: str, known: Iterable[str]) -> str:
    near = "".join(difflib.get_close_matches(name, sorted(known), n=1)) if len(name) <= _LONGEST_NAME else ""
    return f"unknown argument {_describe_sent(name)} was ignored" + (enclose("; did you mean ", near, "?") or ".")


def as_text(raw: object) -> str | None:
    """A text or a number as one clean line; `None` for anything else."""
    if isinstance(raw, str):
        return one_line(raw)
    number = read_number(raw)
    return None if number is None else str(raw)


def _read_integer(raw: object) -> int | None:
    number = read_number(raw)
    return int(number) if number is not None and number == int(number) else None


def read_number(raw: object) -> float | None:
    """A number, also as text; `None` for anything else, and beyond all bounds."""
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return None
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < _LARGEST_NUMBER else None  # rejects nan and infinities too


def read_boolean(raw: object) -> bool | None:
    """A boolean, also as a word; `None` for anything else."""
    words = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
    if isinstance(raw, bool):
        return raw
    return words.get(str(raw).strip().lower()) if isinstance(raw, str) or raw in (0, 1) else None


def read_array(raw: object) -> tuple[str, ...] | None:
    """A list of texts, also as JSON or with commas; `None` for anything else."""
    items = _split_list(raw.strip()) if isinstance(raw, str) else raw
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    return tuple(dict.fromkeys(filter(None, map(one_line, items))))


def _split_list(text: str) -> object:
    """The items of a list as JSON or with commas; an address may hold a comma. `None` for broken JSON."""
    if text.startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None
    return _BETWEEN_ADDRESSES.split(text) if "://" in text else text.split(",")


_ITEMS = {"array": {"type": "string"}}
_EXPECTED = {
    "string": "text",
    "integer": "a whole number from {} to {}",
    "number": "a number from {} to {}",
    "boolean": "true or false",
    "array": "a list of texts",
}
_READERS = {
    "string": as_text,
    "integer": _read_integer,
    "number": read_number,
    "boolean": read_boolean,
    "array": read_array,
}
