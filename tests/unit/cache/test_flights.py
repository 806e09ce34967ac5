"""Calls that share their work: who gets what when callers, the work or the time run out."""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Any
from unittest.mock import ANY

import pytest

from dowse.cache import flights as module
from dowse.cache.flights import Flight, Flights
from dowse.core.errors import Stopping, Unavailable
from dowse.core.models import Deadline, Principal
from dowse.core.runtime import FairSemaphore, calling, share_key
from dowse.telemetry.log import LOGGER
from tests.fakes import FakeClock

pytestmark = pytest.mark.promise("single-flight")

LONG_S = 50.0
SOON_S = 30.0


class Run:
    """One time that the work is done: it goes on when the test says so."""

    def __init__(self, flight: Flight[str]) -> None:
        self.flight = flight
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended_as = ""
        self.ended = asyncio.Event()


class Upstream:
    """Work that counts how often it is done."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    async def work(self, flight: Flight[str]) -> None:
        run = Run(flight)
        self.runs.append(run)
        try:
            flight.land(await run.answer)
            await run.kept
            run.ended_as = "done"
        except BaseException as error:
            run.ended_as = type(error).__name__
            raise
        finally:
            run.ended.set()


@pytest.fixture
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture
async def flights(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Flights]:
    monkeypatch.setattr(module, "_LAST_S", 0.01)  # many a test leaves something that is never kept
    flights = Flights()
    yield flights
    await flights.close()


@pytest.fixture
def after(clock: FakeClock) -> Callable[[float], Deadline]:
    return lambda seconds: Deadline.after(clock, seconds)


@pytest.fixture
def deadline(after: Callable[[float], Deadline]) -> Deadline:
    return after(LONG_S)


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GRACE_S", 0.01)


async def _stuck(_step: str) -> None:
    """A listener that hangs."""
    await asyncio.Event().wait()


async def settled() -> None:
    """Everything has happened that does not wait for the test."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_hundred_identical_calls_share_one_piece_of_work(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, deadline)) for _ in range(100)]
    await settled()
    [run] = upstream.runs
    run.answer.set_result("found")
    assert await asyncio.gather(*calls) == ["found"] * 100


async def test_other_questions_and_later_ones_have_work_of_their_own(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    calls = [asyncio.create_task(flights.share(key, upstream.work, deadline)) for key in ("python", "rust")]
    await settled()
    for run, answer in zip(upstream.runs, ["snakes", "iron"], strict=True):
        run.answer.set_result(answer)
        run.kept.set_result(None)
    assert await asyncio.gather(*calls) == ["snakes", "iron"]

    await settled()
    later = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    upstream.runs[2].answer.set_result("new snakes")
    assert await later == "new snakes"


async def test_the_work_goes_on_when_the_call_that_began_it_is_cancelled(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    leader, follower = (asyncio.create_task(flights.share("python", upstream.work, deadline)) for _ in range(2))
    await settled()
    leader.cancel()
    await settled()
    assert leader.cancelled()
    [run] = upstream.runs
    run.answer.set_result("found")
    assert await follower == "found"


async def test_the_work_is_cancelled_when_the_last_call_is(
    flights: Flights, upstream: Upstream, deadline: Deadline, caplog: pytest.LogCaptureFixture
) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, deadline)) for _ in range(3)]
    await settled()
    for call in calls:
        assert upstream.runs[0].ended_as == ""
        call.cancel()
        await settled()
    assert upstream.runs[0].ended_as == "CancelledError"
    assert caplog.records == []


async def test_a_newcomer_begins_anew_while_cancelled_work_clears_up(flights: Flights, deadline: Deadline) -> None:
    runs: list[asyncio.Event] = []

    async def work(flight: Flight[str]) -> None:
        runs.append(asyncio.Event())
        try:
            await runs[-1].wait()
            flight.land(f"found {len(runs)}")
        finally:
            await runs[0].wait()

    first = asyncio.create_task(flights.share("python", work, deadline))
    await settled()
    first.cancel()
    await settled()
    second = asyncio.create_task(flights.share("python", work, deadline))
    await settled()
    runs[0].set()
    await settled()
    third = asyncio.create_task(flights.share("python", work, deadline))
    await settled()
    runs[1].set()
    assert await asyncio.gather(second, third) == ["found 2"] * 2


