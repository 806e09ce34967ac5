"""Limits, pacing and circuit breakers of all routers of a process, shared with other processes by a coordinator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack

from dowse.core.allowances import Pace
from dowse.core.models import Clock
from dowse.core.protocols import Limiter, Observer
from dowse.routing.breaker import Breakers
from dowse.routing.limiter import KeptWindows, SharedWindows, SlidingWindows
from dowse.routing.provider_limits import Pacer
from dowse.routing.provider_slots import ProviderSlots
from dowse.stores.coordination import Coordinator, LocalFallback
from dowse.stores.fail_soft import FailSoftStore, Outage


class Traffic:
    """Rate limiter, pacer and circuit breakers that share one coordinator and its outage detection."""

    def __init__(
        self,
        coordinator: Coordinator | None,
        outage: Outage,
        paces: Mapping[tuple[str, str], Pace],
        prepare: Callable[[], None],
        *,
        clock: Clock,
        observer: Observer,
        kept: FailSoftStore | None = None,
    ) -> None:
        """`kept` is the store that keeps limits of callers over a restart, where there is no coordinator to do so."""
        self._clock = clock
        self._observer = observer
        # A count has to be exact: it waits a moment for a coordinator that restarts. A breaker falls back at once.
        self._counts = (coordinator, LocalFallback(coordinator.look, outage, clock)) if coordinator else None
        self._circuits = (
            (coordinator, LocalFallback(coordinator.look, outage, clock, patience_s=0.0)) if coordinator else None
        )
        windows = SlidingWindows(clock)
        self.limiter: Limiter = SharedWindows(windows, *self._counts) if self._counts else windows
        self._kept = KeptWindows(windows, kept, clock) if kept else None
        self.caller_limiter: Limiter = self._kept or self.limiter
        self._slots = ProviderSlots(clock, self._counts)
        self.pacing = Pacer(paces, self._slots, clock, prepare)
        self._breakers: list[Breakers] = []

    def breakers(self, operation: str) -> Breakers:
        """The circuit breakers of one operation."""
        breakers = Breakers(operation, self._clock, self._observer, self._circuits)
        self._breakers.append(breakers)
        return breakers

    async def close(self) -> None:
        """Release slots and probes, before the store is closed."""
        async with AsyncExitStack() as closing:
            for shared in filter(None, (self._counts, self._circuits)):
                closing.push_async_callback(shared[1].close)
            if self._kept:
                closing.push_async_callback(self._kept.close)
            closing.push_async_callback(self._slots.close)
            for breakers in self._breakers:
                closing.push_async_callback(breakers.close)
