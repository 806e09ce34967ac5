"""One of several processes that take turns at the entry of a store."""

from __future__ import annotations

import asyncio

from dowse.cache.entries import CacheEntries
from dowse.cache.flights import Leases
from dowse.core.models import Deadline
from dowse.core.runtime import SystemClock
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.store import Store

ENTRY = ("search", "python")
CLOCK = SystemClock()


class Process:
    """One of several that share a store: makes the entry in its turn, or takes what another has made."""

    def __init__(self, store: Store, *, lease_s: float = 3.0) -> None:
        self.cache = CacheEntries(FailSoftStore(store, Outage(CLOCK)), CLOCK)
        self.leases = Leases(self.cache, lease_s=lease_s)
        self.has_turn = asyncio.Event()
        self.is_made: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._is_looking = False

    async def answer(self, deadline_s: float = 50.0) -> bytes:
        async with self.leases.in_turn(*ENTRY, self.look, Deadline.after(CLOCK, deadline_s)) as made:
            if made is None:
                self.has_turn.set()
                made = await self.is_made
                await self.cache.put(*ENTRY, made, 60.0)
            return made

    async def look(self) -> bytes | None:
        assert not self._is_looking, "one look at a time"
        self._is_looking = True
        kept = await self.cache.get(*ENTRY)
        self._is_looking = False
        return kept.value if kept else None

    async def may_claim(self) -> bool:
        """Whether nobody holds the lease; takes it for a moment to find out."""
        is_free = await self.cache.claim(*ENTRY, "nosy", 3.0)
        await self.cache.release(*ENTRY, "nosy")
        return is_free
