"""One attempt at a provider, within a fallback run: pace, circuit breaker, budget, share of the deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from dowse.core.errors import AllProvidersFailed, ProviderError, RateLimited, Skipped, TimedOut
from dowse.core.models import LOCAL, OK, Attempt, Clock, Deadline, Principal, Routed
from dowse.core.protocols import Observer, Pacing, Spending
from dowse.routing.breaker import Breakers, CallPermit, Unwatched, blame
from dowse.routing.hedging import OUTRUN, Hedging
from dowse.routing.policy import FallbackPolicy, RetryBudget, patience_of, says_nothing, share_of
from dowse.stores.coordination import LONGEST_S
from dowse.telemetry.log import span

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
        return replace(self, attempts=[], warnings=[], errors=[], failed=set())

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
        with span(f"{self.operation} {name}", provider=name, operation=self.operation) as current:
            try:
                answer = await self._in_turn(call, run)
            except ProviderError as error:
                current.finish(error.code)
                attempt = Attempt(name, self.operation, error.code, self._ms(started), error.detail)
                run.fail(attempt, error)
                self.observer.attempt_failed(replace(attempt, detail=error.logged_detail), url=run.url)
                raise
            except asyncio.CancelledError:
                # Only read if a hedged request was outrun, and not if the whole call was cancelled.
                run.attempts.append(Attempt(name, self.operation, OUTRUN, self._ms(started)))
                raise
            current.finish(OK)
        if self.hedging:
            self.hedging.record_answer(name, self.clock.now() - started)
        run.attempts.append(Attempt(name, self.operation, OK, self._ms(started)))
        self.observer.attempt_succeeded(run.attempts[-1])
        return answer

    async def _in_turn(self, call: Call[P, R], run: FallbackRun[P]) -> R:
        """Queue until the provider's pace allows a call, but not while its breaker is open or when it opens."""
        name = run.provider.name
        async with AsyncExitStack() as turn:
            if self.pacing and not run.deadline.passed:
                patience_s = run.patience_s()
                async with self.breakers.require_closed(name, 0.0 if run.has_others else patience_s):
                    turns = self.pacing.turn(name, self.operation, patience_s, run.caller.name)
                    run.warn(await _in_time(run, turn.enter_async_context(turns)))
            return await self._ask(call, run, await self._permit(run))

    async def _permit(self, run: FallbackRun[P]) -> CallPermit:
        provider = run.provider
        if run.deadline.passed:
            raise _no_time(provider.name)
        if provider.name in self.policy.never_blamed:
            return Unwatched()
        probe_s = min(provider.timeout_s, run.deadline.remaining_s()) + _AROUND_PROBE_S
        return await _in_time(run, self.breakers.admit(provider.name, probe_s))

    async def _ask(self, call: Call[P, R], run: FallbackRun[P], permit: CallPermit) -> R:
        """Charge the budget, then call within the provider's share of the time; report its health to the breaker."""
        provider, given_s = run.provider, 0.0
        # A cancellation or a bug is no verdict on the provider; but a probe must not be lost.
        verdict = permit.release
        try:
            if self.spending:
                run.warn(await _in_time(run, self.spending.charge(provider.name, self.operation)))
            self.retries.count_call(provider.name)
            given_s = run.share_s()
            until = Deadline.after(self.clock, given_s)
            async with _within(given_s, provider.name):
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
async def _within(seconds: float, provider: str) -> AsyncIterator[None]:
    """A bound for a provider that ignores its deadline."""
    try:
        async with asyncio.timeout(seconds + min(_GRACE_S, seconds / 4)):
            yield
    except TimeoutError:
        raise TimedOut(provider, f"no answer within {seconds:.1f} s") from None


def _no_time(provider: str) -> Skipped:
    return Skipped(provider, "no time was left")
