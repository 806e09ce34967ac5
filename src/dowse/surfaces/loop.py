"""An event loop that knows how busy it is: whatever else a process may wait for, it needs the loop to go on."""

from __future__ import annotations

import asyncio
import selectors
import sys
import time
from collections.abc import Coroutine


class _MeteredSelector(selectors.DefaultSelector):
    """Counts the time in which there was nothing to do."""

    def __init__(self) -> None:
        super().__init__()
        self.idle_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            # Something is ready already; this only asks whether more has come.
            return super().select(timeout)
        started = time.monotonic()
        try:
            return super().select(timeout)
        finally:
            self.idle_s += time.monotonic() - started


class MeteredLoop(asyncio.SelectorEventLoop):
    """The usual loop, with its idle time. A process that gets little of the CPU has little idle time, too."""

    def __init__(self) -> None:
        self._meter = _MeteredSelector()
        super().__init__(self._meter)

    @property
    def idle_s(self) -> float:
        """For how long it has waited for something to do, since it was made."""
        return self._meter.idle_s


def run(main: Coroutine[None, None, None]) -> None:
    """`asyncio.run` on a metered loop; on Windows, where only another kind can start processes, on the usual one."""
    with asyncio.Runner(loop_factory=None if sys.platform == "win32" else MeteredLoop) as runner:
        runner.run(main)


def loop_busy_s() -> float:
    """For how long the running loop has been busy, from some moment on; always the same where it is not metered."""
    loop = asyncio.get_running_loop()
    return loop.time() - loop.idle_s if isinstance(loop, MeteredLoop) else 0.0
