"""Answers as JSON and back. What a store returns is believed only if it has the shape that we gave it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


class Codec(Generic[T]):
    """Turns values of one dataclass into bytes; the class is studied on first use, not at the start."""

    def __init__(self, kind: type[T]) -> None:
        self._kind = kind

    def encode(self, value: T) -> bytes | None:
        """The value as bytes; `None` for one that no text can hold, such as half a surrogate pair."""
        try:
            return self._adapter.dump_json(value)
        except ValueError:
            return None

    def decode(self, data: bytes) -> T | None:
        """The value, or `None` for data of any other shape."""
        try:
            return self._adapter.validate_json(data, strict=True)
        except ValueError:
            return None

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        from pydantic import TypeAdapter

        return TypeAdapter(self._kind)
