"""Background tasks, and a race of coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine


async def first_of(*work: Coroutine[None, None, None]) -> None:
    """Do all at the same time until one has ended, as that one did; the others are cancelled."""
    tasks = [asyncio.ensure_future(part) for part in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


class Background:
    """Background tasks, awaited or cancelled at shutdown."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def finish(self, timeout_s: float | None = None) -> None:
        """Wait until all is done; what is not by then is cancelled."""
        if self.tasks:
            _, late = await asyncio.wait(self.tasks, timeout=timeout_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
