"""Rate limits over a restart: what a process has counted, the next one knows."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core.allowances import Rate
from dowse.routing.limiter import WRITE_EVERY_S, KeptWindows, SlidingWindows
from dowse.stores.fail_soft import FailSoftStore, Outage, Sleep
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Kept, Key
from tests.fakes import FakeClock

pytestmark = pytest.mark.promise("limits-restart")

KEY = "alice:web_search"
THREE = Rate(3, 600.0)


class CountingStore(MemoryStore):
    """Counts how often it is read and written."""

    writes = 0
    reads = 0

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.written = asyncio.Event()

    async def get(self, key: Key) -> Kept | None:
        self.reads += 1
        return await super().get(key)

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        self.writes += 1
        await super().put(key, value, kept_s)
        self.written.set()


@pytest.fixture
def store(clock: FakeClock) -> CountingStore:
    return CountingStore(clock)


def process(store: MemoryStore, clock: FakeClock, sleep: Sleep = asyncio.sleep) -> KeptWindows:
    """The windows of a process that has just started."""
    return KeptWindows(SlidingWindows(clock), FailSoftStore(store, Outage(clock)), clock, sleep)


async def waits(windows: KeptWindows, key: str = KEY) -> float:
    return (await windows.admit(key, THREE)).wait_s


async def test_the_calls_of_a_process_count_in_the_next_one_until_they_leave_the_window(
    store: CountingStore, clock: FakeClock
) -> None:
    first = process(store, clock)
    assert [await waits(first), await waits(first)] == [0.0, 0.0]
    clock.advance(100)
    assert await waits(first) == 0.0
    await first.close()
    second = process(store, clock)
    assert await waits(second) == 500.0
    assert await waits(second, "bob:web_search") == 0.0
    clock.advance(500)
    assert [await waits(second), await waits(second), await waits(second)] == [0.0, 0.0, 100.0]


async def test_the_monotonic_clock_of_the_next_process_may_be_another(store: CountingStore, clock: FakeClock) -> None:
    first = process(store, clock)
    for _ in range(3):
        await waits(first)
    await first.close()
    rebooted = FakeClock()
    rebooted.date = clock.date
    rebooted.utc = lambda: clock.utc()  # type: ignore[method-assign]  # the time of day goes on
    rebooted.time = 7.0
    assert await waits(process(store, rebooted)) == 600.0


async def test_calls_at_once_are_restored_once(store: CountingStore, clock: FakeClock) -> None:
    first = process(store, clock)
    await waits(first)
    await first.close()
    second = process(store, clock)
    assert sorted(await asyncio.gather(*[waits(second) for _ in range(4)])) == [0.0, 0.0, 600.0, 600.0]


async def test_many_calls_are_one_write_and_one_read(store: CountingStore, clock: FakeClock) -> None:
    asked, over = [], asyncio.Event()

    async def sleep(seconds: float) -> None:
        asked.append(seconds)
        await over.wait()

    windows = process(store, clock, sleep)
    for _ in range(100):
        await windows.admit(KEY, Rate(1000, 600.0))
    assert (store.reads, store.writes) == (1, 0)
    over.set()
    await store.written.wait()
    assert (asked, store.writes) == ([WRITE_EVERY_S], 1)
    await windows.close()
    assert store.writes == 1


async def test_a_refused_call_is_not_written(store: CountingStore, clock: FakeClock) -> None:
    windows = process(store, clock)
    for _ in range(3):
        await waits(windows)
    await windows.close()
    await waits(windows)
    await windows.close()
    assert store.writes == 1


@pytest.mark.parametrize("value", [b"", b"damaged", b"\x00" * 9])
async def test_a_damaged_entry_counts_for_nothing(store: CountingStore, clock: FakeClock, value: bytes) -> None:
    first = process(store, clock)
    await waits(first)
    await first.close()
    (key,) = store._entries
    await store.put(key, value, 600)
    assert [await waits(process(store, clock)) for _ in range(3)] == [0.0] * 3


async def test_the_name_of_the_caller_is_not_in_the_store(store: CountingStore, clock: FakeClock) -> None:
    windows = process(store, clock)
    await waits(windows)
    await windows.close()
    assert "alice" not in repr(store._entries)
