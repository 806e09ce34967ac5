"""Store interface: entries that expire, leases on work in progress, and the spend ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dowse.stores.ledger import CallCount, Days, Ledger

# Clocks of machines that share a store differ a little. An entry from further ahead was written before
# a clock was set back: its age is unknown.
CLOCK_SKEW_S = 60.0


@dataclass(frozen=True, slots=True)
class Key:
    """Kind and hash of an entry. Neither reveals the query."""

    kind: str
    digest: str


@dataclass(frozen=True, slots=True)
class Kept:
    """Value and age of an entry."""

    value: bytes
    age_s: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Contents of a store: entries and their bytes by kind, the total size, and its bound."""

    entries: Mapping[str, int] = field(default_factory=dict)
    value_bytes: Mapping[str, int] = field(default_factory=dict)
    size_bytes: int = 0
    max_bytes: int | None = None


class Store(Ledger, Protocol):
    """Key-value store with expiry and leases; values are opaque bytes. Everything raises `StoreFailed`."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use the same entries, so that leases are worth their cost."""
        ...

    @property
    def is_exclusive(self) -> bool:
        """Whether no other process has a shared store open at the moment, so that no lease is needed."""
        ...

    async def get(self, key: Key) -> Kept | None:
        """The entry, unless it is missing, has expired, or its age is unknown."""
        ...

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        """Write a value for `kept_s`, over an earlier one. On return it outlives this process.

        A store that is full evicts the entries that expire next.
        """
        ...

    async def drop(self, key: Key) -> None:
        """Delete an entry, if there is one."""
        ...

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        """Take a lease or renew one; returns whether the owner holds it now. Leases are no entries."""
        ...

    async def release(self, key: Key, owner: str) -> None:
        """Release a lease, if the owner still holds it."""
        ...

    async def count_calls(self, counts: Sequence[CallCount]) -> None:
        """Add calls to the usage. Months before that of the newest day are deleted."""
        ...

    async def call_counts(self, days: Days) -> list[CallCount]:
        """The usage of these days, in no particular order."""
        ...

    async def usage(self) -> Usage: ...

    async def sweep(self) -> int:
        """Delete expired entries; returns how many, as far as the store knows."""
        ...

    async def clear(self) -> int:
        """Delete all entries and free their room; returns how many there were. The ledger stays."""
        ...


def age_s(made_at: float, now: float) -> float | None:
    """Age of an entry by the time of day; `None` if it is unknown."""
    return max(0.0, now - made_at) if made_at <= now + CLOCK_SKEW_S else None
