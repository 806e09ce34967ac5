"""State that several processes share (rate-limit windows, slots, circuit breakers), with a local fallback."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from dowse.core.allowances import Pace, Rate
from dowse.core.errors import StoreFailed, StoreSilent
from dowse.core.models import Clock
from dowse.core.runtime import Background
from dowse.stores.fail_soft import Outage

T = TypeVar("T")

FAILURES_TO_OPEN = 5
"""Consecutive failures that open a circuit breaker, local or shared."""

LONGEST_S = 600.0
"""Upper bound on how long a breaker is open, a probe is out or a slot is held."""

# A Redis that restarts is back sooner. If every process began a count of its own meanwhile,
# all of them together would allow several times the limit for nothing.
PATIENCE_S = 1.5
# Pause between attempts: at first, while callers wait, and later while they decide locally.
_FIRST_RETRY_S = 0.1
_RETRY_S = 0.5
# A server that is back answers sooner, even over a new connection and a long distance; and a silent one must not
# cost every call as much time as an answer may take.
_PROBE_PATIENCE_S = 0.4
# How long shutdown waits for a probe in flight.
_CLOSE_S = 1.0
_SHARING = "sharing"


@dataclass(frozen=True, slots=True)
class Circuit:
    """State of a shared circuit breaker for one caller: whether it may call, and whether as the half-open probe."""

    admits: bool
    is_probe: bool = False
    failures: int = 0
    opens_for_s: float = 0.0
    """How long until a probe may go out; 0 while closed, and while another process probes."""
    is_limited: bool = False
    """Whether the last failure was a rate limit."""


class Coordinator(Protocol):
    """Shared windows, slots and breakers on one server and its clock; client clocks do not count.

    Everything raises `StoreFailed`.
    """

    async def look(self) -> None:
        """Check that the server can be read and written."""
        ...

    async def admit(self, key: str, rate: Rate) -> float:
        """Count one call in the sliding window of a key and return 0, or the seconds until one would be admitted."""
        ...

    async def enter(self, provider: str, pace: Pace, ticket: str, for_s: float) -> float:
        """Admit a call to a provider, which then holds a slot until it leaves, and for at most `for_s`.

        While all slots are taken the wait is unknown: then the seconds until it is worth asking again.
        """
        ...

    async def leave(self, provider: str, ticket: str) -> None:
        """Release the slot of a ticket, if it is still held."""
        ...

    async def consult(self, circuit: str, owner: str, probe_s: float) -> Circuit:
        """Ask to call. A caller that becomes the probe is it for `probe_s`, in case it never reports."""
        ...

    async def record_failure(
        self, circuit: str, owner: str, opens_for_s: float, *, at_once: bool, is_limited: bool
    ) -> Circuit:
        """Record a failed call: the breaker opens at once, or after `FAILURES_TO_OPEN` over all processes."""
        ...

    async def record_success(self, circuit: str, owner: str) -> Circuit:
        """Record a successful call: resets the failures in a row; if it was the probe, the breaker closes."""
        ...

    async def release_probe(self, circuit: str, owner: str) -> None:
        """Record a call without a verdict: if it was the probe, another may be."""
        ...


class LocalFallback:
    """Calls to a coordinator, or `None` for "decide locally" while it is unreachable.

    One caller at a time probes a coordinator that is down; no caller waits for long.
    """

    def __init__(
        self, look: Callable[[], Awaitable[None]], outage: Outage, clock: Clock, patience_s: float = PATIENCE_S
    ) -> None:
        """`look` probes the coordinator, and raises `StoreFailed` while it is down."""
        self._look = look
        self._outage = outage
        self._clock = clock
        self._patience_s = patience_s
        self._gone_since: float | None = None
        self._retry_at = 0.0
        self._is_probing = False
        self._probes = Background()
        self._watching: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def is_lost(self) -> bool:
        """Whether the coordinator has been down for so long that every process decides locally."""
        return self._gone_since is not None and self._clock.now() >= self._gone_since + self._patience_s

    async def ask(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Run work on the coordinator; `None` when it is unreachable, and the caller is to decide locally."""
        until = self._clock.now() + self._patience_s
        self._adopt_silence()
        while True:
            if self._must_wait():
                if self.is_lost:
                    return None
                await self._clock.sleep(_FIRST_RETRY_S)
                continue
            if self.is_lost and not await self._is_back():
                return None
            try:
                return await self._attempt(work)
            except StoreFailed:
                # The coordinator may serve other callers meanwhile, and fail only this one.
                if self.is_lost or self._clock.now() >= until:
                    return None

    def _adopt_silence(self) -> None:
        """Count from the beginning of a silence that another use of the store has waited for already."""
        silent_since = self._outage.silent_since
        if self._gone_since is None and silent_since is not None:
            self._record_failure(silent_since, StoreSilent("no answer in time"))

    async def close(self) -> None:
        """End the background probes."""
        self._is_closed = True
        if self._watching is not None:
            self._watching.cancel()
        await self._probes.finish(_CLOSE_S)

    async def _is_back(self) -> bool:
        """Start a probe in the background, and wait a moment for its result."""
        self._start_probe()
        await asyncio.wait(set(self._probes.tasks), timeout=_PROBE_PATIENCE_S)
        return not self.is_lost

    def _start_probe(self) -> None:
        async def probe() -> None:
            with suppress(StoreFailed):
                await self._attempt(self._look)

        self._is_probing = True
        self._probes.start(probe())

    async def _watch(self) -> None:
        """Probe without traffic too: many callers at once after a pause would otherwise all decide locally."""
        while self.is_lost:
            # The server's time, not the injected clock.
            await asyncio.sleep(_RETRY_S)
            if self.is_lost and not self._is_probing:
                self._start_probe()

    def _must_wait(self) -> bool:
        """Whether another caller probes, or has just done so in vain."""
        return self._gone_since is not None and (self._is_probing or self._clock.now() < self._retry_at)

    async def _attempt(self, work: Callable[[], Awaitable[T]]) -> T:
        began = self._clock.now()
        is_probe = self._gone_since is not None
        if is_probe:
            self._is_probing = True
        try:
            answer = await self._run(work)
        except StoreFailed as error:
            self._record_failure(began, error)
            raise
        finally:
            if is_probe:
                self._is_probing = False
        self._gone_since = None
        self._outage.record_success(_SHARING)
        return answer

    async def _run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run the work; while callers wait for a coordinator that is down, not beyond their patience."""
        if self._gone_since is None or self.is_lost:
            return await work()
        try:
            async with asyncio.timeout(self._gone_since + self._patience_s - self._clock.now()):
                return await work()
        except TimeoutError:
            raise StoreSilent("no answer in time") from None

    def _record_failure(self, began: float, error: StoreFailed) -> None:
        if self._gone_since is None:
            self._gone_since = began
        if self.is_lost:
            self._outage.record_failure(_SHARING, error, self._gone_since)
            if not self._is_closed and (self._watching is None or self._watching.done()):
                self._watching = asyncio.create_task(self._watch())
        self._retry_at = self._clock.now() + (_RETRY_S if self.is_lost else _FIRST_RETRY_S)
