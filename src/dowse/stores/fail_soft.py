"""Fail-soft store, ledger and usage: a failing or slow store costs its benefit and never fails or delays a call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Container, Coroutine
from datetime import date
from typing import TypeVar

from dowse.core.errors import StoreFailed, StoreSilent
from dowse.core.models import Clock
from dowse.core.protocols import Observer
from dowse.core.runtime import Background
from dowse.stores.ledger import UNLIMITED, CallCount, Days, Ledger, LedgerEntry, MemoryLedger, Tally
from dowse.stores.store import Kept, Key, Store
from dowse.telemetry.log import event

T = TypeVar("T")

REST_S = 60.0
"""How long a use of the store is not attempted again after a failure."""

# Longer than a healthy store ever takes, and short enough to be lost once in a while.
PATIENCE_S = 1.0
LEDGER_PATIENCE_S = 2.0
# A timeout that fires this much too late shows a busy process, not a slow store.
_LATE_S = 0.2
_READING, _WRITING, _BUDGETS = "reading", "writing", "budgets"


Sleep = Callable[[float], Awaitable[None]]


class WriteBehind:
    """Write-behind timer: changes are written together, some time after the first of them.

    `sleep` is passed apart from the clock, since a sleep of a test clock moves its time for all.
    """

    def __init__(self, write: Callable[[], Coroutine[None, None, None]], sleep: Sleep) -> None:
        self._write = write
        self._sleep = sleep
        self._timer: asyncio.Task[None] | None = None
        self._writes = Background()

    def schedule(self, delay_s: float) -> None:
        """Write after the delay, unless a write is scheduled already."""
        if self._timer is None:
            self._timer = asyncio.create_task(self._write_after(delay_s))

    async def close(self) -> None:
        """Write the rest, after the writes in progress."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await self._writes.finish()
        await self._write()

    async def _write_after(self, delay_s: float) -> None:
        await self._sleep(delay_s)
        # A task of its own, which `close` awaits instead of cancelling it.
        self._writes.start(self._write())
        self._timer = None


class Outage:
    """Failing uses of a store: the first failure is logged, and each use rests for a while.

    A silent store rests as a whole: otherwise every use would wait for it in turn. Callers are not told: they can do
    nothing about it, and their answers are the same without the store.
    """

    def __init__(self, clock: Clock, observer: Observer | None = None) -> None:
        self._clock = clock
        self._observer = observer
        self._rests_until: dict[str, float] = {}
        self._silent_since: float | None = None

    def now(self) -> float:
        """The time on the clock by which uses rest."""
        return self._clock.now()

    @property
    def silent_since(self) -> float | None:
        """Since when the store has been silent; `None` if it has answered since, or may be asked again."""
        since = self._silent_since
        return since if since is not None and self._clock.now() < since + REST_S else None

    def is_resting(self, use: str) -> bool:
        """Whether this use failed less than `REST_S` ago, so that another attempt is not worth it."""
        return self.silent_since is not None or self._clock.now() < self._rests_until.get(use, 0.0)

    def record_failure(self, use: str, error: StoreFailed, began: float | None = None) -> None:
        """Record a failed attempt. `began` is its time on the clock, from which a silence counts."""
        now = self._clock.now()
        if not self._rests_until:
            event(logging.WARNING, "store failed, calls go on without it", detail=str(error))
            if self._observer:
                self._observer.store_changed("down")
        if isinstance(error, StoreSilent) and self.silent_since is None:
            self._silent_since = now if began is None else began
        self._rests_until[use] = now + REST_S

    def record_success(self, use: str) -> None:
        self._silent_since = None
        if self._rests_until.pop(use, None) is not None and not self._rests_until:
            event(logging.INFO, "store works again")
            if self._observer:
                self._observer.store_changed("up")

    def end_rest(self, use: str) -> None:
        """Allow one more attempt right now."""
        self._silent_since = None
        if use in self._rests_until:
            self._rests_until[use] = 0.0


class FailSoftStore:
    """Entries and leases of a store, without exceptions and with a bound on waiting.

    Reading and writing rest separately, because a store on a full disk can still be read.
    """

    def __init__(self, store: Store, outage: Outage) -> None:
        self._store = store
        self._outage = outage

    @property
    def is_shared(self) -> bool:
        return self._store.is_shared

    @property
    def is_exclusive(self) -> bool:
        return self._store.is_exclusive

    async def get(self, key: Key) -> Kept | None:
        return await self._attempt(_READING, lambda: self._store.get(key), None)

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        await self._attempt(_WRITING, lambda: self._store.put(key, value, kept_s), None)

    async def drop(self, key: Key) -> None:
        await self._attempt(_WRITING, lambda: self._store.drop(key), None)

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        """Claim a lease. True as well while the store is down: then every process does its own work."""
        return await self._attempt(_WRITING, lambda: self._store.claim(key, owner, for_s), True)

    async def release(self, key: Key, owner: str) -> None:
        await self._attempt(_WRITING, lambda: self._store.release(key, owner), None)

    async def _attempt(self, use: str, work: Callable[[], Awaitable[T]], otherwise: T) -> T:
        if self._outage.is_resting(use):
            return otherwise
        now = asyncio.get_running_loop().time  # the clock of `asyncio.timeout`
        began = now()
        began_at = self._outage.now()
        try:
            async with asyncio.timeout(PATIENCE_S):
                result = await work()
        except TimeoutError:
            if now() - began < PATIENCE_S + _LATE_S:
                self._outage.record_failure(use, StoreFailed(f"no answer within {PATIENCE_S:g} s"))
            return otherwise
        except StoreFailed as error:
            self._outage.record_failure(use, error, began_at)
            return otherwise
        self._outage.record_success(use)
        return result


