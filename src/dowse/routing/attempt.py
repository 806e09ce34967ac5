"""One attempt at one provider: pace, circuit breaker, budget, share of the deadline; and the run it belongs to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from dowse.core.errors import AllProvidersFailed, ProviderError, RateLimited, Skipped, TimedOut
from dowse.core.models import OK, Attempt, Clock, Deadline, Routed
from dowse.core.protocols import Observer, Pacing, Spending
from dowse.routing.breaker_registry import Breakers, Permit, Unwatched, blame
from dowse.routing.hedging import OUTRUN, Hedging
from dowse.routing.policy import FallbackPolicy, RetryBudget, patience_of, says_nothing, share_of
from dowse.stores.coordination import LONGEST_S
from dowse.telemetry.traces import span


class Named(Protocol):
    """What the router needs to know of a provider."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...


P = TypeVar("P", bound=Named)
R = TypeVar("R")
Call = Callable[[P, Deadline], Awaitable[R]]
"""How to ask a provider, given the time it has."""

# What it takes to get a turn where nobody waits.
_AT_ONCE_S = 0.1


class Route(Protocol[P]):
    """Who is asked in one walk; for walks that go another way than the list."""

    url: str
    """The page, where the walk is about one."""

    async def start(self) -> Sequence[P]:
        """Who is to be asked, in order."""
        ...

    async def after(self, error: ProviderError, waiting: Sequence[P]) -> Sequence[P]:
        """Who of those that are waiting is still asked after a failure."""
        ...

    def turns(self, waiting: Sequence[P]) -> Sequence[P]:
        """Of those that are waiting, the first one and everybody for whom it has to leave time."""
        ...


@dataclass(slots=True)
class Walk(Generic[P]):
    """Who is still to be asked by when, the first of them now; and what has happened so far."""

    waiting: Sequence[P]
    deadline: Deadline
    route: Route[P] | None = None
    may_retry: bool = True
    may_queue: bool = True
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    errors: list[ProviderError] = field(default_factory=list)

    @property
    def provider(self) -> P:
        return self.waiting[0]

    @property
    def url(self) -> str:
        return self.route.url if self.route else ""

    @property
    def has_others(self) -> bool:
        """Whether somebody else can be asked after this provider."""
        return len(self.waiting) > 1

    def share_s(self) -> float:
        """How long the provider may take so that the others can still run."""
        return share_of(self.deadline.remaining_s(), self._timeouts_s())

    def patience_s(self) -> float:
        """How long its turn may be waited for, so that it can still answer and the others can still run."""
        patience_s = patience_of(self.deadline.remaining_s(), self._timeouts_s())
        return patience_s if self.may_queue else min(_AT_ONCE_S, patience_s)

    def alone(self) -> Walk[P]:
        """The same walk with an account of its own."""
        return replace(self, attempts=[], warnings=[], errors=[])

    def beside(self) -> Walk[P]:
        """A walk for the next provider, to be asked while the first one is: once, and only if that can be now."""
        return Walk(self.waiting[1:], self.deadline, self.route, may_retry=False, may_queue=False)

    def add(self, *others: Walk[P]) -> None:
        """Take over the accounts of walks that have ended."""
        for other in others:
            self.attempts += other.attempts
            self.errors += other.errors
            for warning in other.warnings:
                self.warn(warning)

    def warn(self, warning: str) -> None:
        if warning and warning not in self.warnings:
            self.warnings.append(warning)

    def answered(self, answer: R, provider: str) -> Routed[R]:
        return Routed(answer, provider, tuple(self.attempts), tuple(self.warnings))

    def failure(self) -> AllProvidersFailed:
        assert self.errors, "a router without providers is never asked"
        return AllProvidersFailed(tuple(self.errors), tuple(self.attempts), tuple(self.warnings))

    def _timeouts_s(self) -> list[float]:
        turns = self.route.turns(self.waiting) if self.route else self.waiting
        return [provider.timeout_s for provider in turns]


T = TypeVar("T")

