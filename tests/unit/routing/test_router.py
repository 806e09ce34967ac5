"""The walk through providers: order, fallback, breaker, retry, deadline, and the account of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from dowse import errors
from dowse.models import Attempt, Deadline
from dowse.routing.policy import FallbackPolicy, share_of
from dowse.routing.router import Routed, Router
from tests.fakes import FakeClock, RecordingObserver

Behaviour = Callable[[], Awaitable[str]]


@dataclass
class Scripted:
    """A provider whose answer a test writes; counts how often it was asked."""

    name: str
    behaviour: Behaviour
    timeout_s: float = 15.0
    calls: int = 0

    async def call(self) -> str:
        self.calls += 1
        return await self.behaviour()


def answers(text: str = "found") -> Behaviour:
    async def behave() -> str:
        return text

    return behave


def fails(error: errors.ProviderError) -> Behaviour:
    async def behave() -> str:
        raise error

    return behave


class Bench:
    """A router over scripted providers with a moved clock."""

    def __init__(self, *providers: Scripted, policy: FallbackPolicy | None = None) -> None:
        self.clock = FakeClock()
        self.observer = RecordingObserver()
        self.router = Router("search", providers, clock=self.clock, observer=self.observer, policy=policy)

    async def ask(self, deadline_s: float = 50.0) -> Routed[str]:
        return await self.router.first_answer(Scripted.call, Deadline.after(self.clock, deadline_s))


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


@pytest.mark.parametrize("kind", TRANSIENT)
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
    assert isinstance(caught.value.first, kind)
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
    """50 concurrent calls, 200 rounds, every third probe cancelled in flight."""
    gate = asyncio.Event()

    async def waits_then_fails() -> str:
        await gate.wait()
        raise errors.Unavailable("a")

    broken, healthy = Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers())
    bench = Bench(broken, healthy)
    for _ in range(5):
        await bench.ask()
    broken.behaviour = waits_then_fails
    for number in range(200):
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


async def test_nobody_is_asked_after_the_deadline() -> None:
    only = Scripted("a", answers())
    with pytest.raises(errors.AllProvidersFailed, match="no time was left"):
        await Bench(only).ask(deadline_s=0)
    assert only.calls == 0


async def test_progress_names_each_provider_as_it_is_asked() -> None:
    steps: list[str] = []

    async def progress(step: str) -> None:
        steps.append(step)

    bench = Bench(Scripted("a", fails(errors.Unavailable("a"))), Scripted("b", answers()))
    await bench.router.first_answer(Scripted.call, Deadline.after(bench.clock, 50), progress)
    assert steps == ["search: asking a", "search: asking b"]


@pytest.mark.parametrize(
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
