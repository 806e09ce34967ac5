"""Fallback over candidates: the policy of moving on and retrying, one run through the candidates, and one attempt."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from dowse.core.errors import (
    AllProvidersFailed,
    Blocked,
    Irrelevant,
    KeyRejected,
    Misconfigured,
    NetworkFailed,
    NotCovered,
    NotRead,
    ProviderError,
    RateLimited,
    Skipped,
    TimedOut,
    Transient,
    Unavailable,
    Unread,
)
from dowse.core.models import LOCAL, OK, Attempt, Clock, Deadline, Principal, Routed
from dowse.core.protocols import Observer, Pacing, Spending
from dowse.core.runtime import share_key
from dowse.routing.breaker import Breakers, CallPermit, Unwatched, blame
from dowse.routing.hedging import OUTRUN, Hedging
from dowse.stores.coordination import LONGEST_S
from dowse.telemetry.log import span

# Retried at the last provider: these pass within moments. A timeout has already cost its time, and a broken body
# or a spent quota does not change.
_RETRYABLE = (Unavailable, NetworkFailed, RateLimited)
RETRY_DELAY_S = (0.1, 0.4)
# A timeout after less time than this says nothing about the provider's health.
FAIR_TIME_S = 5.0
# Most answers take less. A turn that leaves less time would most likely time out.
ANSWER_S = 2.0
# The longest wait for a turn while other providers are left.
ELSEWHERE_S = 3.0


@dataclass(frozen=True, slots=True)
class FallbackPolicy:
    """Decides the step after a failure: fallback, warning, retry, circuit breaker.

    The default lets the user see a rejected key; `after_rejected_key` moves on. `after_everything` is for
    a chain that goes on behind its last provider: it moves on after any failure with a warning, without retries.
    """

    after_rejected_key: bool = False
    after_everything: bool = False
    # Readers of many sites: that five pages were slow says nothing about the sixth.
    never_blamed: frozenset[str] = frozenset()
    # Providers without a key: there is nothing to fix, and another provider may take a query that one refuses.
    keyless: frozenset[str] = frozenset()
    # Draws the delay before a retry from a range, so that callers do not come back all at once.
    jitter: Callable[[float, float], float] = random.uniform

    def moves_on(self, error: ProviderError) -> bool:
        rejected = self.after_rejected_key and isinstance(error, KeyRejected)
        is_keyless = error.provider in self.keyless
        return self.after_everything or rejected or is_keyless or isinstance(error, Transient)

    def warns(self, error: ProviderError) -> bool:
        """Whether the user gets a warning although another provider may answer."""
        if isinstance(error, Unread) or error.provider in self.keyless:
            # The attempts tell it: the outcome of a page is its status, and without a key there is nothing to fix.
            return False
        return self.after_everything or isinstance(error, KeyRejected | Blocked | Misconfigured | Irrelevant)

    def blames(self, error: ProviderError) -> bool:
        """Whether an error says something about the provider's health: only then it counts for its circuit breaker."""
        return counts_as_failure(error) and error.provider not in self.never_blamed

    def retries(self, error: ProviderError) -> bool:
        """Whether the last provider is asked once more."""
        return not self.after_everything and worth_retrying(error)


def counts_as_failure(error: ProviderError) -> bool:
    """Whether an error says something about the provider's health; a bad key, query or page does not."""
    return isinstance(error, Transient) and error.was_asked and not isinstance(error, NotRead | NotCovered)


def says_nothing(error: ProviderError, given_s: float, timeout_s: float) -> bool:
    """Whether an error is no evidence of the provider's health: it had too little time, or was not asked."""
    return lacked_time(error, given_s, timeout_s) or not error.was_asked


def lacked_time(error: ProviderError, given_s: float, timeout_s: float) -> bool:
    """Whether a timeout is due to a short deadline of the caller."""
    return isinstance(error, TimedOut) and given_s < min(timeout_s, FAIR_TIME_S)


def worth_retrying(error: ProviderError) -> bool:
    # A provider with several servers has asked as many of them as one query may reach.
    return isinstance(error, _RETRYABLE) and error.retry_after_s is None and not error.instances


def share_of(remaining_s: float, timeouts_s: list[float]) -> float:
    """How long the first of these providers may take so that each of the others can still run.

    It gets its own timeout when there is time for all timeouts; otherwise at least an equal share.
    """
    own, others = timeouts_s[0], timeouts_s[1:]
    return min(own, max(remaining_s / len(timeouts_s), remaining_s - sum(others)))


def patience_of(remaining_s: float, timeouts_s: list[float]) -> float:
    """How long to queue for the first of these providers.

    After that it still has the time that most answers take, or a quarter of its share. Where others are left, they
    have their time too, and fallback is better than a long wait.
    """
    own, others = timeouts_s[0], timeouts_s[1:]
    given_s = max(remaining_s / len(timeouts_s), remaining_s - sum(others))
    patience_s = given_s - min(own, ANSWER_S, given_s / 4)
    return min(patience_s, ELSEWHERE_S) if others else patience_s


