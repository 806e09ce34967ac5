"""Turns at a provider: at its pace, fair between callers, and no wait in vain."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.allowances import Admission, Pace, Rate
from dowse.core.errors import Busy
from dowse.routing import provider_limits
from dowse.routing.provider_limits import MARGIN_S, MARGIN_SHARE, Pacer
from dowse.routing.provider_slots import ProviderSlots
from tests.fakes import FakeClock

A_SECOND = Pace(Rate(1, 1.0))
# What is left between two calls, with the margin.
STEP_S = 1.0 + MARGIN_SHARE


class Agenda(FakeClock):
    """A clock that goes from one moment when somebody wakes to the next; those of the same moment in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0
        self._wakings: list[tuple[float, float, asyncio.Event]] = []
        # In the same one each time: what chance makes of it must not differ from run to run.
        self._order = Random(11)

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        heapq.heappush(self._wakings, (self.time + seconds, self._order.random(), woken))
        await woken.wait()

    async def passes(self, seconds: float = 0.0) -> None:
        until = self.time + seconds
        await settled()
        while self._wakings and self._wakings[0][0] <= until:
            self.time, _, woken = heapq.heappop(self._wakings)
            woken.set()
            await settled()
        self.time = until


def at_all(pace: Pace) -> dict[tuple[str, str], Pace]:
    return {(provider, "search"): pace for provider in ("serper", "exa", "tavily")}


@dataclass
class Desk:
    """A provider, who is asked for by callers at their moments; a call lasts until the test ends it, or so long."""

    pace: Pace
    clock: Agenda = field(default_factory=Agenda)
    began: dict[str, float] = field(default_factory=dict)
    refused: dict[str, tuple[float, Busy]] = field(default_factory=dict)
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.slots = ProviderSlots(self.clock)
        self.pacer = Pacer(at_all(self.pace), self.slots, self.clock)

    def ask(self, name: str, patience_s: float = 100.0, lasts_s: float = 0.0) -> None:
        """`a2` is a call of the caller `a`."""

        async def call() -> None:
            try:
                async with self.pacer.turn("serper", "search", patience_s, caller=name[0]) as remark:
                    self.began[name] = self.clock.now()
                    self.remarks.append(remark)
                    if lasts_s:
                        await self.clock.sleep(lasts_s)
                self.ended[name] = self.clock.now()
            except Busy as busy:
                self.refused[name] = (self.clock.now(), busy)

        self.tasks[name] = asyncio.create_task(call())

    async def passes(self, seconds: float = 0.0) -> None:
        await self.clock.passes(seconds)


async def settled() -> None:
    for _ in range(25):
        await asyncio.sleep(0)


@asynccontextmanager
async def opened(pace: Pace) -> AsyncIterator[Desk]:
    desk = Desk(pace)
    yield desk
    for task in desk.tasks.values():
        task.cancel()
    await asyncio.gather(*desk.tasks.values(), return_exceptions=True)


async def test_calls_begin_at_the_pace_and_a_margin_apart() -> None:
    async with opened(A_SECOND) as desk:
        for number in range(4):
            desk.ask(f"a{number}")
        await desk.passes(5.0)
    assert list(desk.began) == ["a0", "a1", "a2", "a3"]
    assert list(desk.began.values()) == pytest.approx([0.0, STEP_S, 2 * STEP_S, 3 * STEP_S])
    assert desk.began["a1"] > 1.1, "also where it takes a tenth of a second less to arrive than the first"
    assert desk.remarks == [""] * 4


async def test_who_is_told_to_slow_down_holds_the_line_and_those_who_cannot_wait_are_told() -> None:
    async with opened(A_SECOND) as desk:
        desk.ask("a0")
        await desk.passes(0.1)
        desk.ask("a1")
        desk.ask("b1", patience_s=3.0)
        desk.ask("a2")
        await desk.passes()
        desk.pacer.hold("serper", 10.0)
        await desk.passes(15.0)
    assert list(desk.refused) == ["b1"]
    assert desk.refused["b1"][0] == pytest.approx(0.1)
    assert (desk.began["a1"], desk.began["a2"]) == pytest.approx((10.1, 10.1 + STEP_S))


