"""Walks through the providers in order until one answers, and keeps account of every attempt."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from dowse.errors import AllProvidersFailed, Paused, ProviderError, RateLimited, Skipped, TimedOut
from dowse.interfaces import BreakerChange, Observer, Progress, Spending, no_progress
from dowse.models import OK, Attempt, Clock, Deadline
from dowse.routing.breaker import Breaker, Permit, State
from dowse.routing.policy import (
    RETRY_DELAY_S,
    FallbackPolicy,
    says_nothing,
    share_of,
)
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
# Providers are told when to end, and can say best what they were doing then; this is for one that does not.
_GRACE_S = 0.1


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


@dataclass(frozen=True, slots=True)
class Routed(Generic[R]):
    """An answer, who gave it, and what it took to get it."""

    answer: R
    provider: str
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Walk(Generic[P]):
    """Who is still to be asked by when, the first of them now; and what has happened so far."""

    waiting: Sequence[P]
    deadline: Deadline
    route: Route[P] | None = None
    may_retry: bool = True
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    errors: list[ProviderError] = field(default_factory=list)

    @property
    def provider(self) -> P:
        return self.waiting[0]

    @property
    def url(self) -> str:
        return self.route.url if self.route else ""

    def share_s(self) -> float:
        """How long the provider may take so that the others can still run."""
        turns = self.route.turns(self.waiting) if self.route else self.waiting
        return share_of(self.deadline.remaining_s(), [provider.timeout_s for provider in turns])


class Router(Generic[P]):
    """Order, breakers and deadline for one operation over a fixed list of providers."""

    def __init__(
        self,
        operation: str,
        providers: Sequence[P],
        *,
        clock: Clock,
        observer: Observer,
        policy: FallbackPolicy | None = None,
        spending: Spending | None = None,
    ) -> None:
        self.providers = tuple(providers)
        self._operation = operation
        self._clock = clock
        self._observer = observer
        self._policy = policy or FallbackPolicy()
        self._spending = spending
        self._breakers: dict[str, Breaker] = {}
        # Whether the last failure was a rate limit: while nobody is asked, callers are to know why.
        self._is_limited: dict[str, bool] = {}

    async def first_answer(
        self,
        call: Call[P, R],
        deadline: Deadline,
        progress: Progress = no_progress,
        *,
        route: Route[P] | None = None,
        may_retry: bool = True,
    ) -> Routed[R]:
        """The first provider's answer, or an error made of the first failure and all attempts.

        The last one gets a second chance, unless others are asked elsewhere.
        """
        walk = _Walk(await route.start() if route else self.providers, deadline, route, may_retry)
        while walk.waiting:
            name = walk.provider.name
            await progress(f"{self._operation}: asking {name}")
            try:
                answer = await self._attempt(call, walk)
            except ProviderError as error:
                if not self._policy.moves_on(error):
                    raise self._failure(walk) from error
                if self._policy.warns(error):
                    walk.warnings.append(str(error))
                walk.waiting = walk.waiting[1:]
                if route and walk.waiting:
                    walk.waiting = await route.after(error, walk.waiting)
                continue
            return Routed(answer, name, tuple(walk.attempts), tuple(walk.warnings))
        raise self._failure(walk)

    async def _attempt(self, call: Call[P, R], walk: _Walk[P]) -> R:
        """One provider's turn: one try, and one more where it is the last and the failure may pass."""
        try:
            return await self._try(call, walk)
        except ProviderError as error:
            if len(walk.waiting) > 1 or not walk.may_retry or not self._policy.retries(error):
                raise
            delay = random.uniform(*RETRY_DELAY_S)
            if self._breaker(walk.provider.name).state is not State.CLOSED or walk.deadline.remaining_s() <= delay:
                raise
            await self._clock.sleep(delay)
            return await self._try(call, walk)

    async def _try(self, call: Call[P, R], walk: _Walk[P]) -> R:
        """One try, with its span and its line in the account."""
        name, started = walk.provider.name, self._clock.now()
        with span(f"{self._operation} {name}", provider=name, operation=self._operation) as current:
            try:
                answer = await self._ask(call, walk, self._admit(name, walk.deadline))
            except ProviderError as error:
                current.finished(error.code)
                attempt = Attempt(name, self._operation, error.code, self._ms(started), error.detail)
                walk.attempts.append(attempt)
                walk.errors.append(error)
                self._observer.attempt_failed(replace(attempt, detail=error.logged_detail), url=walk.url)
                raise
            current.finished(OK)
        walk.attempts.append(Attempt(name, self._operation, OK, self._ms(started)))
        self._observer.attempt_succeeded(walk.attempts[-1])
        return answer

    async def _ask(self, call: Call[P, R], walk: _Walk[P], permit: Permit) -> R:
        """Pay, then call within the provider's share of the time; its health goes to the breaker."""
        provider, given_s = walk.provider, 0.0
        try:
            await self._charge(provider.name, walk)
            given_s = walk.share_s()
            until = Deadline.after(self._clock, given_s)
            async with _within(given_s, provider.name):
                answer = await call(provider, until)
        except ProviderError as error:
            if says_nothing(error, given_s, provider.timeout_s):
                permit.released()
            elif self._policy.blames(error):
                permit.failed(error.retry_after_s)
                self._is_limited[provider.name] = isinstance(error, RateLimited)
            else:
                permit.succeeded()
            raise
        except BaseException:
            # Cancelled, or a bug: either way nothing is learnt, and a probe must not be lost.
            permit.released()
            raise
        permit.succeeded()
        return answer

    async def _charge(self, name: str, walk: _Walk[P]) -> None:
        """Count the call before it is made; raises `BudgetSpent` where the user's budget does not allow it."""
        if self._spending is None:
            return
        try:
            async with asyncio.timeout(walk.deadline.remaining_s()):
                warning = await self._spending.charge(name, self._operation)
        except TimeoutError:
            raise Skipped(name, "no time was left") from None
        if warning:
            walk.warnings.append(warning)

    def _admit(self, name: str, deadline: Deadline) -> Permit:
        if deadline.passed:
            raise Skipped(name, "no time was left")
        breaker = self._breaker(name)
        permit = breaker.admit()
        if permit is None:
            wait = breaker.opens_for_s
            why = f"breaker open, next try in {wait:.0f} s" if wait else "breaker is probing"
            skipped = Paused if self._is_limited.get(name) else Skipped
            raise skipped(name, why, retry_after_s=wait or None)
        return permit

    def _failure(self, walk: _Walk[P]) -> AllProvidersFailed:
        assert walk.errors, "a router without providers is never asked"
        return AllProvidersFailed(tuple(walk.errors), tuple(walk.attempts), tuple(walk.warnings))

    def _breaker(self, name: str) -> Breaker:
        def report(state: State, for_s: float) -> None:
            self._observer.breaker_changed(BreakerChange(name, self._operation, state.value, for_s))

        if name not in self._breakers:
            self._breakers[name] = Breaker(self._clock, report)
        return self._breakers[name]

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


@asynccontextmanager
async def _within(seconds: float, provider: str) -> AsyncIterator[None]:
    """A bound that holds whatever the provider does with its deadline."""
    try:
        async with asyncio.timeout(seconds + min(_GRACE_S, seconds / 4)):
            yield
    except TimeoutError:
        raise TimedOut(provider, f"no answer within {seconds:.1f} s") from None
