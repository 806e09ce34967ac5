"""Memory: what outlives a call, chosen by the scheme of one address."""

from __future__ import annotations

from pathlib import Path

from dowse.core.models import Clock
from dowse.stores.coordination import Coordinator
from dowse.stores.memory import MemoryStore
from dowse.stores.sqlite import SqliteStore
from dowse.stores.store import Store

_SQLITE = "sqlite:///"
_MEMORY = "memory:"


def open_store(address: str, clock: Clock, *, max_bytes: int | None = None) -> Store:
    """The store at an address; nothing is opened before it is used. A Redis has bounds of its own."""
    if address == _MEMORY:
        return MemoryStore(clock, max_bytes)
    if file := file_of(address):
        return SqliteStore(file, clock, max_bytes)
    from dowse.stores.redis import RedisStore

    return RedisStore(address, clock)


def open_board(store: Store) -> Coordinator | None:
    """Where processes that use a store agree on what they do; `None` for a store of one process or one machine."""
    if isinstance(store, MemoryStore | SqliteStore):
        return None
    from dowse.stores.redis import RedisCoordinator, RedisStore

    return RedisCoordinator(store) if isinstance(store, RedisStore) else None


def file_of(address: str) -> Path | None:
    """The file behind the address of a SQLite store; `None` for every other kind."""
    if not address.startswith(_SQLITE):
        return None
    return Path(address.removeprefix(_SQLITE)).expanduser()
