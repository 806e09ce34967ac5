"""Leaving politely: what is being answered is finished, what is new is sent elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Drain:
    """Counts the calls in flight; once started, nothing new counts as welcome."""

    def __init__(self) -> None:
        self.started = False
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Around a call that a shutdown should wait for."""
        self._in_flight += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self._idle.set()

    def start(self) -> None:
        """From now on the server is not ready."""
        self.started = True

    async def wait(self, timeout_s: float) -> bool:
        """Wait for the calls in flight; `False` when some are left after the time."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True
