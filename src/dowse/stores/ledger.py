"""What was spent, by provider and day (UTC): the seam, the ledger in memory, and the one that never fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from dowse.core.errors import StoreFailed
from dowse.stores.outage import Outage

T = TypeVar("T")

PATIENCE_S = 2.0
_USE = "budgets"
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

    def beyond(self, other: Tally) -> Tally:
        """What there is more than in the other, never less than nothing."""
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
        before = self._total(provider, days)
        if not (before + cost).within(cap):
            return Entry(before, admitted=False)
        self._enter(provider, days, cost)
        return Entry(before + cost, admitted=True)

    async def total(self, provider: str, days: Days) -> Tally:
        return self._total(provider, days)

    async def close(self) -> None:
        """Nothing is open."""

    def learn(self, provider: str, days: Days, total: Tally) -> None:
        """Others spend too: from now on the total of these days is at least this."""
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


class FailSoftLedger:
    """A ledger that neither fails nor keeps anybody waiting.

    While the one it stands for is down, counting goes on in memory, from the last total that was seen. What was
    counted meanwhile is handed in once that one works again, or at the end.
    """

    def __init__(self, ledger: Ledger, outage: Outage) -> None:
        self._ledger = ledger
        self._outage = outage
        self._memory = MemoryLedger()
        self._owed: dict[tuple[str, date], Tally] = {}
        self._turn = asyncio.Lock()

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> Entry:
        is_owed = False

        async def enter() -> Entry:
            entry = await self._ledger.add(provider, days, cost, cap)
            if is_owed and entry.admitted:
                # Entered after all, too late for whoever waited.
                self._owe(provider, days.today, Tally() - cost)
            return entry

        entry = await self._in_time(enter)
        if entry is not None:
            self._memory.learn(provider, days, entry.total)
            return entry
        entry = await self._memory.add(provider, days, cost, cap)
        if entry.admitted:
            is_owed = True
            self._owe(provider, days.today, cost)
        return entry

    async def total(self, provider: str, days: Days) -> Tally:
        total = await self._in_time(lambda: self._ledger.total(provider, days))
        if total is None:
            return await self._memory.total(provider, days)
        self._memory.learn(provider, days, total)
        return total

    async def close(self) -> None:
        """Whatever has failed before, what is owed is offered once more."""
        self._outage.hurry(_USE)
        await self._in_time(self._hand_in)
        await self._ledger.close()

    async def _in_time(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """The result; `None` from a ledger that fails or is late, or was a while ago and is left alone."""
        if self._outage.rests(_USE):
            return None
        # A task of its own: whoever leaves, what has begun ends, so that nothing is handed in twice.
        task = asyncio.create_task(self._in_turn(work))
        await asyncio.wait([task], timeout=PATIENCE_S)
        if not task.done():
            self._outage.failed(_USE, f"no answer within {PATIENCE_S} s")
            return None
        return task.result()

    async def _in_turn(self, work: Callable[[], Awaitable[T]]) -> T | None:
        async with self._turn:
            if self._outage.rests(_USE):  # because of one that was before us in the queue
                return None
            try:
                await self._hand_in()
                done = await work()
            except StoreFailed as error:
                self._outage.failed(_USE, str(error))
                return None
            self._outage.worked(_USE)
            return done

    def _owe(self, provider: str, day: date, cost: Tally) -> None:
        owed = self._owed.pop((provider, day), Tally()) + cost
        if owed != Tally():
            self._owed[provider, day] = owed

    async def _hand_in(self) -> None:
        for (provider, day), cost in list(self._owed.items()):
            await self._ledger.add(provider, Days(day, day), cost)
            # More may have come to be owed while this was handed in.
            self._owe(provider, day, Tally() - cost)
