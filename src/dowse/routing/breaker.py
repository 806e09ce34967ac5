"""A circuit breaker that admits exactly one probe when it is half-open.

closed --5 consecutive failures, or a Retry-After--> open --time passed--> half-open
half-open: one call holds the probe; its success closes, its failure reopens, its cancellation
gives the probe to the next caller.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Protocol

from dowse.core.errors import Paused, ProviderError, RateLimited, Skipped
from dowse.core.models import Clock
from dowse.core.protocols import BreakerChange, Observer
from dowse.core.runtime import Background
from dowse.stores.coordination import FAILURES_TO_OPEN, LONGEST_S, Circuit, Coordinator, LocalFallback

OPEN_S = 30.0


class State(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker:
    """Circuit breaker of one provider for one operation.

    It needs no lock: nothing here awaits, so each method is atomic on the event loop.
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
        """Number of consecutive failures."""
        return self._failures

    @property
    def is_limited(self) -> bool:
        """Whether the last failure was a rate limit; refusals name that reason while the breaker is open."""
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
        """Take over the shared state. `on_change` is not called: the process that changed it has reported it."""
        is_closed = circuit.admits and not circuit.is_probe
        self._failures, self._is_limited = circuit.failures, circuit.is_limited
        self._open_until = None if is_closed else self._clock.now() + circuit.opens_for_s
        if circuit.admits or circuit.opens_for_s:
            # The previous probe has ended; otherwise it is still in flight, in this process or another.
            self._probe = None

    def _record_success(self, permit: Permit) -> None:
        if self.state is State.CLOSED:
            self._failures = 0
        elif permit is self._probe:
            self._failures, self._open_until, self._probe = 0, None, None
            self._on_change(State.CLOSED, 0.0)

    def _record_failure(self, permit: Permit, retry_after_s: float | None, is_limited: bool) -> None:
        self._failures += 1
        self._is_limited = is_limited
        if permit is self._probe:
            self._probe = None
            self._open(OPEN_S if retry_after_s is None else retry_after_s)
        elif retry_after_s is not None:
            self._open(retry_after_s)
        elif self.state is State.CLOSED and self._failures >= FAILURES_TO_OPEN:
            self._open(OPEN_S)

    def _release(self, permit: Permit) -> None:
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
    """Permit for one call; exactly one of its methods ends it.

    Calls already in flight when the breaker opened hold ordinary permits, so that neither
    their late success nor their late failure is mistaken for the probe's.
    """

    __slots__ = ("_breaker",)

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker

    def record_success(self) -> None:
        self._breaker._record_success(self)

    def record_failure(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None:
        """Count a failure; a Retry-After of the provider opens the breaker for as long, up to ten minutes."""
        self._breaker._record_failure(self, retry_after_s, is_limited)

    def release(self) -> None:
        """The call ended without a verdict on the provider: it was cancelled."""
        self._breaker._release(self)


# The next call in this process sees earlier reports; a slow coordinator delays it by at most this.
_REPORTS_S = 0.05


class SharedBreaker:
    """Circuit breaker of one provider, shared between processes through a coordinator.

    `own` is its local copy: the last state from the coordinator, and local failures since then.
    """

    def __init__(
        self,
        key: str,
        own: Breaker,
        coordinator: Coordinator,
        fallback: LocalFallback,
        on_change: Callable[[State, float], None],
    ) -> None:
        self._key = key
        self._own = own
        self._coordinator = coordinator
        self._fallback = fallback
        self._on_change = on_change
        self.reports = Background()

    async def admit(self, probe_s: float) -> SharedPermit | Permit | None:
        """A permit for one call, or `None` while open or while another call is the probe, in any process."""
        if self.reports.tasks:
            await asyncio.wait(set(self.reports.tasks), timeout=_REPORTS_S)
        if self._own.state is State.OPEN:
            # An open breaker does not close early: the coordinator need not be asked.
            return None
        owner = secrets.token_hex(8)
        circuit = await self._consult(owner, probe_s)
        if circuit is None:
            return self._own.admit()
        self._own.learn(circuit)
        if not circuit.admits:
            return None
        own = self._own.admit()
        assert own is not None, "the shared state admits the call"
        return SharedPermit(self, owner, own, is_probe=circuit.is_probe)

    async def _consult(self, owner: str, probe_s: float) -> Circuit | None:
        circuit = None
        try:
            circuit = await self._fallback.ask(lambda: self._coordinator.consult(self._key, owner, probe_s))
        finally:
            if circuit is None:
                # Without a reply, this call may still be registered as the probe.
                self._give_back(owner)
        return circuit

    def _give_back(self, owner: str) -> None:
        """Release the probe in the background, where no cancellation reaches it."""

        async def give() -> None:
            await self._fallback.ask(lambda: self._coordinator.release_probe(self._key, owner))

        self.reports.start(give())

    async def _record_failure(self, permit: SharedPermit, retry_after_s: float | None, is_limited: bool) -> None:
        at_once = retry_after_s is not None
        for_s = min(OPEN_S if retry_after_s is None else retry_after_s, LONGEST_S)
        circuit = await self._fallback.ask(
            lambda: self._coordinator.record_failure(
                self._key, permit.owner, for_s, at_once=at_once, is_limited=is_limited
            )
        )
        if circuit is None:
            permit.own.record_failure(retry_after_s, is_limited=is_limited)
            return
        was_open = self._own.state is State.OPEN
        self._learn_from(permit, circuit)
        # With less time left, another process has opened it before, and has reported it.
        if not was_open and self._own.state is State.OPEN and circuit.opens_for_s >= for_s:
            self._on_change(State.OPEN, circuit.opens_for_s)

    async def _record_success(self, permit: SharedPermit) -> None:
        circuit = await self._fallback.ask(lambda: self._coordinator.record_success(self._key, permit.owner))
        if circuit is None:
            permit.own.record_success()
            return
        self._learn_from(permit, circuit)
        if permit.is_probe and circuit.admits:
            self._on_change(State.CLOSED, 0.0)

    def _learn_from(self, permit: SharedPermit, circuit: Circuit) -> None:
        """End the local probe, also of a late call while another process probes, and take over the shared state."""
        permit.own.release()
        self._own.learn(circuit)


class SharedPermit:
    """Permit of a shared breaker for one call; exactly one of its methods ends it.

    The result is reported in the background, where no cancellation reaches it.
    """

    __slots__ = ("_breaker", "is_probe", "own", "owner")

    def __init__(self, breaker: SharedBreaker, owner: str, own: Permit, *, is_probe: bool) -> None:
        self._breaker = breaker
        self.owner = owner
        self.own = own
        self.is_probe = is_probe

    def record_success(self) -> None:
        # After a success without earlier failures, the coordinator has nothing to reset.
        if self.is_probe or self._breaker._own.failures:
            self._breaker.reports.start(self._breaker._record_success(self))

    def record_failure(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None:
        self._breaker.reports.start(self._breaker._record_failure(self, retry_after_s, is_limited))

    def release(self) -> None:
        self.own.release()
        if self.is_probe:
            self._breaker._give_back(self.owner)


# How long shutdown waits for probes to be released. They expire by themselves, too.
_LAST_S = 2.0


class CallPermit(Protocol):
    """Permit for one call; exactly one of its methods ends it."""

    def record_success(self) -> None: ...

    def record_failure(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None:
        """Count a failure; a Retry-After of the provider opens the breaker for as long, up to ten minutes."""
        ...

    def release(self) -> None:
        """The call ended without a verdict on the provider."""
        ...


class Unwatched:
    """Permit for a provider without a circuit breaker; results are not recorded."""

    def record_success(self) -> None: ...

    def record_failure(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None: ...

    def release(self) -> None: ...


def blame(permit: CallPermit, error: ProviderError) -> None:
    """End the permit of a call that failed through the provider's fault."""
    permit.record_failure(error.retry_after_s, is_limited=isinstance(error, RateLimited))


class Breakers:
    """Circuit breakers of one operation by provider: shared where there is a coordinator, else local."""

    def __init__(
        self, operation: str, clock: Clock, observer: Observer, shared: tuple[Coordinator, LocalFallback] | None = None
    ) -> None:
        self._operation = operation
        self._clock = clock
        self._observer = observer
        self._coordinator = shared
        self._own: dict[str, Breaker] = {}
        self._shared: dict[str, SharedBreaker] = {}
        # Waiting calls, each with the time until which it can wait.
        self._waiting: defaultdict[str, dict[asyncio.Timeout, float]] = defaultdict(dict)

    def state(self, provider: str) -> State:
        """The state known to this process; the coordinator is not asked."""
        return self._breaker(provider).state

    async def admit(self, provider: str, probe_s: float) -> CallPermit:
        """A permit for one call; raises `Skipped`. The probe of a process that dies expires after `probe_s`."""
        own = self._breaker(provider)
        shared = self._shared.get(provider)
        permit = await shared.admit(probe_s) if shared else own.admit()
        if permit is None:
            self._wake(provider)
            raise self._refusal(provider)
        return permit

    @asynccontextmanager
    async def require_closed(self, provider: str, patience_s: float = 0.0) -> AsyncIterator[None]:
        """Context of a wait for the provider: raises `Skipped` if its breaker is open, or as soon as it opens.

        A rate limit does not end a wait that has begun, if `patience_s` lasts longer than the limit.
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
        """Wait for pending reports and releases, at most two seconds."""
        reports = [shared.reports.finish(_LAST_S) for shared in self._shared.values()]
        await asyncio.gather(*reports)

    def _breaker(self, provider: str) -> Breaker:
        """The local breaker, created on first use together with the shared one."""

        def tell(state: State, for_s: float) -> None:
            self._observer.breaker_changed(BreakerChange(provider, self._operation, state.value, for_s))
            self._wake(provider)

        if provider not in self._own:
            own = self._own[provider] = Breaker(self._clock, tell)
            if self._coordinator is not None:
                self._shared[provider] = SharedBreaker(f"{self._operation}:{provider}", own, *self._coordinator, tell)
        return self._own[provider]

    def _wake(self, provider: str) -> None:
        """End the waits for a provider with an open breaker."""
        own = self._breaker(provider)
        if own.state is not State.OPEN:
            return
        opens_at = self._clock.now() + own.opens_for_s
        for waiting, until in self._waiting[provider].items():
            # A wait that was ended a moment ago may still be listed.
            if not waiting.expired() and not (own.is_limited and opens_at <= until):
                waiting.reschedule(0.0)

    def _refusal(self, provider: str) -> Skipped:
        own = self._breaker(provider)
        wait_s = own.opens_for_s
        why = f"breaker open, next try in {wait_s:.0f} s" if wait_s else "breaker is probing"
        skipped = Paused if own.is_limited else Skipped
        return skipped(provider, why, retry_after_s=wait_s or None)