# Providers are told when to end, and can say best what they were doing then; this is for one that does not.
_GRACE_S = 0.1
# Whoever is next in line comes when the breaker lets a probe through, and not a moment before.
_AFTER_HOLD_S = 0.05
# Beside the call itself a probe is out while it is paid for, and until its end is told.
_AROUND_PROBE_S = 3.0


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything that has a say in a try, and everything that learns from it."""

    operation: str
    clock: Clock
    observer: Observer
    policy: FallbackPolicy
    breakers: Breakers
    retries: RetryBudget
    spending: Spending | None = None
    pacing: Pacing | None = None
    hedging: Hedging | None = None

    async def first_waiting(self, call: Call[P, R], walk: Walk[P]) -> R:
        """The answer of the provider whose turn it is in the walk; raises `ProviderError`."""
        name, started = walk.provider.name, self.clock.now()
        with span(f"{self.operation} {name}", provider=name, operation=self.operation) as current:
            try:
                answer = await self._in_turn(call, walk)
            except ProviderError as error:
                current.finished(error.code)
                attempt = Attempt(name, self.operation, error.code, self._ms(started), error.detail)
                walk.attempts.append(attempt)
                walk.errors.append(error)
                self.observer.attempt_failed(replace(attempt, detail=error.logged_detail), url=walk.url)
                raise
            except asyncio.CancelledError:
                # If all of the call is cancelled, and not only this part of it, nobody reads the account.
                walk.attempts.append(Attempt(name, self.operation, OUTRUN, self._ms(started)))
                raise
            current.finished(OK)
        if self.hedging:
            self.hedging.answered(name, self.clock.now() - started)
        walk.attempts.append(Attempt(name, self.operation, OK, self._ms(started)))
        self.observer.attempt_succeeded(walk.attempts[-1])
        return answer

    async def _in_turn(self, call: Call[P, R], walk: Walk[P]) -> R:
        """Wait until the provider's pace allows it, but not for one whose breaker is open or opens meanwhile."""
        name = walk.provider.name
        async with AsyncExitStack() as turn:
            if self.pacing and not walk.deadline.passed:
                patience_s = walk.patience_s()
                async with self.breakers.while_closed(name, 0.0 if walk.has_others else patience_s):
                    entering = turn.enter_async_context(self.pacing.turn(name, self.operation, patience_s))
                    walk.warn(await _in_time(walk, entering))
            return await self._ask(call, walk, await self._permit(walk))

    async def _permit(self, walk: Walk[P]) -> Permit:
        provider = walk.provider
        if walk.deadline.passed:
            raise _no_time(provider.name)
        if provider.name in self.policy.never_blamed:
            return Unwatched()
        probe_s = min(provider.timeout_s, walk.deadline.remaining_s()) + _AROUND_PROBE_S
        return await _in_time(walk, self.breakers.admit(provider.name, probe_s))

    async def _ask(self, call: Call[P, R], walk: Walk[P], permit: Permit) -> R:
        """Pay, then call within the provider's share of the time; its health goes to the breaker."""
        provider, given_s = walk.provider, 0.0
        # Whoever is cancelled, or stumbles over a bug, has learnt nothing; but a probe must not be lost.
        verdict = permit.released
        try:
            if self.spending:
                walk.warn(await _in_time(walk, self.spending.charge(provider.name, self.operation)))
            self.retries.called(provider.name)
            given_s = walk.share_s()
            until = Deadline.after(self.clock, given_s)
            async with _within(given_s, provider.name):
                answer = await call(provider, until)
            verdict = permit.succeeded
        except ProviderError as error:
            if self.pacing and isinstance(error, RateLimited) and error.retry_after_s:
                self.pacing.hold(provider.name, min(error.retry_after_s, LONGEST_S) + _AFTER_HOLD_S)
            if not says_nothing(error, given_s, provider.timeout_s):
                verdict = partial(blame, permit, error) if self.policy.blames(error) else permit.succeeded
            raise
        finally:
            verdict()
        return answer

    def _ms(self, started: float) -> int:
        return round((self.clock.now() - started) * 1000)


async def _in_time(walk: Walk[P], work: Awaitable[T]) -> T:
    """What comes before the call itself: it may take all the time that is left, and says nothing of the provider."""
    try:
        async with asyncio.timeout(walk.deadline.remaining_s()):
            return await work
    except TimeoutError:
        raise _no_time(walk.provider.name) from None


@asynccontextmanager
async def _within(seconds: float, provider: str) -> AsyncIterator[None]:
    """A bound that holds whatever the provider does with its deadline."""
    try:
        async with asyncio.timeout(seconds + min(_GRACE_S, seconds / 4)):
            yield
    except TimeoutError:
        raise TimedOut(provider, f"no answer within {seconds:.1f} s") from None


def _no_time(provider: str) -> Skipped:
    return Skipped(provider, "no time was left")
