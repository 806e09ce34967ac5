"""Two requests for one page at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


async def together(needed: Awaitable[T], other: Coroutine[None, None, U]) -> tuple[T, U]:
    """Both answers; when the needed one fails, the other is not waited for, and is not asked for any longer."""
    waiting = asyncio.create_task(other)
    try:
        return await needed, await waiting
    finally:
        if waiting.cancel():
            await asyncio.wait([waiting])