async def test_a_call_that_is_cancelled_at_once_leaves_nothing_behind(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    call = asyncio.create_task(flights.share("python", upstream.work, deadline))
    call.cancel()
    await asyncio.wait([call])
    assert upstream.runs == []


async def test_all_calls_get_the_failure(flights: Flights, upstream: Upstream, deadline: Deadline) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, deadline)) for _ in range(3)]
    await settled()
    [run] = upstream.runs
    failure = Unavailable("serper")
    run.answer.set_exception(failure)
    assert await asyncio.gather(*calls, return_exceptions=True) == [failure] * 3
    assert len(upstream.runs) == 1


async def test_a_caller_may_leave_at_any_moment_of_a_failure_without_an_error(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(context))
    for steps in range(8):
        call = asyncio.create_task(flights.share("python", upstream.work, deadline))
        await settled()
        upstream.runs.pop().answer.set_exception(Unavailable("serper"))
        for _ in range(steps):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    del call
    await settled()
    gc.collect()  # asyncio complains of an error that nobody has seen when it is collected
    assert complaints == []


async def test_work_that_has_just_ended_is_not_joined_any_more(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    flights.begin("python", upstream.work, deadline)
    await settled()
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    await upstream.runs[0].ended.wait()
    flights.begin("python", upstream.work, deadline)
    await settled()
    assert len(upstream.runs) == 2


async def test_a_failure_is_not_remembered(flights: Flights, upstream: Upstream, deadline: Deadline) -> None:
    for attempt in range(2):
        call = asyncio.create_task(flights.share("python", upstream.work, deadline))
        await settled()
        upstream.runs[attempt].answer.set_exception(Unavailable("serper"))
        with pytest.raises(Unavailable):
            await call


async def test_a_call_waits_no_longer_than_it_has_time_and_the_others_go_on_waiting(
    flights: Flights, upstream: Upstream, deadline: Deadline, after: Callable[[float], Deadline], no_grace: None
) -> None:
    leader = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    with pytest.raises(TimeoutError):
        await flights.share("python", upstream.work, after(0))
    [run] = upstream.runs
    run.answer.set_result("found")
    assert await leader == "found"


async def test_work_that_ends_at_the_deadline_can_say_why(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline]
) -> None:
    call = asyncio.create_task(flights.share("python", upstream.work, after(0)))
    await settled()
    upstream.runs[0].answer.set_exception(Unavailable("serper", "no answer in time"))
    with pytest.raises(Unavailable):
        await call


async def test_a_failure_of_work_in_haste_is_for_those_in_haste_and_the_others_share_another_try(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline], clock: FakeClock
) -> None:
    hasty, patient, most_patient = (
        asyncio.create_task(flights.share("python", upstream.work, after(seconds))) for seconds in (5, 20, 40)
    )
    await settled()
    clock.advance(5)
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    with pytest.raises(Unavailable):
        await hasty

    await settled()
    assert [run.flight.deadline.remaining_s() for run in upstream.runs[1:]] == [35.0]
    newcomer = asyncio.create_task(flights.share("python", upstream.work, after(1)))
    await settled()
    upstream.runs[1].answer.set_result("found")
    assert await asyncio.gather(patient, most_patient, newcomer) == ["found"] * 3
    assert len(upstream.runs) == 2


async def test_another_try_is_the_work_of_a_patient_call_in_its_context(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline]
) -> None:
    begun = list[tuple[str, str]]()

    async def call(name: str, seconds: float) -> str:
        async def work(flight: Flight[str]) -> None:
            begun.append((name, share_key()))
            await upstream.work(flight)

        with calling(Principal(name)):
            return await flights.share("python", work, after(seconds))

    calls = [asyncio.create_task(call(*each)) for each in (("hasty", 5), ("patient", 20), ("most patient", 40))]
    await settled()
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    await settled()
    assert begun == [("hasty", "hasty"), ("most patient", "most patient")]
    upstream.runs[1].answer.set_result("found")
    assert await asyncio.gather(*calls, return_exceptions=True) == [ANY, "found", "found"]


