"""Statistics: counters in slots of time, and the sum over replicas that share a store."""

from __future__ import annotations

import asyncio
import json
import zlib

import pytest

from dowse.core.models import Attempt, CacheState
from dowse.core.protocols import BreakerChange, Charge, Door, ToolCall
from dowse.flows.statistics import LOOK_EVERY_S, MOST_REPLICAS, Record, Statistics
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Key
from dowse.telemetry.counters import CallCounters, percentile, total
from tests.fakes import FakeClock
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("console-numbers")

CALL = ToolCall("web_search", "serper", "ok", 0.2, "ana", Door.MCP)


class SharedMemoryStore(MemoryStore):
    """A store in memory that says it is shared, as the one of several replicas is."""

    @property
    def is_shared(self) -> bool:
        return True


class Replica:
    """The counters of one process, and what it reads of all."""

    def __init__(self, store: MemoryStore, clock: FakeClock) -> None:
        self.counters = CallCounters(clock, engines=("serper", "direct"))
        # Nothing is written before the end, or by hand.
        self.statistics = Statistics(
            self.counters, FailSoftStore(store, Outage(clock)), clock, sleep=lambda _s: asyncio.Event().wait()
        )

    async def write(self) -> None:
        await self.statistics._write()

    async def calls(self) -> int:
        counts = total((await self.statistics.read()).minutes.values())
        return sum(n for name, n in counts.items() if name.startswith("call\t"))


def test_events_are_counted_by_minute_and_quarter_without_any_text(clock: FakeClock) -> None:
    counters = CallCounters(clock, engines=("serper",))
    counters.tool_called(CALL)
    counters.attempt_failed(Attempt("serper", "search", "timeout", 9), url="https://secret.example/query")
    counters.attempt_succeeded(Attempt("made-up", "search", "ok", 9))
    counters.search_completed("serper", "a secret query", 3, 9)
    counters.provider_charged(Charge("serper", "search", 0.001))
    counters.cache_asked("search", CacheState.HIT)
    counters.page_finished("serper", "ok")
    counters.breaker_changed(BreakerChange("serper", "search", "open"))
    (counts,) = counters.minutes.values()
    assert [counts] == list(counters.quarters.values())
    assert {name: n for name, n in counts.items() if not name.startswith("ms")} == {
        "call\tmcp\tweb_search\tana\tok": 1,
        "try\tserper\tsearch\ttimeout": 1,
        "try\tother\tsearch\tok": 1,
        "usd\tserper": 1000,
        "cache\tsearch\thit": 1,
        "page\tserper\tok": 1,
    }
    assert counters.breakers == {"serper\tsearch": ("open", clock.utc().timestamp())}
    assert "secret" not in str(counts)


def test_old_slots_are_forgotten(clock: FakeClock) -> None:
    counters = CallCounters(clock, engines=())
    for _ in range(3 * 24 * 60):
        counters.tool_called(CALL)
        clock.advance(60)
    assert (len(counters.minutes), len(counters.quarters)) == (60, 96)


def test_names_of_callers_are_bounded(clock: FakeClock) -> None:
    counters = CallCounters(clock, engines=())
    for number in range(500):
        counters.tool_called(ToolCall("web_search", "", "ok", 0.1, f"caller-{number}"))
    (counts,) = counters.minutes.values()
    assert sum(name.startswith("call") for name in counts) == 101


def test_a_percentile_is_true_to_a_tenth(clock: FakeClock) -> None:
    counters = CallCounters(clock, engines=())
    for ms in range(1, 1001):
        counters.tool_called(ToolCall("web_search", "", "ok", ms / 1000, "ana"))
    (counts,) = counters.minutes.values()
    for share in (0.5, 0.95, 0.99):
        assert percentile(counts, share) == pytest.approx(1000 * share, rel=0.1)
    assert percentile({}, 0.5) == 0


async def test_replicas_on_one_store_read_the_same_totals(clock: FakeClock) -> None:
    store = SharedMemoryStore(clock)
    one, other = Replica(store, clock), Replica(store, clock)
    for _ in range(3):
        one.counters.tool_called(CALL)
    other.counters.tool_called(CALL)
    one.counters.breaker_changed(BreakerChange("serper", "search", "open"))
    await one.write()
    await other.write()
    clock.advance(LOOK_EVERY_S)
    assert (await one.calls(), await other.calls()) == (4, 4)
    assert (await other.statistics.read()).breakers["serper\tsearch"][0] == "open"


async def test_a_process_that_follows_another_adopts_its_counts(clock: FakeClock) -> None:
    store = SharedMemoryStore(clock)
    one = Replica(store, clock)
    one.statistics.start()
    one.counters.tool_called(CALL)
    await one.write()
    await one.statistics.close()
    follower = Replica(store, clock)
    follower.counters.tool_called(CALL)
    assert await follower.calls() == 2
    await follower.write()
    clock.advance(LOOK_EVERY_S)
    assert await follower.calls() == 2, "its own record holds both, and is not added once more"


async def test_a_process_that_lost_its_number_does_not_count_twice(clock: FakeClock) -> None:
    store = SharedMemoryStore(clock)
    sleeper, other = Replica(store, clock), Replica(store, clock)
    sleeper.counters.tool_called(CALL)
    await sleeper.write()
    clock.advance(2 * 3600)
    other.counters.tool_called(CALL)
    await other.write()
    sleeper.counters.tool_called(CALL)
    await sleeper.write()
    clock.advance(LOOK_EVERY_S)
    assert await other.calls() == await sleeper.calls()


async def test_without_a_free_number_a_replica_counts_for_itself(clock: FakeClock) -> None:
    store = SharedMemoryStore(clock)
    for number in range(MOST_REPLICAS):
        assert await store.claim(Key("stats", f"lease-{number}"), "somebody", 3600)
    alone = Replica(store, clock)
    alone.counters.tool_called(CALL)
    await alone.write()
    assert await alone.calls() == 1


@each_row(
    "value",
    [b"", b"x", b"\xff" * 9, zlib.compress(b"{}"), zlib.compress(b"[]"), zlib.compress(b'{"m":{"a":{}},"q":{},"b":{}}'),
     zlib.compress(json.dumps({"m": {"1": {"a": "b"}}, "q": {}, "b": {}}).encode())],
)  # fmt: skip
async def test_a_record_that_is_none_counts_as_absent(clock: FakeClock, value: bytes) -> None:
    store = SharedMemoryStore(clock)
    await store.put(Key("stats", "record-1"), value, 60)
    assert await Replica(store, clock).calls() == 0


def test_the_newer_change_of_a_breaker_counts() -> None:
    record = Record(breakers={"a\tb": ("open", 1.0)})
    record.add(Record(breakers={"a\tb": ("closed", 2.0)}))
    record.add(Record(breakers={"a\tb": ("open", 1.5)}))
    assert record.breakers == {"a\tb": ("closed", 2.0)}
