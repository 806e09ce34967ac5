"""Circuits in a Redis: for all processes together what a breaker in memory is for one, and a probe never gets lost."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dowse.core.runtime import SystemClock
from dowse.routing.breaker import OPEN_S, Breaker, Permit, State
from dowse.stores.coordination import FAILURES_TO_OPEN, LONGEST_S, Circuit
from dowse.stores.redis import RedisCoordinator, RedisStore
from tests.fakes import FakeClock
from tests.valkey import Valkey

NAME = "search:serper"
PROBE_S = 20.0
# How long the steps of a test take, for the server whose clock nobody moves.
SLACK_S = 10.0


@pytest.fixture
async def coordinator(valkey_url: str) -> AsyncIterator[RedisCoordinator]:
    store = RedisStore(valkey_url, SystemClock())
    yield RedisCoordinator(store)
    await store.close()


def nearly(seconds: float) -> object:
    return pytest.approx(seconds - SLACK_S / 2, abs=SLACK_S / 2) if seconds else 0.0


async def fails(coordinator: RedisCoordinator, owner: str, for_s: float = OPEN_S, *, at_once: bool = False) -> Circuit:
    return await coordinator.record_failure(NAME, owner, for_s, at_once=at_once, is_limited=False)


async def opened(coordinator: RedisCoordinator) -> None:
    for number in range(FAILURES_TO_OPEN):
        await fails(coordinator, f"early {number}")


async def probes(coordinator: RedisCoordinator, *owners: str) -> list[bool]:
    return [(await coordinator.consult(NAME, owner, PROBE_S)).is_probe for owner in owners]


async def test_failures_of_all_processes_count_together(coordinator: RedisCoordinator) -> None:
    circuits = [await fails(coordinator, f"process {number}") for number in range(5)]
    assert [circuit.admits for circuit in circuits] == [True] * 4 + [False]
    assert circuits[-1] == Circuit(admits=False, failures=5, opens_for_s=circuits[-1].opens_for_s)
    assert circuits[-1].opens_for_s == nearly(OPEN_S)


async def test_of_many_that_ask_at_once_one_is_the_probe(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    await opened(coordinator)
    valkey.pass_time(30)
    found = await asyncio.gather(*[coordinator.consult(NAME, f"{number}", PROBE_S) for number in range(50)])
    assert sum(circuit.admits for circuit in found) == sum(circuit.is_probe for circuit in found) == 1


async def test_a_probe_that_is_never_heard_of_again_is_given_to_another(
    coordinator: RedisCoordinator, valkey: Valkey
) -> None:
    await opened(coordinator)
    valkey.pass_time(30)
    assert await probes(coordinator, "killed", "next") == [True, False]
    valkey.pass_time(20)
    assert await probes(coordinator, "next", "one more") == [True, False]
    await fails(coordinator, "killed")
    assert not (await coordinator.record_success(NAME, "killed")).admits, "it is not the probe any more"
    assert (await coordinator.record_success(NAME, "next")).admits


async def test_who_asks_again_because_no_answer_came_is_still_the_probe(
    coordinator: RedisCoordinator, valkey: Valkey
) -> None:
    await opened(coordinator)
    valkey.pass_time(30)
    assert await probes(coordinator, "ours", "ours", "theirs") == [True, True, False]


async def test_a_pause_is_at_most_ten_minutes(coordinator: RedisCoordinator) -> None:
    circuit = await fails(coordinator, "one", 86_400.0, at_once=True)
    assert circuit.opens_for_s == nearly(LONGEST_S)


async def test_an_unused_circuit_vanishes(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    await fails(coordinator, "one")
    assert valkey.ask("DBSIZE") == ":1"
    valkey.pass_time(30 * 86_400)
    assert valkey.ask("DBSIZE") == ":0"


async def test_a_healthy_provider_takes_no_room(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    assert (await coordinator.consult(NAME, "one", PROBE_S)) == Circuit(admits=True)
    await coordinator.record_success(NAME, "one")
    await coordinator.release_probe(NAME, "one")
    assert valkey.ask("DBSIZE") == ":0"


async def test_a_clock_that_was_set_back_keeps_no_circuit_open(coordinator: RedisCoordinator, valkey: Valkey) -> None:
    await opened(coordinator)
    valkey.pass_time(30 - 86_400)
    assert await probes(coordinator, "killed") == [True]
    valkey.pass_time(-86_400)
    assert await probes(coordinator, "next") == [True]


async def test_all_processes_know_whether_the_last_failure_was_a_rate_limit(coordinator: RedisCoordinator) -> None:
    told = await coordinator.record_failure(NAME, "one", OPEN_S, at_once=True, is_limited=True)
    assert (told.is_limited, (await coordinator.consult(NAME, "two", PROBE_S)).is_limited) == (True, True)
    await fails(coordinator, "two")
    assert not (await coordinator.consult(NAME, "one", PROBE_S)).is_limited


@pytest.mark.parametrize("field", ["failures", "open_until", "probe_until"])
@pytest.mark.parametrize("value", ["", "much", "-inf"])
async def test_what_is_no_number_locks_no_caller_out(
    coordinator: RedisCoordinator, valkey: Valkey, field: str, value: str
) -> None:
    await opened(coordinator)
    valkey.pass_time(30)
    assert await probes(coordinator, "killed") == [True]
    valkey.pass_time(int(PROBE_S))
    write = "for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('HSET', key, ARGV[1], ARGV[2]) end"
    valkey.ask("EVAL", write, "0", field, value)
    assert (await coordinator.consult(NAME, "next", PROBE_S)).admits


class Both:
    """A circuit and a breaker to which the same happens."""

    def __init__(self, valkey: Valkey) -> None:
        self.valkey = valkey
        self.store = RedisStore(valkey.url, SystemClock())
        self.coordinator = RedisCoordinator(self.store)
        self.clock = FakeClock()
        self.began = self.clock.now()
        self.breaker = Breaker(self.clock)
        self.out: dict[str, Permit] = {}
        self.calls = 0

    async def step(self, action: str, which: int) -> None:
        if action == "time":
            # Only the one in the Redis would give a probe up after ten minutes.
            if self.clock.now() - self.began > LONGEST_S - 60:
                return
            self.clock.advance(15)
            self.valkey.pass_time(15)
        elif action == "call":
            await self.call()
        elif self.out:
            owner = list(self.out)[which % len(self.out)]
            await self.end(action, owner, self.out.pop(owner))

    async def call(self) -> None:
        self.calls += 1
        owner, was_closed = f"call {self.calls}", self.breaker.state is State.CLOSED
        permit = self.breaker.admit()
        circuit = await self.coordinator.consult(NAME, owner, LONGEST_S)
        assert (circuit.admits, circuit.is_probe) == (permit is not None, permit is not None and not was_closed)
        if permit:
            self.out[owner] = permit
        self.compare(circuit)

    async def end(self, action: str, owner: str, permit: Permit) -> None:
        if action == "released":
            permit.release()
            await self.coordinator.release_probe(NAME, owner)
            return
        if action == "succeeded":
            permit.record_success()
            circuit = await self.coordinator.record_success(NAME, owner)
        else:
            told_s = 45.0 if action == "told when to come back" else None
            permit.record_failure(told_s)
            circuit = await fails(self.coordinator, owner, told_s or OPEN_S, at_once=told_s is not None)
        assert circuit.admits == (self.breaker.state is State.CLOSED)
        self.compare(circuit)

    def compare(self, circuit: Circuit) -> None:
        assert circuit.failures == self.breaker.failures
        assert circuit.opens_for_s == nearly(self.breaker.opens_for_s)


# What leads anywhere comes more often.
ACTIONS = st.sampled_from(
    ["call", "call", "call", "time", "time", "failed", "failed", "succeeded", "released", "told when to come back"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(ACTIONS, st.integers(0, 9)), min_size=40, max_size=60), early=st.integers(3, 9))
def test_it_does_what_a_breaker_in_memory_does(
    valkey: Valkey, patient_redis: None, steps: list[tuple[str, int]], early: int
) -> None:
    async def compare() -> None:
        both = Both(valkey)
        try:
            for action, which in [("call", 0)] * early + steps:
                await both.step(action, which)
        finally:
            await both.store.close()

    valkey.ask("FLUSHALL")
    asyncio.run(compare())
