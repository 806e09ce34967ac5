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

# One extra call for twenty ordinary ones; of those that were not needed, a few are saved for a bad moment.
_CALLS_PER_EXTRA = 20
_MOST_SAVED = 3


class Hedging:
    """How long each provider usually takes, and how many extra calls the ordinary ones have earned."""

    def __init__(self) -> None:
        self._latencies: defaultdict[str, Latency] = defaultdict(Latency)
        self._earned = 0

    def called(self) -> None:
        """An ordinary call is made."""
        self._earned = min(self._earned + 1, _CALLS_PER_EXTRA * _MOST_SAVED)

    def answered(self, provider: str, seconds: float) -> None:
        self._latencies[provider].add(seconds)

    def patience_s(self, provider: str) -> float | None:
        """How long its answer is waited for before another one is asked too; `None` while that is not known."""
        return self._latencies[provider].p95_s()

    def take(self) -> bool:
        """Whether an extra call may be made; it is counted."""
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
        """Whose answer counts: the first one's, if both have answered."""
        return next((task for task in (self.first, self.second) if task and _has_answered(task)), None)


async def race(
    first: Coroutine[Any, Any, R],
    patience: Coroutine[Any, Any, None],
    second: Callable[[], Coroutine[Any, Any, R] | None],
    ends: Callable[[BaseException | None], bool],
) -> Race[R]:
    """Start `first`, and `second` as well if there is no answer when `patience` has ended.

    Whoever fails leaves the other one running, unless it was the first and its error `ends` the race. Who is not
    needed any more is cancelled.
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
    """The newest answers of one provider."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, seconds: float) -> None:
        self._seconds.append(seconds)

    def p95_s(self) -> float | None:
        """Within what time 95 of 100 answers came; `None` while too few are known."""
        if len(self._seconds) < LEAST:
            return None
        return sorted(self._seconds)[math.ceil(_SHARE * len(self._seconds)) - 1]