# Of the calls to a provider in any ten seconds one in ten may be a retry; where there are few calls, three.
WINDOW_S = 10.0
SHARE = 0.1
FLOOR = 3


@dataclass(slots=True)
class _Recent:
    """Times of the recent calls and retries of one provider."""

    calls: deque[float] = field(default_factory=deque)
    retries: deque[float] = field(default_factory=deque)

    def forget(self, until: float) -> None:
        for times in (self.calls, self.retries):
            while times and times[0] <= until:
                times.popleft()


class RetryBudget:
    """Retry budget: retries of a provider are a tenth of its recent calls at most."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._recent: defaultdict[str, _Recent] = defaultdict(_Recent)

    def count_call(self, provider: str) -> None:
        """Count a call, whether first attempt or retry."""
        self._now(provider).calls.append(self._clock.now())

    def take(self, provider: str) -> bool:
        """Take one retry from the budget, if there is one."""
        recent = self._now(provider)
        if len(recent.retries) >= max(FLOOR, SHARE * len(recent.calls)):
            return False
        recent.retries.append(self._clock.now())
        return True

    def _now(self, provider: str) -> _Recent:
        recent = self._recent[provider]
        recent.forget(self._clock.now() - WINDOW_S)
        return recent


# Patience for a turn without a queue.
_AT_ONCE_S = 0.1
# Providers end at their deadline with an error of their own; the grace period stops a provider that ignores it.
_GRACE_S = 0.1
# The next in the queue comes when the breaker lets a probe through, and not a moment before.
_AFTER_HOLD_S = 0.05
# Beside the call itself, a probe is out while it is charged and until its end is reported.
_AROUND_PROBE_S = 3.0


class Named(Protocol):
    """A provider as the router sees it."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...


P = TypeVar("P", bound=Named)
R = TypeVar("R")
T = TypeVar("T")
Call = Callable[[P, Deadline], Awaitable[R]]
"""Asks a provider, which has until the deadline."""


@dataclass(slots=True)
class FallbackRun(Generic[P]):
    """One fallback run: the candidates that are left, the deadline, and the account of attempts so far."""

    deadline: Deadline
    waiting: Sequence[P] = ()
    url: str = ""
    """The page, where the run is about one."""
    may_retry: bool = True
    may_queue: bool = True
    caller: Principal = LOCAL
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    errors: list[ProviderError] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    """Names of the providers that were asked and failed; one that was skipped may be tried later."""
    started_at: float | None = None
    """When the last attempt began."""
    limit: asyncio.Timeout | None = None
    """The time limit of the call under way; `None` while its provider has not been asked."""
    given_s: float = 0.0

    @property
    def provider(self) -> P:
        return self.waiting[0]

    @property
    def has_others(self) -> bool:
        """Whether another provider can follow this one."""
        return len(self.waiting) > 1

    def share_s(self) -> float:
        """How long the provider may take so that the others can still run."""
        return share_of(self.deadline.remaining_s(), self._timeouts_s())

    def patience_s(self) -> float:
        """How long to queue for the provider, so that it can still answer and the others can still run."""
        patience_s = patience_of(self.deadline.remaining_s(), self._timeouts_s())
        return patience_s if self.may_queue else min(_AT_ONCE_S, patience_s)

    def alone(self) -> FallbackRun[P]:
        """The same run with an account of its own."""
        return replace(self, attempts=[], warnings=[], errors=[], failed=set(), started_at=None, limit=None)

    def beside(self) -> FallbackRun[P]:
        """A run for the hedged request: the next provider, once, and only without a queue."""
        return replace(self.alone(), waiting=self.waiting[1:], may_retry=False, may_queue=False)

    def add(self, *others: FallbackRun[P]) -> None:
        """Take over the accounts of runs that have ended."""
        for other in others:
            self.attempts += other.attempts
            self.errors += other.errors
            self.failed |= other.failed
            for warning in other.warnings:
                self.warn(warning)

    def give_up(self, after_s: float) -> None:
        """End the call under way as a timeout; does nothing while its provider has not been asked."""
        if self.limit and not self.limit.expired():
            self.given_s = after_s
            self.limit.reschedule(asyncio.get_running_loop().time())

    def warn(self, warning: str) -> None:
        if warning and warning not in self.warnings:
            self.warnings.append(warning)

    def fail(self, attempt: Attempt, error: ProviderError) -> None:
        self.attempts.append(attempt)
        self.errors.append(error)
        if not isinstance(error, Skipped):
            self.failed.add(attempt.provider)

    def answer(self, answer: R, provider: str) -> Routed[R]:
        return Routed(answer, provider, tuple(self.attempts), tuple(self.warnings))

    def failure(self) -> AllProvidersFailed:
        assert self.errors, "a router is never called without candidates"
        return AllProvidersFailed(tuple(self.errors), tuple(self.attempts), tuple(self.warnings))

    def _timeouts_s(self) -> list[float]:
        return [provider.timeout_s for provider in self.waiting]


