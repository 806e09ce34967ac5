"""The SQLite file at a path: private, migrated on first use, bounded in size, set aside once it is damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dowse.core.errors import StoreFailed

_SPEND = (
    "CREATE TABLE IF NOT EXISTS spend (day TEXT NOT NULL, provider TEXT NOT NULL, calls INTEGER NOT NULL, "
    "micro_usd INTEGER NOT NULL, PRIMARY KEY (day, provider)) WITHOUT ROWID"
)
# With a rowid: values are large, and rows that are written together lie together, so they are deleted together too.
_ENTRIES = (
    "CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, digest TEXT NOT NULL, "
    "made_at REAL NOT NULL, until REAL NOT NULL, value BLOB NOT NULL, UNIQUE (kind, digest))"
)
# A covering index for sweeps.
_EXPIRY = "CREATE INDEX IF NOT EXISTS expiry ON entries (until, made_at)"
_LEASES = (
    "CREATE TABLE IF NOT EXISTS leases (kind TEXT NOT NULL, digest TEXT NOT NULL, owner TEXT NOT NULL, "
    "made_at REAL NOT NULL, until REAL NOT NULL, PRIMARY KEY (kind, digest)) WITHOUT ROWID"
)

_CALLS = (
    "CREATE TABLE IF NOT EXISTS calls (day TEXT NOT NULL, provider TEXT NOT NULL, caller TEXT NOT NULL, "
    "calls INTEGER NOT NULL, micro_usd INTEGER NOT NULL, PRIMARY KEY (day, provider, caller)) WITHOUT ROWID"
)

STEPS = ((_SPEND,), (_ENTRIES, _EXPIRY, _LEASES), (_CALLS,))
"""Migrations: each step leads from one version of the file to the next."""
VERSION = len(STEPS)

BUSY_S = 0.4  # less than the patience of any caller, so that the caller receives the reason of a failure
# The library raises `UnicodeDecodeError` where a message would repeat a damaged name.
FAILURES = (sqlite3.Error, OSError, UnicodeDecodeError, StoreFailed)
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PRIMARY = 0xFF  # extended error codes hold the general one in their lowest byte
_BESIDE = ("-wal", "-shm")
_SETTING_ASIDE = threading.Lock()

# Shares of the bounds of file and log. Room is made until a job ends below the first. By the time it has the write
# lock other processes may have written, but not beyond the second. The rest is a reserve.
_FILE_MADE, _FILE_FULL = 0.85, 0.95
_LOG_MADE, _LOG_FULL = 0.75, 0.9
# A row that is deleted changes pages of the table and of two indexes, and all of them go into the log.
_FIRST_STEP, _LARGEST_STEP = 4, 512
_BYTES_PER_STEP = 500_000
_LOG_PAGES = 1000  # SQLite's own default for an automatic checkpoint
_PAUSE_S = 0.005
_DELETE_NEXT = "DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY until LIMIT ?)"

Identity = tuple[int, int]


class Damaged(StoreFailed):
    """The file could not be read any more and was set aside: the next use begins a new one."""


class SetAside(StoreFailed):
    """Another thread or process has met the same damage and set the file aside: a second attempt finds a new one."""


class StateFile:
    """One connection, for one thread, to the file that lies at the path now."""

    def __init__(self, path: Path, settle: Callable[[sqlite3.Connection], object]) -> None:
        """`settle` configures each new connection."""
        self.path = path
        self._settle = settle
        self._identity: Identity | None = None
        self._connection: sqlite3.Connection | None = None

    def connection(self) -> sqlite3.Connection:
        if self.is_gone():
            # Writes to a deleted file would be lost.
            self.close()
        if self._connection is None:
            _make_private(self.path)
            self._identity = _identity(self.path)
            self._connection = connect(self.path)
            self._settle(self._connection)
        return self._connection

    def is_gone(self) -> bool:
        """Whether the opened file was set aside or deleted."""
        return self._identity is not None and _identity(self.path) != self._identity

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def give_up(self, error: Exception) -> StoreFailed:
        """Close the connection after an error, and translate the error for callers."""
        self.close()
        if self.is_gone():
            return SetAside(f"{self.path}: set aside or deleted meanwhile")
        if isinstance(error, StoreFailed):
            return error
        if _is_damage(error):
            return self._set_aside()
        return StoreFailed(f"{self.path}: {error}")

    def _set_aside(self) -> StoreFailed:
        damaged = Path(f"{self.path}.damaged")
        try:
            with _SETTING_ASIDE, _lock_folder(self.path.parent):
                if self.is_gone():
                    return SetAside(f"{self.path}: set aside or deleted meanwhile")
                for ending in (*_BESIDE, ""):
                    _move(Path(f"{self.path}{ending}"), Path(f"{damaged}{ending}"))
        except BlockingIOError:
            return StoreFailed(f"{self.path}: damaged, and another process is just setting it aside")
        except OSError as error:
            return StoreFailed(f"{self.path}: damaged, and cannot be set aside: {error}")
        return Damaged(f"{self.path}: damaged, so it was set aside as {damaged.name} and a new file begins")


class Room:
    """Size bound of a file and its write-ahead log: three quarters are for the file, one for the log."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.max_value_bytes = max_bytes // 8
        self.step = min(max(_FIRST_STEP, max_bytes // _BYTES_PER_STEP), _LARGEST_STEP)
        """How many rows may be deleted in one transaction."""
        self._path = path
        self._log = Path(f"{path}-wal")
        self._max_log_bytes = max_bytes // 4
        self._max_file_bytes = max_bytes - self._max_log_bytes

    def settle(self, connection: sqlite3.Connection) -> None:
        """Apply the bound to a new connection. A file from a time with a higher bound is shrunk to fit."""
        page_bytes = read_pragma(connection, "page_size")
        max_pages = self._max_file_bytes // page_bytes
        if read_pragma(connection, f"max_page_count = {max_pages}") > max_pages:
            self._shrink(connection)
            connection.execute(f"PRAGMA max_page_count = {max_pages}")
        short_bytes = self._max_log_bytes // 4
        connection.execute(f"PRAGMA wal_autocheckpoint = {min(_LOG_PAGES, max(1, short_bytes // page_bytes))}")
        connection.execute(f"PRAGMA journal_size_limit = {short_bytes}")

    def make(self, connection: sqlite3.Connection, size_bytes: int) -> None:
        """Delete the entries that expire next until so much more fits in."""
        step = _FIRST_STEP
        self._shorten_log(connection, size_bytes)
        while not self._fits_file(connection, size_bytes, _FILE_MADE):
            with begin_write(connection):
                if not _delete_next(connection, step):
                    return
            # Small steps first, because entries may be large; then larger ones, because they may be many.
            step = min(2 * step, self.step)
            self._shorten_log(connection, size_bytes)

    def is_there(self, connection: sqlite3.Connection, size_bytes: int) -> bool:
        """Whether so much fits in now; the caller holds the write lock."""
        return self._fits_file(connection, size_bytes, _FILE_FULL) and self._fits_log(size_bytes, _LOG_FULL)

    def taken_bytes(self) -> int:
        return _size_bytes(self._path) + _size_bytes(self._log)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Delete half of the entries at a time, in the order of their expiry, and give their room back."""
        while not self._fits_file(connection, 0, _FILE_MADE):
            with begin_write(connection):
                (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
                if not _delete_next(connection, count // 2 + 1):
                    break
        _give_back(connection)

    def _shorten_log(self, connection: sqlite3.Connection, size_bytes: int) -> None:
        """Checkpoint the log. SQLite does so itself, unless other processes never pause, or much comes at once."""
        patience_ends = time.monotonic() + BUSY_S
        while not self._fits_log(size_bytes, _LOG_MADE):
            is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if is_busy and time.monotonic() > patience_ends:
                raise StoreFailed(f"{self._path}: its log is full, because another program uses it without a pause")
            if is_busy:
                # Another process checkpoints: unlike for locks, SQLite does not wait for that.
                time.sleep(_PAUSE_S)

    def _fits_file(self, connection: sqlite3.Connection, size_bytes: int, share: float) -> bool:
        used_pages = read_pragma(connection, "page_count") - read_pragma(connection, "freelist_count")
        return used_pages * read_pragma(connection, "page_size") + size_bytes <= share * self._max_file_bytes

    def _fits_log(self, size_bytes: int, share: float) -> bool:
        return _size_bytes(self._log) + size_bytes <= share * self._max_log_bytes


def clear(connection: sqlite3.Connection) -> int:
    """Delete all entries and give their room back to the disk; returns how many there were."""
    with begin_write(connection):
        count = connection.execute("DELETE FROM entries").rowcount
    _give_back(connection)
    return count


def connect(path: Path) -> sqlite3.Connection:
    """Open a file, create it where there is none, and migrate it to the current version."""
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        if _version(connection) > VERSION:
            raise StoreFailed(f"{path}: written by a newer version of dowse")
        # A concurrent process that sets the mode sets it for this one too.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        # Values are encrypted: overwriting deleted ones would cost writes and protect nothing.
        connection.execute("PRAGMA secure_delete = OFF")
        if _version(connection) < VERSION:
            _migrate(connection)
    except FAILURES:
        connection.close()
        raise
    return connection


@contextmanager
def begin_write(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that takes the write lock first, so that no other process writes between its reads and writes."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        yield


def read_pragma(connection: sqlite3.Connection, pragma: str) -> int:
    """The number that a pragma returns, such as `page_count` or `max_page_count = 100`."""
    (value,) = connection.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)


def _migrate(connection: sqlite3.Connection) -> None:
    with begin_write(connection):
        # Read again under the lock: another process may have migrated the file meanwhile.
        for statements in (steps := STEPS[_version(connection) :]):
            for statement in statements:
                connection.execute(statement)
        if steps:
            connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return read_pragma(connection, "user_version")


def _is_damage(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code & _PRIMARY in _DAMAGE or isinstance(error, UnicodeDecodeError)


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Keep other processes from setting a file aside meanwhile; `BlockingIOError` while one does."""
    if sys.platform == "win32":  # pragma: no cover (Windows has no `flock`)
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            pass  # some network file systems lock no folders, and damage has to end there too
        yield
    finally:
        os.close(handle)


def _identity(path: Path) -> Identity | None:
    """Device and inode of the file. It is not opened: closing it again would drop SQLite's locks."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _make_private(path: Path) -> None:
    """Create the file readable by its owner only; SQLite gives its companion files the same mode."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _move(path: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.replace(target)


def _give_back(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _delete_next(connection: sqlite3.Connection, count: int) -> int:
    """Delete the entries that expire next or have expired; returns how many."""
    return connection.execute(_DELETE_NEXT, [count]).rowcount


_TRIES, _LOCK_PAUSE_S = 5, 0.002


class Presence:
    """A shared lock for as long as the store is open. Without support for locks, a store never counts as alone."""

    def __init__(self, path: Path) -> None:
        self._path = Path(f"{path}-lock")
        self._handle: int | None = None

    def enter(self) -> None:
        """Take the shared lock; called by the thread that opens the file."""
        for _ in range(_TRIES if self._handle is None else 0):
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError:
                return
            if _lock(handle, exclusive=False) and _is_at(handle, self._path):
                self._handle = handle
                return
            # Another store is just deleting the file, or testing whether it is alone.
            os.close(handle)
            time.sleep(_LOCK_PAUSE_S)

    def is_alone(self) -> bool:
        """Whether no other store holds the lock. Does not wait: the answer may be late by a moment."""
        if self._handle is None:
            return False
        is_alone = _lock(self._handle, exclusive=True)
        # A conversion that fails drops the shared lock (flock(2)), so it is taken again in any case.
        return _lock(self._handle, exclusive=False) and is_alone

    def leave(self) -> None:
        """Release the lock; the last store deletes the file."""
        if self._handle is None:
            return
        if _lock(self._handle, exclusive=True):
            self._path.unlink(missing_ok=True)
        os.close(self._handle)
        self._handle = None


def _lock(handle: int, *, exclusive: bool) -> bool:
    if sys.platform == "win32":  # pragma: no cover (Windows has no `flock`)
        return False
    import fcntl

    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
