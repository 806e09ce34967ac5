"""SQLite store: entries, leases and the spend ledger in one file."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dowse.core.errors import StoreFailed
from dowse.core.models import Clock
from dowse.stores.ledger import UNLIMITED, Days, Entry, Tally
from dowse.stores.sqlite import tables
from dowse.stores.store import Kept, Key, Usage

if TYPE_CHECKING:
    from dowse.stores.sqlite.threads import Threads

MAX_BYTES = 256_000_000
SWEEP_EVERY_S = 600.0


class SqliteStore:
    """Runs every statement in a thread, never on the event loop, and sweeps expired entries in the background."""

    is_shared = True

    def __init__(self, path: Path, clock: Clock, max_bytes: int | None = None) -> None:
        self._path = path
        self._clock = clock
        self._max_bytes = max_bytes or MAX_BYTES
        self._started: Threads | None = None
        self._sweeping: asyncio.Task[None] | None = None
        self._unreported: StoreFailed | None = None
        self._is_closed = False

    async def get(self, key: Key) -> Kept | None:
        now = self._now()
        kept = await self._threads.reader.run(lambda connection: tables.find(connection, key, now))
        # Not before: the sweep may come upon damage that this entry is not part of.
        self._begin_sweeping()
        return kept

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        self._begin_sweeping()
        now, threads = self._now(), self._threads
        if len(value) > threads.room.max_value_bytes:
            # It would evict too much. The previous value is out of date all the same.
            await self.drop(key)
            return
        await threads.writer.write(
            lambda connection: tables.put(connection, key, value, now, now + kept_s), size_bytes=len(value)
        )

    async def drop(self, key: Key) -> None:
        await self._threads.writer.write(lambda connection: tables.drop(connection, key))

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        now = self._now()
        return await self._threads.writer.write(
            lambda connection: tables.claim(connection, key, owner, now, now + for_s)
        )

    async def release(self, key: Key, owner: str) -> None:
        await self._threads.writer.write(lambda connection: tables.release(connection, key, owner))

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> Entry:
        return await self._threads.writer.write(
            lambda connection: tables.add_spend(connection, provider, days, cost, cap)
        )

    async def total(self, provider: str, days: Days) -> Tally:
        return await self._threads.reader.run(lambda connection: tables.total_spend(connection, provider, days))

    async def usage(self) -> Usage:
        threads = self._threads
        kinds, size_bytes = await threads.reader.run(
            lambda connection: (tables.measure_kinds(connection), threads.room.taken_bytes())
        )
        return Usage(
            entries={kind: count for kind, count, _ in kinds},
            value_bytes={kind: value_bytes for kind, _, value_bytes in kinds},
            size_bytes=size_bytes,
            max_bytes=self._max_bytes,
        )

    async def sweep(self) -> int:
        """Delete expired entries in steps, each a transaction of its own, so that other writers wait less."""
        total = 0
        while True:
            now, threads = self._now(), self._threads
            step = threads.room.step
            deleted = await threads.writer.write(partial(tables.delete_expired, now=now, count=step))
            total += deleted
            if deleted < step:
                return total

    async def clear(self) -> int:
        return await self._threads.clear()

    async def close(self) -> None:
        self._is_closed = True
        if self._sweeping is not None:
            self._sweeping.cancel()
        started, self._started = self._started, None
        if started is not None:
            await started.close()

    @property
    def _threads(self) -> Threads:
        if self._is_closed:
            raise StoreFailed(f"{self._path}: used after it was closed")
        if self._unreported is not None:
            unreported, self._unreported = self._unreported, None
            raise unreported
        if self._started is None:
            # Imports sqlite3, which not every process needs.
            from dowse.stores.sqlite.threads import Threads

            self._started = Threads(self._path, self._max_bytes)
        return self._started

    def _begin_sweeping(self) -> None:
        if not self._is_closed and (self._sweeping is None or self._sweeping.done()):
            self._sweeping = asyncio.create_task(self._sweep_regularly())

    async def _sweep_regularly(self) -> None:
        from dowse.stores.sqlite.file import Damaged

        while True:
            try:
                await self.sweep()
            except Damaged as error:
                self._unreported = error  # for the next caller, since this task has none
            except StoreFailed:
                pass  # the next caller meets the same failure
            await asyncio.sleep(SWEEP_EVERY_S)

    def _now(self) -> float:
        return self._clock.utc().timestamp()