async def test_what_a_first_call_needs_is_made_ready_before_its_turn() -> None:
    async with opened(A_SECOND) as desk:
        prepared: list[float] = []

        def prepare() -> None:
            prepared.append(desk.clock.time)
            desk.clock.time += 0.5

        desk.pacer = Pacer(at_all(desk.pace), desk.slots, desk.clock, prepare)
        desk.ask("a0")
        desk.ask("a1")
        await desk.passes(3.0)
    assert prepared == [0.0]
    assert list(desk.began.values()) == pytest.approx([0.5, 0.5 + STEP_S])


async def test_the_margin_of_a_long_period_is_what_a_handshake_takes() -> None:
    async with opened(Pace(Rate(2, 60.0))) as desk:
        for number in range(3):
            desk.ask(f"a{number}")
        await desk.passes(61.0)
    assert list(desk.began.values()) == pytest.approx([0.0, 0.0, 60.0 + MARGIN_S])


async def test_without_a_pace_no_call_waits_and_nothing_is_asked() -> None:
    class Nobody(ProviderSlots):
        async def enter(self, *_: object) -> Admission:
            raise AssertionError

    clock = Agenda()
    pacer = Pacer({}, Nobody(clock), clock)
    async with pacer.turn("searxng", "search", 0.0, "local") as remark:
        assert remark == ""


async def test_three_callers_take_turns_and_each_is_served_in_its_order() -> None:
    async with opened(A_SECOND) as desk:
        for name in ("z1", "a1", "a2", "a3", "a4", "b1", "b2", "c1"):
            desk.ask(name)
        await desk.passes(10.0)
    assert list(desk.began) == ["z1", "a1", "b1", "c1", "a2", "b2", "a3", "a4"]


async def test_a_newcomer_goes_before_the_second_call_of_who_came_with_many() -> None:
    async with opened(A_SECOND) as desk:
        for number in range(1, 5):
            desk.ask(f"a{number}")
        await desk.passes(0.5)
        desk.ask("b1")
        await desk.passes(8.0)
    # a2 was at the head already.
    assert list(desk.began) == ["a1", "a2", "b1", "a3", "a4"]


async def test_who_cannot_be_served_in_time_is_told_at_once() -> None:
    async with opened(A_SECOND) as desk:
        for number in range(1, 21):
            desk.ask(f"a{number}", patience_s=5.0)
        await desk.passes()
        assert list(desk.began) == ["a1"]
        assert list(desk.refused) == [f"a{number}" for number in range(6, 21)]
        assert {at for at, _ in desk.refused.values()} == {0.0}
        await desk.passes(5.0)
    assert list(desk.began) == ["a1", "a2", "a3", "a4", "a5"]
    busy = desk.refused["a20"][1]
    assert str(busy) == (
        "serper could not be asked in time: it takes 1 call per second, and 4 are waiting: "
        "a turn would come in about 6 s, too late for this call; try again in 6 s"
    )
    assert busy.retry_after_s == pytest.approx(6.0)
    assert (busy.code, busy.was_asked) == ("busy", False)


async def test_a_pace_of_minutes_tells_the_time_until_the_window_is_open() -> None:
    async with opened(Pace(Rate(2, 60.0), at_once=4)) as desk:
        for number in range(3):
            desk.ask(f"a{number}", patience_s=30.0)
        await desk.passes()
    assert "it takes 2 calls per minute and 4 at once, all taken for now: a turn would come in about 61 s" in str(
        desk.refused["a2"][1]
    )


async def test_who_loses_its_chance_to_a_newcomer_is_told_then() -> None:
    async with opened(A_SECOND) as desk:
        for number in range(1, 5):
            desk.ask(f"a{number}", patience_s=4.0)
        await desk.passes(0.5)
        assert not desk.refused
        desk.ask("b1")
        await desk.passes()
        # a3 would have had the turn of b1, and a4 that of a3.
        assert desk.refused["a4"][0] == pytest.approx(0.5)
        await desk.passes(6.0)
    assert list(desk.began) == ["a1", "a2", "b1", "a3"]


async def test_a_patient_call_of_the_same_caller_moves_up_to_a_hasty_ones_turn() -> None:
    async with opened(A_SECOND) as desk:
        for name, patience_s in {"z1": 9.0, "a1": 9.0, "a2": 2.0, "a3": 9.0, "b1": 9.0}.items():
            desk.ask(name, patience_s)
        await desk.passes(6.0)
    assert list(desk.refused) == ["a2"]
    assert list(desk.began) == ["z1", "a1", "b1", "a3"]


