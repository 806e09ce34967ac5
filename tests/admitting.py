"""Processes that share one limit and use all of it: `python -m tests.admitting URL CALLS PERIOD_S SECONDS`.

Forks six, each with a clock of its own. Every answer is a line of JSON: who asked, when, when the answer was there (on
the clock that all processes of a machine have in common), how long to wait, and what was remarked.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from datetime import datetime, timedelta

from dowse.core.allowances import Rate
from dowse.core.runtime import SystemClock
from dowse.routing.limiter import SharedWindows, SlidingWindows
from dowse.stores.coordination import LocalFallback
from dowse.stores.fail_soft import Outage
from dowse.stores.redis import RedisCoordinator, RedisStore

SKEWS_S = (-5.0, -3.0, -1.0, 1.0, 3.0, 5.0)
_AT_ONCE = 3
_PAUSE_S = 0.03


class SkewedClock(SystemClock):
    def __init__(self, skew_s: float) -> None:
        self._skew_s = skew_s

    def now(self) -> float:
        return super().now() + self._skew_s

    def utc(self) -> datetime:
        return super().utc() + timedelta(seconds=self._skew_s)


async def ask(windows: SharedWindows, rate: Rate, until: float) -> None:
    while (asked := time.monotonic()) < until:
        admission = await windows.admit("alice:web_search", rate)
        answer = [os.getpid(), asked, time.monotonic(), admission.wait_s, admission.remark]
        # One write for one line, so that lines of several processes do not mix.
        os.write(1, f"{json.dumps(answer)}\n".encode())
        await asyncio.sleep(min(admission.wait_s, _PAUSE_S))


async def work(url: str, rate: Rate, seconds: float, skew_s: float) -> None:
    clock = SkewedClock(skew_s)
    store = RedisStore(url, clock)
    coordinator = RedisCoordinator(store)
    windows = SharedWindows(SlidingWindows(clock), coordinator, LocalFallback(coordinator.look, Outage(clock), clock))
    until = time.monotonic() + seconds
    await asyncio.gather(*[ask(windows, rate, until) for _ in range(_AT_ONCE)])
    await store.close()


def main(url: str, calls: str, period_s: str, seconds: str) -> None:
    rate, workers = Rate(int(calls), float(period_s)), []
    for skew_s in SKEWS_S:
        worker = os.fork()
        if not worker:
            asyncio.run(work(url, rate, float(seconds), skew_s))
            return
        workers.append(worker)
    for worker in workers:
        os.waitpid(worker, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
