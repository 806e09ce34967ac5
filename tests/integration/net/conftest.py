"""Loopback servers as doubles of the far side."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from tests.fakes.wire import BuildClient, Serve, page_clients, raw_servers

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


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
async def serve_raw() -> AsyncIterator[Serve]:
    """Starts a server that speaks bytes, for answers no HTTP server would give, and returns its port."""
    async with raw_servers() as start:
        yield start


@pytest.fixture
async def client() -> AsyncIterator[BuildClient]:
    """Makes clients of pages."""
    async with page_clients() as build:
        yield build
