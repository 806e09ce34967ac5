"""Leases: of the processes that share a store, one produces a value while the others wait for it."""

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

# How long a process that was killed holds up the others.
LEASE_S = 3.0
_RENEWALS = 3
_POLL_S = (0.04, 0.06)
# The share of the deadline to wait for another process; the rest is for producing the value here.
_WAITING_SHARE = 0.5
# How long shutdown waits for leases to be released. They expire by themselves, too.
_LAST_S = 2.0


class Leases:
    """Leases on producing an entry of the cache, each held by one process at a time."""

    def __init__(self, cache: CacheEntries, *, lease_s: float = LEASE_S) -> None:
        self._cache = cache
        self._lease_s = lease_s
        self._returns = Background()

    @asynccontextmanager
    async def in_turn(
        self, kind: str, name: str, look: Callable[[], Awaitable[T | None]], deadline: Deadline
    ) -> AsyncIterator[T | None]:
        """The value that another process has produced meanwhile, as `look` finds it; `None` to produce it here.

        That is with the lease, or after half of the deadline without it: then the value is perhaps produced twice.
        A store that no other process has open is not asked.
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
        """Wait until all leases are released, but not for long."""
        await self._returns.finish(_LAST_S)

    def _give_back(self, lease: _Lease) -> None:
        """Release the lease in the background, where no cancellation reaches it."""
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
        # A claim that is cancelled on the way may have succeeded.
        self.may_be_ours = True
        self.may_be_ours = await self._claim()
        if self.may_be_ours:
            self._renewing = asyncio.create_task(self._renew())
        return self.may_be_ours

    def stop_renewing(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()

    async def give_back(self) -> None:
        """Release the lease for the next process."""
        await self._cache.release(*self._entry)

    async def _renew(self) -> None:
        """Renew until the lease is lost: another process produces the value too then, which does no harm."""
        is_ours = True
        while is_ours:
            await asyncio.sleep(self._lease_s / _RENEWALS)
            is_ours = await self._claim()

    async def _claim(self) -> bool:
        return await self._cache.claim(*self._entry, self._lease_s)


async def _await_turn(lease: _Lease, look: Callable[[], Awaitable[T | None]]) -> T | None:
    while not await lease.take():
        # Stores have no notifications, and leases run on the time of the store, not on the injected clock.
        await asyncio.sleep(random.uniform(*_POLL_S))
        if (made := await look()) is not None:
            return made
    # The previous holder may have finished between the last look and its release.
    return await look()
