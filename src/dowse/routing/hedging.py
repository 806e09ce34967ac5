"""Hedged requests: when a provider is slower than its 95th percentile and a margin, a second one is asked as well."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")

OUTRUN = "outrun"
"""Outcome of an attempt that is not waited for any more, because another provider had answered."""

# One hedged request per twenty ordinary calls; up to three unused ones are saved.
_CALLS_PER_EXTRA = 20
_MOST_SAVED = 3
# Added to the 95th percentile: answers vary, and a hedged request costs a call.
MARGIN_S, MARGIN_SHARE = 1.0, 0.5
UNKNOWN_S = 4.0
"""How long to wait for a provider whose usual latency is not known; most answers take less."""


class Hedging:
    """Latencies by provider, and the budget of hedged requests: one at the start, then as many as calls have earned."""

    def __init__(self) -> None:
        self._latencies: defaultdict[str, Latency] = defaultdict(Latency)
        self._earned = _CALLS_PER_EXTRA

    def count_call(self) -> None:
        """Count an ordinary call."""
        self._earned = min(self._earned + 1, _CALLS_PER_EXTRA * _MOST_SAVED)

    def record_answer(self, provider: str, seconds: float) -> None:
        self._latencies[provider].add(seconds)

    def has_answered(self, provider: str) -> bool:
        """Whether the provider has answered any call of this process."""
        return len(self._latencies[provider]) > 0

    def patience_s(self, provider: str) -> float:
        """How long to wait for an answer before the hedged request."""
        usual_s = self._latencies[provider].p95_s()
        return UNKNOWN_S if usual_s is None else usual_s + max(MARGIN_S, MARGIN_SHARE * usual_s)

    def take(self) -> bool:
        """Take one hedged request from the budget, if there is one."""
        if self._earned < _CALLS_PER_EXTRA:
            return False
        self._earned -= _CALLS_PER_EXTRA
        return True


@dataclass(frozen=True, slots=True)
class Race(Generic[R]):
    """Two calls for the same thing, at least one of them ended; the second was perhaps never made."""

    first: asyncio.Task[R]
    second: asyncio.Task[R] | None

    @property
    def winner(self) -> asyncio.Task[R] | None:
        """The task with the answer; the first one, if both have answered."""
        return next((task for task in (self.first, self.second) if task and _has_answered(task)), None)

    @property
    def running(self) -> asyncio.Task[R] | None:
        """The task that has not ended."""
        return next((task for task in (self.first, self.second) if task and not task.done()), None)


async def race(
    first: Coroutine[None, None, R],
    patience: Coroutine[None, None, None],
    second: Callable[[], Coroutine[None, None, R] | None],
    ends: Callable[[BaseException | None], bool],
) -> Race[R]:
    """Start `first`, and `second` as well if there is no answer when `patience` has ended.

    A failure leaves the other call running, unless it is the first call's and its error `ends` the race. The loser
    goes on, in the hands of the caller. A cancellation cancels both.
    """
    leader, timer = asyncio.create_task(first), asyncio.create_task(patience)
    follower: asyncio.Task[R] | None = None
    running = {leader}
    try:
        await asyncio.wait([leader, timer], return_when=asyncio.FIRST_COMPLETED)
        if not leader.done() and (call := second()):
            follower = asyncio.create_task(call)
            running.add(follower)
        while running:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            if any(map(_has_answered, done)) or (leader in done and ends(leader.exception())):
                break
    except asyncio.CancelledError:
        await cancel(*filter(None, (leader, follower)))
        raise
    finally:
        timer.cancel()
    return Race(leader, follower)


async def cancel(*tasks: asyncio.Task[R]) -> None:
    """Cancel tasks and wait until they have ended, whatever their result."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _has_answered(task: asyncio.Task[R]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


REMEMBERED = 100
# The slowest of fewer answers says nothing about the usual one.
LEAST = 5
_SHARE = 0.95


class Latency:
    """Latencies of the newest answers of one provider."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=REMEMBERED)

    def __len__(self) -> int:
        """Number of known answers."""
        return len(self._seconds)

    def add(self, seconds: float) -> None:
        self._seconds.append(seconds)

    def p95_s(self) -> float | None:
        """The 95th percentile; `None` while too few answers are known."""
        if len(self._seconds) < LEAST:
            return None
        return sorted(self._seconds)[math.ceil(_SHARE * len(self._seconds)) - 1]
