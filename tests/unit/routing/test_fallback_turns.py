"""The router and a provider's pace: who waits for a turn, how long, and what becomes of those who wait in vain."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core import errors
from dowse.core.models import Attempt, Deadline, Routed
from dowse.routing.fallback import ANSWER_S, patience_of, share_of
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.routing import Scripted, Turns, answers, fails, hangs
from tests.support.tables import each_row


class Bench:
    def __init__(self, *providers: Scripted, **waits_s: float) -> None:
        self.clock = FakeClock()
        self.observer = RecordingObserver()
        self.turns = Turns(self.clock, waits_s)
        self.providers = providers
        self.router = Router[Scripted]("search", clock=self.clock, observer=self.observer, pacing=self.turns)

    async def ask(self, deadline_s: float = 50.0) -> Routed[str]:
        return await self.router.first(self.providers, Scripted.call, Deadline.after(self.clock, deadline_s))


async def test_a_busy_provider_is_passed_over_and_not_blamed() -> None:
    first, second = Scripted("a", answers()), Scripted("b", answers())
    bench = Bench(first, second, a=100.0)
    for _ in range(10):
        routed = await bench.ask()
        assert routed.provider == "b"
        assert routed.attempts[0] == Attempt("a", "search", "busy", 0, "no turn in time")
    assert (first.calls, bench.observer.changes) == (0, [])


async def test_if_all_are_busy_callers_are_told_when_to_come_back() -> None:
    bench = Bench(Scripted("a", answers()), Scripted("b", answers()), a=100.0, b=70.2)
    with pytest.raises(errors.AllProvidersFailed) as caught:
        await bench.ask()
    assert caught.value.retry_after_s == 71


async def test_the_wait_for_a_turn_is_not_part_of_the_providers_time() -> None:
    only = Scripted("a", answers(), timeout_s=15)
    bench = Bench(only, a=20.0)
    await bench.ask(deadline_s=50)
    assert only.given_s == 15


async def test_a_turn_is_held_while_the_call_is_made_and_not_longer() -> None:
    bench = Bench(Scripted("a", fails(errors.TimedOut("a"))), second := Scripted("b", answers()))
    held: list[list[str]] = []

    async def answers_holding() -> str:
        held.append(list(bench.turns.held))
        return "found"

    second.behaviour = answers_holding
    await bench.ask()
    assert held == [["b"]]
    assert bench.turns.held == []


async def test_a_second_try_waits_for_a_turn_of_its_own() -> None:
    bench = Bench(Scripted("a", fails(errors.Unavailable("a"))))
    with pytest.raises(errors.AllProvidersFailed):
        await bench.ask()
    assert [name for name, _ in bench.turns.patience] == ["a", "a"]


async def test_what_is_to_be_said_about_the_pace_is_among_the_warnings_once() -> None:
    bench = Bench(Scripted("a", fails(errors.TimedOut("a"))), Scripted("b", answers()))
    bench.turns.remark = "kept by each process on its own"
    assert (await bench.ask()).warnings == ("kept by each process on its own",)


async def test_no_call_queues_for_a_provider_whose_breaker_is_open() -> None:
    limited, second = Scripted("a", fails(errors.RateLimited("a", retry_after_s=30))), Scripted("b", answers())
    bench = Bench(limited, second)
    await bench.ask()
    bench.turns.patience.clear()
    routed = await bench.ask()
    assert [name for name, _ in bench.turns.patience] == ["b"]
    assert routed.attempts[0].outcome == "skipped"


async def test_those_who_wait_are_told_at_once_when_the_breaker_opens() -> None:
    limited, second = Scripted("a", fails(errors.RateLimited("a", retry_after_s=30))), Scripted("b", answers())
    bench = Bench(limited, second, a=-1.0)
    waiting = [asyncio.create_task(bench.ask()) for _ in range(5)]
    await asyncio.sleep(0)
    bench.turns.waits_s.clear()
    await bench.ask()
    routed = await asyncio.gather(*waiting)
    assert {(each.provider, each.attempts[0].detail) for each in routed} == {("b", "breaker open, next try in 30 s")}
    assert limited.calls == 1


async def test_no_call_waits_for_a_turn_past_the_deadline() -> None:
    """Whatever keeps the queue: it may ask a store that does not answer."""
    bench = Bench(Scripted("a", answers()), a=-1.0)
    async with asyncio.timeout(30):
        with pytest.raises(errors.AllProvidersFailed, match="a was not asked: no time was left"):
            await bench.ask(deadline_s=0.05)
    assert bench.turns.held == []


async def test_a_call_without_another_provider_goes_on_waiting_when_the_provider_only_slows_down() -> None:
    """The first is told to come back in two seconds, and the line waits for that."""
    limited = Scripted("a", fails(errors.RateLimited("a", retry_after_s=2)))
    bench = Bench(limited, a=-1.0)
    waiting = [asyncio.create_task(bench.ask()) for _ in range(3)]
    await asyncio.sleep(0)
    bench.turns.waits_s.clear()
    with pytest.raises(errors.AllProvidersFailed):
        await bench.ask()
    assert bench.turns.paused == [("a", pytest.approx(2.05))]
    limited.behaviour = answers()
    await asyncio.sleep(0)
    assert not any(each.done() for each in waiting)
    bench.clock.advance(2.05)
    bench.turns.comes.set()
    assert (await waiting[0]).provider == "a"
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_who_is_cancelled_in_its_turn_gives_it_back() -> None:
    bench = Bench(Scripted("a", hangs()))
    task = asyncio.create_task(bench.ask())
    await asyncio.sleep(0)
    assert bench.turns.held == ["a"]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert bench.turns.held == []


@each_row(
    ("remaining_s", "timeouts_s", "patience_s"),
    [
        (50, [15], 48),
        (50, [15, 15], 3),
        (50, [1], 49),
        (10, [15], 8),
        (4, [15], 3),
        (4, [15, 15], 1.5),
        (0, [15, 15], 0),
    ],
)
def test_patience_leaves_time_to_answer(remaining_s: float, timeouts_s: list[float], patience_s: float) -> None:
    assert patience_of(remaining_s, timeouts_s) == patience_s


@each_row("remaining_s", [3, 10, 25, 50, 120])
@each_row("timeouts_s", [[15, 15], [15, 15, 15], [2, 15], [15, 2, 30, 1]])
def test_after_all_its_patience_there_is_a_fair_time_for_every_provider(
    remaining_s: float, timeouts_s: list[float]
) -> None:
    """Or a quarter of what they would have had, if that is less."""
    for index, timeout_s in enumerate(timeouts_s):
        turns = timeouts_s[index:]
        fair_s = min(timeout_s, ANSWER_S, share_of(remaining_s, turns) / 4)
        remaining_s -= patience_of(remaining_s, turns)
        assert share_of(remaining_s, turns) >= fair_s - 1e-9
        remaining_s -= share_of(remaining_s, turns)
