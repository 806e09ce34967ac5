"""Runtime of the process: the system clock, background tasks, and the context of the current call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime

from dowse.core.models import LOCAL, Principal
from dowse.core.protocols import Progress


class SystemClock:
    """Implements `models.Clock`."""

    def now(self) -> float:
        return time.monotonic()

    def utc(self) -> datetime:
        return datetime.now(UTC)

    def today(self) -> date:
        return self.utc().date()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Background:
    """Background tasks, awaited or cancelled at shutdown."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def finish(self, timeout_s: float | None = None) -> None:
        """Wait for all tasks, and cancel the ones that are not done in time."""
        if self.tasks:
            _, late = await asyncio.wait(self.tasks, timeout=timeout_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


Sleep = Callable[[float], Awaitable[None]]


class WriteBehind:
    """Write-behind timer: changes are written together, some time after the first of them.

    `sleep` is passed apart from the clock, since a sleep of a test clock moves its time for all.
    """

    def __init__(self, write: Callable[[], Coroutine[None, None, None]], sleep: Sleep) -> None:
        self._write = write
        self._sleep = sleep
        self._timer: asyncio.Task[None] | None = None
        self._writes = Background()

    def schedule(self, delay_s: float) -> None:
        """Write after the delay, unless a write is scheduled already."""
        if self._timer is None:
            self._timer = asyncio.create_task(self._write_after(delay_s))

    async def close(self) -> None:
        """Write the rest, after the writes in progress."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await self._writes.finish()
        await self._write()

    async def _write_after(self, delay_s: float) -> None:
        await self._sleep(delay_s)
        # A task of its own, which `close` awaits instead of cancelling it.
        self._writes.start(self._write())
        self._timer = None


async def first_of(*work: Coroutine[None, None, None]) -> None:
    """Run coroutines concurrently until the first one ends; cancel the others, and raise its error if it failed."""
    tasks = [asyncio.ensure_future(part) for part in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def no_progress(step: str) -> None:
    """The default for callers without progress reports."""


@dataclass(slots=True)
class Sending:
    """Record of whether an attempt has sent anything to its provider."""

    is_begun: bool = False


_sending: ContextVar[Sending | None] = ContextVar("sending", default=None)


@contextmanager
def watch_sending() -> Iterator[Sending]:
    """Watch the requests of this context and of the tasks that it starts."""
    sending = Sending()
    outside = _sending.set(sending)
    try:
        yield sending
    finally:
        _sending.reset(outside)


def record_sending() -> None:
    """Record that a request has got its connection, on which it is written at once."""
    if sending := _sending.get():
        sending.is_begun = True


@dataclass(frozen=True, slots=True)
class CallContext:
    """One tool call: its caller, its arrival on the monotonic clock (`None` for now), and its progress reports."""

    caller: Principal = LOCAL
    started_at: float | None = None
    progress: Progress = no_progress
