"""Leaving politely: what is being answered is finished, what is new is sent elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import anyio


class Drain:
    """Knows the calls in flight; once started, nothing new counts as welcome."""

    def __init__(self) -> None:
        self.started = False
        self._calls: set[anyio.CancelScope] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def in_flight(self) -> int:
        return len(self._calls)

    @contextmanager
    def counted(self) -> Iterator[anyio.CancelScope]:
        """Around a call that a shutdown should wait for; the scope tells whether it was cut short."""
        with anyio.CancelScope() as scope:
            self._calls.add(scope)
            self._idle.clear()
            try:
                yield scope
            finally:
                self._calls.discard(scope)
                if not self._calls:
                    self._idle.set()

    def start(self) -> None:
        """From now on the server is not ready."""
        self.started = True

    def cut_short(self) -> None:
        """End the calls in flight."""
        for scope in self._calls:
            scope.cancel()

    async def wait(self, timeout_s: float) -> bool:
        """Wait for the calls in flight; `False` when some are left after the time."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True
