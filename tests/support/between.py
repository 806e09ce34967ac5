"""Stores as another process would use them, between two commands."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from dowse.core.runtime import SystemClock
from dowse.stores import open_store
from dowse.stores.store import Store

T = TypeVar("T")


def use_store(address: str, use: Callable[[Store], Awaitable[T]]) -> T:
    """What comes of using the store at an address."""

    async def run() -> T:
        store = open_store(address, SystemClock(), max_bytes=None)
        try:
            return await use(store)
        finally:
            await store.close()

    return asyncio.run(run())
