"""The metered loop: it tells work from waiting, and what is not metered never looks busy."""

from __future__ import annotations

import asyncio
import time

from dowse.surfaces.http.adaptive_concurrency import MeteredLoop, loop_busy_s, run

A_WHILE_S = 0.03


def work() -> None:
    end = time.monotonic() + A_WHILE_S
    while time.monotonic() < end:
        pass


def test_working_is_busy_and_waiting_is_not() -> None:
    seen: list[float] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, MeteredLoop)
        begun_s, idle_s = loop_busy_s(), loop.idle_s
        work()
        seen.extend([loop_busy_s() - begun_s, loop.idle_s - idle_s])
        begun_s, idle_s = loop.time(), loop.idle_s
        # On a busy machine a part of each sleep passes before or after the selector waits.
        for _ in range(100):
            await asyncio.sleep(A_WHILE_S)
            if loop.idle_s - idle_s >= A_WHILE_S:
                break
        seen.extend([loop.idle_s - idle_s, loop.time() - begun_s])

    run(main())
    busy_s, idle_while_busy_s, idle_s, asleep_s = seen
    assert busy_s >= A_WHILE_S
    assert idle_while_busy_s == 0
    assert A_WHILE_S <= idle_s <= asleep_s


def test_what_is_ready_leaves_no_idle_time() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, MeteredLoop)
        idle_s = loop.idle_s
        for _ in range(100):
            await asyncio.sleep(0)
        assert loop.idle_s == idle_s

    run(main())


def test_an_ordinary_loop_never_looks_busy() -> None:
    async def busy_s() -> float:
        work()
        return loop_busy_s()

    assert asyncio.run(busy_s()) == 0
