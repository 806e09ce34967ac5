"""MCP on stdin and stdout: served until the client closes stdin or the process is told to stop.

The SDK ends a connection with its input and cancels the requests under way. A script that writes its requests and
closes the pipe would lose the last answers, or not, as the scheduler likes; so pending requests are drained first.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Self

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from dowse.app import App
from dowse.surfaces.mcp.server import build_server

LINGER_S = 0.5
_STOP = (signal.SIGTERM, signal.SIGINT)

Incoming = ReadStream[SessionMessage | Exception]
Outgoing = WriteStream[SessionMessage]


def serve_stdio(app: App) -> int:
    """Serve until the end; stdout carries protocol messages and nothing else."""
    return asyncio.run(_serve(app))


async def _serve(app: App) -> int:
    stop = asyncio.Event()
    for number in _STOP:
        # Not on Windows, where the default handlers do.
        with suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with app:
        serving = asyncio.create_task(_run(app))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not serving.done():
        # The thread that waits for stdin cannot be interrupted: an ordinary exit would join it, and
        # so wait for a line that may never come. Everything of ours is closed by now.
        sys.stderr.flush()
        os._exit(0)
    serving.result()
    return 0


async def _run(app: App) -> None:
    server = build_server(app)
    async with stdio_server() as wire, drain_pending_requests(*wire) as (incoming, outgoing):
        try:
            await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            # While serving, stdout leads to stderr. Text that a library printed and left in the buffer has
            # to go there too, not onto the wire when the SDK gives the descriptor back.
            sys.stdout.flush()


@asynccontextmanager
async def drain_pending_requests(incoming: Incoming, outgoing: Outgoing) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Both streams; the first ends only when the requests that came through it are answered, or after `LINGER_S`."""
    pending = _PendingRequests()
    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def forward() -> None:
        # Broken when the server has ended before its input.
        with suppress(anyio.BrokenResourceError):
            async with incoming, sender:
                async for message in incoming:
                    pending.add(message)
                    await sender.send(message)
                await pending.wait(LINGER_S)

    async with receiver, anyio.create_task_group() as group:
        group.start_soon(forward)
        yield receiver, _ObservedOutput(outgoing, pending)
        group.cancel_scope.cancel()


class _PendingRequests:
    """Ids of the requests without an answer."""

    def __init__(self) -> None:
        self._requests: set[types.RequestId] = set()
        self._changed = asyncio.Event()

    def add(self, message: SessionMessage | Exception) -> None:
        content = message.message if isinstance(message, SessionMessage) else None
        if isinstance(content, types.JSONRPCRequest):
            self._requests.add(content.id)
        elif isinstance(content, types.JSONRPCNotification) and content.method == "notifications/cancelled":
            request = (content.params or {}).get("requestId")
            # Other values are for the SDK to refuse; `True` would be taken for 1.
            if isinstance(request, str | int) and not isinstance(request, bool):
                self._remove(request)

    def resolve(self, message: SessionMessage) -> None:
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
            self._remove(message.message.id)

    async def wait(self, timeout_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self._requests:
                    self._changed.clear()
                    await self._changed.wait()

    def _remove(self, request: types.RequestId | None) -> None:
        self._requests -= {request}
        self._changed.set()


class _ObservedOutput:
    """Output stream that resolves the pending request of each answer."""

    def __init__(self, stream: Outgoing, pending: _PendingRequests) -> None:
        self._stream = stream
        self._pending = pending

    async def send(self, item: SessionMessage, /) -> None:
        await self._stream.send(item)
        self._pending.resolve(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
