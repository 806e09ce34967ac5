"""Company for a provider that is slower than usual: when, how often, whose answer counts, what becomes of the other."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core import errors
from dowse.core.models import Deadline, Routed
from dowse.core.protocols import Spending
from dowse.routing.breaker import Breakers
from dowse.routing.fallback import FallbackPolicy
from dowse.routing.hedging import LEAST, MARGIN_S, Hedging, race
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.routing import Purse, Scripted, Turns, answers, fails

# What it takes to earn one extra call.
CALLS = 20


class Slow:
    """An answer that comes when a test says so, or an error; knows whether somebody stopped waiting for it."""

    def __init__(self) -> None:
        self.ending = asyncio.Event()
        self.has_begun = asyncio.Event()
        self.error: errors.ProviderError | None = None
        self.is_cancelled = False

    async def __call__(self) -> str:
        self.has_begun.set()
        try:
            await self.ending.wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        if self.error:
            raise self.error
        return "slow"

    def ends(self, error: errors.ProviderError | None = None) -> None:
        self.error = error
        self.ending.set()


class Bench:
    """A router that knows how fast its first provider usually is, and has earned an extra call."""

    def __init__(
        self,
        *providers: Scripted,
        policy: FallbackPolicy | None = None,
        spending: Spending | None = None,
        paced: bool = False,
    ) -> None:
        self.clock = FakeClock()
        self.observer = RecordingObserver()
        self.hedging = Hedging()
        self.breakers = Breakers("search", self.clock, self.observer)
        self.turns = Turns(self.clock)
        self.providers = providers
        self.router = Router[Scripted](
            "search",
            clock=self.clock,
            observer=self.observer,
            policy=policy,
            spending=spending,
            breakers=self.breakers,
            pacing=self.turns if paced else None,
            hedging=self.hedging,
        )
        for _ in range(LEAST):
            self.hedging.record_answer(providers[0].name, 0.5)
        for _ in range(CALLS):
            self.hedging.count_call()

    async def ask(self, deadline_s: float = 50.0, may_retry: bool = True) -> Routed[str]:
        deadline = Deadline.after(self.clock, deadline_s)
        return await self.router.first(self.providers, Scripted.call, deadline, may_retry=may_retry)


def outcomes(routed: Routed[str]) -> list[tuple[str, str]]:
    return [(attempt.provider, attempt.outcome) for attempt in routed.attempts]


async def test_the_next_is_asked_too_when_the_first_is_slower_than_usual_and_the_faster_one_counts() -> None:
    slow = Slow()
    bench = Bench(Scripted("a", slow), Scripted("b", answers("fast")))
    routed = await bench.ask()
    assert (routed.answer, routed.provider) == ("fast", "b")
    assert outcomes(routed) == [("a", "outrun"), ("b", "ok")]
    assert bench.clock.slept == [0.5 + MARGIN_S]
    assert bench.observer.failed == [], "being slow once is no failure"
    await bench.router.close()


@pytest.mark.promise("hedge")
async def test_the_slow_request_goes_on_and_both_are_counted() -> None:
    slow, purse = Slow(), Purse()
    bench = Bench(Scripted("a", slow), Scripted("b", answers("fast")), spending=purse)
    assert (await bench.ask()).provider == "b"
    assert not slow.is_cancelled
    assert bench.observer.succeeded == [("b", "search")]
    bench.clock.advance(3.0)
    slow.ends()
    await settled()
    assert purse.charged == [("a", "search"), ("b", "search")]
    assert bench.observer.succeeded == [("b", "search"), ("a", "search")]
    assert bench.hedging.patience_s("a") == 4.5 * 1.5, "its time is the new 95th percentile, to which half is added"


@pytest.mark.promise("hedge")
async def test_the_failure_of_the_slow_request_counts_for_its_breaker() -> None:
    slow = Slow()
    bench = Bench(Scripted("a", slow), Scripted("b", answers("fast")))
    await bench.ask()
    slow.ends(errors.RateLimited("a", retry_after_s=30))
    await settled()
    assert bench.observer.failed == [("a", "search", "rate_limited")]
    assert outcomes(await bench.ask()) == [("a", "skipped"), ("b", "ok")]


async def test_a_slow_request_that_goes_on_ends_with_the_application() -> None:
    slow = Slow()
    bench = Bench(Scripted("a", slow), Scripted("b", answers("fast")))
    await bench.ask()
    await bench.router.close()
    assert slow.is_cancelled
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_request_that_was_not_sent_yet_does_not_go_on() -> None:
    """It waits for its turn: sending it now would cost a call and help nobody."""
    first = Scripted("a", answers())
    bench = Bench(first, Scripted("b", answers("fast")), paced=True)
    bench.turns.waits_s["a"] = -1.0
    assert outcomes(await bench.ask()) == [("a", "outrun"), ("b", "ok")]
    assert first.calls == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.promise("hedge")
async def test_a_provider_that_has_answered_nothing_yet_gets_four_seconds() -> None:
    slow = Slow()
    bench = Bench(Scripted("c", answers()), second := Scripted("b", answers("fast")))
    bench.providers = (Scripted("a", slow), second, Scripted("d", answers()), Scripted("e", answers()))
    assert outcomes(await bench.ask()) == [("a", "outrun"), ("b", "ok")]
    assert bench.clock.slept == [4.0]
    await bench.router.close()


@pytest.mark.promise("hedge")
async def test_without_a_hedged_request_left_it_is_given_up_after_the_four_seconds() -> None:
    """Instead of after its share of the time, which is 12.5 of 50 seconds. Five of them open its breaker."""
    bench = Bench(Scripted("c", answers()), second := Scripted("b", answers("fast")))
    bench.providers = (Scripted("a", Slow()), second, Scripted("d", answers()), Scripted("e", answers()))
    while bench.hedging.take():
        pass
    for _ in range(5):
        routed = await bench.ask()
        assert outcomes(routed) == [("a", "timeout"), ("b", "ok")]
        assert routed.attempts[0].detail == "no answer within 4.0 s"
    assert outcomes(await bench.ask()) == [("a", "skipped"), ("b", "ok")]


async def test_a_provider_that_has_answered_before_keeps_its_share_without_a_hedged_request() -> None:
    slow = Slow()
    bench = Bench(Scripted("a", slow), second := Scripted("b", answers()))
    while bench.hedging.take():
        pass
    asking = asyncio.create_task(bench.ask())
    await slow.has_begun.wait()
    await settled()
    slow.ends()
    assert outcomes(await asking) == [("a", "ok")]
    assert second.calls == 0


async def test_the_first_may_still_be_faster() -> None:
    first, second = Slow(), Slow()
    bench = Bench(Scripted("a", first), Scripted("b", second))
    asking = asyncio.create_task(bench.ask())
    await second.has_begun.wait()
    first.ends()
    routed = await asking
    assert outcomes(routed) == [("b", "outrun"), ("a", "ok")]
    assert not second.is_cancelled
    await bench.router.close()
    assert second.is_cancelled


async def test_a_first_that_is_as_fast_as_usual_has_no_company() -> None:
    second = Scripted("b", answers())
    bench = Bench(Scripted("a", answers()), second)
    for _ in range(10):
        assert outcomes(await bench.ask()) == [("a", "ok")]
    assert second.calls == 0


async def test_the_only_one_has_no_company_however_slow_it_is() -> None:
    slow = Slow()
    bench = Bench(Scripted("a", slow))
    asking = asyncio.create_task(bench.ask())
    await settled()
    slow.ends()
    assert outcomes(await asking) == [("a", "ok")]


async def test_an_answer_is_not_kept_until_another_provider_would_be_asked() -> None:
    """And nothing goes on behind it."""

    async def answer() -> str:
        return "fast"

    async def never() -> None:
        await asyncio.Event().wait()

    ended = await race(answer(), never(), lambda: None, ends=lambda _: True)
    assert ended.winner is ended.first
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_where_others_are_asked_elsewhere_no_provider_has_company() -> None:
    slow, second = Slow(), Scripted("b", answers())
    bench = Bench(Scripted("a", slow), second)
    asking = asyncio.create_task(bench.ask(may_retry=False))
    await slow.has_begun.wait()
    slow.ends()
    assert (await asking).provider == "a"
    assert second.calls == 0


@pytest.mark.parametrize("order", ["first fails first", "second fails first"])
async def test_a_provider_that_fails_leaves_it_to_the_other(order: str) -> None:
    first, second = Slow(), Slow()
    bench = Bench(Scripted("a", first), Scripted("b", second))
    asking = asyncio.create_task(bench.ask())
    await second.has_begun.wait()
    failing, answering = (first, second) if order == "first fails first" else (second, first)
    failing.ends(errors.Unavailable("a" if failing is first else "b"))
    await settled()
    assert not asking.done()
    answering.ends()
    routed = await asking
    failed, answered = ("a", "b") if failing is first else ("b", "a")
    assert outcomes(routed) == [(failed, "unavailable"), (answered, "ok")]


async def test_if_both_fail_the_walk_goes_on_behind_them() -> None:
    first, second, third = Slow(), Slow(), Scripted("c", answers())
    bench = Bench(Scripted("a", first), other := Scripted("b", second), third)
    asking = asyncio.create_task(bench.ask())
    await second.has_begun.wait()
    second.ends(errors.Unavailable("b"))
    await settled()
    first.ends(errors.TimedOut("a"))
    routed = await asking
    assert outcomes(routed) == [("a", "timeout"), ("b", "unavailable"), ("c", "ok")]
    assert other.calls == 1


async def test_if_none_is_left_the_error_tells_of_both_the_first_one_first() -> None:
    first, second = Slow(), Slow()
    bench = Bench(Scripted("a", first), Scripted("b", second))
    asking = asyncio.create_task(bench.ask())
    await second.has_begun.wait()
    second.ends(errors.Unavailable("b"))
    await settled()
    first.ends(errors.TimedOut("a"))
    with pytest.raises(errors.AllProvidersFailed) as caught:
        await asking
    assert str(caught.value) == "a did not answer in time\nfallback also failed: b unavailable"


async def test_a_refusal_of_the_first_ends_the_walk_and_the_other_call() -> None:
    first, second = Slow(), Slow()
    bench = Bench(Scripted("a", first), Scripted("b", second))
    asking = asyncio.create_task(bench.ask())
    await second.has_begun.wait()
    first.ends(errors.KeyRejected("a"))
    with pytest.raises(errors.AllProvidersFailed, match=r"^a rejected its key$"):
        await asking
    assert second.is_cancelled


async def test_a_refusal_of_the_second_counts_only_if_the_first_fails_too() -> None:
    first = Slow()
    bench = Bench(
        Scripted("a", first), Scripted("b", fails(errors.KeyRejected("b"))), third := Scripted("c", answers())
    )
    asking = asyncio.create_task(bench.ask())
    await settled()
    assert not asking.done()
    first.ends(errors.Unavailable("a"))
    with pytest.raises(errors.AllProvidersFailed) as caught:
        await asking
    assert [error.code for error in caught.value.errors] == ["unavailable", "key_rejected"]
    assert third.calls == 0


@pytest.mark.parametrize("case", ["breaker open", "budget spent", "no turn now"])
async def test_who_may_not_be_asked_is_no_company(case: str) -> None:
    first, second = Slow(), Scripted("b", answers())
    bench = Bench(
        Scripted("a", first), second, spending=Purse(*["b"] * (case == "budget spent")), paced=case == "no turn now"
    )
    if case == "breaker open":
        (await bench.breakers.admit("b", 1.0)).record_failure(retry_after_s=30)
    bench.turns.waits_s["b"] = 1.0
    asking = asyncio.create_task(bench.ask())
    await first.has_begun.wait()
    await settled()
    first.ends()
    routed = await asking
    assert (routed.provider, second.calls) == ("a", 0)


async def test_a_provider_that_was_not_chosen_is_asked_after_a_failure_only() -> None:
    """Slowness is no reason to send somebody's query to a third party."""
    first, volunteer = Slow(), Scripted("b", answers())
    bench = Bench(Scripted("a", first), volunteer, policy=FallbackPolicy(keyless=frozenset({"b"})))
    asking = asyncio.create_task(bench.ask())
    await first.has_begun.wait()
    await settled()
    assert volunteer.calls == 0
    first.ends(errors.TimedOut("a"))
    assert (await asking).provider == "b"


