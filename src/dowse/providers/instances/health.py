"""Looking after instances: several at a time, and every so often for as long as somebody uses them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeVar

from dowse.core.models import Clock

T = TypeVar("T")

_AT_ONCE = 8
_JITTER = 0.2


class Asker(Protocol):
    """Knows how to talk to an instance. Raises `ProviderError`."""

    async def ping(self, url: str) -> None:
        """See whether it is there, by its cheapest page; nothing is searched for."""
        ...

    async def probe(self, url: str) -> bool:
        """Search for something harmless; whether it answered in JSON."""
        ...


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of asking one instance: `json`, `html`, or the code of an error with its detail."""

    url: str
    outcome: str
    ms: int
    detail: str = ""

    @property
    def is_well(self) -> bool:
        return self.outcome in ("json", "html")


async def side_by_side(work: Callable[[str], Awaitable[T]], urls: Iterable[str]) -> list[T]:
    """Do the same for each address, a few at a time; results in the order of the addresses."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def in_turn(url: str) -> T:
        async with turns:
            return await work(url)

    return await asyncio.gather(*map(in_turn, urls))


class Watch:
    """Checks again and again, not on the dot, and stops when nobody has used what it looks after for an interval."""

    def __init__(self, check: Callable[[], Awaitable[None]], clock: Clock, interval_s: float, rng: Random) -> None:
        """With an interval of 0 it never checks."""
        self._check = check
        self._clock = clock
        self._interval_s = interval_s
        self._rng = rng
        self._used_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def used(self) -> None:
        """Somebody did just now."""
        self._used_at = self._clock.now()
        if self._interval_s and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(self._interval_s * self._rng.uniform(1 - _JITTER, 1 + _JITTER))
            if self._clock.now() - self._used_at > self._interval_s:
                return
            await self._check()
