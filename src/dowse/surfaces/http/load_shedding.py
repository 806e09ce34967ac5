"""Load shedding.

Calls: few are admitted and stay fast, the others are refused at once with the time to retry. Connections: new ones take
the places of idle and slow ones.
"""

from __future__ import annotations

import asyncio
import logging
import math
import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dowse.core.models import Clock
from dowse.core.runtime import FairQueue, SystemClock, admits, reserve_of
from dowse.surfaces.http.adaptive_concurrency import SAMPLE_S, ConcurrencyLimit, LoadSample
from dowse.surfaces.http.replies import RETRY_AFTER_S
from dowse.telemetry.log import event

LOAD_SHEDDER = "load_shedder"
"""Its key in the state of the ASGI application, where connections find it."""
OVERLOAD, TOO_MANY, CONNECTIONS = "overload", "max_calls", "connections"
"""Reasons for a refusal."""
# Longer than the time to retry, so that a refused caller has its share when it comes back.
_REMEMBERED_S = 3 * RETRY_AFTER_S
_LOGGED_S = 1.0
# A call's deadline counts from its arrival, so a wait in the queue is taken from it.
MAX_WAIT_S = 5.0

MAX_CONNECTIONS = 1000
# Of these, connections without an authenticated request: none of the others takes their places. Enough for a newcomer
# to send its request before it is shed.
MAX_UNKNOWN_CONNECTIONS = 500
# Beyond the limit, while calls hold all connections: newcomers that are refused, and health checks.
_MAX_REFUSED_AT_ONCE = 50

BusySeconds = Callable[[], float]
"""How long a resource has had no time to spare, from some moment on."""


@dataclass(slots=True)
class _Caller:
    calls: int = 0
    refused_at: float = float("-inf")


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    """A call in the queue; `admitted` becomes whether it may run."""

    caller: str
    since: float
    admitted: asyncio.Future[bool]


