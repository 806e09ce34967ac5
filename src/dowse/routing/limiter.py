"""Sliding windows in memory: never more than the limit in any stretch of time, so no burst at an edge."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from dowse.allowances import Rate
from dowse.models import Clock

SWEEP_S = 60.0


@dataclass(slots=True)
class _Window:
    """When the calls were admitted that still count."""

    period_s: float
    calls: deque[float] = field(default_factory=deque)

    def forget(self, now: float) -> None:
        # The same sum as in `SlidingWindows.admit`: `calls[0] <= now - period_s` may round to another verdict.
        while self.calls and self.calls[0] + self.period_s <= now:
            self.calls.popleft()


class SlidingWindows:
    """A window per key. Nothing here awaits between looking and counting, so it holds on one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._windows: dict[str, _Window] = {}
        self._sweep_at = clock.now() + SWEEP_S

    def __len__(self) -> int:
        """How many keys are remembered."""
        return len(self._windows)

    async def admit(self, key: str, rate: Rate) -> float:
        now = self._clock.now()
        self._sweep(now)
        window = self._windows.setdefault(key, _Window(rate.period_s))
        window.period_s = rate.period_s
        window.forget(now)
        if len(window.calls) < rate.calls:
            window.calls.append(now)
            return 0.0
        return window.calls[-rate.calls] + rate.period_s - now

    def _sweep(self, now: float) -> None:
        """Callers come and go; who has not called within their window is forgotten."""
        if now < self._sweep_at:
            return
        self._sweep_at = now + SWEEP_S
        for window in self._windows.values():
            window.forget(now)
        self._windows = {key: window for key, window in self._windows.items() if window.calls}
