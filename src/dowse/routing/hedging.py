"""Hedged requests: when a provider is slower than its 95th percentile, a second one is asked."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

R = TypeVar("R")

OUTRUN = "outrun"
"""Outcome of an attempt that was given up because another provider had answered."""

# One hedged request per twenty ordinary calls; up to three unused ones are saved.
_CALLS_PER_EXTRA = 20
_MOST_SAVED = 3


class Hedging:
    """Latencies by provider, and the budget of hedged requests that ordinary calls have earned."""

    def __init__(self) -> None:
        self._latencies: defaultdict[str, Latency] = defaultdict(Latency)
        self._earned = 0

    def count_call(self) -> None:
        """Count an ordinary call."""
        self._earned = min(self._earned + 1, _CALLS_PER_EXTRA * _MOST_SAVED)

    def record_answer(self, provider: str, seconds: float) -> None:
        self._latencies[provider].add(seconds)

    def patience_s(self, provider: str) -> float | None:
        """How long to wait for an answer before the hedged request; `None` while too few latencies are known."""
        return self._latencies[provider].p95_s()

    def take(self) -> bool:
        """Take one hedged request from the budget, if there is one."""
        if self._earned < _CALLS_PER_EXTRA:
            return False
        self._earned -= _CALLS_PER_EXTRA
        return True


@dataclass(frozen=True, slots=True)
class Race(Generic[R]):
    """Two calls for the same thing, both ended; the second was perhaps never made."""

    first: asyncio.Task[R]
    second: asyncio.Task[R] | None

    @property
    def winner(self) -> asyncio.Task[R] | None:
        """The task with the answer; the first one, if both have answered."""
        return next((task for task in (self.first, self.second) if task and _has_answered(task)), None)


async def race(
    first: Coroutine[Any, Any, R],
    patience: Coroutine[Any, Any, None],
    second: Callable[[], Coroutine[Any, Any, R] | None],
    ends: Callable[[BaseException | None], bool],
) -> Race[R]:
    """Start `first`, and `second` as well if there is no answer when `patience` has ended.

    A failure leaves the other call running, unless it is the first call's and its error `ends` the race. The loser
    is cancelled.
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
    finally:
        tasks = [task for task in (leader, timer, follower) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return Race(leader, follower)


def _has_answered(task: asyncio.Task[R]) -> bool:
    return not task.cancelled() and task.exception() is None


REMEMBERED = 100
# Of fewer answers the slowest twentieth says nothing.
LEAST = 20
_SHARE = 0.95


class Latency:
    """Latencies of the newest answers of one provider."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, seconds: float) -> None:
        self._seconds.append(seconds)

    def p95_s(self) -> float | None:
        """The 95th percentile; `None` while too few answers are known."""
        if len(self._seconds) < LEAST:
            return None
        return sorted(self._seconds)[math.ceil(_SHARE * len(self._seconds)) - 1]
