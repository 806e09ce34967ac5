"""A context that one task enters and leaves, for fixtures whose set-up and tear-down run in different tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


@asynccontextmanager
async def held(context: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """The value of a context, such as an MCP client, whose cancel scopes must be left in the task that entered them."""
    entered: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    leave = asyncio.Event()

    async def hold() -> None:
        async with context as value:
            entered.set_result(value)
            await leave.wait()

    holding = asyncio.create_task(hold())
    started: list[asyncio.Future[Any]] = [holding, entered]
    await asyncio.wait(started, return_when=asyncio.FIRST_COMPLETED)
    if holding.done():
        holding.result()
    try:
        yield await entered
    finally:
        leave.set()
        await holding
