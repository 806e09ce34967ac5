"""Who is let in when more comes than can be done: few and quickly; the others are told at once when to come back."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dowse.core.clock import SystemClock
from dowse.core.models import Clock
from dowse.surfaces.http.adaptive_concurrency import LOOK_S, CallLimit, Seen
from dowse.surfaces.http.replies import RETRY_AFTER_S
from dowse.telemetry.log import event

# What the server, an answer and the connection know one another by.
ADMISSIONS, TOLD_TO_WAIT = "admissions", "told_to_wait"
# Why calls are refused.
OVERLOAD, TOO_MANY, CONNECTIONS = "overload", "max_calls", "connections"
# Longer than it takes to come back as told, so that whoever was refused finds room.
_REMEMBERED_S = 3 * RETRY_AFTER_S
_LOGGED_S = 1.0
# The deadline of a call counts from its beginning, and nobody is to wait for that as if there were none.
LONGEST_WAIT_S = 5.0
# How many refusals between two looks may cost more, to find out who else is about.
_LOOKED_INTO = 4

BusySeconds = Callable[[], float]
"""For how long something has had no time to spare, from some moment on."""


@dataclass(slots=True)
class _Caller:
    calls: int = 0
    refused_at: float = float("-inf")


@dataclass(frozen=True, slots=True)
class _Turn:
    """Somebody in line, who is told whether they are let in."""

    caller: str
    came_at: float
    told: asyncio.Future[bool]


class LoadShedder:
    """Counts the calls of this process and keeps their number where `busy` has time for them.

    Under overload every caller who is about has the same share, so that nobody pays for what another one does.
    """

    def __init__(
        self,
        max_calls: int = 512,
        busy: Sequence[BusySeconds] = (),
        *,
        limit: CallLimit | None = None,
        clock: Clock | None = None,
        on_refusal: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._max_calls = max_calls
        self._busy = busy
        self._clock = clock or SystemClock()
        self._on_refusal = on_refusal
        self._limit = limit or CallLimit(max_calls)
        self._callers: dict[str, _Caller] = {}
        self._line: deque[_Turn] = deque()
        self._in_flight = 0
        self._has_waited = False
        self._began, self._ended, self._refusals = 0, 0, 0
        self._looked_at = float("-inf")
        self._seen_s: list[float] = []
        self._looked_into = 0
        self._timer: asyncio.TimerHandle | None = None
        self._unlogged, self._logged_at = 0, float("-inf")

    @property
    def in_flight(self) -> int:
        """The calls that are worked on; those in line have not begun."""
        return self._in_flight

    @property
    def is_overloaded(self) -> bool:
        return self._limit.is_overloaded

    async def enter(self, caller: str) -> bool:
        """Whether a call is let in, which is known at once or within moments; `leave` has to follow if it is."""
        self._look()
        if self._in_flight + len(self._line) >= self._max_calls:
            return self._refused(caller, TOO_MANY)
        if not self._line and self._has_room(caller):
            self._begin(caller)
            return True
        if not self._limit.is_overloaded and not self._limit.has_time_for(len(self._line)):
            self._limit.overload()
        if self._limit.is_overloaded:
            self._send_one_away()
            return self._refused(caller, OVERLOAD)
        return await self._turn(caller)

    def turns_away(self, caller: str | None) -> bool:
        """Whether a call is refused without a closer look; counted if it is.

        From a caller who is not known it is if nobody is let in, and enough others had their look.
        """
        self._look()
        if caller is None:
            has_room = self._in_flight < self._limit.calls or self._looked_into < _LOOKED_INTO
        else:
            has_room = self._has_room(caller)
        if has_room or not self._limit.is_overloaded:
            return False
        if caller is not None:
            self._remember(caller)
        self.count(OVERLOAD)
        self._send_one_away()
        return True

    def leave(self, caller: str) -> None:
        """A call has ended, however it did."""
        self._in_flight -= 1
        self._ended += 1
        self._callers[caller].calls -= 1
        self._look()
        self._call_in()

    def count(self, reason: str) -> None:
        """A call is refused; those who run the server hear of it now and then."""
        now = self._clock.now()
        self._refusals += 1
        self._on_refusal(reason)
        self._unlogged += 1
        if now - self._logged_at >= _LOGGED_S:
            event(logging.WARNING, "calls refused", reason=reason, calls=self._unlogged, in_flight=self._in_flight)
            self._unlogged, self._logged_at = 0, now

    def _has_room(self, caller: str) -> bool:
        if self._in_flight >= self._limit.calls:
            return False
        if not self._limit.is_overloaded or caller not in self._callers:
            return True
        return self._callers[caller].calls < max(1, self._limit.calls / len(self._callers))

    def _begin(self, caller: str) -> None:
        self._began += 1
        self._in_flight += 1
        self._callers.setdefault(caller, _Caller()).calls += 1

    async def _turn(self, caller: str) -> bool:
        """Wait in line, which moves with every look."""
        told: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._line.append(_Turn(caller, self._clock.now(), told))
        self._has_waited = True
        self._keep_looking()
        try:
            return await told
        except asyncio.CancelledError:
            if not told.cancelled() and told.result():
                # Called in at the very moment at which they left.
                self.leave(caller)
            raise

    def _call_in(self) -> None:
        while self._line and self._in_flight < self._limit.calls:
            turn = self._line.popleft()
            if not turn.told.done():
                self._begin(turn.caller)
                turn.told.set_result(True)

    def _send_one_away(self) -> None:
        """Whoever comes in vain shows that the line would not end: the one who has waited longest is told as well."""
        if self._line:
            turn = self._line.popleft()
            if not turn.told.done():
                self._remember(turn.caller)
                self.count(OVERLOAD)
                turn.told.set_result(False)

    def _keep_looking(self) -> None:
        """As long as there is a line, whether or not anybody comes or leaves."""
        if self._timer is None and self._line:
            self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        self._look()
        self._call_in()
        while self._line and self._clock.now() - self._line[0].came_at > LONGEST_WAIT_S:
            self._send_one_away()
        self._keep_looking()

    def _look(self) -> None:
        """Let the limit follow what was measured since the last look."""
        now = self._clock.now()
        seconds = now - self._looked_at
        if seconds < LOOK_S:
            return
        before, self._seen_s = self._seen_s, [busy_s() for busy_s in self._busy]
        if math.isinf(seconds):
            # The first look has nothing to compare with.
            self._looked_at = now
            return
        busy = max((late - early for early, late in zip(before, self._seen_s, strict=True)), default=0.0) / seconds
        is_short = self._has_waited or bool(self._line or self._refusals)
        self._limit.look(Seen(seconds, busy, self._in_flight, self._began, self._ended, self._refusals, is_short))
        self._looked_at, self._has_waited, self._looked_into = now, False, 0
        self._began, self._ended, self._refusals = 0, 0, 0
        recently = now - _REMEMBERED_S
        self._callers = {
            name: caller for name, caller in self._callers.items() if caller.calls or caller.refused_at > recently
        }

    def _remember(self, caller: str) -> None:
        self._callers.setdefault(caller, _Caller()).refused_at = self._clock.now()

    def _refused(self, caller: str, reason: str) -> bool:
        self._remember(caller)
        self._looked_into += 1
        self.count(reason)
        return False
