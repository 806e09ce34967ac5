"""The usage buffer: few writes, nothing lost to a store that is down for a while, and a bounded number of callers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores import fail_soft
from dowse.stores.fail_soft import UsageBuffer
from dowse.stores.ledger import CallCount, Days, Tally
from dowse.stores.memory import MemoryStore
from tests.fakes import FakeClock

NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 30))
DAY = date(2026, 11, 15)
CALL = Tally(1, 1000)


class Shaky(MemoryStore):
    """Counts the writes of usage; fails or hangs when a test says so."""

    writes = 0
    is_down = False
    hangs = False

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.written = asyncio.Event()

    async def count_calls(self, counts: Sequence[CallCount]) -> None:
        self.writes += 1
        if self.is_down:
            raise StoreFailed("disk full")
        if self.hangs:
            await asyncio.Event().wait()
        await super().count_calls(counts)
        self.written.set()


@pytest.fixture
def store(clock: FakeClock) -> Shaky:
    return Shaky(clock)


async def test_calls_are_written_together_by_day_provider_and_caller(store: Shaky, clock: FakeClock) -> None:
    buffer = UsageBuffer(store, clock)
    for caller in ("alice", "bob", "alice"):
        buffer.add("serper", caller, CALL)
    buffer.add("tavily", "bob", CALL)
    assert store.writes == 0
    await buffer.close()
    await buffer.close()
    assert store.writes == 1
    assert sorted(await store.call_counts(NOVEMBER), key=str) == [
        CallCount(DAY, "serper", "alice", Tally(2, 2000)),
        CallCount(DAY, "serper", "bob", CALL),
        CallCount(DAY, "tavily", "bob", CALL),
    ]


async def test_they_are_written_after_a_while_without_an_end(store: Shaky, clock: FakeClock) -> None:
    buffer = UsageBuffer(store, clock, sleep=clock.sleep)
    for _ in range(3):
        buffer.add("serper", "alice", CALL)
        buffer.add("serper", "alice", CALL)
        await store.written.wait()
        store.written.clear()
    assert (store.writes, clock.slept) == (3, [fail_soft.WRITE_EVERY_S] * 3)
    assert await store.call_counts(NOVEMBER) == [CallCount(DAY, "serper", "alice", Tally(6, 6000))]


async def test_a_store_that_is_down_gets_the_calls_later(store: Shaky, clock: FakeClock) -> None:
    buffer = UsageBuffer(store, clock)
    buffer.add("serper", "alice", CALL)
    store.is_down = True
    await buffer.close()
    assert await store.call_counts(NOVEMBER) == []
    store.is_down = False
    buffer.add("serper", "alice", CALL)
    await buffer.close()
    assert await store.call_counts(NOVEMBER) == [CallCount(DAY, "serper", "alice", Tally(2, 2000))]


async def test_a_store_that_hangs_delays_no_end_for_long_and_the_log_tells_of_it(
    store: Shaky, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(fail_soft, "LEDGER_PATIENCE_S", 0.01)
    buffer = UsageBuffer(store, clock)
    buffer.add("serper", "alice", CALL)
    store.hangs = True
    await buffer.close()
    assert [record.getMessage() for record in caplog.records] == [
        "usage not recorded, because the store did not answer"
    ]


async def test_the_number_of_callers_of_a_day_is_bounded(
    store: Shaky, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fail_soft, "MOST_CALLERS", 2)
    buffer = UsageBuffer(store, clock)
    for caller in ("alice", "bob", "carol", "dave", "alice"):
        buffer.add("serper", caller, CALL)
    clock.date = date(2026, 11, 16)
    buffer.add("serper", "carol", CALL)
    await buffer.close()
    counts = {(each.day.day, each.caller): each.tally.calls for each in await store.call_counts(NOVEMBER)}
    assert counts == {(15, "alice"): 2, (15, "bob"): 1, (15, "other"): 2, (16, "carol"): 1}


async def test_readers_of_our_own_are_no_providers(store: Shaky, clock: FakeClock) -> None:
    buffer = UsageBuffer(store, clock, ("direct",))
    buffer.add("direct", "alice", Tally(1))
    await buffer.close()
    assert store.writes == 0
