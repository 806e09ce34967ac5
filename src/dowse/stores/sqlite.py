"""The ledger in a SQLite file, which several processes may share: together they never exceed a budget."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dowse.errors import StoreFailed
from dowse.stores.ledger import UNLIMITED, Days, Entry, Tally

if TYPE_CHECKING:
    import sqlite3  # at run time on first use only: most servers have no budget

T = TypeVar("T")

VERSION = 1
BUSY_S = 0.4  # less than `PATIENCE_S`, so that whoever waits hears why it failed
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS spend (day TEXT NOT NULL, provider TEXT NOT NULL, calls INTEGER NOT NULL, "
    "micro_usd INTEGER NOT NULL, PRIMARY KEY (day, provider)) WITHOUT ROWID"
)
_TOTAL = (
    "SELECT coalesce(sum(calls), 0), coalesce(sum(micro_usd), 0) FROM spend WHERE provider = ? AND day BETWEEN ? AND ?"
)
_ADD = (
    "INSERT INTO spend (day, provider, calls, micro_usd) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
    "SET calls = calls + excluded.calls, micro_usd = micro_usd + excluded.micro_usd"
)
_FORGET = "DELETE FROM spend WHERE day < ?"


class SqliteLedger:
    """Every statement runs in one thread of its own, never on the event loop."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, "ledger")
        self._connection: sqlite3.Connection | None = None

    async def add(self, provider: str, days: Days, cost: Tally, cap: Tally = UNLIMITED) -> Entry:
        def add(connection: sqlite3.Connection) -> Entry:
            with _writing(connection):
                connection.execute(_FORGET, [str(days.kept_from)])
                before = _total(connection, provider, days)
                if not (before + cost).within(cap):
                    return Entry(before, admitted=False)
                connection.execute(_ADD, [str(days.today), provider, cost.calls, cost.micro_usd])
            return Entry(before + cost, admitted=True)

        return await self._run(add)

    async def total(self, provider: str, days: Days) -> Tally:
        return await self._run(lambda connection: _total(connection, provider, days))

    async def close(self) -> None:
        if self._connection is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._worked, work)

    def _worked(self, work: Callable[[sqlite3.Connection], T]) -> T:
        import sqlite3

        try:
            self._connection = self._connection or _opened(self._path)
            return work(self._connection)
        except (sqlite3.Error, OSError) as error:
            # Whatever state the connection is in, the next try begins with a new one.
            self._disconnect()
            raise StoreFailed(f"{self._path}: {error}") from error

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _opened(path: Path) -> sqlite3.Connection:
    import sqlite3

    _make_private(path)
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StoreFailed(f"{path}: written by a newer version of dowse")
        # Where another process is just doing the same, its mode is ours too.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        with _writing(connection):
            connection.execute(_SCHEMA)
            connection.execute(f"PRAGMA user_version = {VERSION}")
    except (sqlite3.Error, StoreFailed):
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Nobody else may read the file; SQLite gives the ones beside it the same mode."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


@contextmanager
def _writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction that takes the write lock first: nobody spends between our look and our entry."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        yield


def _total(connection: sqlite3.Connection, provider: str, days: Days) -> Tally:
    row = connection.execute(_TOTAL, [provider, str(days.first), str(days.today)]).fetchone()
    return Tally(*row)