async def test_a_keyless_provider_has_the_company_of_another_one() -> None:
    """Both were chosen together."""
    bench = Bench(Scripted("a", Slow()), Scripted("b", answers()), policy=FallbackPolicy(keyless=frozenset({"a", "b"})))
    assert outcomes(await bench.ask()) == [("a", "outrun"), ("b", "ok")]
    await bench.router.close()


async def test_who_had_no_turn_as_company_has_one_when_it_is_needed() -> None:
    first, second = Slow(), Scripted("b", answers())
    bench = Bench(Scripted("a", first), second, paced=True)
    bench.turns.waits_s["b"] = 1.0
    asking = asyncio.create_task(bench.ask())
    await first.has_begun.wait()
    await settled()
    first.ends(errors.TimedOut("a"))
    assert outcomes(await asking) == [("a", "timeout"), ("b", "busy"), ("b", "ok")]


async def test_at_most_one_call_in_twenty_has_company() -> None:
    """However slow the first one is: 1000 searches, each slower than usual."""
    first, second = Scripted("a", answers()), Scripted("b", answers("fast"))
    bench = Bench(first, second)

    async def takes_its_time() -> str:
        # Longer than the sleep of the moved clock, and than the other one's answer; but the latencies stay.
        began = bench.clock.now()
        for _ in range(20):
            await asyncio.sleep(0)
        bench.clock.time = began
        return "slow"

    first.behaviour = takes_its_time
    for _ in range(1000):
        await bench.ask()
    assert first.calls == 1000
    # One is in hand at the start, and the bench has earned one.
    assert 40 <= second.calls <= 2 + 1000 / 20


