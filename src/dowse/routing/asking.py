"""One try at one provider: its turn, its permit, its price, its share of the time, and its line in the account."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from dowse.core.errors import ProviderError, RateLimited, Skipped, TimedOut
from dowse.core.models import OK, Attempt, Clock, Deadline
from dowse.core.protocols import Observer, Pacing, Spending
from dowse.routing.breaker_registry import Breakers, Permit, Unwatched, blame
from dowse.routing.hedge import OUTRUN, Hedging
from dowse.routing.policy import FallbackPolicy, says_nothing
from dowse.routing.retries import RetryBudget
from dowse.routing.walk import Call, P, R, Walk
from dowse.stores.coordination import LONGEST_S
from dowse.telemetry.traces import span

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
