"""How much room a file and its log take together, and how it is made."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from dowse.core.errors import StoreFailed
from dowse.stores.sqlite.connection import BUSY_S, number, writing
from dowse.stores.sqlite.rows import count_entries, delete_next, forget_entries

# Shares of what the file and the log may take. Room is made until a job ends below the first; by the time it has
# the write lock others may have written, but not beyond the second; and the rest is for what nobody foresees.
_FILE_MADE, _FILE_FULL = 0.85, 0.95
_LOG_MADE, _LOG_FULL = 0.75, 0.9

# A row that is deleted changes pages of the table and of two indexes, and all of them go into the log.
_FIRST_STEP, _LARGEST_STEP = 4, 512
_BYTES_PER_STEP = 500_000
_LOG_PAGES = 1000  # SQLite's own default: then what is in the log goes into the file
_PAUSE_S = 0.005


class Room:
    """Three quarters are for the file and one for its log, which grows until it is copied into the file."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.max_value_bytes = max_bytes // 8
        self.step = min(max(_FIRST_STEP, max_bytes // _BYTES_PER_STEP), _LARGEST_STEP)
        """How many rows may be deleted in one transaction."""
        self._path = path
        self._log = Path(f"{path}-wal")
        self._max_log_bytes = max_bytes // 4
        self._max_file_bytes = max_bytes - self._max_log_bytes

    def settle(self, connection: sqlite3.Connection) -> None:
        """Hold a new connection to the bound. A file from when it was higher, or by whom it is, has to fit in."""
        page_bytes = number(connection, "page_size")
        max_pages = self._max_file_bytes // page_bytes
        if number(connection, f"max_page_count = {max_pages}") > max_pages:
            self._shrink(connection)
            connection.execute(f"PRAGMA max_page_count = {max_pages}")
        short_bytes = self._max_log_bytes // 4
        connection.execute(f"PRAGMA wal_autocheckpoint = {min(_LOG_PAGES, max(1, short_bytes // page_bytes))}")
        connection.execute(f"PRAGMA journal_size_limit = {short_bytes}")

    def make(self, connection: sqlite3.Connection, size_bytes: int) -> None:
        """Delete what expires next until so much more fits in."""
        step = _FIRST_STEP
        self._keep_log_short(connection, size_bytes)
        while not self._file_takes(connection, size_bytes, _FILE_MADE):
            with writing(connection):
                if not delete_next(connection, step):
                    return
            # Small steps first, because entries may be large; then larger ones, because they may be many.
            step = min(2 * step, self.step)
            self._keep_log_short(connection, size_bytes)

    def _shrink(self, connection: sqlite3.Connection) -> None:
        """Delete half of the entries after another, those first that expire next, and give their room back."""
        while not self._file_takes(connection, 0, _FILE_MADE):
            with writing(connection):
                if not delete_next(connection, count_entries(connection) // 2 + 1):
                    break
        _give_back(connection)

    def is_there(self, connection: sqlite3.Connection, size_bytes: int) -> bool:
        """Whether so much fits in now, for somebody who holds the write lock."""
        return self._file_takes(connection, size_bytes, _FILE_FULL) and self._log_takes(size_bytes, _LOG_FULL)

    def taken_bytes(self) -> int:
        return _size_bytes(self._path) + _size_bytes(self._log)

    def _keep_log_short(self, connection: sqlite3.Connection, size_bytes: int) -> None:
        """SQLite does so by itself, unless others read or write without a pause, or much comes at once."""
        patience_ends = time.monotonic() + BUSY_S
        while not self._log_takes(size_bytes, _LOG_MADE):
            is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if is_busy and time.monotonic() > patience_ends:
                raise StoreFailed(f"{self._path}: its log is full, because another program uses it without a pause")
            if is_busy:
                # Another process is just doing the same: unlike for locks, SQLite does not wait for that.
                time.sleep(_PAUSE_S)

    def _file_takes(self, connection: sqlite3.Connection, size_bytes: int, share: float) -> bool:
        used_pages = number(connection, "page_count") - number(connection, "freelist_count")
        return used_pages * number(connection, "page_size") + size_bytes <= share * self._max_file_bytes

    def _log_takes(self, size_bytes: int, share: float) -> bool:
        return _size_bytes(self._log) + size_bytes <= share * self._max_log_bytes


def empty(connection: sqlite3.Connection) -> int:
    """Delete all entries and give their room back to the disk; how many there were."""
    with writing(connection):
        count = forget_entries(connection)
    _give_back(connection)
    return count


def _give_back(connection: sqlite3.Connection) -> None:
    """Free room goes back to the disk."""
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
