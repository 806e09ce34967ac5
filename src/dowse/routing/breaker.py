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


# Whoever asks next in this process should find what was reported before; a slow board keeps nobody longer than this.
_HEARD_S = 0.05


class SharedBreaker:
    """One provider's health as all processes know it.

    `own` is how this process sees it: what it heard last from the board, and what it found out by itself since.
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
        """A permit for one call, or `None` while open or while another call is the probe, in whatever process."""
        if self.reports.tasks:
            await asyncio.wait(set(self.reports.tasks), timeout=_HEARD_S)
        if self._own.state is State.OPEN:
            # Nobody closes it before its time, so there is nothing to ask.
            return None
        owner = secrets.token_hex(8)
        circuit = await self._consult(owner, probe_s)
        if circuit is None:
            return self._own.admit()
        self._own.learn(circuit)
        if not circuit.admits:
            return None
        own = self._own.admit()
        assert own is not None, "it has just learnt that it admits"
        return SharedPermit(self, owner, own, is_probe=circuit.is_probe)

    async def _consult(self, owner: str, probe_s: float) -> Circuit | None:
        circuit = None
        try:
            circuit = await self._fallback.ask(lambda: self._coordinator.consult(self._key, owner, probe_s))
        finally:
            if circuit is None:
                # Who did not hear the answer may have become the probe all the same.
                self._give_back(owner)
        return circuit

    def _give_back(self, owner: str) -> None:
        """Nobody waits for this, and no cancellation reaches it."""

        async def give() -> None:
            await self._fallback.ask(lambda: self._coordinator.release_probe(self._key, owner))

        self.reports.start(give())

    async def _failed(self, permit: SharedPermit, retry_after_s: float | None, is_limited: bool) -> None:
        at_once = retry_after_s is not None
        for_s = min(OPEN_S if retry_after_s is None else retry_after_s, LONGEST_S)
        circuit = await self._fallback.ask(
            lambda: self._coordinator.record_failure(
                self._key, permit.owner, for_s, at_once=at_once, is_limited=is_limited
            )
        )
        if circuit is None:
            permit.own.failed(retry_after_s, is_limited=is_limited)
            return
        was_open = self._own.state is State.OPEN
        self._learn_from(permit, circuit)
        # One that has been open for a while was opened by another process, which has told of it.
        if not was_open and self._own.state is State.OPEN and circuit.opens_for_s >= for_s:
            self._on_change(State.OPEN, circuit.opens_for_s)

    async def _succeeded(self, permit: SharedPermit) -> None:
        circuit = await self._fallback.ask(lambda: self._coordinator.record_success(self._key, permit.owner))
        if circuit is None:
            permit.own.succeeded()
            return
        self._learn_from(permit, circuit)
        if permit.is_probe and circuit.admits:
            self._on_change(State.CLOSED, 0.0)

    def _learn_from(self, permit: SharedPermit, circuit: Circuit) -> None:
        """A call has ended: even if it was late and another process is the probe by now, its own is out no more."""
        permit.own.released()
        self._own.learn(circuit)


class SharedPermit:
    """The right to make one call, given by all; exactly one of its methods ends it.

    What it says is passed on behind everybody's back, so that no cancellation can keep it.
    """

    __slots__ = ("_breaker", "is_probe", "own", "owner")

    def __init__(self, breaker: SharedBreaker, owner: str, own: Permit, *, is_probe: bool) -> None:
        self._breaker = breaker
        self.owner = owner
        self.own = own
        self.is_probe = is_probe

    def succeeded(self) -> None:
        # Most calls succeed after others that did: then there is nothing that the board has to forget.
        if self.is_probe or self._breaker._own.failures:
            self._breaker.reports.start(self._breaker._succeeded(self))

    def failed(self, retry_after_s: float | None = None, *, is_limited: bool = False) -> None:
        self._breaker.reports.start(self._breaker._failed(self, retry_after_s, is_limited))

    def released(self) -> None:
        self.own.released()
        if self.is_probe:
            self._breaker._give_back(self.owner)


# How long the end of the application waits for probes to be given back. They run out by themselves, too.
_LAST_S = 2.0


class CallPermit(Protocol):
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


def blame(permit: CallPermit, error: ProviderError) -> None:
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

    async def admit(self, provider: str, probe_s: float) -> CallPermit:
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
