"""The walk through providers: order, fallback, breaker, retry, deadline, and the account of it."""

import asyncio

import pytest

from dowse.core import errors
from dowse.core.models import Attempt, Deadline, Routed
from dowse.core.protocols import Spending
from dowse.core.runtime import SystemClock
from dowse.routing.fallback import FAIR_TIME_S, FallbackPolicy, lacked_time, share_of
from dowse.routing.router import Router
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.routing import Purse, Scripted, answers, fails, hangs
from tests.support.tables import each_row


class Bench:
    """A router over scripted providers with a moved clock."""

    def __init__(
        self, *providers: Scripted, policy: FallbackPolicy | None = None, spending: Spending | None = None
    ) -> None:
        self.clock = FakeClock()
        self.observer = RecordingObserver()
        self.providers = providers
        self.router = Router[Scripted](
            "search", clock=self.clock, observer=self.observer, policy=policy, spending=spending
        )

    async def ask(self, deadline_s: float = 50.0) -> Routed[str]:
        return await self.router.first(self.providers, Scripted.call, Deadline.after(self.clock, deadline_s))


TRANSIENT = [
    errors.Unavailable,
    errors.RateLimited,
    errors.QuotaSpent,
    errors.NetworkFailed,
    errors.TimedOut,
    errors.BadAnswer,
    errors.Redirected,
    errors.Blocked,
    errors.EnginesFailed,
]
REFUSED = [errors.KeyRejected, errors.BadRequest]


async def test_the_first_provider_answers_alone() -> None:
    first, second = Scripted("a", answers()), Scripted("b", answers())
    routed = await Bench(first, second).ask()
    assert routed == Routed("found", "a", (Attempt("a", "search", "ok", 0),))
    assert second.calls == 0


@each_row("kind", TRANSIENT)
async def test_a_transient_failure_leads_to_the_next_provider(kind: type[errors.ProviderError]) -> None:
    first, second = Scripted("a", fails(kind("a", "why"))), Scripted("b", answers())
    routed = await Bench(first, second).ask()
    assert routed.provider == "b"
    assert routed.attempts == (Attempt("a", "search", kind.code, 0, "why"), Attempt("b", "search", "ok", 0))
    assert first.calls == 1


@pytest.mark.parametrize("kind", REFUSED)
async def test_a_refusal_ends_the_walk(kind: type[errors.ProviderError]) -> None:
    first, second = Scripted("a", fails(kind("a"))), Scripted("b", answers())
    with pytest.raises(errors.AllProvidersFailed) as caught:
        await Bench(first, second).ask()
    assert isinstance(caught.value.errors[0], kind)
    assert second.calls == 0


async def test_fallback_any_moves_on_after_a_rejected_key_and_says_so() -> None:
    first, second = Scripted("a", fails(errors.KeyRejected("a", "check A_KEY"))), Scripted("b", answers())
    routed = await Bench(first, second, policy=FallbackPolicy(after_rejected_key=True)).ask()
    assert routed.provider == "b"
    assert routed.warnings == ("a rejected its key: check A_KEY",)


async def test_fallback_any_still_stops_at_a_bad_request() -> None:
    first, second = Scripted("a", fails(errors.BadRequest("a"))), Scripted("b", answers())
    with pytest.raises(errors.AllProvidersFailed):
        await Bench(first, second, policy=FallbackPolicy(after_rejected_key=True)).ask()
    assert second.calls == 0


async def test_when_all_fail_the_first_error_leads_and_each_further_attempt_has_a_line() -> None:
    providers = [
        Scripted("a", fails(errors.Unavailable("a", "HTTP 500"))),
        Scripted("b", fails(errors.QuotaSpent("b", "HTTP 402"))),
        Scripted("c", fails(errors.BadAnswer("c"))),
    ]
    with pytest.raises(errors.AllProvidersFailed) as caught:
        await Bench(*providers).ask()
    assert str(caught.value).splitlines() == [
        "a is unavailable: HTTP 500",
        "fallback also failed: b quota_spent: HTTP 402",
        "fallback also failed: c bad_answer",
    ]


async def test_the_last_provider_is_tried_once_more_after_a_jittered_pause() -> None:
    only = Scripted("a", fails(errors.Unavailable("a")))
    bench = Bench(only)
    with pytest.raises(errors.AllProvidersFailed) as caught:
        await bench.ask()
    assert only.calls == 2
    assert len(caught.value.attempts) == 2
    assert str(caught.value) == "a is unavailable\ntried again: a unavailable"
    assert len(bench.clock.slept) == 1
    assert 0.1 <= bench.clock.slept[0] <= 0.4


