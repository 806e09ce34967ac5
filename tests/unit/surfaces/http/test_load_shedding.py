"""Admissions: who is let in at once, who waits in line, who is sent away, and who hears of it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from typing import Any

import pytest

from dowse.surfaces.http.adaptive_concurrency import FLOOR, SAMPLE_S, SHORT_QUEUE, START, ConcurrencyLimit
from dowse.surfaces.http.load_shedding import CONNECTIONS, MAX_WAIT_S, OVERLOAD, TOO_MANY, ConnectionLimit, LoadShedder
from tests.fakes import FakeClock

# A little more, since the sum of many is not exact.
A_LOOK_S = 1.01 * SAMPLE_S


class House:
    """Admissions, with a hand on the time and on how busy everything is."""

    def __init__(self, max_calls: int = 512) -> None:
        self.clock = FakeClock()
        self.busy_s = 0.0
        self.refusals: list[str] = []
        self.admissions = LoadShedder(
            max_calls,
            [lambda: 0.0, lambda: self.busy_s],
            limit=ConcurrencyLimit(max_calls, usual_rate=0.0),
            clock=self.clock,
            on_refusal=self.refusals.append,
        )

    def passes(self, seconds: float, busy: float) -> None:
        self.clock.advance(seconds)
        self.busy_s += busy * seconds

    async def arrive(self, calls: int, caller: str = "ana") -> list[asyncio.Task[bool]]:
        """Calls that have either been let in, or been refused, or stand in line."""
        arriving = [asyncio.create_task(self.admissions.enter(caller)) for _ in range(calls)]
        await asyncio.sleep(0)
        return arriving

    async def fill(self, caller: str = "ana") -> list[asyncio.Task[bool]]:
        """As many calls as are worked on, and the longest line that is worth while; those who stand in it."""
        await self.arrive(START, caller)
        self.passes(A_LOOK_S, busy=1.0)
        return await self.arrive(SHORT_QUEUE, caller)

    async def overload(self, caller: str = "ana") -> None:
        """More calls than there is time for, until only a few are let in at once; there is room for one more."""
        waiting = await self.fill(caller)
        assert not await self.admissions.enter(caller)
        assert self.admissions.is_overloaded
        # Whoever comes in vain takes one of the line along.
        for _ in range(SHORT_QUEUE):
            assert not await self.admissions.enter(caller)
        assert not any([await each for each in waiting])
        for _ in range(20):
            self.passes(A_LOOK_S, busy=1.0)
            in_flight = self.admissions.in_flight
            for _ in range(in_flight):
                self.admissions.leave(caller)
            for _ in range(2 * in_flight):
                await self.admissions.enter(caller)
        assert self.admissions.in_flight == FLOOR
        self.admissions.leave(caller)
        self.refusals.clear()


async def test_ordinary_calls_are_let_in_at_once() -> None:
    house = House()
    assert all([await house.admissions.enter("ana") for _ in range(START)])
    assert house.admissions.in_flight == START


async def test_beyond_the_maximum_a_call_is_refused_whatever_there_is_time_for() -> None:
    house = House(max_calls=2)
    assert [await house.admissions.enter("ana") for _ in range(3)] == [True, True, False]
    assert house.refusals == [TOO_MANY]
    house.admissions.leave("ana")
    assert await house.admissions.enter("ana")


async def test_those_in_line_count_towards_the_maximum() -> None:
    house = House(max_calls=START + 1)
    await house.arrive(START)
    (waiting,) = await house.arrive(1)
    assert not waiting.done()
    assert not await house.admissions.enter("ana")
    assert house.refusals == [TOO_MANY]
    # There is time for those who wait, if not for more of them.
    house.admissions.leave("ana")
    assert await waiting


async def test_hundreds_of_calls_that_only_wait_for_others_are_all_let_in() -> None:
    house = House()
    arriving = await house.arrive(256)
    for _ in range(12):
        house.passes(A_LOOK_S, busy=0.6)
        arriving += await house.arrive(1)
        house.admissions.leave("ana")
        await asyncio.sleep(0)
    assert all([await each for each in arriving])
    assert house.refusals == []


async def test_the_line_moves_without_arrivals_and_departures() -> None:
    house = House()
    *_, last = await house.arrive(START + 1)
    assert not last.done()
    house.passes(A_LOOK_S, busy=0.0)
    assert await asyncio.wait_for(last, 30)


async def test_a_call_that_leaves_makes_room_for_the_first_in_line() -> None:
    house = House()
    await house.arrive(START)
    first, second = await house.arrive(2)
    house.admissions.leave("ana")
    assert await first
    assert not second.done()
    second.cancel()


async def test_a_call_that_gives_up_in_line_is_not_waited_for() -> None:
    house = House()
    await house.arrive(START)
    first, second = await house.arrive(2)
    first.cancel()
    await asyncio.sleep(0)
    house.admissions.leave("ana")
    assert await second
    assert house.admissions.in_flight == START


async def test_a_call_that_gives_up_at_the_moment_of_being_called_in_takes_no_room() -> None:
    house = House()
    await house.arrive(START)
    (first,) = await house.arrive(1)
    house.admissions.leave("ana")
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert house.admissions.in_flight == START - 1


async def test_a_burst_is_served_though_the_line_was_full() -> None:
    house = House()
    waiting = await house.fill()
    for _ in range(START + SHORT_QUEUE):
        house.admissions.leave("ana")
        await asyncio.sleep(0)
    assert all([await each for each in waiting])
    assert (house.refusals, house.admissions.is_overloaded) == ([], False)


async def test_a_call_that_comes_when_the_line_is_too_long_is_refused_and_so_is_the_first_in_it() -> None:
    house = House()
    first, second, *_ = waiting = await house.fill()
    assert not await house.admissions.enter("ana")
    assert not await first
    assert not second.done()
    assert house.refusals == [OVERLOAD] * 2
    for each in waiting:
        each.cancel()


async def test_calls_left_in_line_are_served_if_no_other_comes() -> None:
    house = House()
    _, *others = await house.fill()
    assert not await house.admissions.enter("ana")
    for _ in range(START + len(others)):
        house.admissions.leave("ana")
        await asyncio.sleep(0)
    assert all([await each for each in others])


async def test_no_call_waits_in_line_for_long() -> None:
    house = House()
    *_, last = await house.arrive(START + 1)
    house.passes(MAX_WAIT_S + 1, busy=1.0)
    assert not await asyncio.wait_for(last, 30)
    assert house.refusals == [OVERLOAD]


async def test_under_overload_a_few_calls_are_let_in_as_others_end() -> None:
    house = House()
    await house.overload()
    assert await house.admissions.enter("ana")
    assert not await house.admissions.enter("ana")
    house.admissions.leave("ana")
    assert await house.admissions.enter("ana")


@pytest.mark.promise("fair-calls")
async def test_under_overload_a_second_caller_gets_its_share_at_once_and_the_flood_nothing_until_then() -> None:
    house = House()
    await house.overload("flood")
    assert await house.admissions.enter("flood")
    assert [await house.admissions.enter("ana") for _ in range(4)] == [True, True, True, False]
    for _ in range(FLOOR // 2):
        house.admissions.leave("flood")
        # There is room, yet not for the caller that has more than its share.
        assert not await house.admissions.enter("flood")
    house.admissions.leave("flood")
    assert await house.admissions.enter("flood")


@pytest.mark.promise("fair-calls")
async def test_a_caller_that_fills_the_maximum_alone_does_not_keep_another_out() -> None:
    house = House(max_calls=4)
    assert [await house.admissions.enter("flood") for _ in range(5)] == [True] * 4 + [False]
    assert [await house.admissions.enter("ana") for _ in range(3)] == [True, True, False]
    assert not await house.admissions.enter("ben"), "the reserve is bounded"
    assert not await house.admissions.enter("flood")
    for _ in range(3):
        house.admissions.leave("flood")
    assert await house.admissions.enter("ben")


@pytest.mark.promise("fair-calls")
async def test_a_call_below_its_share_takes_the_place_of_the_newest_waiter_of_the_flood() -> None:
    house = House(max_calls=START + 4)
    await house.arrive(START, "flood")
    *flood, newest = await house.arrive(4, "flood")
    assert all([await each for each in await house.arrive(START // 2, "ana")])
    (waiting,) = await house.arrive(1, "ana")
    assert not await newest
    assert not waiting.done()
    assert house.refusals == [TOO_MANY]
    assert not any(each.done() for each in flood)
    for each in (waiting, *flood):
        each.cancel()


@pytest.mark.promise("fair-calls")
async def test_the_queue_serves_the_caller_with_fewer_calls_first() -> None:
    house = House()
    await house.arrive(START, "flood")
    flood = await house.arrive(5, "flood")
    await house.arrive(START // 2, "ana")
    (waiting,) = await house.arrive(1, "ana")
    house.admissions.leave("flood")
    assert not waiting.done(), "the reserve is for the share"
    house.admissions.leave("ana")
    assert await waiting
    assert not any(each.done() for each in flood)
    for each in flood:
        each.cancel()


@pytest.mark.promise("fair-calls")
async def test_under_overload_the_flood_is_shed_and_not_the_caller_that_waits_beside_it() -> None:
    house = House()
    flood = await house.fill("flood")
    assert all([await each for each in await house.arrive(START // 2, "ana")])
    assert not await house.admissions.enter("ana"), "beyond its share it is refused like any other"
    assert not await flood[0]
    assert house.refusals == [OVERLOAD] * 2
    for each in flood[1:]:
        each.cancel()


async def test_a_caller_who_was_refused_and_has_gone_has_no_share_any_more() -> None:
    house = House()
    await house.overload("flood")
    assert await house.admissions.enter("flood")
    assert [await house.admissions.enter("ana") for _ in range(4)] == [True, True, True, False]
    for _ in range(3):
        house.admissions.leave("ana")
    house.admissions.leave("flood")
    assert not await house.admissions.enter("flood"), "the refused caller may come back"
    for _ in range(math.ceil(5 / SAMPLE_S)):
        if await house.admissions.enter("flood"):
            break
        house.passes(A_LOOK_S, busy=1.0)
    else:
        pytest.fail("the share of a caller who has gone is still kept")


async def test_refusals_are_logged_at_most_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "dowse")
    house = House(max_calls=1)
    assert await house.admissions.enter("ana")
    for _ in range(8):
        assert not await house.admissions.enter("ana")
        house.clock.advance(0.25)
    house.admissions.count(CONNECTIONS)
    told = [(record.getMessage(), record.dowse_fields["calls"]) for record in caplog.records]
    assert told == [("calls refused", 1), ("calls refused", 4), ("calls refused", 4)]
    assert house.refusals == [TOO_MANY] * 8 + [CONNECTIONS]


class Connection:
    def __init__(self, address: str) -> None:
        self.address = address
        self.is_open = True

    def abort(self) -> None:
        self.is_open = False


class Connections:
    """Opens connections as a server does, all of which wait for their peers from then on."""

    def __init__(self, limit: ConnectionLimit) -> None:
        self._limit = limit

    def open(self, count: int = 1, address: str = "192.0.2.1", principal: str = "", *, busy: bool = False) -> list[Any]:
        return [self._open(Connection(address), principal, busy=busy) for _ in range(count)]

    def _open(self, connection: Connection, principal: str, *, busy: bool) -> Connection:
        self._limit.admit(connection)
        self._limit.update(connection, is_waiting=True, principal="")
        if principal or busy:
            self._limit.update(connection, is_waiting=False, principal="")
        if principal:
            self._limit.update(connection, is_waiting=not busy, principal=principal)
        return connection


def open_of(connections: Sequence[Connection]) -> int:
    return sum(connection.is_open for connection in connections)


@pytest.mark.promise("bound-connections")
async def test_half_of_the_places_are_for_each_group_of_connections() -> None:
    connections = Connections(ConnectionLimit(100))
    idle = connections.open(100, principal="greedy")
    flood = connections.open(200)
    assert (open_of(idle), open_of(flood)) == (50, 50)
    more = connections.open(200, principal="greedy")
    assert (open_of(idle + more), open_of(flood)) == (51, 49), "the flood lost the place of the last newcomer"


@pytest.mark.promise("bound-connections")
async def test_while_calls_hold_all_places_a_flood_sheds_no_newcomer_at_once() -> None:
    connections = Connections(ConnectionLimit(1000))
    busy = connections.open(1000, principal="greedy", busy=True)
    [probe] = connections.open(address="192.0.2.2")
    flood = connections.open(200)
    assert open_of(busy) == 1000
    assert probe.is_open
    # Control: the newcomers beyond the limit are few, and the flood has shed its own.
    assert open_of(flood) == 49


@pytest.mark.promise("bound-connections")
async def test_of_authenticated_connections_the_principal_with_most_loses_its_own() -> None:
    connections = Connections(ConnectionLimit(10))
    [good] = connections.open(principal="good")
    greedy = connections.open(9, principal="greedy")
    connections.open(5)
    assert good.is_open
    assert open_of(greedy) == 4
