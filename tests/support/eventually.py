"""Waiting for a change in another process or thread, of which there is no news."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable

_PAUSE_S = 0.005


async def eventually(holds: Callable[[], bool | Awaitable[bool]], within_s: float = 30) -> None:
    """Return as soon as the condition holds; a `TimeoutError` if it never does."""
    async with asyncio.timeout(within_s):
        while True:
            answer = holds()
            if await answer if inspect.isawaitable(answer) else answer:
                return
            await asyncio.sleep(_PAUSE_S)