class LoadShedder:
    """Keeps the number of calls in this process where the resources of `busy` have time for them.

    Each active caller has the same share, so that none pays for the flood of another: a call below it is admitted even
    when the calls of another caller have reached the limit, and the queue serves callers in turn.
    """

    def __init__(
        self,
        max_calls: int = 512,
        busy: Sequence[BusySeconds] = (),
        *,
        limit: ConcurrencyLimit | None = None,
        clock: Clock | None = None,
        on_refusal: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._max_calls = max_calls
        self._busy = busy
        self._clock = clock or SystemClock()
        self._on_refusal = on_refusal
        self._limit = limit or ConcurrencyLimit(max_calls)
        self._callers: dict[str, _Caller] = {}
        self._queue: FairQueue[_Waiter] = FairQueue()
        self._in_flight = 0
        self._has_queued = False
        self._began, self._ended, self._refusals = 0, 0, 0
        self._sampled_at = float("-inf")
        self._busy_s: list[float] = []
        self._timer: asyncio.TimerHandle | None = None
        self._unlogged, self._logged_at = 0, float("-inf")

    @property
    def in_flight(self) -> int:
        """The running calls, without the queue."""
        return self._in_flight

    @property
    def is_overloaded(self) -> bool:
        return self._limit.is_overloaded

    async def enter(self, caller: str) -> bool:
        """Whether a call is admitted; `leave` has to follow if it is. A queued call waits for the decision."""
        self._sample()
        self._admit_waiters()
        if caller not in self._queue.callers and self._has_room(caller):
            self._begin(caller)
            return True
        if self._in_flight + len(self._queue) >= self._max_calls and not self._displace_for(caller):
            return self._refuse(caller, TOO_MANY)
        if not self._limit.is_overloaded and not self._limit.can_queue(len(self._queue)):
            self._limit.overload()
        if self._limit.is_overloaded:
            # A newcomer in vain shows that the queue would not end: shed its oldest waiter as well.
            self._shed_oldest()
            return self._refuse(caller, OVERLOAD)
        return await self._wait(caller)

    def leave(self, caller: str) -> None:
        """A call has ended, successful or not."""
        self._in_flight -= 1
        self._ended += 1
        self._callers[caller].calls -= 1
        self._sample()
        self._admit_waiters()

    def count(self, reason: str) -> None:
        """Count a refusal in the metrics, and in the log at most once a second."""
        now = self._clock.now()
        self._refusals += 1
        self._on_refusal(reason)
        self._unlogged += 1
        if now - self._logged_at >= _LOGGED_S:
            event(logging.WARNING, "calls refused", reason=reason, calls=self._unlogged, in_flight=self._in_flight)
            self._unlogged, self._logged_at = 0, now

    def _has_room(self, caller: str) -> bool:
        """Whether a new call may begin; under overload, only if its caller is below its share."""
        if self._limit.is_overloaded and self._calls_of(caller) >= max(1, self._limit.calls / self._active(caller)):
            return False
        return self._admits(caller)

    def _admits(self, caller: str) -> bool:
        calls = self._limit.calls
        return admits(calls, reserve_of(calls), self._in_flight, self._calls_of(caller), self._active(caller))

    def _calls_of(self, caller: str) -> int:
        return self._callers[caller].calls if caller in self._callers else 0

    def _active(self, caller: str) -> int:
        """The number of active callers, this one included."""
        return len(self._callers.keys() | self._queue.callers | {caller})

    def _displace_for(self, caller: str) -> bool:
        """Refuse the newest waiter of the caller that has the most, if that one has more calls than this caller."""
        longest = self._queue.of_longest()
        if not longest or self._load_of(longest[-1].caller) <= self._load_of(caller) + 1:
            return False
        self._shed(longest[-1], TOO_MANY)
        return True

    def _load_of(self, caller: str) -> int:
        return self._calls_of(caller) + self._queue.count(caller)

    def _begin(self, caller: str) -> None:
        self._began += 1
        self._in_flight += 1
        self._callers.setdefault(caller, _Caller()).calls += 1

    def _refuse(self, caller: str, reason: str) -> bool:
        self._callers.setdefault(caller, _Caller()).refused_at = self._clock.now()
        self.count(reason)
        return False

    async def _wait(self, caller: str) -> bool:
        admitted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        waiter = _Waiter(caller, self._clock.now(), admitted)
        self._queue.add(waiter)
        self._has_queued = True
        self._start_timer()
        try:
            return await admitted
        except asyncio.CancelledError:
            self._queue.drop(waiter)
            if not admitted.cancelled() and admitted.result():
                # Admitted and cancelled at the same moment.
                self.leave(caller)
            raise

    def _admit_waiters(self) -> None:
        held = {name: caller.calls for name, caller in self._callers.items()} if self._queue else {}
        while (waiter := self._queue.first(held)) and self._admits(waiter.caller):
            self._queue.serve(waiter)
            if not waiter.admitted.done():
                self._begin(waiter.caller)
                held[waiter.caller] = self._calls_of(waiter.caller)
                waiter.admitted.set_result(True)

    def _shed_oldest(self) -> None:
        """Refuse the oldest waiter of the caller that has the most."""
        if longest := self._queue.of_longest():
            self._shed(longest[0], OVERLOAD)

    def _shed(self, waiter: _Waiter, reason: str) -> None:
        self._queue.drop(waiter)
        if not waiter.admitted.done():
            waiter.admitted.set_result(self._refuse(waiter.caller, reason))

    def _start_timer(self) -> None:
        """The queue moves with every sample, also without new calls."""
        if self._timer is None and self._queue:
            self._timer = asyncio.get_running_loop().call_later(SAMPLE_S, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._sample()
        self._admit_waiters()
        oldest = self._clock.now() - MAX_WAIT_S
        while late := [waiter for waiter in self._queue.heads() if waiter.since < oldest]:
            for waiter in late:
                self._shed(waiter, OVERLOAD)
        self._start_timer()

    def _sample(self) -> None:
        """Update the limit with the load since the last sample, if that was long enough ago."""
        now = self._clock.now()
        seconds = now - self._sampled_at
        if seconds < SAMPLE_S:
            return
        before, self._busy_s = self._busy_s, [busy_s() for busy_s in self._busy]
        self._sampled_at = now
        if math.isinf(seconds):
            # The first sample has nothing to compare with.
            return
        busy = max(map(operator.sub, self._busy_s, before), default=0.0) / seconds
        is_short = self._has_queued or bool(self._queue or self._refusals)
        self._limit.update(
            LoadSample(seconds, busy, self._in_flight, self._began, self._ended, self._refusals, is_short)
        )
        self._has_queued, self._began, self._ended, self._refusals = False, 0, 0, 0
        self._forget_callers(now - _REMEMBERED_S)

    def _forget_callers(self, until: float) -> None:
        """Forget callers without calls that were not refused since then."""
        self._callers = {
            name: caller for name, caller in self._callers.items() if caller.calls or caller.refused_at > until
        }


class Sheddable(Protocol):
    """A connection, with the address of its peer."""

    address: str

    def abort(self) -> None: ...


class _Waiting:
    """Connections that wait for their peers, counted by peer."""

    def __init__(self) -> None:
        # In the order in which they began to wait.
        self._peers: dict[Sheddable, str] = {}
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._peers)

    def __contains__(self, connection: Sheddable) -> bool:
        return connection in self._peers

    def add(self, connection: Sheddable, peer: str) -> None:
        self._peers[connection] = peer
        self._counts[peer] += 1

    def discard(self, connection: Sheddable) -> None:
        peer = self._peers.pop(connection, None)
        if peer is not None:
            self._counts[peer] -= 1
            if not self._counts[peer]:
                del self._counts[peer]

    def longest(self) -> Sheddable:
        """The connection with the longest wait, of the peer with the most connections."""
        [(most, _)] = self._counts.most_common(1)
        return next(connection for connection, peer in self._peers.items() if peer == most)


class ConnectionLimit:
    """Open connections. When there are too many, the connection with the longest wait for its peer is shed.

    Up to half of the places are for connections without an authenticated request, and up to half for the others: a
    group that has more makes room first. Of a group, the address or the principal that has most loses its own.
    """

    def __init__(self, most: int = MAX_CONNECTIONS) -> None:
        self._most = max(1, min(most, MAX_CONNECTIONS))
        self._most_unknown = max(1, min(self._most // 2, MAX_UNKNOWN_CONNECTIONS))
        self._open: set[Sheddable] = set()
        self._unknown, self._known = _Waiting(), _Waiting()
        self._unlogged, self._logged_at = 0, float("-inf")

    def admit(self, connection: Sheddable) -> bool:
        """Whether there is room for a new connection, if need be that of another one."""
        is_full = len(self._open) >= self._most
        has_room = not is_full and len(self._unknown) < self._most_unknown
        is_admitted = has_room or self._shed(asyncio.get_running_loop().time())
        self._open.add(connection)
        return is_admitted

    def update(self, connection: Sheddable, *, is_waiting: bool, principal: str) -> None:
        """Note whether the server waits for the peer of a connection; only then it may be shed.

        `principal` is that of its last authenticated request, empty without one.
        """
        group = self._known if principal else self._unknown
        if (is_waiting and connection in group) or connection not in self._open:
            return
        self._end_waiting(connection)
        if is_waiting:
            group.add(connection, principal or connection.address)

    def forget(self, connection: Sheddable) -> None:
        self._open.discard(connection)
        self._end_waiting(connection)

    def _end_waiting(self, connection: Sheddable) -> None:
        self._known.discard(connection)
        self._unknown.discard(connection)

    def _next_shed(self) -> Sheddable | None:
        """The connection to be shed; `None` while calls hold the places, and few newcomers wait to be refused."""
        others = len(self._open) - len(self._unknown)
        if others > self._most - self._most_unknown and self._known:
            return self._known.longest()
        kept = min(self._most_unknown, max(self._most - others, _MAX_REFUSED_AT_ONCE))
        return self._unknown.longest() if len(self._unknown) >= kept else None

    def _shed(self, now: float) -> bool:
        connection = self._next_shed()
        if connection is None:
            return False
        self.forget(connection)
        connection.abort()
        self._unlogged += 1
        if now - self._logged_at >= _LOGGED_S:
            event(logging.WARNING, "connections shed", connections=self._unlogged, open=len(self._open))
            self._unlogged, self._logged_at = 0, now
        return True
