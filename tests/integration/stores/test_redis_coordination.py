"""What processes agree on in a Redis: windows, places and circuits, all of them on the time of the server."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dowse.core.allowances import Pace, Rate
from dowse.core.errors import StoreFailed
from dowse.core.runtime import SystemClock
from dowse.routing.limiter import SlidingWindows
from dowse.stores import open_coordinator, open_store
from dowse.stores.coordination import LONGEST_S
from dowse.stores.redis import RedisCoordinator, RedisStore
from dowse.stores.redis.coordination import POLL_S
from dowse.stores.store import Key, Usage
from tests.fakes import FakeClock
from tests.valkey import HOST, Valkey, cluster, started

THREE = Rate(3, 60.0)
KEY = "alice:web_search"
# How long the steps of a test take, for the server whose clock nobody moves.
SLACK_S = 20.0


@pytest.fixture
async def store(valkey_url: str) -> AsyncIterator[RedisStore]:
    opened = RedisStore(valkey_url, SystemClock())
    yield opened
    await opened.close()


@pytest.fixture
def coordinator(store: RedisStore) -> RedisCoordinator:
    return RedisCoordinator(store)


async def admitted(coordinator: RedisCoordinator, times: int, rate: Rate = THREE) -> int:
    waits = await asyncio.gather(*[coordinator.admit(KEY, rate) for _ in range(times)])
    return waits.count(0.0)


def nearly(seconds: float) -> object:
    return pytest.approx(seconds - SLACK_S / 2, abs=SLACK_S / 2)


# Windows


async def test_of_many_at_once_as_many_are_admitted_as_the_limit_allows(
    coordinator: RedisCoordinator, valkey_url: str
) -> None:
    other = RedisStore(valkey_url, SystemClock())
    each = await asyncio.gather(
        admitted(coordinator, 40, Rate(7, 60.0)), admitted(RedisCoordinator(other), 40, Rate(7, 60.0))
    )
    assert sum(each) == 7
    await other.close()


async def test_a_refused_call_learns_when_the_oldest_call_leaves(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    for _ in range(3):
        assert await coordinator.admit(KEY, THREE) == 0.0
        valkey.pass_time(10)
    assert await coordinator.admit(KEY, THREE) == nearly(30.0)
    valkey.pass_time(30)
    assert await admitted(coordinator, 2) == 1
    assert await coordinator.admit("bob:web_search", THREE) == 0.0


async def test_a_refused_call_is_not_counted(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    assert await admitted(coordinator, 50) == 3
    valkey.pass_time(60)
    assert await admitted(coordinator, 50) == 3


async def test_a_lower_limit_counts_what_was_admitted_under_a_higher_one(
    coordinator: RedisCoordinator, valkey: Valkey
) -> None:
    for _ in range(3):
        await coordinator.admit(KEY, THREE)
        valkey.pass_time(10)
    assert await coordinator.admit(KEY, Rate(1, 60.0)) == nearly(50.0)


async def test_an_unused_window_vanishes(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    await coordinator.admit(KEY, THREE)
    assert valkey.ask("DBSIZE") == ":1"
    valkey.pass_time(62 + 30 * 86_400)
    assert valkey.ask("DBSIZE") == ":0"


async def test_a_clock_that_was_set_back_a_little_opens_no_window(
    coordinator: RedisCoordinator, valkey: Valkey
) -> None:
    await admitted(coordinator, 2)
    valkey.pass_time(-40)
    assert await admitted(coordinator, 9) == 1
    assert await coordinator.admit(KEY, THREE) == nearly(100.0)
    valkey.pass_time(100)
    assert await admitted(coordinator, 9) == 3


async def test_a_clock_that_was_set_back_further_locks_no_caller_out(
    coordinator: RedisCoordinator, valkey: Valkey
) -> None:
    await admitted(coordinator, 3)
    valkey.pass_time(-86_400)
    assert await admitted(coordinator, 9) == 3


async def test_callers_are_not_named_and_nothing_of_it_is_an_entry(
    coordinator: RedisCoordinator, store: RedisStore, valkey: Valkey
) -> None:
    await coordinator.admit(KEY, THREE)
    await coordinator.enter("serper", Pace(THREE, 2), "ticket", 60.0)
    await coordinator.record_failure("serper:search", "owner", 30.0, at_once=True, is_limited=False)
    await store.put(Key("search", "ab" * 32), b"text", 60.0)
    assert b"alice" not in valkey.dump()
    assert (await store.usage()).entries == {"search": 1}
    assert await store.clear() == 1
    assert valkey.ask("DBSIZE") == ":4"
    assert await store.usage() == Usage()


STEPS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=25)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, periods=st.integers(1, 5))
def test_it_admits_whom_a_window_in_memory_admits(
    valkey: Valkey, patient_redis: None, steps: list[tuple[int, int]], periods: int
) -> None:
    """Time goes in steps of an hour and windows end half-way between two, so that the time of the test is no matter."""
    valkey.ask("FLUSHALL")
    asyncio.run(_compare(valkey, steps, period_s=periods * 3600.0 - 1800.0))


async def _compare(valkey: Valkey, steps: list[tuple[int, int]], period_s: float) -> None:
    clock, store = FakeClock(), RedisStore(valkey.url, SystemClock())
    coordinator, windows = RedisCoordinator(store), SlidingWindows(clock)
    try:
        for hours, calls in steps:
            clock.advance(hours * 3600)
            valkey.pass_time(hours * 3600)
            expected = (await windows.admit(KEY, Rate(calls, period_s))).wait_s
            assert await coordinator.admit(KEY, Rate(calls, period_s)) == (nearly(expected) if expected else 0.0)
    finally:
        await store.close()


# Places


async def test_places_are_taken_and_given_back(coordinator: RedisCoordinator) -> None:
    pace = Pace(at_once=2)
    waits = [await coordinator.enter("serper", pace, ticket, 60.0) for ticket in "abc"]
    assert waits == [0.0, 0.0, POLL_S]
    await coordinator.leave("serper", "c")
    assert await coordinator.enter("serper", pace, "c", 60.0) == POLL_S
    await coordinator.leave("serper", "a")
    assert await coordinator.enter("serper", pace, "c", 60.0) == 0.0
    assert await coordinator.enter("exa", pace, "d", 60.0) == 0.0


async def test_the_place_of_a_killed_process_comes_back(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    await coordinator.enter("serper", Pace(at_once=1), "killed", 60.0)
    valkey.pass_time(30)
    assert await coordinator.enter("serper", Pace(at_once=1), "next", 60.0) == POLL_S
    valkey.pass_time(30)
    assert await coordinator.enter("serper", Pace(at_once=1), "next", 60.0) == 0.0


async def test_no_place_is_held_for_longer_than_any_call_takes(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    await coordinator.enter("serper", Pace(at_once=1), "eternal", float("inf"))
    assert await coordinator.enter("serper", Pace(at_once=1), "next", 60.0) == POLL_S
    valkey.pass_time(int(LONGEST_S))
    assert await coordinator.enter("serper", Pace(at_once=1), "next", 60.0) == 0.0
    valkey.pass_time(-86_400)
    assert await coordinator.enter("serper", Pace(at_once=1), "after the clock was set back", 60.0) == 0.0


async def test_nothing_is_counted_unless_both_the_rate_and_the_places_allow_it(
    coordinator: RedisCoordinator, valkey: Valkey
) -> None:
    pace = Pace(Rate(2, 60.0), at_once=1)
    assert await coordinator.enter("serper", pace, "a", 600.0) == 0.0
    assert await coordinator.enter("serper", pace, "b", 600.0) == POLL_S, "no place"
    await coordinator.leave("serper", "a")
    assert await coordinator.enter("serper", pace, "b", 600.0) == 0.0, "the try before was not counted"
    await coordinator.leave("serper", "b")
    assert await coordinator.enter("serper", pace, "c", 600.0) == nearly(60.0), "the rate"
    valkey.pass_time(60)
    assert await coordinator.enter("serper", pace, "c", 600.0) == 0.0, "nor did it keep a place"
    assert await coordinator.enter("serper", pace, "d", 600.0) == POLL_S
    valkey.pass_time(40)
    assert await coordinator.enter("serper", Pace(Rate(1, 60.0), 1), "d", 600.0) == nearly(20.0), (
        "the longer of the waits"
    )


async def test_a_ticket_that_asks_again_because_no_answer_came_counts_once(coordinator: RedisCoordinator) -> None:
    for pace in (Pace(Rate(1, 60.0)), Pace(at_once=1), Pace(Rate(1, 60.0), at_once=1)):
        assert [await coordinator.enter(str(pace), pace, "a", 60.0) for _ in range(5)] == [0.0] * 5
        assert await coordinator.enter(str(pace), pace, "b", 60.0) == (nearly(60.0) if pace.rate else POLL_S)


# All of it


async def test_a_cluster_keeps_it_as_well(patient_redis: None) -> None:
    with cluster() as (first, _):
        store = RedisStore(f"redis+cluster://{HOST}:{first.port}", SystemClock())
        coordinator = RedisCoordinator(store)
        for number in range(20):
            name = f"provider {number}"
            assert [await coordinator.admit(name, Rate(1, 60.0)) for _ in range(2)] == [0.0, nearly(60.0)]
            pace = Pace(Rate(5, 60.0), at_once=1)
            assert [await coordinator.enter(name, pace, ticket, 60.0) for ticket in "ab"] == [0.0, POLL_S]
            await coordinator.leave(name, "a")
            assert (
                await coordinator.record_failure(name, "a", 30.0, at_once=True, is_limited=False)
            ).opens_for_s == nearly(30.0)
            assert not (await coordinator.consult(name, "b", 10.0)).admits
        await store.close()


async def test_what_lies_there_in_another_shape_does_not_keep_calls_from_being_counted(
    coordinator: RedisCoordinator, valkey: Valkey
) -> None:
    pace = Pace(Rate(1, 60.0), at_once=1)
    await coordinator.admit(KEY, THREE)
    await coordinator.enter("serper", pace, "before", 60.0)
    await coordinator.record_failure("search:serper", "before", 30.0, at_once=True, is_limited=False)
    assert valkey.ask(
        "EVAL", "for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('SET', key, 'much') end", "0"
    )
    assert await admitted(coordinator, 9) == 3
    assert [await coordinator.enter("serper", pace, ticket, 60.0) for ticket in "ab"] == [0.0, nearly(60.0)]
    assert (await coordinator.consult("search:serper", "owner", 10.0)).admits


@pytest.mark.parametrize("answer", [b"+OK\r\n", b"$-1\r\n", b"*2\r\n:1\r\n:1\r\n"])
async def test_what_does_not_run_scripts_as_a_redis_does_is_a_failure(answer: bytes, patient_redis: None) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while asked := await reader.read(65_536):
            writer.write(b"+OK\r\n" * asked.count(b"SETINFO") or answer)
        writer.close()

    server = await asyncio.start_server(talk, HOST, 0)
    async with server:
        store = RedisStore(f"redis://{HOST}:{server.sockets[0].getsockname()[1]}", SystemClock())
        coordinator = RedisCoordinator(store)
        for asking in (coordinator.admit(KEY, THREE), coordinator.consult("search:serper", "one", 10.0)):
            with pytest.raises(StoreFailed, match=r"^Redis: it does not run scripts as a Redis does$"):
                await asking
        await store.close()


def test_only_a_store_for_several_machines_coordinates(clock: FakeClock, store: RedisStore, tmp_path: Path) -> None:
    assert open_coordinator(open_store("memory:", clock)) is None
    assert open_coordinator(open_store(f"sqlite:///{tmp_path}/state.db", clock)) is None
    assert isinstance(open_coordinator(store), RedisCoordinator)


async def test_a_store_that_is_full_makes_room_with_its_cache_and_not_with_who_was_let_through() -> None:
    with started("--maxmemory", "4mb", "--maxmemory-policy", "volatile-ttl") as valkey:
        store = RedisStore(valkey.url, SystemClock())
        coordinator = RedisCoordinator(store)
        assert await admitted(coordinator, 3) == 3
        for number in range(1500):
            await store.put(Key("page", f"{number:064x}"), bytes(8000), 86_400.0)
        assert await admitted(coordinator, 3) == 0
        await store.close()


async def test_a_server_that_can_be_read_and_not_written_is_not_back(patient_redis: None) -> None:
    with started() as valkey:
        store = RedisStore(valkey.url, SystemClock())
        coordinator = RedisCoordinator(store)
        for _ in range(3):
            await coordinator.look()
        assert valkey.ask("REPLICAOF", HOST, "1") == "+OK"
        with pytest.raises(StoreFailed, match="it is a replica that cannot be written"):
            await coordinator.look()
        await store.close()
