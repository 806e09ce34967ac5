"""Fallback over providers: the first answer counts. Holds the retry of the last provider and hedged requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Generic

from dowse.core.errors import ProviderError
from dowse.core.models import LOCAL, Clock, Deadline, Principal, Routed
from dowse.core.protocols import Observer, Pacing, Progress, Spending
from dowse.core.runtime import Background, no_progress
from dowse.routing.breaker import Breakers, State
from dowse.routing.fallback import RETRY_DELAY_S, AttemptRunner, Call, FallbackPolicy, FallbackRun, P, R, RetryBudget
from dowse.routing.hedging import Hedging, Race, cancel, race

Order = Callable[[FallbackRun[P]], AsyncGenerator[Sequence[P], None]]
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
        self._outrun = Background()

    async def close(self) -> None:
        """Cancel the outrun requests that still go on."""
        await self._outrun.finish(0.0)

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
        async with aclosing(order) as steps:
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
        if self._hedging and run.may_retry and run.has_others:
            return await self._hedge(call, run, self._hedging, progress)
        return run.answer(await self._attempt(call, run), run.provider.name)

    async def _hedge(self, call: Call[P, R], run: FallbackRun[P], hedging: Hedging, progress: Progress) -> Routed[R]:
        """The first answer of two providers, where the first one takes longer than usual."""
        first, second = run.alone(), run.beside()
        patience_s = hedging.patience_s(first.provider.name)

        async def ask_second() -> R:
            await progress(f"{self._operation}: asking {second.provider.name} as well")
            return await self._attempt(call, second)

        def start_second() -> Coroutine[None, None, R] | None:
            if self._may_hedge(first.provider.name, second.provider.name):
                return ask_second()
            if not hedging.has_answered(first.provider.name):
                # It may be down: the next provider is asked instead of as well.
                first.give_up(patience_s)
            return None

        ended = await race(
            self._attempt(call, first),
            self._clock.sleep(patience_s),
            start_second,
            ends=lambda error: not (isinstance(error, ProviderError) and self._policy.moves_on(error)),
        )
        await self._let_go(ended, first, second)
        if ended.winner is None:
            self._join_failures(run, first, second)
            # Its own failure decides how the run goes on, as without a hedged request.
            return run.answer(ended.first.result(), first.provider.name)
        winner, loser = (first, second) if ended.winner is ended.first else (second, first)
        run.add(loser, winner)
        for error in loser.errors:
            self._warn(run, error)
        return run.answer(ended.winner.result(), winner.provider.name)

    async def _let_go(self, ended: Race[R], first: FallbackRun[P], second: FallbackRun[P]) -> None:
        """Let a request that was sent go on, so that its latency and its failure are learnt; cancel any other."""
        task = ended.running
        if task is None:
            return
        loser = first if task is ended.first else second
        self._attempts.outrun(loser)
        if ended.winner and loser.limit:
            self._outrun.start(_wait_for(task))
        else:
            await cancel(task)

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
        name, delay_s = run.provider.name, self._policy.jitter(*RETRY_DELAY_S)
        if self._breakers.state(name) is not State.CLOSED or run.deadline.remaining_s() <= delay_s:
            return False
        if not self._retries.take(name):
            return False
        await self._clock.sleep(delay_s)
        # Other calls may have failed meanwhile, and a shared breaker needs a moment to learn of this failure.
        return self._breakers.state(name) is State.CLOSED

    def _may_hedge(self, first: str, second: str) -> bool:
        """Whether a hedged request is left for a healthy provider. For a keyed one, no keyless one steps in."""
        keyless = self._policy.keyless
        if self._hedging is None or (second in keyless and first not in keyless):
            return False
        return self._breakers.state(second) is State.CLOSED and self._hedging.take()

    def _warn(self, run: FallbackRun[P], error: ProviderError) -> None:
        if self._policy.warns(error):
            run.warn(str(error))


async def _wait_for(task: asyncio.Task[R]) -> None:
    """Wait until a task has ended; its result is of no use, and it ends with its waiter."""
    try:
        await asyncio.wait([task])
    finally:
        await cancel(task)


async def _in_order(providers: Sequence[P], run: FallbackRun[P]) -> AsyncGenerator[Sequence[P], None]:
    """One provider after the other, except failed targets of a hedged request before."""
    waiting = list(providers)
    while waiting:
        yield waiting
        waiting = [provider for provider in waiting[1:] if provider.name not in run.failed]
