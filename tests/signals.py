"""Processes that hear Ctrl+C, wherever the tests themselves were started from."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def as_from_a_terminal() -> Iterator[None]:
    """What is started inside does not ignore SIGINT, even if a shell has put the tests into the background.

    A process hands on that it ignores a signal, but not that it handles one: a handler becomes the default.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
