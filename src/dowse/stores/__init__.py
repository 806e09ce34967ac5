"""Stores for caches, leases, limits and budgets, chosen by the scheme of one address."""

from __future__ import annotations

import math
from pathlib import Path

from dowse.core import urls
from dowse.core.models import Clock
from dowse.core.text import one_line
from dowse.stores.coordination import Coordinator
from dowse.stores.memory import MemoryStore
from dowse.stores.sqlite import SqliteStore
from dowse.stores.store import Store

_SQLITE = "sqlite:///"
_MEMORY = "memory:"
_UNITS = ("kB", "MB", "GB", "TB")


def open_store(address: str, clock: Clock, *, max_bytes: int | None = None) -> Store:
    """Make the store for an address; nothing is opened before its first use. A Redis has bounds of its own."""
    if address == _MEMORY:
        return MemoryStore(clock, max_bytes)
    if file := file_of(address):
        return SqliteStore(file, clock, max_bytes)
    from dowse.stores.redis import RedisStore

    return RedisStore(address, clock)


def open_coordinator(store: Store) -> Coordinator | None:
    """Make the coordinator beside a store; `None` for a store of one process or one machine."""
    if isinstance(store, MemoryStore | SqliteStore):
        return None
    from dowse.stores.redis import RedisCoordinator, RedisStore

    return RedisCoordinator(store) if isinstance(store, RedisStore) else None


def file_of(address: str) -> Path | None:
    """The file of a SQLite address; `None` for every other kind."""
    if not address.startswith(_SQLITE):
        return None
    return Path(address.removeprefix(_SQLITE)).expanduser()


def show_address(address: str) -> str:
    """The address without its password, which may be in the userinfo or among the parameters."""
    bare = urls.without_userinfo(address)
    return one_line(bare if file_of(address) else bare.partition("?")[0])


def format_size(size: float) -> str:
    """Bytes in words, such as `312 B` and `1.5 MB`."""
    if size < 1000:
        return f"{size:.0f} B"
    power = min(int(math.log10(size)) // 3, len(_UNITS))
    return f"{size / 1000**power:.1f} {_UNITS[power - 1]}"
