"""Loopback servers as doubles of the far side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def serve() -> AsyncIterator[Callable[[Handler], Awaitable[int]]]:
    """Starts an HTTP server for a handler and returns its port."""
    servers: list[RawTestServer] = []

    async def start(handler: Handler) -> int:
        server = RawTestServer(handler, host="127.0.0.1")
        await server.start_server()
        servers.append(server)
        assert server.port
        return server.port

    yield start
    for server in servers:
        await server.close()


@pytest.fixture
async def serve_raw() -> AsyncIterator[Callable[[Talk], Awaitable[int]]]:
    """Starts a server that speaks bytes, for answers no HTTP server would give, and returns its port."""
    servers: list[asyncio.Server] = []
    tasks: set[asyncio.Task[None]] = set()

    async def start(talk: Talk) -> int:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            tasks.add(task)
            try:
                await talk(reader, writer)
            except ConnectionError:
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    yield start
    for server in servers:
        server.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
