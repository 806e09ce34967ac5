"""Fields of a wire's request: lenient reading, and the names of fields without effect."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from dowse.contracts.arguments import as_text, read_array, read_boolean, read_number
from dowse.core.errors import InvalidRequest
from dowse.core.text import ArgumentName, cut_at_word, one_line

MAX_QUERY_CHARS = 2000
_MAX_URL_CHARS = 2048
# Of names in a warning.
_MOST_NAMES = 12
_NAME_CHARS = 40
# Values that ask for nothing.
_NOTHING: tuple[object, ...] = (None, False, "", [], {})


class Fields:
    """Fields of one object of a request. `null` counts as not sent.

    Fields that nothing has read are reported as ignored; `silent` ones change nothing and need no report.
    """

    def __init__(self, values: Mapping[str, object], silent: Collection[str] = ()) -> None:
        self._values = {name: value for name, value in values.items() if value is not None}
        self._known = set(silent)
        self._inner: list[tuple[str, Fields]] = []

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def raw(self, name: str) -> object:
        """The value as it was sent."""
        self._known.add(name)
        return self._values.get(name)

    def text(self, name: str, *aliases: str, most: int = MAX_QUERY_CHARS) -> str:
        """One line of text; empty if it was not sent."""
        for each in (name, *aliases):
            raw = self.raw(each)
            if raw is not None:
                return _check_text(each, raw, most)
        return ""

    def required(self, name: str, *aliases: str, most: int = MAX_QUERY_CHARS) -> str:
        """One line of text that must not be empty."""
        found = self.text(name, *aliases, most=most)
        if not found:
            raise InvalidRequest(ArgumentName(name), " is required.")
        return found

    def url(self, name: str) -> str:
        return self.required(name, most=_MAX_URL_CHARS)

    def whole(self, name: str, default: int, *, least: int = 1, most: int) -> int:
        """A whole number; above the range the nearest one."""
        number = self.number(name)
        if number is None:
            return default
        if number < least or number != int(number):
            raise InvalidRequest(ArgumentName(name), f" must be a whole number from {least} to {most}.")
        return min(int(number), most)

    def number(self, name: str) -> float | None:
        raw = self.raw(name)
        if raw is None or raw == "":
            return None
        number = read_number(raw)
        if number is None:
            raise InvalidRequest(ArgumentName(name), " must be a number.")
        return number

    def seconds(self, name: str, *, unit_s: float = 1.0) -> float | None:
        """A timeout of the caller, in units of so many seconds."""
        number = self.number(name)
        if number is not None and number <= 0:
            raise InvalidRequest(ArgumentName(name), " must be above 0.")
        return None if number is None else number * unit_s

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Whether it is switched on; any other value than a boolean switches it on, as an option or a level."""
        raw = self.raw(name)
        if raw is None:
            return default
        read = read_boolean(raw)
        return bool(raw) if read is None else read

    def choice(self, name: str, choices: Collection[str], default: str = "") -> str:
        """One of a few words in any case; raises `InvalidRequest` for another one."""
        word = self.text(name).lower()
        if word and word not in choices:
            listed = ", ".join(each for each in choices if each)
            raise InvalidRequest(ArgumentName(name), f" must be one of {listed}.")
        return word or default

    def names(self, name: str, *, most: int = 100) -> tuple[str, ...]:
        """A list of texts, or one text."""
        raw = self.raw(name)
        found = () if raw is None else read_array([raw] if isinstance(raw, str) else raw)
        if found is None:
            raise InvalidRequest(ArgumentName(name), " must be a list of texts.")
        if len(found) > most:
            raise InvalidRequest(ArgumentName(name), f" takes at most {most} entries; it has {len(found)}.")
        return found

    def within(self, name: str, silent: Collection[str] = ()) -> Fields:
        """The fields of an object inside; none of them if the value is a boolean."""
        raw = self.raw(name)
        if not isinstance(raw, Mapping | bool | None):
            raise InvalidRequest(ArgumentName(name), " must be an object.")
        inner = Fields(raw if isinstance(raw, Mapping) else {}, silent)
        self._inner.append((name, inner))
        return inner

    def ignore(self, *names: str) -> None:
        """Leave fields out of the report, because their effect is reported elsewhere or is the only one there is."""
        self._known.update(names)

    def forget(self, name: str) -> None:
        """Report a field as ignored although it was read, because its value cannot be heeded."""
        self._known.discard(name)

    def ignored(self) -> tuple[str, ...]:
        """The names of the fields that ask for something and that nothing has read."""
        own = (name for name, value in self._values.items() if name not in self._known and value not in _NOTHING)
        nested = (f"{name}.{each}" for name, inner in self._inner for each in inner.ignored())
        return tuple(chain(own, nested))


def describe_ignored(names: Sequence[str]) -> tuple[str, ...]:
    """A sentence about fields without effect; none if there are none."""
    if not names:
        return ()
    listed = ", ".join(one_line(name, _NAME_CHARS) for name in names[:_MOST_NAMES])
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return (f"without effect here: {listed}{more}",)


def types_of(name: str, raw: object) -> tuple[str, ...]:
    """The names in a list of texts or of objects with a `type`, such as formats and sources."""
    entries = raw if isinstance(raw, list) else [raw] if isinstance(raw, str | Mapping) else [] if raw is None else None
    if entries is None:
        raise InvalidRequest(ArgumentName(name), " must be a list.")
    return tuple(dict.fromkeys(_types(name, entries)))


def _types(name: str, entries: Sequence[object]) -> Iterable[str]:
    for entry in entries:
        kind = entry.get("type") if isinstance(entry, Mapping) else entry
        if not isinstance(kind, str):
            raise InvalidRequest(ArgumentName(name), " must list texts, or objects with a type.")
        yield one_line(kind, _NAME_CHARS)


def _check_text(name: str, raw: object, most: int) -> str:
    text = as_text(raw)
    if text is None:
        raise InvalidRequest(ArgumentName(name), " must be text.")
    if len(text) > most:
        raise InvalidRequest(ArgumentName(name), f" must have at most {most} characters; it has {len(text)}.")
    return text


def shorten_query(text: str, most: int) -> str:
    """A query as long as search providers take it, cut at a word."""
    return cut_at_word(text, most) if len(text) > most else text
