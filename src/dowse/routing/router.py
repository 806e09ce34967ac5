"""Fallback over providers: the first answer counts. Holds the retry of the last provider and hedged requests."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Generic

from dowse.core.errors import ProviderError
from dowse.core.models import LOCAL, Clock, Deadline, Principal, Routed
from dowse.core.protocols import Observer, Pacing, Progress, Spending
from dowse.core.runtime import no_progress
from dowse.routing.breaker import Breakers, State
from dowse.routing.fallback import RETRY_DELAY_S, AttemptRunner, Call, FallbackPolicy, FallbackRun, P, R, RetryBudget
from dowse.routing.hedging import Hedging, race

Order = Callable[[FallbackRun[P]], AsyncIterator[Sequence[P]]]
"""Yields the candidates that are left, the next one first; sees the failures so far in the run."""


class Router(Generic[P]):
    """Fallback for one operation, with a circuit breaker, a pace, a budget and a retry budget for each provider."""

    def __init__(
        self,
        operation: str,
        *,
        clock: Clock,
        observer: Observer,
        policy: FallbackPolicy | None = None,
        spending: Spending | None = None,
        breakers: Breakers | None = None,
        pacing: Pacing | None = None,
        hedging: Hedging | None = None,
    ) -> None:
        self._operation = operation
        self._clock = clock
        self._policy = policy or FallbackPolicy()
        self._breakers = breakers or Breakers(operation, clock, observer)
        self._retries = RetryBudget(clock)
        self._hedging = hedging
        self._attempts = AttemptRunner(
            operation, clock, observer, self._policy, self._breakers, self._retries, spending, pacing, hedging
        )

    async def first(
        self,
        candidates: Sequence[P] | Order[P],
        call: Call[P, R],
        deadline: Deadline,
        progress: Progress = no_progress,
        *,
        url: str = "",
        may_retry: bool = True,
        caller: Principal = LOCAL,
    ) -> Routed[R]:
        """The first answer of the candidates. Raises `AllProvidersFailed` with every attempt.

        Unless `may_retry` is off, the last candidate gets a second attempt, and a slow one a hedged request beside it.
        """
        run: FallbackRun[P] = FallbackRun(deadline, url=url, may_retry=may_retry, caller=caller)
        if self._hedging:
            self._hedging.count_call()
        order = candidates(run) if callable(candidates) else _in_order(candidates, run)
        async with aclosing(order) as steps:  # type: ignore[type-var]  # an order is an async generator, which can be closed
            async for waiting in steps:
                run.waiting = waiting
                await progress(f"{self._operation}: asking {run.provider.name}")
                try:
                    return await self._answer(call, run, progress)
                except ProviderError as error:
                    if not self._policy.moves_on(error):
                        raise run.failure() from error
                    self._warn(run, error)
        raise run.failure()

    async def _answer(self, call: Call[P, R], run: FallbackRun[P], progress: Progress) -> Routed[R]:
        """The answer of the next candidate, or of the one after it as a hedged request."""
        patience_s = None
        if self._hedging and run.may_retry and run.has_others:
            patience_s = self._hedging.patience_s(run.provider.name)
        if patience_s is None:
            return run.answer(await self._attempt(call, run), run.provider.name)
        return await self._hedge(call, run, patience_s, progress)

    async def _hedge(self, call: Call[P, R], run: FallbackRun[P], patience_s: float, progress: Progress) -> Routed[R]:
        """The first answer of two providers, where the first one takes longer than usual."""
        first, second = run.alone(), run.beside()

        async def ask_second() -> R:
            await progress(f"{self._operation}: asking {second.provider.name} as well")
            return await self._attempt(call, second)

        ended = await race(
            self._attempt(call, first),
            self._clock.sleep(patience_s),
            lambda: ask_second() if self._may_hedge(second.provider.name) else None,
            ends=lambda error: not (isinstance(error, ProviderError) and self._policy.moves_on(error)),
        )
        if ended.winner is None:
            self._join_failures(run, first, second)
            # Its own failure decides how the run goes on, as without a hedged request.
            return run.answer(ended.first.result(), first.provider.name)
        winner, loser = (first, second) if ended.winner is ended.first else (second, first)
        run.add(loser, winner)
        for error in loser.errors:
            self._warn(run, error)
        return run.answer(ended.winner.result(), winner.provider.name)

    def _join_failures(self, run: FallbackRun[P], first: FallbackRun[P], second: FallbackRun[P]) -> None:
        """Account for both failures; that of the second provider may end the run."""
        run.add(first)
        if not second.errors:
            return
        run.add(second)
        error = second.errors[-1]
        self._warn(run, error)
        if not self._policy.moves_on(error):
            raise error

    async def _attempt(self, call: Call[P, R], run: FallbackRun[P]) -> R:
        """One attempt at the next candidate, and a second one where it is the last and the failure may pass."""
        try:
            return await self._attempts.run(call, run)
        except ProviderError as error:
            if run.has_others or not run.may_retry or not self._policy.retries(error):
                raise
            if not await self._may_retry(run):
                raise
            return await self._attempts.run(call, run)

    async def _may_retry(self, run: FallbackRun[P]) -> bool:
        """Whether a retry is made, after a pause with jitter: within the retry budget, with a closed breaker."""
        name, delay_s = run.provider.name, random.uniform(*RETRY_DELAY_S)
        if self._breakers.state(name) is not State.CLOSED or run.deadline.remaining_s() <= delay_s:
            return False
        if not self._retries.take(name):
            return False
        await self._clock.sleep(delay_s)
        # Other calls may have failed meanwhile, and a shared breaker needs a moment to learn of this failure.
        return self._breakers.state(name) is State.CLOSED

    def _may_hedge(self, provider: str) -> bool:
        """Whether a hedged request is left for a healthy provider. Keyless ones only step in for failures."""
        if self._hedging is None or provider in self._policy.keyless:
            return False
        return self._breakers.state(provider) is State.CLOSED and self._hedging.take()

    def _warn(self, run: FallbackRun[P], error: ProviderError) -> None:
        if self._policy.warns(error):
            run.warn(str(error))


async def _in_order(providers: Sequence[P], run: FallbackRun[P]) -> AsyncIterator[Sequence[P]]:
    """One provider after the other, except the ones that failed as a hedged request before."""
    waiting = list(providers)
    while waiting:
        yield waiting
        waiting = [provider for provider in waiting[1:] if provider.name not in run.failed]
