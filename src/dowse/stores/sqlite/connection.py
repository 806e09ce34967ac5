"""Connections: how a file is opened, brought to our version, and written to."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dowse.core.errors import StoreFailed
from dowse.stores.sqlite.schema import STEPS, VERSION

BUSY_S = 0.4  # less than anybody's patience, so that whoever waits hears why it failed
# The last but one is what the library raises where a message would repeat a damaged name.
FAILURES = (sqlite3.Error, OSError, UnicodeDecodeError, StoreFailed)


def opened(path: Path) -> sqlite3.Connection:
    """A connection to a file of our version; the file is made where there is none."""
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        if _version(connection) > VERSION:
            raise StoreFailed(f"{path}: written by a newer version of dowse")
        # Where another process is just doing the same, its mode is ours too.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        # Values are encrypted: to overwrite what is deleted would cost writes and protect nothing.
        connection.execute("PRAGMA secure_delete = OFF")
        if _version(connection) < VERSION:
            _migrate(connection)
    except FAILURES:
        connection.close()
        raise
    return connection


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction that takes the write lock first: nobody writes between our look and our entry."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        yield


def number(connection: sqlite3.Connection, pragma: str) -> int:
    """What a pragma says, such as `page_count` or `max_page_count = 100`."""
    (value,) = connection.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)


def _migrate(connection: sqlite3.Connection) -> None:
    with writing(connection):
        # Looked up once more: another process may have been quicker.
        for statements in (steps := STEPS[_version(connection) :]):
            for statement in statements:
                connection.execute(statement)
        if steps:
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return number(connection, "user_version")
