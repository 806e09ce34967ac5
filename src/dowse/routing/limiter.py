"""Sliding windows in memory: never more than the limit in any stretch of time, so no burst at an edge."""

from __future__ import annotations

from collections import deque

from dowse.models import Clock, Rate


class SlidingWindows:
    """A window per key. Nothing here awaits between looking and counting, so it holds on one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._calls: dict[str, deque[float]] = {}

    async def admit(self, key: str, rate: Rate) -> float:
        now = self._clock.now()
        calls = self._calls.setdefault(key, deque())
        while calls and calls[0] <= now - rate.period_s:
            calls.popleft()
        if len(calls) >= rate.calls:
            return calls[len(calls) - rate.calls] + rate.period_s - now
        calls.append(now)
        return 0.0
