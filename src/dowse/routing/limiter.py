"""Rate limits as sliding windows: never more calls than the limit in any period, so no burst at an edge.

One process counts in memory. Several share a coordinator, and each also counts its own calls, which holds the limit
per process while the coordinator cannot be reached.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from dowse.core.allowances import Admission, Rate
from dowse.core.models import Clock
from dowse.stores.coordination import Coordinator, LocalFallback

SWEEP_S = 60.0
KEPT_BY_EACH = "the shared store cannot be reached, so this limit is kept by each process on its own"


@dataclass(slots=True)
class _Window:
    """Times of the calls within the period, and the number of reserved calls."""

    period_s: float
    calls: deque[float] = field(default_factory=deque)
    reserved: int = 0

    def forget(self, now: float) -> None:
        # The same sum as in `wait_s`: `calls[0] <= now - period_s` may round to another verdict.
        while self.calls and self.calls[0] + self.period_s <= now:
            self.calls.popleft()

    def wait_s(self, most: int, now: float) -> float:
        """Seconds until one more call fits. A reservation counts as a call made now."""
        if len(self.calls) + self.reserved < most:
            return 0.0
        left = most - self.reserved
        return self.calls[-left] + self.period_s - now if left > 0 else self.period_s


class SlidingWindows:
    """Sliding windows by key. Nothing awaits between check and count, so the limit holds on one event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._windows: dict[str, _Window] = {}
        self._sweep_at = clock.now() + SWEEP_S

    def __len__(self) -> int:
        """Number of keys with calls."""
        return len(self._windows)

    async def admit(self, key: str, rate: Rate) -> Admission:
        if wait_s := self.reserve(key, rate):
            return Admission(wait_s)
        self.settle(key, is_made=True)
        return Admission()

    def reserve(self, key: str, rate: Rate) -> float:
        """Reserve a call until `settle` and return 0; else the seconds until there is room."""
        now = self._clock.now()
        self._sweep(now)
        window = self._windows.setdefault(key, _Window(rate.period_s))
        window.period_s = rate.period_s
        window.forget(now)
        wait_s = window.wait_s(rate.calls, now)
        if not wait_s:
            window.reserved += 1
        return wait_s

    def settle(self, key: str, *, is_made: bool) -> None:
        """End a reservation: the call is made now and counts from now on, or it is not made."""
        window = self._windows[key]
        window.reserved -= 1
        if is_made:
            window.calls.append(self._clock.now())

    def _sweep(self, now: float) -> None:
        """Drop keys without calls within their window: callers come and go."""
        if now < self._sweep_at:
            return
        self._sweep_at = now + SWEEP_S
        for window in self._windows.values():
            window.forget(now)
        self._windows = {key: window for key, window in self._windows.items() if window.calls or window.reserved}


class SharedWindows:
    """Sliding windows shared between processes. While the coordinator is down, each process holds the limit by itself.

    A process never makes more calls than the limit: also around the beginning and the end of an outage, all processes
    together make at most as many times the limit as there are processes.
    """

    def __init__(self, local: SlidingWindows, coordinator: Coordinator, fallback: LocalFallback) -> None:
        self._local = local
        self._coordinator = coordinator
        self._fallback = fallback

    async def admit(self, key: str, rate: Rate) -> Admission:
        if wait_s := self._local.reserve(key, rate):
            return Admission(wait_s, KEPT_BY_EACH if self._fallback.is_lost else "")
        # A cancelled call is not made, and not counted.
        shared_wait_s: float | None = math.inf
        try:
            shared_wait_s = await self._fallback.ask(lambda: self._coordinator.admit(key, rate))
        finally:
            self._local.settle(key, is_made=not shared_wait_s)
        return Admission(remark=KEPT_BY_EACH) if shared_wait_s is None else Admission(shared_wait_s)