@pytest.mark.parametrize("kind", [errors.TimedOut, errors.QuotaSpent, errors.BadAnswer, errors.KeyRejected])
async def test_what_would_fail_again_is_not_tried_again(kind: type[errors.ProviderError]) -> None:
    only = Scripted("a", fails(kind("a")))
    with pytest.raises(errors.AllProvidersFailed):
        await Bench(only).ask()
    assert only.calls == 1


async def test_a_provider_that_says_when_to_come_back_is_left_alone_until_then() -> None:
    limited = Scripted("a", fails(errors.RateLimited("a", retry_after_s=30)))
    second = Scripted("b", answers())
    bench = Bench(limited, second)
    await bench.ask()
    bench.clock.advance(29)
    routed = await bench.ask()
    assert limited.calls == 1
    assert routed.attempts[0] == Attempt("a", "search", "skipped", 0, "breaker open, next try in 1 s")
    bench.clock.advance(1)
    await bench.ask()
    assert limited.calls == 2


@pytest.mark.parametrize(
    ("failure", "skipped"),
    [
        (errors.RateLimited("a", retry_after_s=30), errors.Paused),
        (errors.Unavailable("a", retry_after_s=30), errors.Skipped),
    ],
)
async def test_who_is_not_asked_because_of_a_rate_limit_is_told_from_who_is_down(
    failure: errors.ProviderError, skipped: type[errors.ProviderError]
) -> None:
    bench = Bench(Scripted("a", fails(failure)))
    with pytest.raises(errors.AllProvidersFailed):
        await bench.ask()
    with pytest.raises(errors.AllProvidersFailed) as caught:
        await bench.ask()
    (error,) = caught.value.errors
    assert (type(error), error.retry_after_s) == (skipped, 30)


@pytest.mark.promise("case-32")
async def test_five_failures_open_the_breaker_and_the_other_provider_is_unaffected() -> None:
    """Acceptance case 32: no upstream call while open, one probe after the time, others unaffected."""
    broken, healthy = Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers())
    bench = Bench(broken, healthy)
    for _ in range(8):
        assert (await bench.ask()).provider == "b"
    assert broken.calls == 5
    assert [change.state for change in bench.observer.changes] == ["open"]
    bench.clock.advance(30)
    await bench.ask()
    assert broken.calls == 6
    broken.behaviour = answers()
    bench.clock.advance(30)
    assert (await bench.ask()).provider == "a"
    assert [change.state for change in bench.observer.changes] == ["open", "half_open", "open", "half_open", "closed"]


@pytest.mark.parametrize("kind", REFUSED)
async def test_refusals_never_count_against_a_provider(kind: type[errors.ProviderError]) -> None:
    only = Scripted("a", fails(kind("a")))
    bench = Bench(only)
    for _ in range(20):
        with pytest.raises(errors.AllProvidersFailed):
            await bench.ask()
    assert only.calls == 20


async def test_empty_answers_never_count_against_a_provider() -> None:
    only = Scripted("a", answers(""))
    bench = Bench(only)
    for _ in range(20):
        await bench.ask()
    assert only.calls == 20
    assert bench.observer.changes == []


async def test_half_open_lets_exactly_one_of_fifty_callers_through_in_every_round() -> None:
    await ask_half_open(rounds=20)


async def ask_half_open(rounds: int) -> None:
    """50 concurrent calls in each round, every third probe cancelled in flight."""
    gate = asyncio.Event()

    async def waits_then_fails() -> str:
        await gate.wait()
        raise errors.Unavailable("a")

    broken, healthy = Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers())
    bench = Bench(broken, healthy)
    for _ in range(5):
        await bench.ask()
    broken.behaviour = waits_then_fails
    for number in range(rounds):
        bench.clock.advance(30)
        gate.clear()
        before = broken.calls
        callers = [asyncio.create_task(bench.ask()) for _ in range(50)]
        await asyncio.sleep(0)
        probe = callers[0]
        if number % 3 == 0:
            probe.cancel()
            await asyncio.gather(probe, return_exceptions=True)
            callers[0] = asyncio.create_task(bench.ask())
            await asyncio.sleep(0)
            assert broken.calls == before + 2, "the cancelled probe's place goes to exactly one other caller"
        else:
            assert broken.calls == before + 1
        gate.set()
        routed = await asyncio.gather(*callers)
        assert {answer.provider for answer in routed} == {"b"}


