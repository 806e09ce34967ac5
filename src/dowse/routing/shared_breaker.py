"""One breaker for all processes that share a board, and for this one alone while the board cannot be reached."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable

from dowse.core.tasks import Background
from dowse.routing.breaker import OPEN_S, Breaker, Permit, State
from dowse.stores.coordination import LONGEST_S, Circuit, Coordinator
from dowse.stores.local_fallback import LocalFallback

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
            await self._fallback.ask(lambda: self._coordinator.released(self._key, owner))

        self.reports.start(give())

    async def _failed(self, permit: SharedPermit, retry_after_s: float | None, is_limited: bool) -> None:
        at_once = retry_after_s is not None
        for_s = min(OPEN_S if retry_after_s is None else retry_after_s, LONGEST_S)
        circuit = await self._fallback.ask(
            lambda: self._coordinator.failed(self._key, permit.owner, for_s, at_once=at_once, is_limited=is_limited)
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
        circuit = await self._fallback.ask(lambda: self._coordinator.succeeded(self._key, permit.owner))
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
