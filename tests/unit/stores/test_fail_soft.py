"""A store that is down costs its benefit and one warning; reading and writing are watched apart."""

from __future__ import annotations

import asyncio
import time

import pytest

from dowse.cache.entries import CacheEntries
from dowse.core.errors import StoreFailed
from dowse.stores import fail_soft
from dowse.stores.fail_soft import REST_S, FailSoftLedger, FailSoftStore, Outage, WriteBehind
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Kept, Key
from tests.fakes import FakeClock, RecordingObserver

KEY = Key("search", "00ff")


class Moody(MemoryStore):
    """A store that fails or hangs as a test says."""

    is_down = False
    is_full = False
    hangs = False
    asked = 0

    async def get(self, key: Key) -> Kept | None:
        await self._mood()
        return await super().get(key)

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        await self._mood()
        if self.is_full:
            raise StoreFailed("the disk is full")
        await super().put(key, value, kept_s)

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        await self._mood()
        return await super().claim(key, owner, for_s)

    async def _mood(self) -> None:
        self.asked += 1
        if self.hangs:
            await asyncio.Event().wait()
        if self.is_down:
            raise StoreFailed("it is down")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(clock: FakeClock) -> Moody:
    return Moody(clock, 10_000_000)


@pytest.fixture
def steady_store(store: Moody, clock: FakeClock) -> FailSoftStore:
    return FailSoftStore(store, Outage(clock))


async def test_a_store_that_is_down_is_a_miss_and_one_warning(
    store: Moody, steady_store: FailSoftStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.is_down = True
    for _ in range(3):
        assert await steady_store.get(KEY) is None
        await steady_store.put(KEY, b"x", 60)
        assert await steady_store.claim(KEY, "me", 3) is True, "everybody does their own work"
        await steady_store.release(KEY, "me")
    (record,) = caplog.records
    assert record.getMessage() == "store failed, calls go on without it"
    assert record.__dict__["dowse_fields"] == {"detail": "it is down"}


async def test_an_outage_of_the_store_is_told_to_the_metrics(store: Moody, clock: FakeClock) -> None:
    observer = RecordingObserver()
    watched = FailSoftStore(store, Outage(clock, observer))
    store.is_down = True
    for _ in range(2):
        await watched.get(KEY)
        clock.advance(REST_S)
    store.is_down = False
    await watched.get(KEY)
    assert observer.store == ["down", "up"]


async def test_a_store_that_is_down_is_left_alone_for_a_minute(
    store: Moody, steady_store: FailSoftStore, clock: FakeClock
) -> None:
    store.is_down = True
    for _ in range(5):
        await steady_store.get(KEY)
    assert store.asked == 1
    clock.advance(REST_S)
    store.is_down = False
    await steady_store.put(KEY, b"x", 60)
    assert await steady_store.get(KEY) == Kept(b"x", 0)


async def test_a_store_that_is_full_can_still_be_read(
    store: Moody, steady_store: FailSoftStore, caplog: pytest.LogCaptureFixture, clock: FakeClock
) -> None:
    await steady_store.put(KEY, b"x", 6000)
    store.is_full = True
    for _ in range(3):
        await steady_store.put(KEY, b"y", 6000)
        assert (await steady_store.get(KEY) or Kept(b"", 0)).value == b"x"
        clock.advance(REST_S)
    assert len(caplog.records) == 1, "it was down all the time"


async def test_a_second_outage_is_told_again(
    store: Moody, steady_store: FailSoftStore, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        store.is_down = True
        await steady_store.get(KEY)
        clock.advance(REST_S)
        store.is_down = False
        await steady_store.get(KEY)
    assert len(caplog.records) == 2


async def test_no_call_waits_for_a_store_that_hangs(
    store: Moody,
    steady_store: FailSoftStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(fail_soft, "PATIENCE_S", 0.01)
    monkeypatch.setattr(fail_soft, "_LATE_S", 60.0)  # the machine that runs the tests may be busy
    store.hangs = True
    assert await steady_store.get(KEY) is None
    assert caplog.records[0].__dict__["dowse_fields"] == {"detail": "no answer within 0.01 s"}


async def test_a_store_is_not_blamed_for_a_process_that_was_too_busy_to_hear_it(
    store: Moody,
    steady_store: FailSoftStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(fail_soft, "PATIENCE_S", 0.01)
    monkeypatch.setattr(fail_soft, "_LATE_S", 0.02)
    store.hangs = True
    asyncio.get_running_loop().call_soon(time.sleep, 0.05)
    assert await steady_store.get(KEY) is None
    assert not caplog.records
    store.hangs = False
    await steady_store.get(KEY)
    assert store.asked == 2, "it is not left alone either"


async def test_budgets_and_caches_on_one_store_complain_once(
    store: Moody, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    from datetime import date

    from dowse.stores.ledger import Days, Tally

    class Down(Moody):
        async def add(self, *_args: object, **_more: object) -> object:  # type: ignore[override]
            raise StoreFailed("it is down")

    down = Down(clock, 1000)
    down.is_down = True
    outage = Outage(clock)
    await FailSoftStore(down, outage).get(KEY)
    today = date(2026, 11, 15)
    assert (await FailSoftLedger(down, outage).add("serper", Days(today, today), Tally(1))).admitted
    assert len(caplog.records) == 1


async def test_large_values_are_kept_and_huge_ones_are_not(steady_store: FailSoftStore, clock: FakeClock) -> None:
    cache = CacheEntries(steady_store, clock)
    await cache.put("page", "large", b"x" * 1_000_000, 60)
    await cache.put("page", "huge", b"x" * 4_000_001, 60)
    assert (await cache.get("page", "large") or Kept(b"", 0)).value == b"x" * 1_000_000
    assert await cache.get("page", "huge") is None
    await cache.put("page", "never", b"x", 0)
    assert await cache.get("page", "never") is None


async def test_the_end_waits_for_a_write_in_progress_and_for_no_pause() -> None:
    written: list[str] = []
    begun, may_end, pause = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def write() -> None:
        begun.set()
        await may_end.wait()
        written.append("write")

    async def sleep(_seconds: float) -> None:
        await pause.wait()
        pause.clear()

    behind = WriteBehind(write, sleep)
    behind.schedule(1.0)
    pause.set()
    await begun.wait()
    behind.schedule(1.0)
    closing = asyncio.create_task(behind.close())
    await asyncio.sleep(0)
    assert (written, closing.done()) == ([], False)
    may_end.set()
    await closing
    assert written == ["write", "write"]
