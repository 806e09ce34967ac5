"""Spend ledger: calls and cost by provider and day (UTC), and for the usage by caller as well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

_NO_END = 2**63 - 1  # the largest number SQLite holds


@dataclass(frozen=True, slots=True)
class Tally:
    """Calls and their cost in millionths of a dollar: integers add up without error."""

    calls: int = 0
    micro_usd: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.calls + other.calls, self.micro_usd + other.micro_usd)

    def __sub__(self, other: Tally) -> Tally:
        return Tally(self.calls - other.calls, self.micro_usd - other.micro_usd)

    def beyond(self, other: Tally) -> Tally:
        """The excess over the other, at least zero."""
        return Tally(max(0, self.calls - other.calls), max(0, self.micro_usd - other.micro_usd))

    def within(self, cap: Tally) -> bool:
        return self.calls <= cap.calls and self.micro_usd <= cap.micro_usd


UNLIMITED = Tally(_NO_END, _NO_END)


@dataclass(frozen=True, slots=True)
class Days:
    """The part of a budget's period that has passed, today included."""

    first: date
    today: date

    @property
    def kept_from(self) -> date:
        """No period is longer than a calendar month, so older days are not needed."""
        return self.today.replace(day=1)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The total so far, and whether the requested cost was admitted into it."""

    total: Tally
    admitted: bool


@dataclass(frozen=True, slots=True)
class CallCount:
    """Calls of one caller to one provider on one day, and their cost."""

    day: date
    provider: str
    caller: str
    tally: Tally


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Usage under one name: of all counted days, and of the last one."""

    name: str
    whole: Tally
    today: Tally


USAGE_NAMES: Mapping[str, Callable[[CallCount], str]] = {
    "provider": lambda count: count.provider,
    "caller": lambda count: count.caller,
    "day": lambda count: str(count.day),
}
"""The ways to group the usage."""


def group_usage(counts: Sequence[CallCount], by: str, today: date) -> list[UsageRow]:
    """A row for each name, the most calls first; days in their order."""
    groups: defaultdict[str, list[CallCount]] = defaultdict(list)
    for count in counts:
        groups[USAGE_NAMES[by](count)].append(count)
    rows = [total_usage(group, today, name) for name, group in groups.items()]
    return sorted(rows, key=lambda row: row.name if by == "day" else (-row.whole.calls, row.name))


def total_usage(counts: Sequence[CallCount], today: date, name: str = "all") -> UsageRow:
    """The row of all these calls together."""
    whole = sum((count.tally for count in counts), Tally())
    return UsageRow(name, whole, sum((count.tally for count in counts if count.day == today), Tally()))


class Ledger(Protocol):
    """Adds up spending. Raises `StoreFailed`."""

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        """Add a cost to today if the total of these days stays within the cap; else add nothing."""
        ...

    async def total(self, provider: str, days: Days) -> Tally: ...

    async def close(self) -> None: ...


class MemoryLedger:
    """The spending of this process. Nothing awaits, so every method is atomic on its loop."""

    def __init__(self) -> None:
        self._spent: dict[tuple[date, str], Tally] = {}

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        before = self._total(provider, days)
        if not (before + cost).within(cap):
            return LedgerEntry(before, admitted=False)
        self._enter(provider, days, cost)
        return LedgerEntry(before + cost, admitted=True)

    async def total(self, provider: str, days: Days) -> Tally:
        return self._total(provider, days)

    async def close(self) -> None:
        """Nothing is open."""

    def learn(self, provider: str, days: Days, total: Tally) -> None:
        """Raise the total of these days to at least this: other processes spend too."""
        self._enter(provider, days, total.beyond(self._total(provider, days)))

    def _total(self, provider: str, days: Days) -> Tally:
        tallies = [
            tally for (day, name), tally in self._spent.items() if name == provider and days.first <= day <= days.today
        ]
        return sum(tallies, Tally())

    def _enter(self, provider: str, days: Days, cost: Tally) -> None:
        self._spent = {key: tally for key, tally in self._spent.items() if key[0] >= days.kept_from}
        key = (days.today, provider)
        self._spent[key] = self._spent.get(key, Tally()) + cost
