"""What was spent, by provider and day (UTC): the seam, the ledger in memory, and the one that never fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from dowse.errors import StoreFailed
from dowse.models import Clock
from dowse.telemetry.log import event

T = TypeVar("T")

REST_S = 60.0
_NO_END = 2**63 - 1  # the largest number SQLite holds


@dataclass(frozen=True, slots=True)
class Tally:
    """Calls and what they cost, in millionths of a dollar: whole numbers add up without error."""

    calls: int = 0
    micro_usd: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.calls + other.calls, self.micro_usd + other.micro_usd)

    def __sub__(self, other: Tally) -> Tally:
        return Tally(self.calls - other.calls, self.micro_usd - other.micro_usd)

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
        """No period is longer than a calendar month, so what is older is of no use to anybody."""
        return self.today.replace(day=1)


@dataclass(frozen=True, slots=True)
class Entry:
    """What has been spent by now, and whether the cost that was asked for is part of it."""

    total: Tally
    admitted: bool


class Ledger(Protocol):
    """Adds up what was spent. Raises `StoreFailed`."""

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> Entry:
        """Add a cost to today if the total of these days stays within the cap; else add nothing."""
        ...

    async def total(self, provider: str, days: Days) -> Tally: ...

    async def close(self) -> None: ...


class MemoryLedger:
    """Knows what this process has spent. Nothing here awaits, so it holds on one event loop."""

    def __init__(self) -> None:
        self._spent: dict[tuple[date, str], Tally] = {}

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> Entry:
        self._spent = {key: tally for key, tally in self._spent.items() if key[0] >= days.kept_from}
        before = await self.total(provider, days)
        if not (before + cost).within(cap):
            return Entry(before, admitted=False)
        key = (days.today, provider)
        self._spent[key] = self._spent.get(key, Tally()) + cost
        return Entry(before + cost, admitted=True)

    async def total(self, provider: str, days: Days) -> Tally:
        tallies = [
            tally for (day, name), tally in self._spent.items() if name == provider and days.first <= day <= days.today
        ]
        return sum(tallies, Tally())

    async def close(self) -> None:
        """Nothing is open."""


class SteadyLedger:
    """A ledger that cannot fail: while the one it stands for is down, counting goes on in memory.

    What was counted meanwhile is handed in once that one works again.
    """

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._memory = MemoryLedger()
        self._owed: dict[tuple[str, date], Tally] = {}
        self._handing_in = asyncio.Lock()
        self._rests_until = 0.0
        self._is_down = False

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> Entry:
        try:
            entry = await self._tried(lambda: self._ledger.add(provider, days, cost, cap))
        except StoreFailed:
            entry = await self._memory.add(provider, days, cost, cap)
            if entry.admitted:
                key = (provider, days.today)
                self._owed[key] = self._owed.get(key, Tally()) + cost
            return entry
        if entry.admitted:
            await self._memory.add(provider, days, cost)
        return entry

    async def total(self, provider: str, days: Days) -> Tally:
        try:
            return await self._tried(lambda: self._ledger.total(provider, days))
        except StoreFailed:
            return await self._memory.total(provider, days)

    async def close(self) -> None:
        await self._ledger.close()

    async def _tried(self, work: Callable[[], Awaitable[T]]) -> T:
        """A ledger that has just failed is left alone for a while, so that not every call waits for it."""
        if self._clock.now() < self._rests_until:
            raise StoreFailed
        try:
            await self._hand_in()
            done = await work()
        except StoreFailed as error:
            self._rests_until = self._clock.now() + REST_S
            if not self._is_down:
                event(logging.WARNING, "ledger failed, spending is counted in memory", detail=str(error))
            self._is_down = True
            raise
        self._is_down = False
        return done

    async def _hand_in(self) -> None:
        async with self._handing_in:
            for (provider, day), cost in list(self._owed.items()):
                await self._ledger.add(provider, Days(day, day), cost)
                # More may have come to be owed while this was handed in.
                self._owed[provider, day] -= cost
            self._owed = {key: cost for key, cost in self._owed.items() if cost != Tally()}