async def test_cancelling_a_call_cancels_the_provider_and_counts_nothing() -> None:
    cancelled = asyncio.Event()

    async def hangs() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        raise AssertionError

    bench = Bench(Scripted("a", hangs), Scripted("b", answers()))
    task = asyncio.create_task(bench.ask())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert cancelled.is_set()
    assert bench.observer.failed == []


async def test_a_hanging_provider_is_left_at_its_timeout() -> None:
    async def hangs() -> str:
        await asyncio.Event().wait()
        raise AssertionError

    bench = Bench(Scripted("a", hangs, timeout_s=0.01), Scripted("b", answers()))
    routed = await bench.ask()
    assert routed.provider == "b"
    assert routed.attempts[0].outcome == "timeout"


@pytest.mark.parametrize("how", ["raises", "hangs"])
async def test_a_caller_in_a_hurry_does_not_open_the_breaker(how: str) -> None:
    """Less time than is fair says nothing about a provider's health; others may have all the time."""
    slow = Scripted("a", hangs() if how == "hangs" else fails(errors.TimedOut("a")))
    bench = Bench(slow)
    for _ in range(20):
        with pytest.raises(errors.AllProvidersFailed, match="did not answer in time"):
            await bench.ask(deadline_s=0.001 if how == "hangs" else FAIR_TIME_S - 0.1)
    assert (slow.calls, bench.observer.changes) == (20, [])
    assert bench.observer.failed == [("a", "search", "timeout")] * 20


@pytest.mark.parametrize("timeout_s", [0.003, 0.007])
async def test_a_provider_that_lets_its_own_short_timeout_pass_has_failed(timeout_s: float) -> None:
    """It had all the time its user gives it, although that is little; on a real clock, which never stands still."""
    slow = Scripted("a", hangs(), timeout_s=timeout_s)
    observer, clock = RecordingObserver(), SystemClock()
    router = Router[Scripted]("search", clock=clock, observer=observer)
    for _ in range(8):
        with pytest.raises(errors.AllProvidersFailed):
            await router.first([slow], Scripted.call, Deadline.after(clock, 50))
    assert slow.calls == 5
    assert [change.state for change in observer.changes] == ["open"]


async def test_an_error_other_than_a_timeout_counts_however_little_time_there_was() -> None:
    broken, healthy = Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers())
    bench = Bench(broken, healthy)
    for _ in range(8):
        await bench.ask(deadline_s=0.5)
    assert broken.calls == 5


@each_row(
    ("kind", "given_s", "timeout_s", "lacks_time"),
    [
        (errors.TimedOut, 4.9, 15, True),
        (errors.TimedOut, 5.0, 15, False),
        (errors.TimedOut, 1.9, 2, True),
        (errors.TimedOut, 2.0, 2, False),
        (errors.Unavailable, 0.1, 15, False),
    ],
)
def test_a_fair_time_is_five_seconds_or_the_providers_own(
    kind: type[errors.ProviderError], given_s: float, timeout_s: float, lacks_time: bool
) -> None:
    assert lacked_time(kind("a"), given_s, timeout_s) is lacks_time


async def test_a_provider_is_told_how_long_it_has() -> None:
    first, second = Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers(), timeout_s=2)
    await Bench(first, second).ask(deadline_s=10)
    assert (first.given_s, second.given_s) == (8.0, 2.0)


async def test_upstreams_own_words_are_for_the_caller_and_not_for_the_observer() -> None:
    """The observer writes the log; what an upstream says may repeat the query."""
    first = Scripted("a", fails(errors.Unavailable("a", "HTTP 500", said="no luck with 'quetzal'")))
    bench = Bench(first, Scripted("b", answers()))
    routed = await bench.ask()
    assert routed.attempts[0].detail == "HTTP 500, no luck with 'quetzal'"
    assert bench.observer.details == ["HTTP 500"]


async def test_no_provider_is_asked_after_the_deadline() -> None:
    only = Scripted("a", answers())
    with pytest.raises(errors.AllProvidersFailed, match="no time was left"):
        await Bench(only).ask(deadline_s=0)
    assert only.calls == 0


async def test_progress_names_each_provider_as_it_is_asked() -> None:
    steps: list[str] = []

    async def progress(step: str) -> None:
        steps.append(step)

    bench = Bench(Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers()))
    await bench.router.first(bench.providers, Scripted.call, Deadline.after(bench.clock, 50), progress)
    assert steps == ["search: asking a", "search: asking b"]


