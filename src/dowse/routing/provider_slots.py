"""Slots of providers under a rate and a concurrency limit, and the forecast of the wait for one."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

from dowse.core.allowances import Admission, Pace
from dowse.core.models import Clock
from dowse.core.runtime import Background
from dowse.routing.limiter import KEPT_BY_EACH, SlidingWindows
from dowse.stores.coordination import Coordinator, LocalFallback

# Polled, because another process may release a slot at any time.
POLL_S = 0.05
# How long shutdown waits for slots to be released. They expire by themselves, too.
_LAST_S = 2.0


class ProviderSlots:
    """Rate and concurrency limits of providers, in this process and, with a coordinator, over all processes."""

    def __init__(self, clock: Clock, shared: tuple[Coordinator, LocalFallback] | None = None) -> None:
        self._clock = clock
        self._shared = shared
        self._windows = SlidingWindows(clock)
        self._places: dict[str, dict[str, float]] = {}
        self._registered: set[tuple[str, str]] = set()
        self._returns = Background()

    async def enter(self, provider: str, pace: Pace, ticket: str, for_s: float) -> Admission:
        """Take a slot for at most `for_s`, or return the seconds until the next try.

        A ticket is for one call and may ask again. Each `enter` needs a `leave`, also after a cancellation.
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
        """Release the slot; the coordinator is notified in the background, where no cancellation reaches it."""
        self._places.get(provider, {}).pop(ticket, None)
        if self._shared and (provider, ticket) in self._registered:
            coordinator, fallback = self._shared
            self._registered.discard((provider, ticket))
            self._returns.start(fallback.ask(lambda: coordinator.leave(provider, ticket)))

    async def close(self) -> None:
        """Wait until all slots are released, at most two seconds."""
        await self._returns.finish(_LAST_S)

    async def _ask(self, provider: str, pace: Pace, ticket: str, for_s: float) -> float | None:
        """The wait by the coordinator; `None` while it cannot be reached."""
        if self._shared is None or pace == Pace():
            return 0.0
        coordinator, fallback = self._shared
        if pace.at_once:
            # A cancelled call, or one without a reply, may hold a slot all the same.
            self._registered.add((provider, ticket))
        wait_s = await fallback.ask(lambda: coordinator.enter(provider, pace, ticket, for_s))
        if wait_s:
            self._registered.discard((provider, ticket))
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


# Weight of the last call in the moving mean: a few slow calls in a row show, a single one hardly.
_LAST_CALL = 0.2
# Weight of the last answer: turns of other processes are random, and several in a row say little of our share.
_LAST_ANSWER = 0.1
_LEAST_SHARE = 0.02
# Other processes may have ended since.
_FORGET_SHARE_S = 60.0
# Until a call has shown it.
_USUAL_CALL_S = 1.0


class Forecast:
    """Forecast of the wait for one provider: exact for calls of this process, estimated for other processes."""

    def __init__(self, pace: Pace, clock: Clock) -> None:
        self._pace = pace
        self._clock = clock
        self._calls: deque[float] = deque(maxlen=pace.rate.calls if pace.rate else 1)
        self._at_work: dict[str, float] = {}
        self._call_s = 0.0
        self._share = 1.0
        self._refused_at = 0.0
        self._not_before = 0.0

    def record_start(self, ticket: str) -> None:
        """Record the start of a call."""
        now = self._clock.now()
        self._calls.append(now)
        self._at_work[ticket] = now

    def record_end(self, ticket: str) -> None:
        """Record the end of a call."""
        began = self._at_work.pop(ticket, None)
        if began is not None:
            taken_s = self._clock.now() - began
            self._call_s += (taken_s - self._call_s) * (_LAST_CALL if self._call_s else 1.0)

    def record_wait(self, wait_s: float) -> None:
        """Record a refusal; the part of the pace that this process does not use is used by others."""
        now = self._clock.now()
        if now - self._refused_at > _FORGET_SHARE_S:
            self._share = 1.0
        self._share += (max(_LEAST_SHARE, self._own_part(now)) - self._share) * _LAST_ANSWER
        self._refused_at, self._not_before = now, now + wait_s

    def hold(self, until: float) -> None:
        """Delay all calls until then."""
        self._not_before = max(self._not_before, until)

    def outlook(self) -> Callable[[int], float]:
        """The seconds until the turn behind so many others, as of now."""
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
        """The share of the limit that calls of this process use."""
        rate, places = self._pace.rate, self._pace.at_once
        recent = sum(began + rate.period_s > now for began in self._calls) / rate.calls if rate else 0.0
        return max(recent, len(self._at_work) / places if places else 0.0)


def _turn_at(turn: int, begun: Sequence[float], most: int, lasting_s: float, now: float) -> float:
    """When there is room for one more after so many turns, where each of `most` lasts so long."""
    rounds, seat = divmod(turn, most)
    # Seats become free in the order in which they were taken.
    taken = seat - (most - len(begun))
    return (max(now, begun[taken] + lasting_s) if taken >= 0 else now) + rounds * lasting_s
