"""A store whose failures cost their benefit and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from dowse.core.errors import StoreFailed
from dowse.stores.outage import Outage
from dowse.stores.store import Kept, Key, Store

T = TypeVar("T")

# Longer than a healthy store ever takes, and short enough to be lost once in a while.
PATIENCE_S = 1.0
# An end to the waiting that comes so much too late says that this process was busy, and nothing of the store.
_LATE_S = 0.2
_READING, _WRITING = "reading", "writing"


class FailSoftStore:
    """The entries and leases of a store: nothing here raises, and nobody waits long.

    Reading and writing are watched apart, because a store on a full disk can still be read.
    """

    def __init__(self, store: Store, outage: Outage) -> None:
        self._store = store
        self._outage = outage

    @property
    def is_shared(self) -> bool:
        return self._store.is_shared

    async def get(self, key: Key) -> Kept | None:
        return await self._in_time(_READING, lambda: self._store.get(key), None)

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        await self._in_time(_WRITING, lambda: self._store.put(key, value, kept_s), None)

    async def drop(self, key: Key) -> None:
        await self._in_time(_WRITING, lambda: self._store.drop(key), None)

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        """Also true while the store is down: then everybody does their own work."""
        return await self._in_time(_WRITING, lambda: self._store.claim(key, owner, for_s), True)

    async def release(self, key: Key, owner: str) -> None:
        await self._in_time(_WRITING, lambda: self._store.release(key, owner), None)

    def complaints(self) -> tuple[str, ...]:
        """What users have not been told yet of a store that is down."""
        return self._outage.complaints()

    async def _in_time(self, use: str, work: Callable[[], Awaitable[T]], otherwise: T) -> T:
        if self._outage.rests(use):
            return otherwise
        now = asyncio.get_running_loop().time
        began = now()
        try:
            async with asyncio.timeout(PATIENCE_S):
                done = await work()
        except TimeoutError:
            if now() - began < PATIENCE_S + _LATE_S:
                self._outage.failed(use, f"no answer within {PATIENCE_S:g} s")
            return otherwise
        except StoreFailed as error:
            self._outage.failed(use, str(error))
            return otherwise
        self._outage.worked(use)
        return done
