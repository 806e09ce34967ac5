"""What is remembered between calls: sealed values in a store, which may fail without anybody noticing."""

from __future__ import annotations

import asyncio

from dowse.stores.recent import Recent
from dowse.stores.seal import Sealed
from dowse.stores.steady import SteadyStore
from dowse.stores.store import Kept

# Larger values would push too much else out; sealing them would hold up the event loop.
_MAX_BYTES = 4_000_000
_LARGE_BYTES = 200_000


class Cache:
    """Entries by kind and name. What is not there, cannot be read or was tampered with is a miss."""

    def __init__(self, store: SteadyStore, scope: bytes = b"", recent: Recent | None = None) -> None:
        """`recent` spares what was just asked for the way to the store."""
        self._store = store
        self._scope = scope
        self._recent = recent

    @property
    def is_shared(self) -> bool:
        return self._store.is_shared

    async def get(self, kind: str, name: str) -> Kept | None:
        """The entry as it is known here; another process may have cleared or replaced it a moment ago."""
        sealed = self._sealed(kind, name)
        recent = self._recent.get(sealed.key) if self._recent else None
        return recent or await self._look_up(sealed)

    async def look(self, kind: str, name: str) -> Kept | None:
        """The entry as it is in the store now."""
        return await self._look_up(self._sealed(kind, name))

    async def put(self, kind: str, name: str, value: bytes, kept_s: float) -> None:
        if kept_s <= 0 or len(value) > _MAX_BYTES:
            return
        sealed = self._sealed(kind, name)
        is_large = len(value) > _LARGE_BYTES
        wrapped = await asyncio.to_thread(sealed.wrap, value) if is_large else sealed.wrap(value)
        await self._store.put(sealed.key, wrapped, kept_s)
        if self._recent is not None and not is_large:
            self._recent.add(sealed.key, Kept(value, 0.0))

    async def claim(self, kind: str, name: str, owner: str, for_s: float) -> bool:
        """Take or lengthen the lease on making this entry; true as well where nobody could tell."""
        return await self._store.claim(self._sealed(kind, name).key, owner, for_s)

    async def release(self, kind: str, name: str, owner: str) -> None:
        await self._store.release(self._sealed(kind, name).key, owner)

    def complaints(self) -> tuple[str, ...]:
        return self._store.complaints()

    async def _look_up(self, sealed: Sealed) -> Kept | None:
        kept = await self._store.get(sealed.key)
        if kept is None:
            return None
        is_large = len(kept.value) > _LARGE_BYTES
        value = await asyncio.to_thread(sealed.unwrap, kept.value) if is_large else sealed.unwrap(kept.value)
        if value is None:
            return None
        found = Kept(value, kept.age_s)
        if self._recent is not None and not is_large:
            self._recent.add(sealed.key, found)
        return found

    def _sealed(self, kind: str, name: str) -> Sealed:
        return Sealed(kind, name, self._scope)