@pytest.mark.promise("hedge")
def test_one_is_in_hand_and_twenty_calls_earn_one_and_not_before() -> None:
    hedging = Hedging()
    assert [hedging.take(), hedging.take()] == [True, False]
    for _ in range(19):
        hedging.count_call()
    assert not hedging.take()
    hedging.count_call()
    assert [hedging.take(), hedging.take()] == [True, False]


def test_of_calls_that_needed_none_a_few_are_saved() -> None:
    hedging = Hedging()
    for _ in range(10_000):
        hedging.count_call()
    assert [hedging.take() for _ in range(4)] == [True, True, True, False]


async def test_an_outrun_call_is_the_probe_of_its_breaker_until_it_ends() -> None:
    first = Scripted("a", fails(errors.RateLimited("a", retry_after_s=30)))
    bench = Bench(first, Scripted("b", answers()))
    await bench.ask()
    bench.clock.advance(30)
    for _ in range(CALLS):
        bench.hedging.count_call()
    first.behaviour = slow = Slow()
    assert outcomes(await bench.ask()) == [("a", "outrun"), ("b", "ok")]
    first.behaviour = answers()
    assert outcomes(await bench.ask()) == [("a", "skipped"), ("b", "ok")]
    slow.ends()
    await settled()
    assert outcomes(await bench.ask()) == [("a", "ok")]