@each_row(
    ("remaining_s", "timeouts_s", "expected_s"),
    [
        (50, [15], 15),
        (50, [15, 15], 15),
        (50, [15, 15, 15, 15], 12.5),
        (10, [15], 10),
        (10, [15, 15], 5),
        (20, [15, 2], 15),
        (16, [15, 2], 14),
        (0, [15, 15], 0),
    ],
)
def test_no_provider_gets_so_much_time_that_the_next_could_not_run(
    remaining_s: float, timeouts_s: list[float], expected_s: float
) -> None:
    assert share_of(remaining_s, timeouts_s) == expected_s


async def test_a_spent_budget_moves_on_to_the_next_provider() -> None:
    first, second = Scripted("a", answers()), Scripted("b", answers())
    bench = Bench(first, second, spending=Purse("a"))
    routed = await bench.ask()
    assert routed.provider == "b"
    assert routed.attempts[0] == Attempt("a", "search", "quota_spent", 0, "its budget is spent")
    assert first.calls == 0


async def test_every_try_is_charged_before_it_is_made() -> None:
    purse, only = Purse(), Scripted("a", fails(errors.Unavailable("a")))
    with pytest.raises(errors.AllProvidersFailed):
        await Bench(only, spending=purse).ask()
    assert purse.charged == [("a", "search")] * 2


async def test_a_provider_that_the_breaker_holds_back_is_not_charged() -> None:
    purse = Purse()
    limited = Scripted("a", fails(errors.RateLimited("a", retry_after_s=30)))
    bench = Bench(limited, Scripted("b", answers()), spending=purse)
    await bench.ask()
    await bench.ask()
    assert purse.charged == [("a", "search"), ("b", "search"), ("b", "search")]


async def test_a_spent_budget_does_not_open_the_breaker() -> None:
    purse, first = Purse("a"), Scripted("a", answers())
    bench = Bench(first, Scripted("b", answers()), spending=purse)
    for _ in range(10):
        await bench.ask()
    purse.spent.clear()
    assert (await bench.ask()).provider == "a"
    assert bench.observer.changes == []


async def test_a_spent_budget_neither_closes_an_open_breaker_nor_keeps_the_probe() -> None:
    """Nothing was asked, so nothing was learnt: the next call is the probe."""
    purse, first = Purse(), Scripted("a", fails(errors.RateLimited("a", retry_after_s=30)))
    bench = Bench(first, Scripted("b", answers()), spending=purse)
    await bench.ask()
    bench.clock.advance(30)
    purse.spent.add("a")
    await bench.ask()
    assert [change.state for change in bench.observer.changes] == ["open", "half_open"]
    purse.spent.clear()
    first.behaviour = answers()
    assert (await bench.ask()).provider == "a"
    assert [change.state for change in bench.observer.changes] == ["open", "half_open", "half_open", "closed"]


async def test_a_spent_budget_of_the_only_provider_is_the_error() -> None:
    with pytest.raises(errors.AllProvidersFailed, match="a was not asked: its budget is spent") as caught:
        await Bench(Scripted("a", answers()), spending=Purse("a")).ask()
    assert isinstance(caught.value.errors[0], errors.QuotaSpent)


async def test_an_account_that_takes_its_time_takes_it_from_the_provider() -> None:
    class Slow(Purse):
        async def enter(self) -> None:
            bench.clock.advance(4.0)

    only = Scripted("a", answers())
    bench = Bench(only, spending=Slow())
    await bench.ask(deadline_s=10.0)
    assert only.given_s == 6.0


async def test_an_account_that_never_answers_ends_with_the_deadline_and_says_nothing_of_the_provider() -> None:
    works = asyncio.Event()

    class Stuck(Purse):
        async def enter(self) -> None:
            await works.wait()

    only = Scripted("a", fails(errors.RateLimited("a", retry_after_s=30)))
    bench = Bench(only, spending=Stuck())
    works.set()
    with pytest.raises(errors.AllProvidersFailed):
        await bench.ask()
    bench.clock.advance(30)
    works.clear()
    for _ in range(2):
        with pytest.raises(errors.AllProvidersFailed, match="a was not asked: no time was left"):
            await bench.ask(deadline_s=0.01)
    assert only.calls == 1
    assert [change.state for change in bench.observer.changes] == ["open", "half_open", "half_open"]


async def test_the_winner_is_reported_as_well_as_the_losers() -> None:
    bench = Bench(Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers()))
    await bench.ask()
    assert bench.observer.failed == [("a", "search", "unavailable")]
    assert bench.observer.succeeded == [("b", "search")]
