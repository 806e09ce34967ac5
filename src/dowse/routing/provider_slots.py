"""The way to a provider: so often, and so many at once. Who has gone through holds a place until they leave."""

from __future__ import annotations

import math

from dowse.core.allowances import Admission, Pace
from dowse.core.models import Clock
from dowse.core.tasks import Background
from dowse.routing.limiter import KEPT_BY_EACH, SlidingWindows
from dowse.stores.coordination import Coordinator
from dowse.stores.local_fallback import LocalFallback

# Nobody knows when a place becomes free.
POLL_S = 0.05
# How long the end of the application waits for places to be given back. They run out by themselves, too.
_LAST_S = 2.0


class ProviderSlots:
    """Counts calls to providers, in this process and, where processes share a board, over all of them."""

    def __init__(self, clock: Clock, shared: tuple[Coordinator, LocalFallback] | None = None) -> None:
        self._clock = clock
        self._shared = shared
        self._windows = SlidingWindows(clock)
        self._places: dict[str, dict[str, float]] = {}
        self._on_the_board: set[tuple[str, str]] = set()
        self._returns = Background()

    async def enter(self, provider: str, pace: Pace, ticket: str, for_s: float) -> Admission:
        """Go through and hold a place, at most so long; or be told when it is worth asking again.

        A ticket is for one call and may ask again. Whoever has asked leaves in the end, also when cancelled on the way.
        """
        if wait_s := self._reserve(provider, pace, ticket, for_s):
            return Admission(wait_s, self._remark())
        shared_wait_s: float | None = math.inf
        try:
            shared_wait_s = await self._ask(provider, pace, ticket, for_s)
        finally:
            self._settle(provider, pace, ticket, is_made=not shared_wait_s)
        return Admission(remark=KEPT_BY_EACH) if shared_wait_s is None else Admission(shared_wait_s)

    async def leave(self, provider: str, ticket: str) -> None:
        """Give the place back. Nobody waits for the board to hear of it, and no cancellation keeps it from hearing."""
        self._places.get(provider, {}).pop(ticket, None)
        if self._shared and (provider, ticket) in self._on_the_board:
            coordinator, fallback = self._shared
            self._on_the_board.discard((provider, ticket))
            self._returns.start(fallback.ask(lambda: coordinator.leave(provider, ticket)))

    async def close(self) -> None:
        """Wait until all places are given back, but not for long."""
        await self._returns.finish(_LAST_S)

    async def _ask(self, provider: str, pace: Pace, ticket: str, for_s: float) -> float | None:
        """What the board says; `None` when it says nothing."""
        if self._shared is None or pace == Pace():
            return 0.0
        coordinator, fallback = self._shared
        if pace.at_once:
            # Who is cancelled, or gets no answer, may have a place all the same.
            self._on_the_board.add((provider, ticket))
        wait_s = await fallback.ask(lambda: coordinator.enter(provider, pace, ticket, for_s))
        if wait_s:
            self._on_the_board.discard((provider, ticket))
        return wait_s

    def _reserve(self, provider: str, pace: Pace, ticket: str, for_s: float) -> float:
        wait_s = self._windows.reserve(provider, pace.rate) if pace.rate else 0.0
        if wait_s:
            return wait_s
        now = self._clock.now()
        held = {other: until for other, until in self._places.get(provider, {}).items() if until > now}
        held.pop(ticket, None)
        if pace.at_once and len(held) >= pace.at_once:
            self._settle(provider, pace, ticket, is_made=False)
            return POLL_S
        if pace.at_once:
            self._places[provider] = held | {ticket: now + for_s}
        return 0.0

    def _settle(self, provider: str, pace: Pace, ticket: str, *, is_made: bool) -> None:
        if pace.rate:
            self._windows.settle(provider, is_made=is_made)
        if not is_made:
            self._places.get(provider, {}).pop(ticket, None)

    def _remark(self) -> str:
        return KEPT_BY_EACH if self._shared and self._shared[1].is_lost else ""
