"""When turns at a provider will come: what its pace leaves room for, and what lately has shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from dowse.core.allowances import Pace
from dowse.core.models import Clock

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
