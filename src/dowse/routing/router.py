"""Walks through the providers in order until one answers, and keeps account of every attempt."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Generic

from dowse.core.errors import ProviderError, Skipped
from dowse.core.models import Clock, Deadline, Routed
from dowse.core.protocols import Observer, Pacing, Progress, Spending, no_progress
from dowse.routing.attempt import Asking, Call, P, R, Route, Walk
from dowse.routing.breaker import State
from dowse.routing.breaker_registry import Breakers
from dowse.routing.hedging import Hedging, race
from dowse.routing.policy import RETRY_DELAY_S, FallbackPolicy, RetryBudget


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
        breakers: Breakers | None = None,
        pacing: Pacing | None = None,
        hedging: Hedging | None = None,
    ) -> None:
        self.providers = tuple(providers)
        self._operation = operation
        self._clock = clock
        self._policy = policy or FallbackPolicy()
        self._breakers = breakers or Breakers(operation, clock, observer)
        self._retries = RetryBudget(clock)
        self._hedging = hedging
        self._asking = Asking(
            operation, clock, observer, self._policy, self._breakers, self._retries, spending, pacing, hedging
        )

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

        The last one gets a second chance, and one that is slower than usual gets company; but not where
        others are asked elsewhere.
        """
        walk = Walk(await route.start() if route else self.providers, deadline, route, may_retry)
        if self._hedging:
            self._hedging.called()
        while walk.waiting:
            await progress(f"{self._operation}: asking {walk.provider.name}")
            try:
                return await self._answer(call, walk, progress)
            except ProviderError as error:
                if not self._policy.moves_on(error):
                    raise walk.failure() from error
                self._warn(walk, error)
                walk.waiting = walk.waiting[1:]
                if route and walk.waiting:
                    walk.waiting = await route.after(error, walk.waiting)
        raise walk.failure()

    async def _answer(self, call: Call[P, R], walk: Walk[P], progress: Progress) -> Routed[R]:
        """Of the first that is waiting; and perhaps of the next, where it is known when the first is slow."""
        patience_s = None
        if self._hedging and walk.may_retry and len(walk.waiting) > 1:
            patience_s = self._hedging.patience_s(walk.provider.name)
        if patience_s is None:
            return walk.answered(await self._attempt(call, walk), walk.provider.name)
        return await self._hedged(call, walk, patience_s, progress)

    async def _hedged(self, call: Call[P, R], walk: Walk[P], patience_s: float, progress: Progress) -> Routed[R]:
        """The answer that comes first, of two providers if the one takes longer than usual."""
        first, second = walk.alone(), walk.beside()

        async def ask_second() -> R:
            await progress(f"{self._operation}: asking {second.provider.name} as well")
            return await self._attempt(call, second)

        ended = await race(
            self._attempt(call, first),
            self._clock.sleep(patience_s),
            lambda: ask_second() if self._may_be_extra(second.provider.name) else None,
            ends=lambda error: not (isinstance(error, ProviderError) and self._policy.moves_on(error)),
        )
        if ended.winner is None:
            self._take_stock(walk, first, second)
            # Its own failure decides how the walk goes on, as if nobody had been asked beside it.
            return walk.answered(ended.first.result(), first.provider.name)
        winner, loser = (first, second) if ended.winner is ended.first else (second, first)
        walk.add(loser, winner)
        for error in loser.errors:
            self._warn(walk, error)
        return walk.answered(ended.winner.result(), winner.provider.name)

    def _take_stock(self, walk: Walk[P], first: Walk[P], second: Walk[P]) -> None:
        """After nobody has answered: the second is not asked again, and may have failed in a way that ends the walk."""
        walk.add(first)
        if not second.errors:
            return
        walk.add(second)
        error = second.errors[-1]
        self._warn(walk, error)
        if not self._policy.moves_on(error):
            raise error
        if not isinstance(error, Skipped):
            walk.waiting = (walk.waiting[0], *walk.waiting[2:])

    async def _attempt(self, call: Call[P, R], walk: Walk[P]) -> R:
        """One provider's turn: one try, and one more where it is the last and the failure may pass."""
        name = walk.provider.name
        try:
            return await self._asking.first_waiting(call, walk)
        except ProviderError as error:
            if len(walk.waiting) > 1 or not walk.may_retry or not self._policy.retries(error):
                raise
            delay = random.uniform(*RETRY_DELAY_S)
            if self._breakers.state(name) is not State.CLOSED or walk.deadline.remaining_s() <= delay:
                raise
            if not self._retries.take(name):
                raise
            await self._clock.sleep(delay)
            # Others may have failed meanwhile; and a breaker that is shared needs a moment to hear of this failure.
            if self._breakers.state(name) is not State.CLOSED:
                raise
            return await self._asking.first_waiting(call, walk)

    def _may_be_extra(self, provider: str) -> bool:
        """Whether there is an extra call left for a provider that seems well. Volunteers only step in for failures."""
        if self._hedging is None or provider in self._policy.volunteers:
            return False
        return self._breakers.state(provider) is State.CLOSED and self._hedging.take()

    def _warn(self, walk: Walk[P], error: ProviderError) -> None:
        if self._policy.warns(error):
            walk.warn(str(error))
