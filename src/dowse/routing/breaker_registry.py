"""The breakers of one operation: one way to ask them, whoever keeps them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from dowse.core.errors import Paused, ProviderError, RateLimited, Skipped
from dowse.core.models import Clock
from dowse.core.protocols import BreakerChange, Observer
from dowse.routing.breaker import Breaker, SharedBreaker, State
from dowse.stores.coordination import Coordinator, LocalFallback

# How long the end of the application waits for probes to be given back. They run out by themselves, too.
_LAST_S = 2.0


class Permit(Protocol):
    """The right to make one call; exactly one of its methods ends it."""

    def succeeded(self) -> None: ...

    def failed(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None:
        """The provider failed; one that says when to come back is believed, up to ten minutes."""
        ...

    def released(self) -> None:
        """The call ended without a verdict on the provider."""
        ...


class Unwatched:
    """The permit for a provider that is never blamed: it has no breaker, so there is nobody to tell."""

    def succeeded(self) -> None: ...

    def failed(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None: ...

    def released(self) -> None: ...


def blame(permit: Permit, error: ProviderError) -> None:
    """End the permit of a call that failed through the provider's fault."""
    permit.failed(error.retry_after_s, is_limited=isinstance(error, RateLimited))


class Breakers:
    """A breaker for each provider: kept on the board where there is one, else in this process."""

    def __init__(
        self, operation: str, clock: Clock, observer: Observer, shared: tuple[Coordinator, LocalFallback] | None = None
    ) -> None:
        self._operation = operation
        self._clock = clock
        self._observer = observer
        self._coordinator = shared
        self._own: dict[str, Breaker] = {}
        self._shared: dict[str, SharedBreaker] = {}
        # Those who wait, and until when they would.
        self._waiting: defaultdict[str, dict[asyncio.Timeout, float]] = defaultdict(dict)

    def state(self, provider: str) -> State:
        """As it is known here; a board is not asked for this."""
        return self._breaker(provider).state

    async def admit(self, provider: str, probe_s: float) -> Permit:
        """A permit for one call; raises `Skipped`. A process that dies as the probe is it for so long."""
        own = self._breaker(provider)
        shared = self._shared.get(provider)
        permit = await shared.admit(probe_s) if shared else own.admit()
        if permit is None:
            self._wake(provider)
            raise self._refusal(provider)
        return permit

    @asynccontextmanager
    async def while_closed(self, provider: str, patience_s: float = 0.0) -> AsyncIterator[None]:
        """Around a wait for the provider: raises `Skipped` if its breaker is open, or as soon as it opens.

        But whoever waits already and has the patience goes on if it is only told to slow down.
        """
        if self.state(provider) is State.OPEN:
            raise self._refusal(provider)
        waiting = self._waiting[provider]
        ended = asyncio.timeout(None)
        waiting[ended] = self._clock.now() + patience_s
        try:
            async with ended:
                yield
        except TimeoutError:
            if not ended.expired():
                raise
            raise self._refusal(provider) from None
        finally:
            del waiting[ended]

    async def close(self) -> None:
        """Wait until what was found out is told and what is held is given back, but not for long."""
        reports = [shared.reports.finish(_LAST_S) for shared in self._shared.values()]
        await asyncio.gather(*reports)

    def _breaker(self, provider: str) -> Breaker:
        """The breaker as this process knows it; made on first use, with the shared one behind it."""

        def tell(state: State, for_s: float) -> None:
            self._observer.breaker_changed(BreakerChange(provider, self._operation, state.value, for_s))
            self._wake(provider)

        if provider not in self._own:
            own = self._own[provider] = Breaker(self._clock, tell)
            if self._coordinator is not None:
                self._shared[provider] = SharedBreaker(f"{self._operation}:{provider}", own, *self._coordinator, tell)
        return self._own[provider]

    def _wake(self, provider: str) -> None:
        """Those who wait for a provider that is not asked any more wait in vain."""
        own = self._breaker(provider)
        if own.state is not State.OPEN:
            return
        opens_at = self._clock.now() + own.opens_for_s
        for waiting, until in self._waiting[provider].items():
            # Who was told a moment ago may still be on their way out.
            if not waiting.expired() and not (own.is_limited and opens_at <= until):
                waiting.reschedule(0.0)

    def _refusal(self, provider: str) -> Skipped:
        own = self._breaker(provider)
        wait_s = own.opens_for_s
        why = f"breaker open, next try in {wait_s:.0f} s" if wait_s else "breaker is probing"
        skipped = Paused if own.is_limited else Skipped
        return skipped(provider, why, retry_after_s=wait_s or None)
