"""The file that lies at a path now: private, opened on first use, and set aside once it is damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from dowse.core.errors import StoreFailed
from dowse.stores.sqlite.connection import opened

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PRIMARY = 0xFF  # extended error codes hold the general one in their lowest byte
_BESIDE = ("-wal", "-shm")
_SETTING_ASIDE = threading.Lock()

Identity = tuple[int, int]


class Damaged(StoreFailed):
    """The file could not be read any more and was set aside: the next use begins a new one."""


class SetAside(StoreFailed):
    """Somebody else has met with the same damage, told it and set the file aside: a second try finds a new one."""


class StateFile:
    """One connection to whatever file lies at the path, for one thread."""

    def __init__(self, path: Path, settle: Callable[[sqlite3.Connection], object]) -> None:
        """`settle` is given each connection before anybody else."""
        self.path = path
        self._settle = settle
        self._identity: Identity | None = None
        self._connection: sqlite3.Connection | None = None

    def connection(self) -> sqlite3.Connection:
        if self.is_gone():
            # What we wrote to it would be lost.
            self.close()
        if self._connection is None:
            _make_private(self.path)
            self._identity = _identity(self.path)
            self._connection = opened(self.path)
            self._settle(self._connection)
        return self._connection

    def is_gone(self) -> bool:
        """Whether somebody has set aside or deleted the file that we opened."""
        return self._identity is not None and _identity(self.path) != self._identity

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def given_up(self, error: Exception) -> StoreFailed:
        """What callers hear of an error. Whatever state the connection is in, the next use begins with a new one."""
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
            with _SETTING_ASIDE, _alone_in(self.path.parent):
                if self.is_gone():
                    return SetAside(f"{self.path}: set aside or deleted meanwhile")
                for ending in (*_BESIDE, ""):
                    _move(Path(f"{self.path}{ending}"), Path(f"{damaged}{ending}"))
        except BlockingIOError:
            return StoreFailed(f"{self.path}: damaged, and another process is just setting it aside")
        except OSError as error:
            return StoreFailed(f"{self.path}: damaged, and cannot be set aside: {error}")
        return Damaged(f"{self.path}: damaged, so it was set aside as {damaged.name} and a new file begins")


def _is_damage(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code & _PRIMARY in _DAMAGE or isinstance(error, UnicodeDecodeError)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """No other process sets a file aside between our look and our move; `BlockingIOError` while one does."""
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
    """Which file it is, whatever its name. The file is not opened: to close it again would drop SQLite's locks."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _make_private(path: Path) -> None:
    """Nobody else may read the file; SQLite gives the ones beside it the same mode."""
    missing = [folder for folder in path.parents if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _move(path: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        path.replace(target)
