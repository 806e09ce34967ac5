"""What a thread owes to somebody who waits on an event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Promise(Generic[T]):
    """A result that comes from a thread. Whoever waits for it may leave at any time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[T] = self._loop.create_future()

    @property
    def is_awaited(self) -> bool:
        return not self.result.done()

    def keep(self, work: Callable[[], T]) -> None:
        """Do the work, and tell whoever waits how it ended."""
        outcome = attempted(work)
        if isinstance(outcome, Exception):
            self.fail(outcome)
        else:
            self.fulfil(outcome)

    def fulfil(self, value: T) -> None:
        self._settle(self.result.set_result, value)

    def fail(self, error: Exception) -> None:
        self._settle(self.result.set_exception, error)

    def _settle(self, settle: Callable[[Any], None], outcome: object) -> None:
        def settle_once() -> None:
            if self.is_awaited:
                settle(outcome)

        # Where the loop has ended, so have all who waited.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(settle_once)


def attempted(work: Callable[[], T]) -> T | Exception:
    """What comes of the work. A bug in it must not end the thread, or others would wait for ever."""
    try:
        return work()
    except Exception as error:
        return error
