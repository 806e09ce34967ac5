"""A circuit breaker that admits exactly one probe when it is half-open.

closed --5 consecutive failures, or a Retry-After--> open --time passed--> half-open
half-open: one call holds the probe; its success closes, its failure reopens, its cancellation
gives the probe to the next caller.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from dowse.core.models import Clock
from dowse.stores.coordination import FAILURES_TO_OPEN, LONGEST_S, Circuit

OPEN_S = 30.0


class State(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker:
    """One provider's health for one operation.

    There is no lock: nothing here awaits, so each method is atomic on the event loop.
    """

    def __init__(self, clock: Clock, on_change: Callable[[State, float], None] = lambda _state, _for_s: None) -> None:
        self._clock = clock
        self._on_change = on_change
        self._failures = 0
        self._is_limited = False
        self._open_until: float | None = None
        self._probe: Permit | None = None

    @property
    def state(self) -> State:
        if self._open_until is None:
            return State.CLOSED
        return State.OPEN if self._clock.now() < self._open_until else State.HALF_OPEN

    @property
    def opens_for_s(self) -> float:
        """How long until a probe may go out; 0 when one may go now."""
        return 0.0 if self._open_until is None else max(0.0, self._open_until - self._clock.now())

    @property
    def failures(self) -> int:
        """How many calls in a row have failed."""
        return self._failures

    @property
    def is_limited(self) -> bool:
        """Whether the last failure was a rate limit: while nobody is asked, callers are to know why."""
        return self._is_limited

    def admit(self) -> Permit | None:
        """A permit for one call, or `None` while open or while another call is the probe."""
        if self.state is State.CLOSED:
            return Permit(self)
        if self.state is State.OPEN or self._probe:
            return None
        self._probe = Permit(self)
        self._on_change(State.HALF_OPEN, 0.0)
        return self._probe

    def learn(self, circuit: Circuit) -> None:
        """Take over how it stands for all processes. That may be news, but is no change of ours: nobody is told."""
        is_closed = circuit.admits and not circuit.is_probe
        self._failures, self._is_limited = circuit.failures, circuit.is_limited
        self._open_until = None if is_closed else self._clock.now() + circuit.opens_for_s
        if circuit.admits or circuit.opens_for_s:
            # Whoever was the probe is not any more; otherwise it is still out, here or elsewhere.
            self._probe = None

    def _succeeded(self, permit: Permit) -> None:
        if self.state is State.CLOSED:
            self._failures = 0
        elif permit is self._probe:
            self._failures, self._open_until, self._probe = 0, None, None
            self._on_change(State.CLOSED, 0.0)

    def _failed(self, permit: Permit, retry_after_s: float | None, is_limited: bool) -> None:
        self._failures += 1
        self._is_limited = is_limited
        if permit is self._probe:
            self._probe = None
            self._open(OPEN_S if retry_after_s is None else retry_after_s)
        elif retry_after_s is not None:
            self._open(retry_after_s)
        elif self.state is State.CLOSED and self._failures >= FAILURES_TO_OPEN:
            self._open(OPEN_S)

    def _released(self, permit: Permit) -> None:
        if permit is self._probe:
            self._probe = None

    def _open(self, for_s: float) -> None:
        was_open = self.state is State.OPEN
        until = self._clock.now() + min(for_s, LONGEST_S)
        # A call from before the breaker opened may fail late: it must not shorten the pause.
        self._open_until = max(until, self._open_until or until)
        if not was_open:
            self._on_change(State.OPEN, self.opens_for_s)


class Permit:
    """The right to make one call; exactly one of its methods ends it.

    Calls that were already out when the breaker opened hold ordinary permits, so that neither
    their late success nor their late failure is mistaken for the probe's.
    """

    __slots__ = ("_breaker",)

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker

    def succeeded(self) -> None:
        self._breaker._succeeded(self)

    def failed(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None:
        """The provider failed; one that says when to come back is believed, up to ten minutes."""
        self._breaker._failed(self, retry_after_s, is_limited)

    def released(self) -> None:
        """The call ended without a verdict on the provider: it was cancelled."""
        self._breaker._released(self)