async def test_a_cancelled_search_cancels_both() -> None:
    first, second = Slow(), Slow()
    bench = Bench(Scripted("a", first), Scripted("b", second))
    asking = asyncio.create_task(bench.ask())
    await second.has_begun.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert first.is_cancelled
    assert second.is_cancelled


async def test_company_has_its_share_of_the_time_that_is_left() -> None:
    second = Scripted("b", answers())
    bench = Bench(Scripted("a", Slow()), second, Scripted("c", answers()))
    await bench.ask(deadline_s=20.5 + MARGIN_S)
    assert second.given_s == 10.0
    await bench.router.close()


async def test_a_bug_in_the_first_is_not_hidden_by_the_others_answer() -> None:
    async def breaks() -> str:
        await asyncio.sleep(0)
        raise ValueError("a bug")

    bench = Bench(Scripted("a", breaks), Scripted("b", Slow()))
    with pytest.raises(ValueError, match="a bug"):
        await bench.ask()


async def test_progress_tells_of_the_company() -> None:
    steps: list[str] = []

    async def progress(step: str) -> None:
        steps.append(step)

    bench = Bench(Scripted("a", Slow()), Scripted("b", answers()))
    await bench.router.first(bench.providers, Scripted.call, Deadline.after(bench.clock, 50), progress)
    await bench.router.close()
    assert steps == ["search: asking a", "search: asking b as well"]


async def test_warnings_of_the_slower_one_are_not_lost() -> None:
    first = Slow()
    bench = Bench(Scripted("a", first), Scripted("b", fails(errors.Blocked("b", "a challenge"))))
    asking = asyncio.create_task(bench.ask())
    await settled()
    first.ends()
    assert (await asking).warnings == ("b refused to serve us: a challenge",)


async def settled() -> None:
    """Let everybody go on who can."""
    for _ in range(30):
        await asyncio.sleep(0)
