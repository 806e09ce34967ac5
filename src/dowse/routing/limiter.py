"""Rate limits as sliding windows: never more calls than the limit in any period, so no burst at an edge.

One process counts in memory, and a store on disk keeps its counts over a restart. Several share a coordinator, and each
also counts its own calls, which holds the limit per process while the coordinator cannot be reached.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dowse.core.allowances import Admission, Rate
from dowse.core.models import Clock
from dowse.stores.coordination import Coordinator, LocalFallback
from dowse.stores.fail_soft import FailSoftStore, Sleep, WriteBehind
from dowse.stores.store import CLOCK_SKEW_S, Key

SWEEP_S = 60.0
WRITE_EVERY_S = 1.0
_TIME_BYTES = 8
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

    def __contains__(self, key: str) -> bool:
        return key in self._windows

    def times(self, key: str) -> Sequence[float]:
        """Times of the calls of a key on the clock, the oldest first."""
        return tuple(self._windows[key].calls) if key in self._windows else ()

    def restore(self, key: str, rate: Rate, times: Iterable[float]) -> None:
        """Count earlier calls of a key that has none."""
        self._windows[key] = _Window(rate.period_s, deque(sorted(times)))

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


class KeptWindows:
    """Sliding windows of one process that survive its restart: read on first use, written in batches and at the end.

    A process that is killed forgets the calls of the last second.
    """

    def __init__(self, local: SlidingWindows, store: FailSoftStore, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self._local = local
        self._store = store
        self._clock = clock
        self._changed: dict[str, float] = {}
        self._restoring = asyncio.Lock()
        self._writes = WriteBehind(self._write, sleep)

    async def admit(self, key: str, rate: Rate) -> Admission:
        if key not in self._local:
            async with self._restoring:
                await self._restore(key, rate)
        admission = await self._local.admit(key, rate)
        if not admission.wait_s:
            self._changed[key] = rate.period_s
            self._writes.schedule(WRITE_EVERY_S)
        return admission

    async def close(self) -> None:
        """Write the rest."""
        await self._writes.close()

    async def _restore(self, key: str, rate: Rate) -> None:
        kept = await self._store.get(_store_key(key))
        # Another call may have been first.
        if key in self._local or kept is None or len(kept.value) % _TIME_BYTES:
            return
        self._local.restore(key, rate, self._times(kept.value, rate.period_s))

    def _times(self, moments: bytes, period_s: float) -> list[float]:
        """Times on the clock of the calls within the period."""
        now, utc = self._clock.now(), self._clock.utc().timestamp()
        ages = [utc - moment for moment in array("d", moments)]
        # A clock that was set back makes calls a little younger than they can be.
        return [now - max(0.0, age) for age in ages if -CLOCK_SKEW_S < age < period_s]

    async def _write(self) -> None:
        changed, self._changed = self._changed, {}
        since = self._clock.utc().timestamp() - self._clock.now()
        for key, period_s in changed.items():
            moments = array("d", [since + time for time in self._local.times(key)])
            await self._store.put(_store_key(key), moments.tobytes(), period_s)


def _store_key(key: str) -> Key:
    """Hashed, so that names of callers stay out of the store."""
    return Key("limit", hashlib.blake2b(key.encode(), digest_size=16, person=b"dowse limits").hexdigest())


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