async def test_a_flight_waits_for_a_slot_within_the_share_of_each_of_its_callers(
    flights: Flights, deadline: Deadline
) -> None:
    slots = FairSemaphore(1, reserve=0)
    await slots.acquire("busy")

    async def work(flight: Flight[str]) -> None:
        flight.land(await slots.acquire(share_key()))

    async def call(name: str) -> str:
        with calling(Principal(name)):
            return await flights.share("python", work, deadline)

    ana, ben, cleo = (asyncio.create_task(call(name)) for name in ("ana", "ben", "cleo"))
    await settled()
    assert [slots.waiting(name) for name in ("ana", "ben", "cleo")] == [1, 1, 1]
    ana.cancel()
    await settled()
    assert [slots.waiting(name) for name in ("ana", "ben", "cleo")] == [0, 1, 1]
    slots.release("busy")
    assert await asyncio.gather(ben, cleo) == ["ben", "ben"]
    assert [slots.waiting(name) for name in ("ana", "ben", "cleo")] == [0, 0, 0]


async def test_a_refresh_waits_for_a_slot_within_the_share_of_the_call_that_began_it(
    flights: Flights, deadline: Deadline
) -> None:
    slots = FairSemaphore(1, reserve=0)
    await slots.acquire("busy")

    async def work(flight: Flight[str]) -> None:
        flight.land(await slots.acquire(share_key()))

    with calling(Principal("ana")):
        flights.begin("python", work, deadline)
    await settled()
    with calling(Principal("ben")):
        joined = asyncio.create_task(flights.share("python", work, deadline))
    await settled()
    joined.cancel()
    await settled()
    assert [slots.waiting(name) for name in ("ana", "ben")] == [1, 0]


async def test_who_has_had_another_try_with_all_its_time_gets_its_failure(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline]
) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, after(seconds))) for seconds in (5, 20, 40)]
    for attempt in range(2):
        await settled()
        upstream.runs[attempt].answer.set_exception(Unavailable("serper"))
    assert [type(end) for end in await asyncio.gather(*calls, return_exceptions=True)] == [Unavailable] * 3
    assert len(upstream.runs) == 2


@pytest.mark.parametrize("steps", range(8))
async def test_who_comes_at_any_moment_of_a_failure_shares_another_try_with_those_who_get_one(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline], steps: int
) -> None:
    hasty, patient = (asyncio.create_task(flights.share("python", upstream.work, after(s))) for s in (5, 20))
    await settled()
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    for _ in range(steps):
        await asyncio.sleep(0)
    newcomer = asyncio.create_task(flights.share("python", upstream.work, after(20)))
    await settled()
    first, second = upstream.runs
    second.answer.set_result("found")
    assert await asyncio.gather(patient, newcomer) == ["found"] * 2
    with pytest.raises(Unavailable):
        await hasty
    assert first.ended_as == "Unavailable"


async def test_no_work_begins_anew_for_a_call_whose_own_time_is_up(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline], clock: FakeClock
) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, after(seconds))) for seconds in (5, 20)]
    await settled()
    clock.advance(20)
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    assert [type(end) for end in await asyncio.gather(*calls, return_exceptions=True)] == [Unavailable] * 2
    assert len(upstream.runs) == 1


async def test_calls_that_came_together_are_not_told_apart_by_moments(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline]
) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, after(5 + i / 200))) for i in range(100)]
    await settled()
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    assert len(set(map(type, await asyncio.gather(*calls, return_exceptions=True)))) == 1
    assert len(upstream.runs) == 1


async def test_another_try_goes_on_when_one_of_those_who_wait_for_it_is_cancelled(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline]
) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, after(seconds))) for seconds in (5, 20, 40)]
    await settled()
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    await settled()
    calls[2].cancel()
    await settled()
    assert upstream.runs[1].ended_as == ""
    calls[1].cancel()
    await settled()
    assert upstream.runs[1].ended_as == "CancelledError"
    await asyncio.gather(*calls, return_exceptions=True)


async def test_work_that_does_not_end_in_time_is_ended(
    flights: Flights, upstream: Upstream, after: Callable[[float], Deadline], no_grace: None
) -> None:
    hasty, patient = (asyncio.create_task(flights.share("python", upstream.work, after(s))) for s in (0, 20))
    with pytest.raises(TimeoutError):
        await hasty
    await asyncio.wait_for(upstream.runs[0].ended.wait(), SOON_S)
    await settled()
    assert upstream.runs[0].ended_as == "CancelledError"
    upstream.runs[1].answer.set_result("found")
    assert await patient == "found"


