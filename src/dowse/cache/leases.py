"""Processes that share a store take turns: what one of them is making, the others wait for."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from dowse.cache.entries import CacheEntries
from dowse.core.models import Deadline
from dowse.core.runtime import Background

T = TypeVar("T")

# What a process that was killed costs the others.
LEASE_S = 3.0
_RENEWALS = 3
_POLL_S = (0.04, 0.06)
# The part of the time that is left which others may take; the rest is for making it oneself, should they not manage.
_WAITING_SHARE = 0.5
# How long the end of the application waits for leases to be given back. They run out by themselves, too.
_LAST_S = 2.0


class Leases:
    """Rights to make an entry of the cache, each held by one process at a time."""

    def __init__(self, cache: CacheEntries, *, lease_s: float = LEASE_S) -> None:
        self._cache = cache
        self._lease_s = lease_s
        self._returns = Background()

    @asynccontextmanager
    async def in_turn(
        self, kind: str, name: str, look: Callable[[], Awaitable[T | None]], deadline: Deadline
    ) -> AsyncIterator[T | None]:
        """What another process has made meanwhile, as `look` finds it; `None` when we are to make it.

        That is when it is our turn, or when the others have taken half of our time: then it is made without a lease,
        and perhaps twice. A store that no other process has open is not asked.
        """
        if not self._cache.needs_lease:
            yield None
            return
        lease = _Lease(self._cache, kind, name, self._lease_s)
        made: T | None = None
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(deadline.remaining_s() * _WAITING_SHARE):
                    made = await _await_turn(lease, look)
            yield made
        finally:
            self._give_back(lease)

    async def close(self) -> None:
        """Wait until all leases are given back, but not for long."""
        await self._returns.finish(_LAST_S)

    def _give_back(self, lease: _Lease) -> None:
        """Nobody waits for this, neither with an answer nor with a failure, and no cancellation reaches it."""
        lease.stop_renewing()
        if lease.may_be_ours:
            self._returns.start(lease.give_back())


class _Lease:
    """A lease on one entry, renewed for as long as it is held."""

    def __init__(self, cache: CacheEntries, kind: str, name: str, lease_s: float) -> None:
        self._cache = cache
        self._entry = (kind, name, secrets.token_hex(16))
        self._lease_s = lease_s
        self.may_be_ours = False
        self._renewing: asyncio.Task[None] | None = None

    async def take(self) -> bool:
        # Who is cancelled on the way does not hear the answer, and it may have been yes.
        self.may_be_ours = True
        self.may_be_ours = await self._claim()
        if self.may_be_ours:
            self._renewing = asyncio.create_task(self._renew())
        return self.may_be_ours

    def stop_renewing(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()

    async def give_back(self) -> None:
        """Let the next process have its turn."""
        await self._cache.release(*self._entry)

    async def _renew(self) -> None:
        """A lease that was lost is not won back: somebody else makes the entry too, which does no harm."""
        is_ours = True
        while is_ours:
            await asyncio.sleep(self._lease_s / _RENEWALS)
            is_ours = await self._claim()

    async def _claim(self) -> bool:
        return await self._cache.claim(*self._entry, self._lease_s)


async def _await_turn(lease: _Lease, look: Callable[[], Awaitable[T | None]]) -> T | None:
    while not await lease.take():
        # The store knows no way to call us, and leases run on its time, not on that of our clock.
        await asyncio.sleep(random.uniform(*_POLL_S))
        if (made := await look()) is not None:
            return made
    # The one before us may have been done between our last look and its leaving.
    return await look()
