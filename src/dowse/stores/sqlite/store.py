"""SQLite store: entries, leases and the spend ledger in one file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dowse.core.errors import StoreFailed
from dowse.core.models import Clock
from dowse.stores.ledger import UNLIMITED, CallCount, Days, LedgerEntry, Tally
from dowse.stores.store import CLOCK_SKEW_S, Kept, Key, Usage, age_s

if TYPE_CHECKING:
    import sqlite3

    from dowse.stores.sqlite.threads import Threads

MAX_BYTES = 256_000_000
SWEEP_EVERY_S = 600.0

# Cast, because a damaged row may hold anything.
_FIND = (
    "SELECT CAST(value AS BLOB), CAST(made_at AS REAL) FROM entries "
    "WHERE kind = ? AND digest = ? AND CAST(until AS REAL) > ?"
)
_PUT = "INSERT OR REPLACE INTO entries (kind, digest, made_at, until, value) VALUES (?, ?, ?, ?, ?)"
_DELETE_EXPIRED = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE until <= ? LIMIT ?)"
_DELETE_AHEAD = "DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE made_at > ? LIMIT ?)"
_CLAIM = (
    "INSERT INTO leases (kind, digest, owner, made_at, until) VALUES (:kind, :digest, :owner, :now, :until) "
    "ON CONFLICT (kind, digest) DO UPDATE "
    "SET owner = excluded.owner, made_at = excluded.made_at, until = excluded.until "
    "WHERE owner = excluded.owner OR until <= :now OR made_at > :ahead"
)
_TOTAL = (
    "SELECT coalesce(sum(calls), 0), coalesce(sum(micro_usd), 0) FROM spend WHERE provider = ? AND day BETWEEN ? AND ?"
)
_ADD = (
    "INSERT INTO spend (day, provider, calls, micro_usd) VALUES (?, ?, ?, ?) ON CONFLICT (day, provider) "
    "DO UPDATE SET calls = calls + excluded.calls, micro_usd = micro_usd + excluded.micro_usd"
)


_COUNT = (
    "INSERT INTO calls (day, provider, caller, calls, micro_usd) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (day, provider, caller) "
    "DO UPDATE SET calls = calls + excluded.calls, micro_usd = micro_usd + excluded.micro_usd"
)
_COUNTS = "SELECT day, provider, caller, calls, micro_usd FROM calls WHERE day BETWEEN ? AND ?"


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

    @property
    def is_exclusive(self) -> bool:
        return self._started is not None and self._started.presence.is_alone()

    async def get(self, key: Key) -> Kept | None:
        now = self._now()
        kept = await self._threads.reader.run(lambda connection: _find(connection, key, now))
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
            lambda connection: _put(connection, key, value, now, now + kept_s), size_bytes=len(value)
        )

    async def drop(self, key: Key) -> None:
        await self._threads.writer.write(lambda connection: _drop(connection, key))

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        now = self._now()
        return await self._threads.writer.write(lambda connection: _claim(connection, key, owner, now, now + for_s))

    async def release(self, key: Key, owner: str) -> None:
        await self._threads.writer.write(lambda connection: _release(connection, key, owner))

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> LedgerEntry:
        return await self._threads.writer.write(lambda connection: _add_spend(connection, provider, days, cost, cap))

    async def total(self, provider: str, days: Days) -> Tally:
        return await self._threads.reader.run(lambda connection: _total_spend(connection, provider, days))

    async def count_calls(self, counts: Sequence[CallCount]) -> None:
        await self._threads.writer.write(lambda connection: _count_calls(connection, counts))

    async def call_counts(self, days: Days) -> list[CallCount]:
        return await self._threads.reader.run(lambda connection: _call_counts(connection, days))

    async def usage(self) -> Usage:
        threads = self._threads
        kinds, size_bytes = await threads.reader.run(
            lambda connection: (_measure_kinds(connection), threads.room.taken_bytes())
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
            deleted = await threads.writer.write(partial(_delete_expired, now=now, count=step))
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


def _find(connection: sqlite3.Connection, key: Key, now: float) -> Kept | None:
    row = connection.execute(_FIND, [key.kind, key.digest, now]).fetchone()
    if row is None or None in row:
        return None
    value, made_at = row
    age = age_s(made_at, now)
    return None if age is None else Kept(value, age)


def _put(connection: sqlite3.Connection, key: Key, value: bytes, now: float, until: float) -> None:
    connection.execute(_PUT, [key.kind, key.digest, now, until, value])


def _drop(connection: sqlite3.Connection, key: Key) -> None:
    connection.execute("DELETE FROM entries WHERE kind = ? AND digest = ?", [key.kind, key.digest])


def _delete_expired(connection: sqlite3.Connection, now: float, count: int) -> int:
    """Delete up to `count` entries that have expired or are from before the clock was set back; returns how many."""
    ahead = now + CLOCK_SKEW_S
    deleted = connection.execute(_DELETE_EXPIRED, [now, count]).rowcount
    if deleted < count:
        connection.execute("DELETE FROM leases WHERE until <= ? OR made_at > ?", [now, ahead])
        deleted += connection.execute(_DELETE_AHEAD, [ahead, count - deleted]).rowcount
    return deleted


def _measure_kinds(connection: sqlite3.Connection) -> list[tuple[str, int, int]]:
    """Kind, number of entries and bytes of their values."""
    return connection.execute("SELECT kind, count(*), sum(length(value)) FROM entries GROUP BY kind").fetchall()


def _claim(connection: sqlite3.Connection, key: Key, owner: str, now: float, until: float) -> bool:
    values = {"kind": key.kind, "digest": key.digest, "owner": owner, "now": now, "until": until}
    return connection.execute(_CLAIM, {**values, "ahead": now + CLOCK_SKEW_S}).rowcount == 1


def _release(connection: sqlite3.Connection, key: Key, owner: str) -> None:
    values = [key.kind, key.digest, owner]
    connection.execute("DELETE FROM leases WHERE kind = ? AND digest = ? AND owner = ?", values)


def _add_spend(connection: sqlite3.Connection, provider: str, days: Days, cost: Tally, cap: Tally) -> LedgerEntry:
    """Add a cost within the cap. The transaction must hold the write lock, or another process could spend meanwhile."""
    connection.execute("DELETE FROM spend WHERE day < ?", [str(days.kept_from)])
    before = _total_spend(connection, provider, days)
    if not (before + cost).within(cap):
        return LedgerEntry(before, admitted=False)
    connection.execute(_ADD, [str(days.today), provider, cost.calls, cost.micro_usd])
    return LedgerEntry(before + cost, admitted=True)


def _count_calls(connection: sqlite3.Connection, counts: Sequence[CallCount]) -> None:
    kept_from = max(count.day for count in counts).replace(day=1)
    connection.execute("DELETE FROM calls WHERE day < ?", [str(kept_from)])
    rows = [(str(each.day), each.provider, each.caller, each.tally.calls, each.tally.micro_usd) for each in counts]
    connection.executemany(_COUNT, rows)


def _call_counts(connection: sqlite3.Connection, days: Days) -> list[CallCount]:
    rows = connection.execute(_COUNTS, [str(days.first), str(days.today)])
    return [
        CallCount(date.fromisoformat(day), provider, caller, Tally(*tally)) for day, provider, caller, *tally in rows
    ]


def _total_spend(connection: sqlite3.Connection, provider: str, days: Days) -> Tally:
    row = connection.execute(_TOTAL, [provider, str(days.first), str(days.today)]).fetchone()
    return Tally(*row)