async def test_what_has_landed_is_handed_out_until_it_is_kept(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    call = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    [run] = upstream.runs
    run.answer.set_result("found")
    assert await call == "found"
    assert await flights.share("python", upstream.work, deadline) == "found"
    assert run.ended_as == ""
    run.kept.set_result(None)
    await settled()
    assert run.ended_as == "done"


async def test_keeping_that_never_ends_does_not_hold_on_to_an_old_answer(
    flights: Flights, upstream: Upstream, deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_KEEPING_S", 0.01)
    call = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    upstream.runs[0].answer.set_result("old")
    assert await call == "old"
    await asyncio.wait_for(upstream.runs[0].ended.wait(), SOON_S)
    call = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    upstream.runs[1].answer.set_result("new")
    assert await call == "new"


async def test_a_failure_to_keep_what_was_found_is_logged_and_costs_no_answer(
    flights: Flights, upstream: Upstream, deadline: Deadline, caplog: pytest.LogCaptureFixture
) -> None:
    call = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    upstream.runs[0].answer.set_result("found")
    upstream.runs[0].kept.set_exception(ZeroDivisionError())
    assert await call == "found"
    await settled()
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [ZeroDivisionError]


async def test_a_refresh_is_done_once_and_later_calls_get_what_it_brings(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    flights.begin("python", upstream.work, deadline)
    flights.begin("python", upstream.work, deadline)
    leaver, stayer = (asyncio.create_task(flights.share("python", upstream.work, deadline)) for _ in range(2))
    await settled()
    leaver.cancel()
    await settled()
    [run] = upstream.runs
    run.answer.set_result("found")
    assert await stayer == "found"


async def test_a_refresh_goes_on_when_those_who_joined_it_have_left(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    flights.begin("python", upstream.work, deadline)
    call = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    call.cancel()
    await settled()
    assert [run.ended_as for run in upstream.runs] == [""]


async def test_refreshes_leave_room_for_calls_and_begin_again_when_others_have_ended(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    for key in ("python", "rust", "go"):
        flights.begin(key, upstream.work, deadline)
    await settled()
    assert len(upstream.runs) == 2

    call = asyncio.create_task(flights.share("go", upstream.work, deadline))
    await settled()
    assert len(upstream.runs) == 3, "calls are not counted, nor held back"
    upstream.runs[2].answer.set_result("found")
    assert await call == "found"

    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    await settled()
    flights.begin("zig", upstream.work, deadline)
    flights.begin("ada", upstream.work, deadline)
    await settled()
    assert len(upstream.runs) == 4


async def test_what_is_asked_for_may_be_any_key(flights: Flights, upstream: Upstream, deadline: Deadline) -> None:
    calls = [
        asyncio.create_task(flights.share(key, upstream.work, deadline))
        for key in (("page", "a b"), ("page", "a b"), ("page a", "b"))
    ]
    await settled()
    for run, answer in zip(upstream.runs, ["first", "second"], strict=True):
        run.answer.set_result(answer)
    assert await asyncio.gather(*calls) == ["first", "first", "second"]


@pytest.mark.parametrize(
    ("error", "logged"), [(Unavailable("serper"), 0), (TimeoutError(), 0), (ZeroDivisionError(), 1)]
)
async def test_only_a_bug_in_a_refresh_is_an_event(
    flights: Flights,
    upstream: Upstream,
    deadline: Deadline,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    logged: int,
) -> None:
    flights.begin("python", upstream.work, deadline)
    await settled()
    upstream.runs[0].answer.set_exception(error)
    await settled()
    assert len(caplog.records) == logged


async def test_work_that_ends_without_a_result_is_a_failure(flights: Flights, deadline: Deadline) -> None:
    async def idle(flight: Flight[str]) -> None:
        """Forgets to land."""

    with pytest.raises(RuntimeError, match="without a result"):
        await flights.share("python", idle, deadline)


async def test_work_that_is_cancelled_from_within_is_a_failure_and_cancels_no_caller(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    """Servers take a cancellation that nobody asked for as their own end."""
    call = asyncio.create_task(flights.share("python", upstream.work, deadline))
    await settled()
    upstream.runs[0].answer.cancel()
    with pytest.raises(RuntimeError, match="was cancelled"):
        await call


async def test_closing_ends_all_work_and_waits_for_it_and_nothing_begins_after_it(
    flights: Flights, upstream: Upstream, deadline: Deadline, after: Callable[[float], Deadline]
) -> None:
    calls = [asyncio.create_task(flights.share("python", upstream.work, after(seconds))) for seconds in (5, 20)]
    flights.begin("rust", upstream.work, deadline)
    kept = asyncio.create_task(flights.share("go", upstream.work, deadline))
    await settled()
    upstream.runs[-1].answer.set_result("found")
    assert await kept == "found"

    await flights.close()
    assert [run.ended_as for run in upstream.runs] == ["CancelledError"] * 3
    assert [type(end) for end in await asyncio.gather(*calls, return_exceptions=True)] == [Stopping] * 2
    flights.begin("python", upstream.work, deadline)
    with pytest.raises(Stopping):
        await flights.share("python", upstream.work, deadline)
    assert len(upstream.runs) == 3


async def test_closing_does_not_disturb_work_that_clears_up(deadline: Deadline) -> None:
    takes_time, cleared = asyncio.Event(), asyncio.Event()

    async def tidy(_flight: Flight[str]) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await takes_time.wait()
            cleared.set()

    flights = Flights()
    call = asyncio.create_task(flights.share("python", tidy, deadline))
    await settled()
    call.cancel()
    await settled()
    closing = asyncio.create_task(flights.close())
    await settled()
    assert not closing.done()
    takes_time.set()
    await closing
    assert cleared.is_set()


async def test_every_caller_hears_the_steps_in_order_and_before_the_answer(
    flights: Flights, deadline: Deadline
) -> None:
    heard: list[tuple[int, str]] = []
    are_all_here = asyncio.Event()

    async def work(flight: Flight[str]) -> None:
        await are_all_here.wait()
        for step in ("asking", "reading"):
            await flight.progress(step)
        flight.land("found")

    async def call(number: int) -> None:
        async def listen(step: str) -> None:
            await asyncio.sleep(0)
            heard.append((number, step))

        heard.append((number, await flights.share("python", work, deadline, listen)))

    async with asyncio.TaskGroup() as group:
        for number in range(2):
            group.create_task(call(number))
        await settled()
        are_all_here.set()
    for number in range(2):
        assert [step for who, step in heard if who == number] == ["asking", "reading", "found"]


async def test_listeners_that_fail_or_hang_cost_no_answer(
    flights: Flights, deadline: Deadline, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", LOGGER.name)
    are_all_here = asyncio.Event()
    heard: list[str] = []

    async def work(flight: Flight[str]) -> None:
        await are_all_here.wait()
        for step in ("asking", "reading"):
            await flight.progress(step)
        flight.land("found")

    async def gone(step: str) -> None:
        heard.append(step)
        raise ConnectionResetError

    hanging = asyncio.create_task(flights.share("python", work, deadline, _stuck))
    failing = asyncio.create_task(flights.share("python", work, deadline, gone))
    well = asyncio.create_task(flights.share("python", work, deadline))
    await settled()
    are_all_here.set()
    assert await asyncio.wait_for(asyncio.gather(hanging, failing, well), SOON_S) == ["found"] * 3
    assert heard == ["asking"]
    assert "progress is no longer reported: the listener failed" in caplog.messages


async def test_a_failure_is_heard_although_a_listener_hangs(
    flights: Flights, upstream: Upstream, deadline: Deadline
) -> None:
    call = asyncio.create_task(flights.share("python", upstream.work, deadline, _stuck))
    await settled()
    await upstream.runs[0].flight.progress("asking")
    await settled()
    upstream.runs[0].answer.set_exception(Unavailable("serper"))
    with pytest.raises(Unavailable):
        await asyncio.wait_for(call, SOON_S)


async def test_what_has_landed_is_the_answer_when_the_time_of_a_call_ends_while_it_listens(
    flights: Flights,
    deadline: Deadline,
    after: Callable[[float], Deadline],
    no_grace: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_LAST_STEPS_S", LONG_S)

    async def work(flight: Flight[str]) -> None:
        await flight.progress("asking")
        flight.land("found")

    flights.begin("python", work, deadline)
    assert await asyncio.wait_for(flights.share("python", work, after(0), _stuck), SOON_S) == "found"


async def test_work_may_land_at_any_moment_of_the_end_of_a_calls_time(
    flights: Flights,
    upstream: Upstream,
    deadline: Deadline,
    after: Callable[[float], Deadline],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_GRACE_S", 0.0)
    ends: set[object] = set()
    for steps in range(8):
        leader = asyncio.create_task(flights.share(steps, upstream.work, deadline))
        await settled()
        hasty = asyncio.create_task(flights.share(steps, upstream.work, after(0)))
        for _ in range(steps):
            await asyncio.sleep(0)
        run = upstream.runs[-1]
        run.answer.set_result("found")
        run.kept.set_result(None)
        assert await leader == "found"
        [end] = await asyncio.gather(hasty, return_exceptions=True)
        ends.add(end if isinstance(end, str) else type(end))
        await settled()
        assert run.ended_as == "done"
    assert ends == {"found", TimeoutError}


async def test_the_work_runs_in_the_context_of_the_call_that_began_it_and_steps_in_that_of_their_listener(
    flights: Flights, deadline: Deadline
) -> None:
    caller: ContextVar[str] = ContextVar("caller")
    seen: list[tuple[str, str]] = []

    async def work(flight: Flight[str]) -> None:
        seen.append(("work", caller.get()))
        await asyncio.sleep(0)
        await flight.progress("asking")
        flight.land("found")

    async def call(name: str) -> str:
        async def listen(step: str) -> None:
            seen.append((step, caller.get()))

        caller.set(name)
        return await flights.share("python", work, deadline, listen)

    await asyncio.gather(call("ana"), call("otter42"))
    assert sorted(seen) == [("asking", "ana"), ("asking", "otter42"), ("work", "ana")]


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_callers_do_each_gets_what_its_flight_brought(
    flights: Flights, upstream: Upstream, deadline: Deadline, seed: int
) -> None:
    """Random joins, departures, answers and failures, next to a model that only counts."""
    chance = random.Random(seed)
    waiting: list[asyncio.Task[str]] = []  # for the run in hand
    expected: dict[asyncio.Task[str], object] = {}
    runs, is_landed = 0, False

    def ends_as(outcome: object) -> None:
        expected.update(dict.fromkeys(waiting, outcome))
        waiting.clear()

    for _ in range(60):
        run = upstream.runs[-1] if waiting or is_landed else None
        match chance.choice(["join", "join", "join", "leave", "leave", "land", "fail", "keep"]):
            case "join":
                runs += run is None
                waiting.append(asyncio.create_task(flights.share("python", upstream.work, deadline)))
                if is_landed:
                    ends_as(f"answer {runs}")
            case "leave" if waiting:
                leaver = waiting.pop(chance.randrange(len(waiting)))
                leaver.cancel()
                expected[leaver] = asyncio.CancelledError
            case "land" if run and not is_landed:
                run.answer.set_result(f"answer {runs}")
                ends_as(f"answer {runs}")
                is_landed = True
            case "fail" if run and not is_landed:
                run.answer.set_exception(Unavailable("serper"))
                ends_as(Unavailable)
            case "keep" if run and is_landed:
                run.kept.set_result(None)
                is_landed = False
        await settled()
        assert len(upstream.runs) == runs
    for task in waiting:
        task.cancel()
        expected[task] = asyncio.CancelledError

    ends = await asyncio.gather(*expected, return_exceptions=True)
    assert [end if isinstance(end, str) else type(end) for end in ends] == list(expected.values())


async def test_at_the_end_what_has_landed_is_still_kept(
    deadline: Deadline, flights: Flights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LAST_S", 60)
    kept: list[str] = []
    may_keep = asyncio.Event()

    async def work(flight: Flight[str]) -> None:
        flight.land("found")
        await may_keep.wait()
        kept.append("found")

    assert await flights.share("question", work, deadline) == "found"
    closing = asyncio.create_task(flights.close())
    await settled()
    assert (kept, closing.done()) == ([], False)
    may_keep.set()
    await closing
    assert kept == ["found"]
