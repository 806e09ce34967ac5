"""Who else uses the file right now: nobody needs to take turns alone."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from pathlib import Path


class Company:
    """Every process that uses the file holds a share of a lock beside it, so who could have all of it is alone.

    Not a lock on the file itself: to close that once more would drop SQLite's own locks.
    """

    def __init__(self, path: Path) -> None:
        self._path = Path(f"{path}-users")
        self._descriptor: int | None = None
        self._joining = threading.Lock()

    def join(self) -> None:
        """Be known to others from now on. Where files cannot be locked, everybody has company."""
        with self._joining, contextlib.suppress(OSError):
            if self._descriptor is None:
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def has_others(self) -> bool:
        """A question to the system that takes microseconds and waits for nobody."""
        if self._descriptor is None:
            return True
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False

    def leave(self) -> None:
        with self._joining:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                os.close(descriptor)