async def test_places_are_held_while_calls_last() -> None:
    async with opened(Pace(at_once=2)) as desk:
        for number in range(1, 6):
            desk.ask(f"a{number}", lasts_s=1.0)
        await desk.passes(4.0)
    assert list(desk.began.values()) == pytest.approx([0.0, 0.0, 1.0, 1.0, 2.0])


async def test_a_place_that_becomes_free_is_taken_in_the_same_moment() -> None:
    async with opened(Pace(at_once=1)) as desk:
        desk.ask("a1", lasts_s=1.001)
        desk.ask("b1")
        await desk.passes(2.0)
    assert desk.began["b1"] == desk.ended["a1"] == 1.001


async def test_calls_that_are_long_lately_let_newcomers_be_told_at_once() -> None:
    async with opened(Pace(at_once=1)) as desk:
        desk.ask("a1", lasts_s=8.0)
        await desk.passes(8.0)
        desk.ask("a2", lasts_s=8.0)
        await desk.passes(1.0)
        desk.ask("b1", patience_s=5.0)
        desk.ask("b2", patience_s=7.5)
        await desk.passes()
        assert "it takes 1 at once, all taken for now: a turn would come in about 7 s" in str(desk.refused["b1"][1])
        await desk.passes(8.0)
    assert "b2" in desk.began


async def test_a_place_that_never_becomes_free_is_waited_for_no_longer_than_patience() -> None:
    async with opened(Pace(at_once=1)) as desk:
        desk.ask("a1", lasts_s=1000.0)
        desk.ask("b1", patience_s=3.0)
        desk.ask("c1", patience_s=3.5)
        await desk.passes(5.0)
    assert desk.refused["b1"][0] == pytest.approx(3.0, abs=0.06)
    assert desk.refused["c1"][0] <= 3.5


@pytest.mark.parametrize("name", ["a1", "b1", "a2"], ids=["at the head", "next", "behind"])
async def test_a_call_that_is_cancelled_while_waiting_delays_no_call(name: str) -> None:
    async with opened(A_SECOND) as desk:
        for each in ("z1", "a1", "a2", "b1"):
            desk.ask(each)
        await desk.passes(0.5)
        desk.tasks[name].cancel()
        await desk.passes(5.0)
    orders = {"a1": ["z1", "a2", "b1"], "b1": ["z1", "a1", "a2"], "a2": ["z1", "a1", "b1"]}
    assert list(desk.began) == orders[name]
    assert list(desk.began.values()) == pytest.approx([0.0, STEP_S, 2 * STEP_S])


async def test_who_is_cancelled_at_work_gives_its_place_back() -> None:
    async with opened(Pace(at_once=1)) as desk:
        desk.ask("a1", lasts_s=1000.0)
        desk.ask("b1")
        await desk.passes(1.0)
        desk.tasks["a1"].cancel()
        await desk.passes()
    assert desk.began["b1"] == pytest.approx(1.0)


async def test_who_is_cancelled_while_it_asks_gives_its_place_back() -> None:
    asked, left = asyncio.Event(), []

    class Slow(ProviderSlots):
        async def enter(self, provider: str, pace: Pace, ticket: str, for_s: float) -> Admission:
            admission = await super().enter(provider, pace, ticket, for_s)
            if not asked.is_set():
                asked.set()
                await asyncio.get_running_loop().create_future()
            return admission

        async def leave(self, provider: str, ticket: str) -> None:
            left.append(ticket)
            await super().leave(provider, ticket)

    async with opened(Pace(at_once=1)) as desk:
        desk.pacer = Pacer(at_all(desk.pace), Slow(desk.clock), desk.clock)
        desk.ask("a1")
        desk.ask("b1")
        await asked.wait()
        desk.tasks["a1"].cancel()
        await desk.passes()
        assert list(desk.began) == ["b1"]
    assert len(left) == 2


async def test_what_the_slots_remark_reaches_the_caller() -> None:
    class Lost(ProviderSlots):
        async def enter(self, *_: object) -> Admission:
            return Admission(remark="kept by each")

    async with opened(A_SECOND) as desk:
        desk.pacer = Pacer(at_all(desk.pace), Lost(desk.clock), desk.clock)
        desk.ask("a1")
        await desk.passes()
    assert desk.remarks == ["kept by each"]


