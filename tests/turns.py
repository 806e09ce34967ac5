"""Who may run beside whom: several files are tested at a time, but whoever compares times needs the machine alone.

Every test holds a lock together with all others, and a test marked `alone` holds it by itself.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path


@contextmanager
def together() -> Iterator[None]:
    """At the same time as others, but not while somebody is alone or waits for it."""
    with ExitStack() as room:
        with _held("door", fcntl.LOCK_SH):
            room.enter_context(_held("room", fcntl.LOCK_SH))
        yield


@contextmanager
def alone() -> Iterator[None]:
    """Nobody new comes through the door, and those who are in the room finish first."""
    with _held("door", fcntl.LOCK_EX), _held("room", fcntl.LOCK_EX):
        yield


@contextmanager
def _held(name: str, how: int) -> Iterator[None]:
    file = _file(name)
    fcntl.flock(file, how)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


@cache
def _file(name: str) -> int:
    """The same file for all who test on this machine, and open until this process ends."""
    return os.open(Path(tempfile.gettempdir()) / f"dowse-tests-{os.getuid()}-{name}", os.O_RDWR | os.O_CREAT, 0o600)
