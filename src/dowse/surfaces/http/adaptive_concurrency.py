"""Adaptive concurrency limit: as many calls at once as the event loop and the workers have time for.

Calls differ in cost by a factor of a thousand, and a call that waits for a slow provider costs nothing. So the limit
follows measured saturation, not latency. Calls queue for a growing limit, and for earlier calls to end, as long as the
queue moves. A queue that would take too long is overload: waiting would only make every call late, so calls are
refused until hardly any has to be.
"""

from __future__ import annotations

import asyncio
import math
import selectors
import sys
import time
from collections.abc import Coroutine
from dataclasses import dataclass

SAMPLE_S = 0.05
# A resource in use for a larger share of the time makes calls wait for each other.
SATURATED = 0.9
# The longest queue, in time to serve it: a burst is over by then. A short queue is always accepted.
MAX_QUEUE_S, SHORT_QUEUE = 0.5, 16
# Calls that end in a second where that was not seen lately: a queue of hundreds has done no harm yet.
USUAL_RATE, FORGOTTEN_S = 2000.0, 60.0
# Overload has ended when, on average over so many seconds, at most this share of the calls was refused, or less than
# one in a second. At 70 % load chance alone brings some refusals, because few are admitted at once.
AVERAGE_S, RELIEVED = 1.0, 0.15
# The least limit without overload.
START = 8
# The least limit under overload: few enough to be quick, enough to keep busy while one of them waits.
FLOOR = 6
# So many calls can begin in less time than a burst may take, even on a shared CPU.
_GROWTH, _LARGEST_STEP = 1.5, 32
_CAREFUL_GROWTH = 1.15
_SHRINKING = 0.8


@dataclass(frozen=True, slots=True)
class LoadSample:
    """Load since the last sample. `busy` is the busiest resource's share of the time; `is_short` if calls queued."""

    seconds: float
    busy: float
    in_flight: int
    began: int
    ended: int
    refused: int
    is_short: bool


class ConcurrencyLimit:
    """The number of calls that may run at once, and whether more may queue; fed with load samples."""

    def __init__(self, most: int, usual_rate: float = USUAL_RATE) -> None:
        self._most = float(most)
        self._calls = min(float(START), self._most)
        self._is_saturated = False
        self._usual_rate = self._rate = usual_rate
        self.is_overloaded = False
        self._reset_generation()
        self._came, self._refused = 0.0, 0.0

    @property
    def calls(self) -> float:
        """The limit; it grows by fractions of a call."""
        return self._calls

    def can_queue(self, waiting: int) -> bool:
        """Whether a call behind so many others in the queue is served soon."""
        # With time to spare, the queue only waits for the limit to grow.
        return not self._is_saturated or waiting < max(SHORT_QUEUE, MAX_QUEUE_S * self._rate)

    def overload(self) -> None:
        """Start shedding load: the queue has become too long."""
        self.is_overloaded = True
        self._set(self._calls / 2, FLOOR)
        self._reset_generation()
        self._came, self._refused = 0.0, 0.0

    def update(self, sample: LoadSample) -> None:
        recent = 1 - math.exp(-sample.seconds / AVERAGE_S)
        self._is_saturated = sample.busy >= SATURATED
        if self._is_saturated:
            self._rate += recent * (sample.ended / sample.seconds - self._rate)
        else:
            self._rate += (1 - math.exp(-sample.seconds / FORGOTTEN_S)) * (self._usual_rate - self._rate)
        if self.is_overloaded:
            self._came += recent * (sample.began + sample.refused - self._came)
            self._refused += recent * (sample.refused - self._refused)
            self._update_overloaded(sample)
        elif not self._is_saturated and sample.is_short:
            self._set(min(self._calls * _GROWTH, self._calls + _LARGEST_STEP), START)
        elif self._is_saturated:
            # More calls than there are now would gain nothing.
            self._set(min(self._calls, sample.in_flight), START)

    def _update_overloaded(self, sample: LoadSample) -> None:
        """Change the limit once per generation of calls: those in flight show the effect of the last change.

        Calls that only wait show it before they end, by the time that is left.
        """
        if self._refused <= max(RELIEVED * self._came, SAMPLE_S):
            self.is_overloaded = False
            self._set(self._calls, START)
            return
        self._seconds += sample.seconds
        self._busy_s += sample.busy * sample.seconds
        self._ended += sample.ended
        has_time = self._busy_s < SATURATED * self._seconds
        if self._ended < self._calls and not (has_time and self._seconds >= AVERAGE_S):
            return
        if not has_time:
            self._set(self._calls * _SHRINKING, FLOOR)
        elif sample.is_short:
            self._set(max(self._calls * _CAREFUL_GROWTH, self._calls + 1), FLOOR)
        self._reset_generation()

    def _reset_generation(self) -> None:
        self._seconds, self._busy_s, self._ended = 0.0, 0.0, 0

    def _set(self, calls: float, least: float) -> None:
        self._calls = min(max(calls, least), self._most)


class _MeteredSelector(selectors.DefaultSelector):
    """Measures the time in which there was nothing to do."""

    def __init__(self) -> None:
        super().__init__()
        self.idle_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            # Something is ready already; this only polls for more.
            return super().select(timeout)
        started = time.monotonic()
        try:
            return super().select(timeout)
        finally:
            self.idle_s += time.monotonic() - started


class MeteredLoop(asyncio.SelectorEventLoop):
    """Event loop that measures its idle time. A process that gets little CPU has little idle time, too."""

    def __init__(self) -> None:
        self._meter = _MeteredSelector()
        super().__init__(self._meter)

    @property
    def idle_s(self) -> float:
        return self._meter.idle_s


def run(main: Coroutine[None, None, None]) -> None:
    """`asyncio.run` on a metered loop; on Windows, where only another kind can start processes, on the usual one."""
    with asyncio.Runner(loop_factory=None if sys.platform == "win32" else MeteredLoop) as runner:
        runner.run(main)


def loop_busy_s() -> float:
    """How long the running loop has been busy, from some moment on; constant where it is not metered."""
    loop = asyncio.get_running_loop()
    return loop.time() - loop.idle_s if isinstance(loop, MeteredLoop) else 0.0
