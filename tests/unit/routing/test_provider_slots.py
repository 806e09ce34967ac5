"""The way to a provider: its rate and its places, for one process and for all."""

import asyncio

import pytest

from dowse.core.allowances import Admission, Pace, Rate
from dowse.routing.limiter import KEPT_BY_EACH
from dowse.routing.provider_slots import POLL_S, ProviderSlots
from dowse.stores.coordination import LocalFallback
from dowse.stores.fail_soft import Outage
from tests.fakes import FakeClock
from tests.fakes.coordination import MemoryCoordinator

YES = Admission()
NO_PLACE = Admission(POLL_S)
BOTH = Pace(Rate(2, 60.0), at_once=1)


@pytest.fixture
def coordinator() -> MemoryCoordinator:
    return MemoryCoordinator()


def sharing(coordinator: MemoryCoordinator) -> ProviderSlots:
    clock = FakeClock()
    return ProviderSlots(clock, (coordinator, LocalFallback(coordinator.look, Outage(clock), clock)))


async def entered(slots: ProviderSlots, pace: Pace, tickets: str) -> list[Admission]:
    return [await slots.enter("serper", pace, ticket, 60.0) for ticket in tickets]


async def test_a_provider_without_a_pace_is_asked_without_limit(coordinator: MemoryCoordinator) -> None:
    slots = sharing(coordinator)
    assert await entered(slots, Pace(), "abcdef") == [YES] * 6
    await slots.leave("serper", "a")
    assert coordinator.asked == 0


async def test_places_are_given_back(clock: FakeClock) -> None:
    slots = ProviderSlots(clock)
    assert await entered(slots, Pace(at_once=2), "abc") == [YES, YES, NO_PLACE]
    await slots.leave("serper", "c")
    assert await entered(slots, Pace(at_once=2), "c") == [NO_PLACE]
    await slots.leave("serper", "b")
    assert await entered(slots, Pace(at_once=2), "cd") == [YES, NO_PLACE]
    assert await slots.enter("exa", Pace(at_once=2), "a", 60.0) == YES


async def test_a_place_is_held_for_its_time_at_most(clock: FakeClock) -> None:
    slots = ProviderSlots(clock)
    await entered(slots, Pace(at_once=1), "a")
    clock.advance(59)
    assert await entered(slots, Pace(at_once=1), "b") == [NO_PLACE]
    clock.advance(1)
    assert await entered(slots, Pace(at_once=1), "b") == [YES]


async def test_nothing_is_counted_unless_both_the_rate_and_the_places_allow_it(clock: FakeClock) -> None:
    slots = ProviderSlots(clock)
    assert await entered(slots, BOTH, "ab") == [YES, NO_PLACE]
    await slots.leave("serper", "a")
    assert await entered(slots, BOTH, "b") == [YES]
    assert await entered(slots, BOTH, "c") == [Admission(60.0)], "the longer of the waits"
    await slots.leave("serper", "b")
    clock.advance(60)
    assert await entered(slots, BOTH, "c") == [YES]


async def test_a_ticket_that_asks_again_holds_one_place(clock: FakeClock) -> None:
    slots = ProviderSlots(clock)
    assert await entered(slots, Pace(at_once=2), "aaab") == [YES] * 4


async def test_processes_share_the_rate_and_the_places(coordinator: MemoryCoordinator) -> None:
    one, other = sharing(coordinator), sharing(coordinator)
    assert await entered(one, BOTH, "a") == [YES]
    assert await entered(other, BOTH, "b") == [NO_PLACE]
    await one.leave("serper", "a")
    await one.close()
    assert await entered(other, BOTH, "b") == [YES]
    await other.leave("serper", "b")
    await other.close()
    assert await entered(one, BOTH, "c") == [Admission(60.0)]


async def test_without_the_coordinator_each_process_keeps_the_pace_and_says_so(coordinator: MemoryCoordinator) -> None:
    one, other = sharing(coordinator), sharing(coordinator)
    coordinator.is_down = True
    for slots in (one, other):
        assert await entered(slots, BOTH, "ab") == [
            Admission(remark=KEPT_BY_EACH),
            Admission(POLL_S, KEPT_BY_EACH),
        ]
        await slots.leave("serper", "a")
        assert await entered(slots, BOTH, "b") == [Admission(remark=KEPT_BY_EACH)]


async def test_a_place_on_the_coordinator_comes_back_from_who_was_cancelled_before_they_heard_of_it(
    coordinator: MemoryCoordinator,
) -> None:
    one, other = sharing(coordinator), sharing(coordinator)
    coordinator.answers.clear()
    asking = asyncio.create_task(entered(one, BOTH, "a"))
    while not coordinator.asked:  # noqa: ASYNC110
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])
    coordinator.answers.set()
    assert await entered(other, BOTH, "b") == [NO_PLACE]
    await one.leave("serper", "a")
    await one.close()
    assert await entered(other, BOTH, "b") == [YES]


async def test_what_was_never_on_the_coordinator_is_not_given_back_there(coordinator: MemoryCoordinator) -> None:
    one = sharing(coordinator)
    await entered(one, Pace(Rate(1, 60.0)), "a")
    await one.leave("serper", "a")
    await one.leave("serper", "stranger")
    await one.close()
    assert coordinator.asked == 1
