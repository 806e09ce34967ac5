"""What a store promises: entries that expire, leases on work in hand, and the account of what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from dowse.stores.ledger import Ledger

# Clocks of machines that share a store differ a little. An entry from further ahead is from before
# somebody set the clock back: how old it is nobody can tell.
CLOCK_SKEW_S = 60.0


@dataclass(frozen=True, slots=True)
class Key:
    """Where an entry lies: what kind it is, and a hash. Neither says what was asked."""

    kind: str
    digest: str


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry's value, and how long ago it was put there."""

    value: bytes
    age_s: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What a store holds: entries and their bytes by kind, the room that they take, and the most they may take."""

    entries: Mapping[str, int] = field(default_factory=dict)
    value_bytes: Mapping[str, int] = field(default_factory=dict)
    size_bytes: int = 0
    max_bytes: int | None = None


class Store(Ledger, Protocol):
    """Keeps values that are data to it and nothing else. Everything raises `StoreFailed`."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes may be at work on the same entries, so that leases are worth their while."""
        ...

    async def get(self, key: Key) -> Kept | None:
        """The entry, unless there is none, it has expired, or its age cannot be told."""
        ...

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        """Keep a value for so long, in place of an earlier one. On return it outlives this process.

        A store that is full makes room, first of what expires next.
        """
        ...

    async def drop(self, key: Key) -> None:
        """Delete an entry, if there is one."""
        ...

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        """Take a lease, or lengthen one's own; whether it is the owner's now. Leases are no entries."""
        ...

    async def release(self, key: Key, owner: str) -> None:
        """Give a lease back, if it is still the owner's."""
        ...

    async def usage(self) -> Usage: ...

    async def sweep(self) -> int:
        """Delete what has expired; how many entries that were, as far as the store knows."""
        ...

    async def clear(self) -> int:
        """Delete all entries, and give their room back; how many there were. What was spent stays known."""
        ...


def age_s(made_at: float, now: float) -> float | None:
    """How old an entry is, by the time of day; `None` where that cannot be told."""
    return max(0.0, now - made_at) if made_at <= now + CLOCK_SKEW_S else None
