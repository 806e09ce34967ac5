"""The way to a provider: so often, and so many at once. Who has gone through holds a place until they leave."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

from dowse.core.allowances import Admission, Pace
from dowse.core.models import Clock
from dowse.core.runtime import Background
from dowse.routing.limiter import KEPT_BY_EACH, SlidingWindows
from dowse.stores.coordination import Coordinator, LocalFallback

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


# How much of a moving mean the last call is: a few slow calls in a row show, a single one hardly.
_LAST_CALL = 0.2
# Other processes take turns at random: several in a row say little about our share.
_LAST_ANSWER = 0.1
_LEAST_SHARE = 0.02
# Whoever shared a provider with us may have gone since.
_FORGET_SHARE_S = 60.0
# Until a call has shown it.
_USUAL_CALL_S = 1.0


class Forecast:
    """One provider, as seen by this process: exact for what it does itself, a guess for what others do."""

    def __init__(self, pace: Pace, clock: Clock) -> None:
        self._pace = pace
        self._clock = clock
        self._calls: deque[float] = deque(maxlen=pace.rate.calls if pace.rate else 1)
        self._at_work: dict[str, float] = {}
        self._call_s = 0.0
        self._share = 1.0
        self._told_at = 0.0
        self._not_before = 0.0

    def admitted(self, ticket: str) -> None:
        """A call begins."""
        now = self._clock.now()
        self._calls.append(now)
        self._at_work[ticket] = now

    def left(self, ticket: str) -> None:
        """A call has ended."""
        began = self._at_work.pop(ticket, None)
        if began is not None:
            taken_s = self._clock.now() - began
            self._call_s += (taken_s - self._call_s) * (_LAST_CALL if self._call_s else 1.0)

    def told(self, wait_s: float) -> None:
        """A call may not begin before that; where this process does not fill the pace itself, others do."""
        now = self._clock.now()
        if now - self._told_at > _FORGET_SHARE_S:
            self._share = 1.0
        self._share += (max(_LEAST_SHARE, self._own_part(now)) - self._share) * _LAST_ANSWER
        self._told_at, self._not_before = now, now + wait_s

    def held(self, until: float) -> None:
        """No call begins before that, whoever makes it."""
        self._not_before = max(self._not_before, until)

    def outlook(self) -> Callable[[int], float]:
        """The seconds until the turn of who has so many before them, as things stand now."""
        now, share = self._clock.now(), self._share
        rate, places = self._pace.rate, self._pace.at_once
        calls, begun = list(self._calls), list(self._at_work.values())
        call_s = self._call_s or _USUAL_CALL_S

        def in_s(ahead: int) -> float:
            # For each of our turns others have theirs.
            turn = int(ahead / share)
            at = max(now, self._not_before)
            if rate:
                at = max(at, _turn_at(turn, calls, rate.calls, rate.period_s, now))
            if places:
                at = max(at, _turn_at(turn, begun, places, call_s, now))
            return at - now

        return in_s

    def _own_part(self, now: float) -> float:
        """How much of what is allowed at once this process has taken."""
        rate, places = self._pace.rate, self._pace.at_once
        recent = sum(began + rate.period_s > now for began in self._calls) / rate.calls if rate else 0.0
        return max(recent, len(self._at_work) / places if places else 0.0)


def _turn_at(turn: int, begun: Sequence[float], most: int, lasting_s: float, now: float) -> float:
    """When there is room for one more after so many turns, where each of `most` lasts so long."""
    rounds, seat = divmod(turn, most)
    # Seats that nobody has are free now, and those that were taken first become free first.
    taken = seat - (most - len(begun))
    return (max(now, begun[taken] + lasting_s) if taken >= 0 else now) + rounds * lasting_s
