"""A limit that processes share: the coordinator decides, and without it each process keeps the limit and says so."""

import asyncio

import pytest

from dowse.core.allowances import Admission, Rate
from dowse.routing.limiter import KEPT_BY_EACH, SharedWindows, SlidingWindows
from dowse.stores.coordination import LocalFallback
from dowse.stores.fail_soft import Outage
from tests.fakes import FakeClock
from tests.fakes.coordination import MemoryCoordinator

THREE = Rate(3, 60.0)
YES = Admission()
YES_ALONE = Admission(remark=KEPT_BY_EACH)


class Process:
    """One of those that share a limit; its clock shows what it likes."""

    def __init__(self, coordinator: MemoryCoordinator, ahead_s: float = 0.0) -> None:
        self.clock = FakeClock()
        self.clock.advance(ahead_s)
        fallback = LocalFallback(coordinator.look, Outage(self.clock), self.clock)
        self.windows = SharedWindows(SlidingWindows(self.clock), coordinator, fallback)

    async def ask(self, times: int = 1) -> list[Admission]:
        return [await self.windows.admit("alice:web_search", THREE) for _ in range(times)]


@pytest.fixture
def coordinator() -> MemoryCoordinator:
    return MemoryCoordinator()


def later(seconds: float, *clocks: FakeClock) -> None:
    for clock in clocks:
        clock.advance(seconds)


async def test_the_limit_is_one_for_all_processes(coordinator: MemoryCoordinator) -> None:
    one, other = Process(coordinator, ahead_s=5.0), Process(coordinator, ahead_s=-5.0)
    assert await one.ask(2) == [YES, YES]
    later(20, coordinator.clock, one.clock, other.clock)
    assert await other.ask(2) == [YES, Admission(40.0)]
    assert await one.ask() == [Admission(40.0)]


async def test_a_limit_used_up_alone_refuses_without_the_coordinator(
    coordinator: MemoryCoordinator,
) -> None:
    one = Process(coordinator)
    await one.ask(3)
    assert await one.ask(10) == [Admission(60.0)] * 10
    assert coordinator.asked == 3


async def test_what_the_coordinator_refuses_counts_nowhere(coordinator: MemoryCoordinator) -> None:
    one, other = Process(coordinator), Process(coordinator)
    await other.ask(3)
    assert await one.ask(10) == [Admission(60.0)] * 10
    coordinator.is_down = True
    assert await one.ask(3) == [YES_ALONE] * 3


async def test_without_the_coordinator_each_keeps_the_limit_and_says_so(coordinator: MemoryCoordinator) -> None:
    coordinator.is_down = True
    for process in (Process(coordinator), Process(coordinator)):
        assert await process.ask(3) == [YES_ALONE] * 3
        assert await process.ask() == [Admission(pytest.approx(60.0), KEPT_BY_EACH)]


async def test_what_was_allowed_before_counts_when_the_coordinator_is_gone(coordinator: MemoryCoordinator) -> None:
    one = Process(coordinator)
    await one.ask(2)
    coordinator.is_down = True
    assert await one.ask() == [YES_ALONE]
    later(30, one.clock)
    assert (await one.ask())[0].wait_s == pytest.approx(30, abs=2)


async def test_what_was_allowed_alone_counts_when_the_coordinator_is_back(coordinator: MemoryCoordinator) -> None:
    one, other = Process(coordinator), Process(coordinator)
    coordinator.is_down = True
    await one.ask(3)
    coordinator.is_down = False
    later(5, coordinator.clock, one.clock, other.clock)
    assert (await one.ask())[0].wait_s == pytest.approx(55)
    assert await other.ask(3) == [YES] * 3


async def test_answers_on_their_way_count_as_yes(coordinator: MemoryCoordinator) -> None:
    """Otherwise a process would allow as many again, alone, while the coordinator has allowed these."""
    one = Process(coordinator)
    coordinator.answers.clear()
    asking = [asyncio.create_task(one.ask()) for _ in range(3)]
    while coordinator.asked < 3:  # noqa: ASYNC110
        await asyncio.sleep(0)
    coordinator.is_down = True
    assert await one.ask() == [Admission(60.0)]
    coordinator.answers.set()
    assert await asyncio.gather(*asking) == [[YES]] * 3


async def test_who_is_cancelled_makes_no_call(coordinator: MemoryCoordinator) -> None:
    one = Process(coordinator)
    coordinator.answers.clear()
    asking = [asyncio.create_task(one.ask()) for _ in range(3)]
    while coordinator.asked < 3:  # noqa: ASYNC110
        await asyncio.sleep(0)
    for task in asking:
        task.cancel()
    await asyncio.wait(asking)
    coordinator.is_down = True
    assert await one.ask(3) == [YES_ALONE] * 3
