"""The listener of one page: the browser reaches the web through it, and only while the page is open."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from dowse.net.proxy.page_policy import PageBudget
from dowse.net.proxy.stream import PIECE_BYTES
from dowse.net.sockets import marked_as_ours

_HOST = "127.0.0.1"
_MOST_CONNECTIONS = 64
_PAUSE_S = 0.1


@asynccontextmanager
async def serve(leash: PageBudget) -> AsyncIterator[str]:
    """The proxy's `host:port` while inside; leaving cuts everything that is still open."""
    with socket.create_server((_HOST, 0)) as listener, marked_as_ours(listener):
        listener.setblocking(False)
        door = _Door(leash, listener)
        door.open()
        try:
            yield f"{_HOST}:{listener.getsockname()[1]}"
        finally:
            await door.close()


class _Door:
    """Lets connections in, so many at a time; the others wait outside.

    asyncio's own server loses a connection that comes while it closes: nobody would own its socket.
    """

    def __init__(self, leash: PageBudget, listener: socket.socket) -> None:
        self._leash = leash
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._inside: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def open(self) -> None:
        if not self._is_closed:
            self._loop.add_reader(self._listener, self._let_in)

    async def close(self) -> None:
        """Let nobody in any more, cut all connections, and wait until they are closed."""
        self._is_closed = True
        self._loop.remove_reader(self._listener)
        for task in self._inside:
            task.cancel()
        await asyncio.gather(*self._inside, return_exceptions=True)

    def _let_in(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:
            return  # Whoever knocked has gone.
        except OSError:
            # The process has no descriptor left. The knocking goes on, and listening to it would stop all other work.
            self._loop.remove_reader(self._listener)
            self._loop.call_later(_PAUSE_S, self.open)
            return
        task = self._loop.create_task(_serve(self._leash, connection))
        self._inside.add(task)
        task.add_done_callback(partial(self._left, connection))
        if len(self._inside) >= _MOST_CONNECTIONS:
            self._loop.remove_reader(self._listener)

    def _left(self, connection: socket.socket, task: asyncio.Task[None]) -> None:
        # A task that was cancelled before it began has not seen its connection.
        connection.close()
        self._inside.discard(task)
        self.open()


async def _serve(leash: PageBudget, connection: socket.socket) -> None:
    # Imported on first use: most servers never start a browser, and a start has no time for h11.
    from dowse.net.proxy.request_handler import Conversation

    reader, writer = await asyncio.open_connection(sock=connection, limit=PIECE_BYTES)
    await Conversation(leash, reader, writer).hold()