@dataclass(frozen=True, slots=True)
class AttemptRunner:
    """Makes attempts for one operation, and reports each to the observer, the breaker and the account of the run."""

    operation: str
    clock: Clock
    observer: Observer
    policy: FallbackPolicy
    breakers: Breakers
    retries: RetryBudget
    spending: Spending | None = None
    pacing: Pacing | None = None
    hedging: Hedging | None = None

    async def run(self, call: Call[P, R], run: FallbackRun[P]) -> R:
        """The answer of the next candidate of the run; raises `ProviderError`."""
        name, started = run.provider.name, self.clock.now()
        run.started_at = started
        with span(f"{self.operation} {name}", provider=name, operation=self.operation) as current:
            try:
                answer = await self._in_turn(call, run)
            except ProviderError as error:
                current.finish(error.code)
                warns = self.policy.warns(error)
                attempt = Attempt(name, self.operation, error.code, self._ms(started), error.detail, warns)
                run.fail(attempt, error)
                self.observer.attempt_failed(replace(attempt, detail=error.logged_detail), url=run.url)
                raise
            current.finish(OK)
        if self.hedging:
            self.hedging.record_answer(name, self.clock.now() - started)
        run.attempts.append(Attempt(name, self.operation, OK, self._ms(started)))
        self.observer.attempt_succeeded(run.attempts[-1])
        return answer

    def outrun(self, run: FallbackRun[P]) -> None:
        """Record that the attempt under way is not waited for any more."""
        if run.started_at is not None:
            run.attempts.append(Attempt(run.provider.name, self.operation, OUTRUN, self._ms(run.started_at)))

    async def _in_turn(self, call: Call[P, R], run: FallbackRun[P]) -> R:
        """Queue until the provider's pace allows a call, but not while its breaker is open or when it opens."""
        name = run.provider.name
        async with AsyncExitStack() as turn:
            if self.pacing and not run.deadline.passed:
                patience_s = run.patience_s()
                async with self.breakers.require_closed(name, 0.0 if run.has_others else patience_s):
                    turns = self.pacing.turn(name, self.operation, patience_s, share_key(run.caller))
                    run.warn(await _in_time(run, turn.enter_async_context(turns)))
            return await self._ask(call, run, await self._permit(run), turn)

    async def _permit(self, run: FallbackRun[P]) -> CallPermit:
        provider = run.provider
        if run.deadline.passed:
            raise _no_time(provider.name)
        if provider.name in self.policy.never_blamed:
            return Unwatched()
        probe_s = min(provider.timeout_s, run.deadline.remaining_s()) + _AROUND_PROBE_S
        return await _in_time(run, self.breakers.admit(provider.name, probe_s))

    async def _ask(self, call: Call[P, R], run: FallbackRun[P], permit: CallPermit, turn: AsyncExitStack) -> R:
        """Charge the budget, then call within the provider's share of the time; report its health to the breaker.

        The charge is settled with the turn.
        """
        provider, given_s = run.provider, 0.0
        # A cancellation or a bug is no verdict on the provider; but a probe must not be lost.
        verdict = permit.release
        try:
            if self.spending:
                charge = self.spending.charge(provider.name, self.operation, run.caller.name)
                await _in_time(run, turn.enter_async_context(charge))
            self.retries.count_call(provider.name)
            run.given_s = given_s = run.share_s()
            until = Deadline.after(self.clock, given_s)
            async with _within(run):
                answer = await call(provider, until)
            verdict = permit.record_success
        except ProviderError as error:
            if self.pacing and isinstance(error, RateLimited) and error.retry_after_s:
                self.pacing.hold(provider.name, min(error.retry_after_s, LONGEST_S) + _AFTER_HOLD_S)
            if not says_nothing(error, given_s, provider.timeout_s):
                verdict = partial(blame, permit, error) if self.policy.blames(error) else permit.record_success
            raise
        finally:
            verdict()
        return answer

    def _ms(self, started: float) -> int:
        return round((self.clock.now() - started) * 1000)


async def _in_time(run: FallbackRun[P], work: Awaitable[T]) -> T:
    """Work before the call itself: it may take all the time that is left, and is no verdict on the provider."""
    try:
        async with asyncio.timeout(run.deadline.remaining_s()):
            return await work
    except TimeoutError:
        raise _no_time(run.provider.name) from None


@asynccontextmanager
async def _within(run: FallbackRun[P]) -> AsyncIterator[None]:
    """A bound for a provider that ignores its deadline, or is given up."""
    try:
        async with asyncio.timeout(run.given_s + min(_GRACE_S, run.given_s / 4)) as run.limit:
            yield
    except TimeoutError:
        raise TimedOut(run.provider.name, f"no answer within {run.given_s:.1f} s") from None
    finally:
        run.limit = None


def _no_time(provider: str) -> Skipped:
    return Skipped(provider, "no time was left")