async def test_each_provider_has_a_line_of_its_own() -> None:
    async with (
        opened(A_SECOND) as desk,
        desk.pacer.turn("exa", "search", 0.0, "local"),
        desk.pacer.turn("tavily", "search", 0.0, "local"),
    ):
        with pytest.raises(Busy, match="exa could not be asked"):
            async with desk.pacer.turn("exa", "search", 0.0, "local"):
                raise AssertionError


async def test_no_more_than_so_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_limits, "MOST_WAITING", 20)
    async with opened(A_SECOND) as desk:
        for number in range(23):
            desk.ask(f"a{number}", patience_s=1e9)
        await desk.passes()
    assert list(desk.refused) == ["a21", "a22"]
    assert "20 are waiting" in str(desk.refused["a22"][1])


@pytest.mark.parametrize("is_shared", [False, True])
async def test_where_another_process_has_half_of_the_turns_newcomers_are_told_by_that(is_shared: bool) -> None:
    async with opened(A_SECOND) as desk, opened(A_SECOND) as other:
        # What two processes share is one set of slots; each has its own queue, and its own idea of the future.
        other.clock = desk.clock
        other.pacer = Pacer(at_all(other.pace), desk.slots, desk.clock)
        for number in range(40):
            desk.ask(f"a{number}")
            if is_shared:
                other.ask(f"a{number}")
        await desk.passes(30.5)
        times = sorted([*desk.began.values(), *other.began.values()])
        assert all(later - earlier > 1.0 for earlier, later in pairwise(times))
        assert not is_shared or min(len(desk.began), len(other.began)) > 5
        # Three are before the second one: that is four turns, or eight if every other is somebody else's.
        desk.ask("b1")
        desk.ask("b2", patience_s=4 * STEP_S)
        await desk.passes()
        assert ("b2" in desk.refused) is is_shared


ARRIVALS = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.sampled_from("abc"),
        st.sampled_from([0.0, 2.0, 5.0, 30.0]),
        st.sampled_from([0.0, 0.4, 2.0]),
        st.booleans(),
    ),
    max_size=14,
)
PACES = st.sampled_from([A_SECOND, Pace(Rate(3, 4.0)), Pace(at_once=2), Pace(Rate(2, 1.0), at_once=1)])


@given(arrivals=ARRIVALS, pace=PACES)
def test_whatever_comes_the_pace_is_kept_and_every_call_is_served_or_refused_in_time(
    arrivals: list[tuple[int, str, float, float, bool]], pace: Pace
) -> None:
    desk = asyncio.run(_simulated(arrivals, pace))
    asked = {_name(number, each): each for number, each in enumerate(arrivals)}
    kept = {name: each for name, each in asked.items() if not each[4]}
    assert {*desk.began, *desk.refused} >= {*kept}, "nobody waits for ever"
    for name, (tenths, _, patience_s, _, _) in asked.items():
        told_at = desk.began.get(name, desk.refused[name][0] if name in desk.refused else 0.0)
        assert told_at <= tenths / 10 + patience_s + 0.11
    if rate := pace.rate:
        times = sorted(desk.began.values())
        assert all(later - first > rate.period_s for first, later in zip(times, times[rate.calls :], strict=False))
    if pace.at_once:
        spans = [(began, desk.ended.get(name, 1e9)) for name, began in desk.began.items() if not asked[name][4]]
        assert all(sum(begin <= at < end for begin, end in spans) <= pace.at_once for at, _ in spans)
    for caller in "abc":
        own = [name for name in desk.began if name[0] == caller]
        assert own == sorted(own, key=lambda name: (asked[name][0], int(name[1:])))


def _name(number: int, arrival: tuple[int, str, float, float, bool]) -> str:
    return f"{arrival[1]}{number}"


async def _simulated(arrivals: list[tuple[int, str, float, float, bool]], pace: Pace) -> Desk:
    """Who is cancelled is so half a second after it came."""
    async with opened(pace) as desk:
        events: list[tuple[float, Callable[[], object]]] = []
        for number, each in enumerate(arrivals):
            tenths, _, patience_s, lasts_s, is_cancelled = each
            name = _name(number, each)
            events.append((tenths / 10, lambda name=name, p=patience_s, s=lasts_s: desk.ask(name, p, s)))  # type: ignore[misc]
            if is_cancelled:
                events.append((tenths / 10 + 0.5, lambda name=name: desk.tasks[name].cancel()))  # type: ignore[misc]
        for at, act in sorted(events, key=lambda event: event[0]):
            await desk.passes(at - desk.clock.now())
            act()
        await desk.passes(40.0)
        return desk