class FailSoftLedger:
    """A ledger that neither fails nor blocks.

    While the underlying ledger is down, spending is counted in memory from the last total that was seen. The
    difference is handed in once the ledger works again, or at shutdown.
    """

    def __init__(self, ledger: Ledger, outage: Outage) -> None:
        self._ledger = ledger
        self._outage = outage
        self._memory = MemoryLedger()
        self._owed: dict[tuple[str, date], Tally] = {}
        self._turn = asyncio.Lock()

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        is_late = is_entered = False

        async def enter() -> LedgerEntry:
            nonlocal is_entered
            entry = await self._ledger.add(provider, days, cost, cap)
            is_entered = entry.admitted
            if is_late and is_entered:
                # Entered after the caller had left, or had counted the cost in memory.
                self._owe(provider, days.today, Tally() - cost)
            return entry

        try:
            entry = await self._attempt(enter)
        except asyncio.CancelledError:
            # The caller will not make its call.
            is_late = True
            if is_entered:
                self._owe(provider, days.today, Tally() - cost)
            raise
        if entry is not None:
            if cost.calls < 0:
                # Only here: `learn` raises totals.
                await self._memory.add(provider, days, cost)
            self._memory.learn(provider, days, entry.total)
            return entry
        entry = await self._memory.add(provider, days, cost, cap)
        if entry.admitted:
            is_late = True
            self._owe(provider, days.today, cost)
        return entry

    async def total(self, provider: str, days: Days) -> Tally:
        total = await self._attempt(lambda: self._ledger.total(provider, days))
        if total is None:
            return await self._memory.total(provider, days)
        self._memory.learn(provider, days, total)
        return total

    async def close(self) -> None:
        """Hand in owed costs once more, even while the ledger rests, and close it."""
        self._outage.end_rest(_BUDGETS)
        await self._attempt(self._hand_in)
        await self._ledger.close()

    async def _attempt(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Run work on the ledger; `None` when it fails, is late, or rests."""
        if self._outage.is_resting(_BUDGETS):
            return None
        # A task of its own: work that has begun finishes even if the caller leaves, so nothing is handed in twice.
        task = asyncio.create_task(self._run_in_turn(work))
        await asyncio.wait([task], timeout=LEDGER_PATIENCE_S)
        if not task.done():
            self._outage.record_failure(_BUDGETS, StoreFailed(f"no answer within {LEDGER_PATIENCE_S} s"))
            return None
        return task.result()

    async def _run_in_turn(self, work: Callable[[], Awaitable[T]]) -> T | None:
        async with self._turn:
            if self._outage.is_resting(_BUDGETS):  # the previous one in the queue failed
                return None
            try:
                await self._hand_in()
                result = await work()
            except StoreFailed as error:
                self._outage.record_failure(_BUDGETS, error)
                return None
            self._outage.record_success(_BUDGETS)
            return result

    def _owe(self, provider: str, day: date, cost: Tally) -> None:
        owed = self._owed.pop((provider, day), Tally()) + cost
        if owed != Tally():
            self._owed[provider, day] = owed

    async def _hand_in(self) -> None:
        for (provider, day), cost in list(self._owed.items()):
            await self._ledger.add(provider, Days(day, day), cost)
            # Subtracted rather than deleted: more may have come to be owed meanwhile.
            self._owe(provider, day, Tally() - cost)


WRITE_EVERY_S = 10.0
"""How often the usage is written; a process that is killed loses as much of it."""
# Names of callers may come from an identity provider, so their number is not known.
MOST_CALLERS = 1000
_OTHERS = "other"


class UsageBuffer:
    """Calls and costs by day, provider and caller, collected in memory and written together now and then."""

    def __init__(
        self, store: Store, clock: Clock, unrecorded: Container[str] = (), *, sleep: Sleep = asyncio.sleep
    ) -> None:
        """Calls to `unrecorded` names, which are no providers, are left out."""
        self._store = store
        self._clock = clock
        self._unrecorded = unrecorded
        self._counts: dict[tuple[date, str, str], Tally] = {}
        self._callers: set[str] = set()
        self._day: date | None = None
        self._writes = WriteBehind(self._write, sleep)

    def add(self, provider: str, caller: str, cost: Tally) -> None:
        """Count a call that was made today."""
        if provider in self._unrecorded:
            return
        day = self._clock.utc().date()
        self._put_in((day, provider, self._known_caller(day, caller)), cost)
        self._writes.schedule(WRITE_EVERY_S)

    async def close(self) -> None:
        """Write the rest."""
        await self._writes.close()

    def _known_caller(self, day: date, caller: str) -> str:
        """The name under which a caller is counted."""
        if day != self._day:
            self._day, self._callers = day, set()
        if caller not in self._callers and len(self._callers) >= MOST_CALLERS:
            return _OTHERS
        self._callers.add(caller)
        return caller

    async def _write(self) -> None:
        counts, self._counts = self._counts, {}
        if not counts:
            return
        try:
            async with asyncio.timeout(LEDGER_PATIENCE_S):
                await self._store.count_calls([CallCount(*key, tally) for key, tally in counts.items()])
        except StoreFailed:
            # Written with the next calls.
            for key, tally in counts.items():
                self._put_in(key, tally)
        except TimeoutError:
            # They may have been written, and a call must not be counted twice.
            calls = sum(tally.calls for tally in counts.values())
            event(logging.WARNING, "usage not recorded, because the store did not answer", calls=calls)

    def _put_in(self, key: tuple[date, str, str], cost: Tally) -> None:
        self._counts[key] = self._counts.get(key, Tally()) + cost
