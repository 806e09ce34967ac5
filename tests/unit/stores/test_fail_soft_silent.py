"""A store that accepts and never answers: one call waits for it once, not once for each use."""

from __future__ import annotations

from datetime import date

import pytest

from dowse.core.errors import StoreFailed, StoreSilent
from dowse.stores.coordination import PATIENCE_S, LocalFallback
from dowse.stores.fail_soft import REST_S, FailSoftLedger, FailSoftStore, Outage
from dowse.stores.ledger import UNLIMITED, Days, LedgerEntry, Tally
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Kept, Key
from tests.fakes import FakeClock

pytestmark = pytest.mark.promise("hardened-silent-store")

KEY = Key("search", "00ff")
TODAY = Days(date(2026, 11, 15), date(2026, 11, 15))
ANSWER_S = 0.8


class Silent(MemoryStore):
    """A store whose every use fails after a while, with the error of a test."""

    def __init__(self, clock: FakeClock, error: type[StoreFailed] | None = StoreSilent) -> None:
        super().__init__(clock)
        self.clock = clock
        self.error = error
        self.asked: list[str] = []

    async def get(self, key: Key) -> Kept | None:
        self._wait("get")
        return await super().get(key)

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        self._wait("claim")
        return await super().claim(key, owner, for_s)

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        self._wait("add")
        return await super().add(provider, days, cost, cap)

    async def look(self) -> None:
        self._wait("look")

    def _wait(self, use: str) -> None:
        self.asked.append(use)
        if self.error:
            self.clock.advance(ANSWER_S)
            raise self.error("no answer in time")


class Call:
    """The uses of a store by one call, in their order."""

    def __init__(self, clock: FakeClock, error: type[StoreFailed] | None = StoreSilent) -> None:
        self.store = Silent(clock, error)
        self.outage = Outage(clock)
        self._clock = clock
        self._entries = FailSoftStore(self.store, self.outage)
        self._ledger = FailSoftLedger(self.store, self.outage)
        self._counts = LocalFallback(self.store.look, self.outage, clock)
        self._circuits = LocalFallback(self.store.look, self.outage, clock, patience_s=0.0)

    async def run(self) -> float:
        """Make the call; its seconds on the clock."""
        began = self._clock.now()
        await self._entries.get(KEY)
        await self._entries.claim(KEY, "ours", 1.0)
        await self._counts.ask(self.store.look)
        await self._circuits.ask(self.store.look)
        await self._ledger.add("serper", TODAY, Tally(1, 1))
        return self._clock.now() - began

    async def close(self) -> None:
        await self._counts.close()
        await self._circuits.close()


async def test_the_first_call_waits_as_long_as_counts_wait_for_a_restart(clock: FakeClock) -> None:
    call = Call(clock)
    # The last attempt begins before the patience is over.
    assert await call.run() <= PATIENCE_S + ANSWER_S
    assert call.store.asked == ["get", "look"]
    assert await call.run() == 0.0
    await call.close()


async def test_uses_of_a_store_that_answers_with_errors_fail_one_by_one(clock: FakeClock) -> None:
    """The control: a full disk can still be read, so an error of one use says nothing about another."""
    call = Call(clock, StoreFailed)
    assert await call.run() > 4 * ANSWER_S
    assert {"get", "claim", "look", "add"} <= set(call.store.asked)
    await call.close()


async def test_the_first_answer_ends_the_silence_for_all_uses(clock: FakeClock) -> None:
    outage = Outage(clock)
    outage.record_failure("reading", StoreSilent("no answer"))
    assert outage.is_resting("writing")
    outage.record_success("sharing")
    assert not outage.is_resting("writing")
    assert outage.is_resting("reading")


async def test_a_silent_store_is_asked_again_after_its_rest(clock: FakeClock) -> None:
    outage = Outage(clock)
    outage.record_failure("reading", StoreSilent("no answer"))
    clock.advance(REST_S - 0.1)
    assert outage.is_resting("writing")
    clock.advance(0.1)
    assert not outage.is_resting("writing")


async def test_what_is_owed_is_handed_in_at_the_end_even_so(clock: FakeClock) -> None:
    store, outage = Silent(clock), Outage(clock)
    ledger = FailSoftLedger(store, outage)
    await ledger.add("serper", TODAY, Tally(1, 1))
    store.error = None
    await ledger.close()
    assert store.asked == ["add", "add"]
