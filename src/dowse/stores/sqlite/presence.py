"""Advisory lock beside a SQLite file that tells whether another store, of this or another process, has it open."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

_TRIES, _PAUSE_S = 5, 0.002


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
            time.sleep(_PAUSE_S)

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
