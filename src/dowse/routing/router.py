"""Walks through the providers in order until one answers, and keeps account of every attempt."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from dowse.errors import AllProvidersFailed, Blocked, KeyRejected, ProviderError, Skipped, TimedOut
from dowse.interfaces import BreakerChange, Observer, Progress, no_progress
from dowse.models import OK, Attempt, Clock, Deadline
from dowse.routing.breaker import Breaker, Permit, State
from dowse.routing.policy import RETRY_DELAY_S, FallbackPolicy, counts_as_failure, share_of, was_hurried, worth_retrying


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


@dataclass(frozen=True, slots=True)
class Routed(Generic[R]):
    """An answer, who gave it, and what it took to get it."""

    answer: R
    provider: str
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Walk:
    """What has happened so far on one walk."""

    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    first: ProviderError | None = None


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
    ) -> None:
        self.providers = tuple(providers)
        self._operation = operation
        self._clock = clock
        self._observer = observer
        self._policy = policy or FallbackPolicy()
        self._breakers = {provider.name: self._breaker(provider.name) for provider in providers}

    async def first_answer(self, call: Call[P, R], deadline: Deadline, progress: Progress = no_progress) -> Routed[R]:
        """The first provider's answer, or an error made of the first failure and all attempts."""
        walk = _Walk()
        waiting = list(self.providers)
        while waiting:
            provider = waiting[0]
            await progress(f"{self._operation}: asking {provider.name}")
            try:
                answer = await self._attempt(waiting, call, deadline, walk)
            except ProviderError as error:
                walk.first = walk.first or error
                if not self._policy.moves_on(error):
                    raise self._failure(walk) from error
                if isinstance(error, KeyRejected | Blocked):
                    walk.warnings.append(str(error))
                waiting = waiting[1:]
                continue
            return Routed(answer, provider.name, tuple(walk.attempts), tuple(walk.warnings))
        raise self._failure(walk)

    async def _attempt(self, waiting: list[P], call: Call[P, R], deadline: Deadline, walk: _Walk) -> R:
        """One provider's turn: one try, and one more where it is the last and the failure may pass."""
        try:
            return await self._try(waiting, call, deadline, walk)
        except ProviderError as error:
            if len(waiting) > 1 or not worth_retrying(error):
                raise
            delay = random.uniform(*RETRY_DELAY_S)
            if self._breakers[waiting[0].name].state is not State.CLOSED or deadline.remaining_s() <= delay:
                raise
            walk.first = walk.first or error
            await self._clock.sleep(delay)
            return await self._try(waiting, call, deadline, walk)

    async def _try(self, waiting: list[P], call: Call[P, R], deadline: Deadline, walk: _Walk) -> R:
        provider, started = waiting[0], self._clock.now()
        try:
            permit = self._admit(provider.name, deadline)
            given_s = share_of(deadline.remaining_s(), [other.timeout_s for other in waiting])
            answer = await self._call(provider, call, given_s, permit)
        except ProviderError as error:
            attempt = Attempt(provider.name, self._operation, error.code, self._ms(started), error.detail)
            walk.attempts.append(attempt)
            self._observer.attempt_failed(replace(attempt, detail=error.logged_detail))
            raise
        walk.attempts.append(Attempt(provider.name, self._operation, OK, self._ms(started)))
        return answer

    async def _call(self, provider: P, call: Call[P, R], given_s: float, permit: Permit) -> R:
        try:
            async with _within(given_s, provider.name):
                answer = await call(provider, Deadline.after(self._clock, given_s))
        except ProviderError as error:
            if was_hurried(error, given_s, provider.timeout_s):
                permit.released()
            elif counts_as_failure(error):
                permit.failed(error.retry_after_s)
            else:
                permit.succeeded()
            raise
        except BaseException:
            # Cancelled, or a bug: either way nothing is learnt, and a probe must not be lost.
            permit.released()
            raise
        permit.succeeded()
        return answer

    def _admit(self, name: str, deadline: Deadline) -> Permit:
        if deadline.passed:
            raise Skipped(name, "no time was left")
        permit = self._breakers[name].admit()
        if permit is None:
            wait = self._breakers[name].opens_for_s
            raise Skipped(name, f"breaker open, next try in {wait:.0f} s" if wait else "breaker is probing")
        return permit

    def _failure(self, walk: _Walk) -> AllProvidersFailed:
        assert walk.first is not None, "a router without providers is never asked"
        return AllProvidersFailed(walk.first, tuple(walk.attempts))

    def _breaker(self, name: str) -> Breaker:
        def report(state: State, for_s: float) -> None:
            self._observer.breaker_changed(BreakerChange(name, self._operation, state.value, for_s))

        return Breaker(self._clock, report)

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


@asynccontextmanager
async def _within(seconds: float, provider: str) -> AsyncIterator[None]:
    """A bound that holds whatever the provider does with its deadline."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise TimedOut(provider, f"no answer within {seconds:.1f} s") from None
