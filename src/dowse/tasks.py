"""Work that is done at the same time."""

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
