"""Servers that speak bytes, for answers no HTTP server would give."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ssl import SSLContext

from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard, NameResolver, look_up

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Serve = Callable[..., Awaitable[int]]
BuildClient = Callable[..., UntrustedClient]


@asynccontextmanager
async def raw_servers() -> AsyncIterator[Serve]:
    """A function that starts a server on loopback and returns its port; all end with the context."""
    servers: list[asyncio.Server] = []
    tasks: set[asyncio.Task[None]] = set()

    async def start(talk: Talk, tls: SSLContext | None = None) -> int:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            tasks.add(task)
            try:
                await talk(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
        servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    yield start
    for server in servers:
        server.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def page_clients() -> AsyncIterator[BuildClient]:
    """A function that makes a client of pages with these pairs open; all are closed with the context."""
    clients: list[UntrustedClient] = []

    def build(*allow_private: str, resolver: NameResolver = look_up, tls: SSLContext | None = None) -> UntrustedClient:
        clients.append(UntrustedClient(Guard(allow_private, resolver), "dowse/test", tls=tls))
        return clients[-1]

    yield build
    for client in clients:
        await client.close()
