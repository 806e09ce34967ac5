"""Tables of a TOML file, read key by key: a key that is unknown, missing or invalid is refused with its place."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from dowse.core import urls
from dowse.settings.described.model import JsonPath, Scalar

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
FIELD = re.compile(r"[A-Za-z0-9_$@-]{1,80}(?:\.[A-Za-z0-9_$@-]{1,80}){0,5}(?:\[\])?", re.ASCII)
HEADER = re.compile(r"[A-Za-z0-9-]{1,80}", re.ASCII)
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{2,79}", re.ASCII)
LINE = re.compile(r"[^\x00-\x1f\x7f]{0,2000}")
_STEP = re.compile(r"(?:[^\s.\[\]\x00-\x1f]{1,80}(?:\[\])?|\[\])(?:\.(?=[^.]))?")
_ADDRESS = re.compile(
    r"https?://(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?"
    r"(?:/[A-Za-z0-9._~!$&'()*+,;=:%/-]{0,500})?",
    re.ASCII,
)
_RELATIVE = re.compile(r"(?:(?:\.\./){0,6}|/)[A-Za-z0-9._~-]+(?:/[A-Za-z0-9._~-]+){0,10}", re.ASCII)
_DEEPEST, _LONGEST_PATH = 6, 400
_ALIKE = 0.7
"""The likeness of a misspelt key to its own; valid keys are less alike."""
T = TypeVar("T")
Path = tuple[str, ...]
"""The keys that lead to a value in a file."""


class InvalidDescription(Exception):
    """A value that a description cannot have; `takes` completes "KEY takes ..."."""

    def __init__(self, path: Path, takes: str, *, sentence: str = "") -> None:
        self.path = path
        self.takes = takes
        self.sentence = sentence or f"takes {takes}"
        super().__init__(self.sentence)

    @property
    def told(self) -> str:
        """The whole sentence: the key, and what is wrong with it."""
        return f"{'.'.join(self.path)} {self.sentence}{'' if self.sentence.endswith('?') else '.'}"


class Table:
    """One table; each key is taken once, and `finish` refuses the others."""

    def __init__(self, value: object, path: Path = (), takes: str = "a table") -> None:
        if not isinstance(value, dict):
            raise InvalidDescription(path, takes)
        self.path = path
        self._values = dict(value)
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def at(self, key: str) -> Path:
        return (*self.path, key)

    def holds_table(self, key: str) -> bool:
        return isinstance(self._values.get(key), dict)

    def take(self, key: str) -> object:
        """A value of any type; `None` if it is absent."""
        self._known.append(key)
        return self._values.pop(key, None)

    def know(self, *keys: str) -> None:
        """Name keys that are valid, even where they are not read."""
        self._known += keys

    def refuse(self, key: str, takes: str, *, sentence: str = "") -> InvalidDescription:
        """The failure of a key; a missing one may be there under a misspelt name."""
        near = (
            difflib.get_close_matches(key, self._values, n=1, cutoff=_ALIKE) if sentence.startswith("is miss") else []
        )
        if near:
            return InvalidDescription(self.at(near[0]), takes, sentence=f"is not known; did you mean {key}?")
        return InvalidDescription(self.at(key), takes, sentence=sentence)

    def text(self, key: str, default: str | None = "", *, like: re.Pattern[str] = LINE, takes: str = "text") -> str:
        """A text; `None` as the default makes it required."""
        value = self.take(key)
        if value is None:
            if default is None:
                raise self.refuse(key, takes, sentence=f"is missing: it takes {takes}")
            return default
        if not isinstance(value, str) or not value.strip() or not like.fullmatch(value):
            raise self.refuse(key, takes)
        return value

    def name_of_field(self, key: str, default: str | None = None) -> str:
        return self.text(key, default, like=FIELD, takes="the name of a parameter, such as q or filters.language")

    def checked(self, key: str, read: Callable[[str], object], default: str, takes: str) -> str:
        """A text that `read` understands."""
        if key not in self:
            self.take(key)
            return default
        value = self.text(key, takes=takes)
        try:
            read(value)
        except ValueError:
            raise self.refuse(key, takes) from None
        return value

    def choice(self, key: str, options: Sequence[str], default: str | None = None) -> str:
        takes = ", ".join(option for option in options[:-1] if option) + f" or {options[-1]}"
        value = self.text(key, default, takes=takes)
        if value not in options:
            raise self.refuse(key, takes)
        return value

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        value = self.take(key)
        if value is None:
            return default
        if type(value) is not int or not low <= value <= high:
            raise self.refuse(key, f"a whole number from {low} to {high}")
        return value

    def dollars(self, key: str) -> float:
        value = self.take(key) or 0
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
            raise self.refuse(key, "the dollars that one call costs, such as 0.005")
        return float(value)

    def flag(self, key: str) -> bool:
        value = self.take(key)
        if value not in (None, True, False):
            raise self.refuse(key, "true or false")
        return bool(value)

    def texts(self, key: str, *, like: re.Pattern[str] = LINE, takes: str, most: int = 20) -> tuple[str, ...]:
        """One text or a list of texts."""
        value = self.take(key)
        listed = _as_list(value)
        texts = tuple(item for item in listed if isinstance(item, str) and item and like.fullmatch(item))
        if len(listed) > most or len(texts) != len(listed):
            raise self.refuse(key, takes)
        return texts

    def address(self, key: str) -> str:
        """The address of an API: without a user name, a query or a fragment, so that nothing hides in it."""
        takes = "the address of the API, such as https://api.example.com/v1/search, without a query"
        value = self.text(key, None, like=_ADDRESS, takes=takes)
        # One parser decides which host a key may go to, and which one is dialled.
        if urls.parse_web(value) is None:
            raise self.refuse(key, takes)
        return value

    def relative_address(self, key: str, default: str | None = "") -> str:
        """A path relative to the address of the API: another host would get its key."""
        takes = "a path on the same host, such as ../news/search; another host would get the key"
        return self.text(key, default, like=_RELATIVE, takes=takes)

    def way(self, key: str, default: JsonPath | None = None) -> JsonPath:
        """The way to a value in an answer."""
        value = self.take(key)
        if value is None and default is not None:
            return default
        steps = parse_path(value)
        if steps is None:
            raise self.refuse(key, "a path such as web.results or items[].title")
        return steps

    def way_to_list(self, key: str, default: JsonPath | None = None) -> JsonPath:
        """The way to a list; `items[]`, which names its items, means the same."""
        steps = self.way(key, default)
        return steps[:-1] if steps[-1:] == ("[]",) else steps

    def ways(self, key: str) -> tuple[JsonPath, ...]:
        """Several of them."""
        listed = _as_list(self.take(key))
        parsed = [steps for item in listed if (steps := parse_path(item))]
        if len(parsed) != len(listed) or len(listed) > 20:
            raise self.refuse(key, "a path such as web.results or items[].title, or a list of them")
        return tuple(parsed)

    def scalars(self, key: str) -> dict[str, Scalar]:
        """A table of constants."""
        constants = self._constants(key, 0, "a text, a number, true or false")
        return {name: item for name, item in constants.items() if isinstance(item, str | int | float)}

    def nested(self, key: str) -> dict[str, object]:
        """A table of constants that may hold tables and lists."""
        return self._constants(key, _DEEPEST, "texts, numbers, true, false, lists and tables of them")

    def _constants(self, key: str, depth: int, takes: str) -> dict[str, object]:
        table = self.read(key, Table.rest) or {}
        wrong = [name for name, item in table.items() if not FIELD.fullmatch(name) or not _is_plain(item, depth)]
        if wrong:
            raise InvalidDescription((*self.path, key, wrong[0]), takes)
        return table

    def read(self, key: str, reader: Callable[[Table], T], takes: str = "a table") -> T | None:
        """The result of a reader for an inner table; `None` if it is absent."""
        inner = self.table(key, takes)
        if inner is None:
            return None
        found = reader(inner)
        inner.finish()
        return found

    def demand(self, is_right: object, key: str, sentence: str) -> None:
        """Refuse a key with a sentence unless the condition holds."""
        if not is_right:
            raise self.refuse(key, "", sentence=sentence)

    def statuses(self, key: str) -> tuple[int, ...]:
        """One HTTP status or a list of them."""
        listed = _as_list(self.take(key))
        statuses = tuple(item for item in listed if type(item) is int and 100 <= item <= 599)
        if len(statuses) != len(listed):
            raise self.refuse(key, "an HTTP status, or a list of them")
        return statuses

    def codes(self, key: str) -> tuple[Scalar, ...]:
        """One code inside an answer or a list of them."""
        listed = _as_list(self.take(key))
        codes = tuple(item for item in listed if isinstance(item, str | int | float) and is_scalar(item))
        if len(codes) != len(listed):
            raise self.refuse(key, "a code, or a list of codes")
        return codes

    def table(self, key: str, takes: str = "a table") -> Table | None:
        value = self.take(key)
        return None if value is None else Table(value, self.at(key), takes)

    def tables(self, key: str) -> list[Table]:
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > 40:
            raise self.refuse(key, "a list of tables")
        return [Table(item, self.at(key)) for item in value]

    def rest(self) -> dict[str, object]:
        """The values that were not taken yet."""
        left, self._values = self._values, {}
        return left

    def finish(self) -> None:
        for name in self._values:
            near = difflib.get_close_matches(name, self._known, n=1, cutoff=0.6)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(dict.fromkeys(self._known))}"
            raise self.refuse(name, "", sentence=f"is not known; {hint}")


def _as_list(value: object) -> list[object]:
    return [] if value is None else value if isinstance(value, list) else [value]


def parse_path(value: object) -> JsonPath | None:
    """The steps of a path, `.` for the answer itself; `None` if it is no path."""
    if value == ".":
        return ()
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_PATH:
        return None
    parts = _STEP.findall(value)
    if "".join(parts) != value:
        return None
    steps: list[str] = []
    for part in parts:
        name = part.removesuffix(".")
        steps += [name.removesuffix("[]"), "[]"] if name.endswith("[]") else [name]
    return tuple(filter(None, steps))


def is_scalar(value: object) -> bool:
    return isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)) or _is_line(value)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and bool(LINE.fullmatch(value))


def _is_plain(value: object, depth: int) -> bool:
    """Whether a constant is a scalar, or lists and tables of them that are not too deep."""
    if not isinstance(value, list | dict):
        return is_scalar(value)
    inner = list(value.values()) if isinstance(value, dict) else value
    return depth > 0 and len(inner) <= 100 and all(_is_plain(item, depth - 1) for item in inner)
