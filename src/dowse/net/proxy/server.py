"""Proxy listener of one page: the browser reaches the web through it, and only while the page is open."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from dowse.net.guard import reserve_port
from dowse.net.proxy.page_policy import PageBudget
from dowse.net.proxy.stream import PIECE_BYTES

_HOST = "127.0.0.1"
_MOST_CONNECTIONS = 64
_PAUSE_S = 0.1


@asynccontextmanager
async def serve(budget: PageBudget) -> AsyncIterator[str]:
    """Serve a proxy while inside, and yield its `host:port`; leaving resets all open connections."""
    with socket.create_server((_HOST, 0)) as listener, reserve_port(listener):
        listener.setblocking(False)
        acceptor = _Acceptor(budget, listener)
        acceptor.open()
        try:
            yield f"{_HOST}:{listener.getsockname()[1]}"
        finally:
            await acceptor.close()


class _Acceptor:
    """Accepts a bounded number of connections at a time; further ones wait in the backlog.

    asyncio's own server loses a connection that arrives while it closes, and leaks its socket.
    """

    def __init__(self, budget: PageBudget, listener: socket.socket) -> None:
        self._budget = budget
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._handlers: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def open(self) -> None:
        if not self._is_closed:
            self._loop.add_reader(self._listener, self._accept)

    async def close(self) -> None:
        """Stop accepting, cancel all handlers, and wait until their connections are closed."""
        self._is_closed = True
        self._loop.remove_reader(self._listener)
        for task in self._handlers:
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:
            return  # the client has gone
        except OSError:
            # The process has no descriptor left. The socket stays readable, and polling it would starve all other work.
            self._loop.remove_reader(self._listener)
            self._loop.call_later(_PAUSE_S, self.open)
            return
        task = self._loop.create_task(_serve(self._budget, connection))
        self._handlers.add(task)
        task.add_done_callback(partial(self._forget, connection))
        if len(self._handlers) >= _MOST_CONNECTIONS:
            self._loop.remove_reader(self._listener)

    def _forget(self, connection: socket.socket, task: asyncio.Task[None]) -> None:
        # A task that was cancelled before it began has not taken over its connection.
        connection.close()
        self._handlers.discard(task)
        self.open()


async def _serve(budget: PageBudget, connection: socket.socket) -> None:
    # Imported on first use: most servers never start a browser, and h11 would slow down their start.
    from dowse.net.proxy.request_handler import RequestHandler

    reader, writer = await asyncio.open_connection(sock=connection, limit=PIECE_BYTES)
    await RequestHandler(budget, reader, writer).handle()
