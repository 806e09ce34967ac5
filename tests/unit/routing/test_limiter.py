"""Sliding windows: never more than the limit in any stretch of time, exact to the moment, no memory of the idle."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.allowances import Rate
from dowse.core.protocols import Limiter
from dowse.routing.limiter import SWEEP_S, SlidingWindows
from tests.fakes import FakeClock

TWENTY = Rate(20, 600.0)


async def waits(limiter: Limiter, key: str, rate: Rate) -> float:
    return (await limiter.admit(key, rate)).wait_s


async def used_up(windows: SlidingWindows, clock: FakeClock, key: str = "alice:web_search") -> None:
    """Twenty calls, one a second."""
    for _ in range(20):
        assert await waits(windows, key, TWENTY) == 0.0
        clock.advance(1.0)


async def test_the_21st_call_is_told_when_the_first_one_leaves_the_window(clock: FakeClock) -> None:
    windows = SlidingWindows(clock)
    await used_up(windows, clock)
    assert await waits(windows, "alice:web_search", TWENTY) == 580.0


async def test_another_caller_and_another_tool_are_unaffected(clock: FakeClock) -> None:
    windows = SlidingWindows(clock)
    await used_up(windows, clock)
    assert await waits(windows, "bob:web_search", TWENTY) == 0.0
    assert await waits(windows, "alice:get_content", TWENTY) == 0.0


async def test_recovery_is_exactly_on_time(clock: FakeClock) -> None:
    windows = SlidingWindows(clock)
    started = clock.now()
    await used_up(windows, clock)
    clock.time = started + 600 - 1e-6
    assert await waits(windows, "alice:web_search", TWENTY) == pytest.approx(1e-6, rel=1e-3)
    clock.time = started + 600
    assert await waits(windows, "alice:web_search", TWENTY) == 0.0
    # One call left the window, one came in: the next has to wait for the second.
    assert await waits(windows, "alice:web_search", TWENTY) == 1.0


async def test_a_refused_call_is_not_counted(clock: FakeClock) -> None:
    windows = SlidingWindows(clock)
    started = clock.now()
    await used_up(windows, clock)
    for _ in range(100):
        assert await waits(windows, "alice:web_search", TWENTY) > 0
    clock.time = started + 600 + 20
    for _ in range(20):
        assert await waits(windows, "alice:web_search", TWENTY) == 0.0
    assert await waits(windows, "alice:web_search", TWENTY) == 600.0


async def test_a_lower_limit_counts_what_was_admitted_under_a_higher_one(clock: FakeClock) -> None:
    """A shared store may outlive a change of settings: the last calls of those that count decide."""
    windows = SlidingWindows(clock)
    await used_up(windows, clock)
    assert await waits(windows, "alice:web_search", Rate(5, 600.0)) == 595.0


async def test_idle_callers_are_forgotten_and_busy_ones_are_not(clock: FakeClock) -> None:
    windows = SlidingWindows(clock)
    for number in range(1000):
        await waits(windows, f"caller{number}:web_search", Rate(1, 90.0))
    await waits(windows, "slow:web_search", Rate(1, 86_400.0))
    assert len(windows) == 1001
    clock.advance(90 + SWEEP_S)
    await waits(windows, "late:web_search", Rate(1, 90.0))
    assert len(windows) == 2
    assert await waits(windows, "slow:web_search", Rate(1, 86_400.0)) == 86_400 - 90 - SWEEP_S


async def test_room_that_is_reserved_is_not_given_to_another(clock: FakeClock) -> None:
    windows, rate = SlidingWindows(clock), Rate(2, 60.0)
    assert [windows.reserve("k", rate) for _ in range(3)] == [0.0, 0.0, 60.0]
    clock.advance(10)
    windows.settle("k", is_made=True)
    assert await waits(windows, "k", rate) == 60.0, "as if what is still reserved went now"
    windows.settle("k", is_made=False)
    assert await waits(windows, "k", rate) == 0.0
    clock.advance(59)
    assert await waits(windows, "k", rate) == 1.0, "a call counts from when it is made, not from when it was reserved"


async def test_a_reservation_is_not_swept_away(clock: FakeClock) -> None:
    windows, rate = SlidingWindows(clock), Rate(1, 1.0)
    windows.reserve("k", rate)
    clock.advance(SWEEP_S + 1)
    assert await waits(windows, "other", rate) == 0.0
    windows.settle("k", is_made=True)
    assert await waits(windows, "k", rate) == 1.0


# Tenths are no exact floats: sums and differences of such times round, and must round to one verdict.
TIMES = st.lists(st.integers(0, 400).map(lambda tenths: tenths / 10), max_size=60).map(sorted)


@given(times=TIMES, calls=st.integers(1, 5), period_s=st.sampled_from([0.1, 0.3, 1.0, 7.7, 60.0]))
def test_it_does_what_counting_by_hand_does(times: list[float], calls: int, period_s: float) -> None:
    """At every call: as many as fit into the window that ends now, and a wait that is right to the last bit."""
    clock, rate = FakeClock(), Rate(calls, period_s)
    windows = SlidingWindows(clock)
    admitted: list[float] = []
    for moment in times:
        clock.time = moment
        wait_s = asyncio.run(waits(windows, "k", rate))
        counting = [earlier for earlier in admitted if earlier + period_s > moment]
        assert (wait_s == 0.0) == (len(counting) < calls)
        if wait_s == 0.0:
            admitted.append(moment)
        else:
            assert wait_s == counting[-calls] + period_s - moment > 0
    for start in admitted:
        assert sum(start <= other and start + period_s > other for other in admitted) <= calls


@given(times=TIMES, calls=st.integers(1, 5))
def test_a_caller_that_waits_as_told_is_admitted(times: list[float], calls: int) -> None:
    clock, rate = FakeClock(), Rate(calls, 7.7)
    windows = SlidingWindows(clock)
    for moment in times:
        clock.time = max(clock.time, 1000 + moment)
        wait_s = asyncio.run(waits(windows, "k", rate))
        if wait_s:
            clock.time += wait_s * (1 + 1e-12) + 1e-9
            assert asyncio.run(waits(windows, "k", rate)) == 0.0
