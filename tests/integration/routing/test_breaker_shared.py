"""Breakers that processes share: one verdict for all, one probe of all, and nobody is held up by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from dowse.core.errors import AllProvidersFailed, Paused, ProviderError, RateLimited, Skipped, StoreFailed, Unavailable
from dowse.core.models import Deadline
from dowse.core.runtime import SystemClock
from dowse.routing.breaker import Breakers, CallPermit, State, blame
from dowse.routing.fallback import FallbackPolicy
from dowse.routing.router import Router
from dowse.stores.coordination import FAILURES_TO_OPEN, Circuit, LocalFallback
from dowse.stores.fail_soft import Outage
from dowse.stores.redis import RedisCoordinator, RedisStore
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.routing import Scripted, answers, fails
from tests.valkey import Valkey

NAME = "serper"
PROBE_S = 18.0
DOWN = Unavailable(NAME)


class WatchedCoordinator(RedisCoordinator):
    """Counts what it is asked; can be out of reach, or keep its answers to itself."""

    def __init__(self, store: RedisStore) -> None:
        super().__init__(store)
        self.asked: list[str] = []
        self.is_down = False
        self.has_decided = asyncio.Event()
        self.answers = asyncio.Event()
        self.answers.set()

    async def _run(self, script: str, keys: list[str], *words: str | int) -> object:
        if self.is_down:
            raise StoreFailed("it is down")
        answer = await super()._run(script, keys, *words)
        self.has_decided.set()
        await self.answers.wait()
        return answer

    async def consult(self, circuit: str, owner: str, probe_s: float) -> Circuit:
        self.asked.append("consult")
        return await super().consult(circuit, owner, probe_s)

    async def record_failure(
        self, circuit: str, owner: str, opens_for_s: float, *, at_once: bool, is_limited: bool
    ) -> Circuit:
        self.asked.append("failed")
        return await super().record_failure(circuit, owner, opens_for_s, at_once=at_once, is_limited=is_limited)

    async def record_success(self, circuit: str, owner: str) -> Circuit:
        self.asked.append("succeeded")
        return await super().record_success(circuit, owner)

    async def release_probe(self, circuit: str, owner: str) -> None:
        self.asked.append("released")
        await super().release_probe(circuit, owner)


class Process:
    """A process as far as breakers go: its own clock, its own connections, its own log."""

    def __init__(self, url: str) -> None:
        self.clock = FakeClock()
        self.observer = RecordingObserver()
        self.store = RedisStore(url, SystemClock())
        self.coordinator = WatchedCoordinator(self.store)
        self.fallback = LocalFallback(self.coordinator.look, Outage(self.clock), self.clock, 0.0)
        self.breakers = Breakers("search", self.clock, self.observer, (self.coordinator, self.fallback))

    @property
    def changes(self) -> list[str]:
        return [change.state for change in self.observer.changes]

    async def admits(self) -> bool:
        try:
            permit = await self.admitted()
        except Skipped:
            return False
        permit.release()
        await self.breakers.close()
        return True

    async def admitted(self) -> CallPermit:
        return await self.breakers.admit(NAME, PROBE_S)

    async def fails(self, times: int = 1, error: ProviderError = DOWN) -> None:
        for _ in range(times):
            blame(await self.admitted(), error)
            await self.breakers.close()

    async def close(self) -> None:
        await self.breakers.close()
        await self.store.close()


Processes = Callable[[int], list[Process]]


@pytest.fixture
async def processes(valkey_url: str) -> AsyncIterator[Processes]:
    made: list[Process] = []

    def make(count: int) -> list[Process]:
        made.extend(Process(valkey_url) for _ in range(count))
        return made[-count:]

    yield make
    for process in made:
        await process.close()


def pass_time(valkey: Valkey, seconds: int, *processes: Process) -> None:
    """For the server and for everybody."""
    valkey.pass_time(seconds)
    for process in processes:
        process.clock.advance(seconds)


async def test_failures_of_all_processes_open_one_breaker(processes: Processes) -> None:
    one, two, three = processes(3)
    await one.fails(2)
    await two.fails(2)
    assert await three.admits()
    await three.fails()
    assert [await process.admits() for process in (one, two, three)] == [False] * 3
    assert (one.changes, two.changes, three.changes) == ([], [], ["open"]), "told once, where it happened"


async def test_when_a_provider_says_when_to_come_back_all_processes_wait(processes: Processes) -> None:
    one, two = processes(2)
    await one.fails(error=RateLimited(NAME, retry_after_s=120))
    with pytest.raises(Skipped) as refused:
        await two.admitted()
    assert refused.value.retry_after_s == pytest.approx(120, abs=10)
    assert isinstance(refused.value, Paused), "and know why"


async def test_a_success_of_one_process_ends_the_row_of_failures_of_another(processes: Processes) -> None:
    one, two = processes(2)
    await one.fails(4)
    (await two.admitted()).record_success()
    await two.breakers.close()
    await one.fails(4)
    assert await two.admits()


async def test_the_probe_of_one_process_closes_the_breaker_for_all(processes: Processes, valkey: Valkey) -> None:
    one, two = everybody = processes(2)
    await one.fails(FAILURES_TO_OPEN)
    pass_time(valkey, 31, *everybody)
    probe = await two.admitted()
    assert not await one.admits()
    probe.record_success()
    await two.breakers.close()
    assert await one.admits()
    assert (one.changes, two.changes) == (["open"], ["half_open", "closed"])


async def test_the_probes_failure_opens_it_again_for_all(processes: Processes, valkey: Valkey) -> None:
    one, two = everybody = processes(2)
    await one.fails(FAILURES_TO_OPEN)
    pass_time(valkey, 31, *everybody)
    await two.fails()
    pass_time(valkey, 20, *everybody)
    assert [await process.admits() for process in everybody] == [False, False]
    assert two.changes == ["half_open", "open"]


async def test_half_open_admits_exactly_one_of_150_calls_in_three_processes(
    processes: Processes, valkey: Valkey
) -> None:
    """Every third probe is cancelled, and exactly one other call takes its place; `tests/faults` has real processes."""
    everybody = processes(3)
    await everybody[0].fails(FAILURES_TO_OPEN)
    for number in range(15):
        pass_time(valkey, 31, *everybody)
        probe = await only_one_of(everybody)
        if number % 3 == 0:
            probe.release()
            await asyncio.gather(*[process.breakers.close() for process in everybody])
            probe = await only_one_of(everybody)
        blame(probe, DOWN)
        await asyncio.gather(*[process.breakers.close() for process in everybody])


async def only_one_of(everybody: list[Process]) -> CallPermit:
    calls = [process.admitted() for process in everybody for _ in range(50)]
    (permit,) = [each for each in await asyncio.gather(*calls, return_exceptions=True) if not isinstance(each, Skipped)]
    assert not isinstance(permit, BaseException), permit
    return permit


async def test_a_process_that_dies_as_the_probe_gives_it_back_in_time(processes: Processes, valkey: Valkey) -> None:
    dying, other = everybody = processes(2)
    await dying.fails(FAILURES_TO_OPEN)
    pass_time(valkey, 31, *everybody)
    await dying.admitted()
    assert not await other.admits()
    pass_time(valkey, int(PROBE_S) + 1, *everybody)
    assert await other.admits()


@pytest.mark.parametrize("end", ["release", "record_success", "record_failure"])
async def test_the_end_of_a_probe_is_told_even_if_its_caller_is_gone(
    processes: Processes, valkey: Valkey, end: str
) -> None:
    one, two = everybody = processes(2)
    await one.fails(FAILURES_TO_OPEN)
    pass_time(valkey, 31, *everybody)

    is_out = asyncio.Event()

    async def call() -> None:
        permit = await one.admitted()
        is_out.set()
        try:
            await asyncio.Event().wait()
        finally:
            getattr(permit, end)()

    calling = asyncio.create_task(call())
    await is_out.wait()
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    await one.breakers.close()
    assert await two.admits() is (end != "record_failure")


async def test_who_is_cancelled_while_the_coordinator_decides_does_not_keep_the_probe(
    processes: Processes, valkey: Valkey
) -> None:
    one, two = everybody = processes(2)
    await one.fails(FAILURES_TO_OPEN)
    pass_time(valkey, 31, *everybody)
    one.coordinator.answers.clear()
    one.coordinator.has_decided.clear()
    calling = asyncio.create_task(one.admitted())
    await one.coordinator.has_decided.wait()
    assert not await two.admits(), "it is the probe, and has not heard of it"
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    one.coordinator.answers.set()
    await one.breakers.close()
    assert await two.admits()


async def test_calls_that_succeed_cost_one_question_each(processes: Processes) -> None:
    (process,) = processes(1)
    for _ in range(3):
        (await process.admitted()).record_success()
    await process.fails()
    (await process.admitted()).record_success()
    (await process.admitted()).record_success()
    await process.breakers.close()
    assert process.coordinator.asked == ["consult"] * 4 + ["failed", "consult", "succeeded", "consult"]


async def test_of_several_successes_after_a_failure_one_is_told(processes: Processes) -> None:
    (process,) = processes(1)
    await process.fails()
    permits = [await process.admitted() for _ in range(5)]
    for permit in permits:
        permit.record_success()
        await process.breakers.close()
    assert process.coordinator.asked.count("succeeded") == 1


async def test_an_open_breaker_is_not_asked_for_again_and_again(processes: Processes) -> None:
    one, two = processes(2)
    await one.fails(FAILURES_TO_OPEN)
    two.coordinator.asked.clear()
    assert [await two.admits() for _ in range(10)] == [False] * 10
    assert two.coordinator.asked == ["consult"]


async def test_without_the_coordinator_each_process_decides_alone_and_goes_on_from_what_it_knew(
    processes: Processes, valkey: Valkey
) -> None:
    one, two = everybody = processes(2)
    await one.fails(4)
    assert await two.admits()
    for process in everybody:
        process.coordinator.is_down = True
    await two.fails()
    assert not await two.admits()
    assert await one.admits(), "it has not heard of it"
    assert two.changes == ["open"]
    pass_time(valkey, 31, *everybody)
    probe = await two.admitted()
    assert not await two.admits()
    probe.record_success()
    assert await two.admits()
    assert two.changes == ["open", "half_open", "closed"]


async def test_an_end_that_the_coordinator_does_not_hear_counts_here(processes: Processes, valkey: Valkey) -> None:
    (process,) = processes(1)
    permits = [await process.admitted() for _ in range(FAILURES_TO_OPEN)]
    process.coordinator.is_down = True
    for permit in permits:
        permit.record_failure()
    await process.breakers.close()
    assert process.changes == ["open"]
    pass_time(valkey, 31, process)
    process.coordinator.is_down = False
    process.clock.advance(1)
    assert await process.admits(), "the others never knew that it was open"


async def test_a_probe_whose_success_the_coordinator_does_not_hear_closes_the_breaker_here(
    processes: Processes, valkey: Valkey
) -> None:
    (process,) = processes(1)
    await process.fails(FAILURES_TO_OPEN)
    pass_time(valkey, 31, process)
    probe = await process.admitted()
    process.coordinator.is_down = True
    probe.record_success()
    await process.breakers.close()
    assert process.changes == ["open", "half_open", "closed"]
    assert process.breakers.state(NAME) is State.CLOSED


async def test_a_probe_that_ends_too_late_is_not_in_the_way_of_the_next_one(
    processes: Processes, valkey: Valkey
) -> None:
    late, other = everybody = processes(2)
    await late.fails(FAILURES_TO_OPEN)
    pass_time(valkey, 31, *everybody)
    probe = await late.admitted()
    pass_time(valkey, int(PROBE_S) + 1, *everybody)
    await other.admitted()
    probe.record_success()
    await late.breakers.close()
    late.coordinator.is_down = True
    assert await late.admits(), "alone by now, and its own probe has ended"


async def test_a_coordinator_that_is_back_has_the_say_again(processes: Processes, valkey: Valkey) -> None:
    one, two = everybody = processes(2)
    one.coordinator.is_down = True
    assert await one.admits()
    await two.fails(FAILURES_TO_OPEN)
    one.coordinator.is_down = False
    pass_time(valkey, 1, *everybody)
    assert not await one.admits()


async def test_late_failures_of_other_processes_are_not_reported_a_second_time(processes: Processes) -> None:
    everybody = processes(3)
    out = [(process, await process.admitted()) for process in everybody for _ in range(3)]
    for process, permit in out:
        blame(permit, DOWN)
        await process.breakers.close()
    assert [change for process in everybody for change in process.changes] == ["open"]


async def test_a_provider_that_is_never_blamed_costs_no_question(processes: Processes) -> None:
    """Every page is read by one of these."""
    (process,) = processes(1)
    only = Scripted("direct", fails(DOWN))
    policy = FallbackPolicy(after_everything=True, never_blamed=frozenset({"direct"}))
    router = Router[Scripted](
        "read",
        clock=process.clock,
        observer=process.observer,
        policy=policy,
        breakers=process.breakers,
    )
    for _ in range(10):
        with pytest.raises(AllProvidersFailed):
            await router.first([only], Scripted.call, Deadline.after(process.clock, 50))
    assert (only.calls, process.coordinator.asked) == (10, [])


async def test_a_coordinator_that_takes_all_the_time_says_nothing_of_the_provider(processes: Processes) -> None:
    (process,) = processes(1)
    only = Scripted(NAME, answers())
    router = Router[Scripted]("search", clock=process.clock, observer=process.observer, breakers=process.breakers)
    process.coordinator.answers.clear()
    with pytest.raises(AllProvidersFailed, match="serper was not asked: no time was left"):
        await router.first([only], Scripted.call, Deadline.after(process.clock, 0.05))
    process.coordinator.answers.set()
    assert (await router.first([only], Scripted.call, Deadline.after(process.clock, 50))).provider == NAME


async def waits_for_a_turn(breakers: Breakers) -> None:
    async with breakers.require_closed(NAME):
        await asyncio.Event().wait()


@pytest.mark.parametrize("is_shared", [False, True])
async def test_who_waits_for_a_provider_is_told_at_once_when_its_breaker_opens(
    processes: Processes, is_shared: bool
) -> None:
    (process,) = processes(1)
    breakers = process.breakers if is_shared else Breakers("search", process.clock, process.observer)
    waiting = [asyncio.create_task(waits_for_a_turn(breakers)) for _ in range(3)]
    permit = await breakers.admit(NAME, PROBE_S)
    await asyncio.sleep(0)
    blame(permit, RateLimited(NAME, retry_after_s=60))
    async with asyncio.timeout(30):
        told = await asyncio.gather(*waiting, return_exceptions=True)
    assert [(type(error).__name__, getattr(error, "retry_after_s", 0)) for error in told] == [
        ("Paused", pytest.approx(60, abs=1))
    ] * 3
    with pytest.raises(Skipped, match="next try in 60 s"):
        await waits_for_a_turn(breakers)


async def test_who_waits_is_told_as_well_when_another_process_has_opened_the_breaker(processes: Processes) -> None:
    one, two = processes(2)
    waiting = asyncio.create_task(waits_for_a_turn(two.breakers))
    await asyncio.sleep(0)
    await one.fails(FAILURES_TO_OPEN)
    assert not await two.admits(), "whoever asks first hears of it"
    with pytest.raises(Skipped):
        async with asyncio.timeout(30):
            await waiting


async def test_a_call_that_is_slow_to_leave_the_queue_disturbs_no_other_call() -> None:
    """A connection that is given up takes a moment to close; meanwhile others find the breaker open, too."""
    breakers = Breakers("search", FakeClock(), RecordingObserver())
    is_told, may_leave = asyncio.Event(), asyncio.Event()

    async def leaves_slowly() -> None:
        async with breakers.require_closed(NAME):
            try:
                await asyncio.Event().wait()
            finally:
                is_told.set()
                await may_leave.wait()

    waiting = asyncio.create_task(leaves_slowly())
    permit = await breakers.admit(NAME, PROBE_S)
    await asyncio.sleep(0)
    blame(permit, RateLimited(NAME, retry_after_s=60))
    await is_told.wait()
    with pytest.raises(Paused):
        await breakers.admit(NAME, PROBE_S)
    may_leave.set()
    with pytest.raises(Paused):
        await waiting


async def test_a_wait_that_is_cancelled_or_runs_out_of_its_own_time_ends_as_it_would_without_a_breaker() -> None:
    breakers = Breakers("search", FakeClock(), RecordingObserver())
    with pytest.raises(TimeoutError):
        async with breakers.require_closed(NAME):
            raise TimeoutError
    waiting = asyncio.create_task(waits_for_a_turn(breakers))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert breakers.state(NAME) is State.CLOSED


async def test_a_slow_coordinator_keeps_no_call_long_from_asking_again(processes: Processes) -> None:
    """What was reported before is waited for, so that the next one finds it; but only for a moment."""
    (process,) = processes(1)
    permit = await process.admitted()
    process.coordinator.answers.clear()
    process.coordinator.has_decided.clear()
    permit.record_failure()
    await process.coordinator.has_decided.wait()
    process.coordinator.has_decided.clear()
    asking = asyncio.create_task(process.admitted())
    async with asyncio.timeout(30):
        await process.coordinator.has_decided.wait()
        assert process.coordinator.asked == ["consult", "failed", "consult"]
        process.coordinator.answers.set()
        await asking
