"""The directory that a browser has for itself while it runs: its profile, its home and its temporary files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Self

_PREFIX = "dowse-browser-"
_LOCK = "dowse.lock"
# Chromium makes a socket below it and crashes when that path is longer than a socket's may be (104 on macOS).
_LONGEST_PARENT = 32
_SHORT_PARENT = "/tmp"
# A directory is made a moment before it is locked; nothing this young is anybody's left-over.
_YOUNG_S = 60.0


class Profile:
    """A directory that nobody else can read, locked as long as we live."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def create(cls, parent: Path) -> Self:
        """Make one; raises `OSError`."""
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        file = path / _LOCK
        with contextlib.ExitStack() as unless_locked:
            # Not `rmtree`, which needs descriptors, and there may be none left.
            unless_locked.callback(path.rmdir)
            lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            unless_locked.callback(file.unlink)
            unless_locked.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            unless_locked.pop_all()
        return cls(path, lock)

    def remove(self) -> None:
        """Delete it with all that is in it. What cannot be deleted now is swept at a later start."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def usual_parent() -> Path:
    """Where profiles lie: the temporary directory, unless its path is too long for Chromium."""
    usual = tempfile.gettempdir()
    return Path(usual if len(usual) <= _LONGEST_PARENT else _SHORT_PARENT)


def snap_parent() -> Path:
    """Where they lie for a snap, which has a temporary directory of its own that we do not see."""
    parent = Path.home() / "snap" / "chromium" / "common"
    parent.mkdir(parents=True, exist_ok=True)
    return parent


def sweep(parent: Path) -> None:
    """Delete what was left by processes of ours that were killed."""
    for path in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours_and_old(path):
                _remove_unlocked(path)


def _is_ours_and_old(path: Path) -> bool:
    """Everybody may write to the temporary directory: a link, or what another user has made, is not touched."""
    about = path.lstat()
    is_old = time.time() - about.st_mtime > _YOUNG_S
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and is_old


def _remove_unlocked(path: Path) -> None:
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(FileNotFoundError):
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC)
            stack.callback(os.close, lock)
            # Raises `BlockingIOError`, an `OSError`, while its owner lives.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
