"""An event loop on which nobody waits: when everybody sleeps, it is later at once."""

from __future__ import annotations

import asyncio
import selectors
from datetime import UTC, date, datetime, timedelta
from typing import Any

_START = datetime(2026, 11, 15, 12, tzinfo=UTC)


class _Skipping(selectors.SelectSelector):
    """Instead of waiting for so long it says that so much time has passed."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout:
            self.time += timeout
        return ready


class SkippingLoop(asyncio.SelectorEventLoop):
    """Timers ring in their order and at their times, but on a clock that stands still while there is work.

    For work that has no connections: whoever waits for another process would miss its answer.
    """

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.time


class LoopClock:
    """The time of a loop, for those who take a clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def now(self) -> float:
        return self._loop.time()

    def utc(self) -> datetime:
        return _START + timedelta(seconds=self.now())

    def today(self) -> date:
        return self.utc().date()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
