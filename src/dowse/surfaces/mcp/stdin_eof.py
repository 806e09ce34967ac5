"""The end of stdin: what was asked before it is still answered, if that does not take long.

The SDK ends a connection with its input and cancels whatever is unanswered then. A script that writes its requests
and closes the pipe would lose the last of them, or not, as the scheduler likes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Self

import anyio
import mcp_types as types
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

LINGER_S = 0.5

Incoming = ReadStream[SessionMessage | Exception]
Outgoing = WriteStream[SessionMessage]


@asynccontextmanager
async def answered_to_the_last(incoming: Incoming, outgoing: Outgoing) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Both streams, of which the first ends when what came through it is answered."""
    owed = _Owed()
    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def forward() -> None:
        # Broken when the server has ended before its input.
        with suppress(anyio.BrokenResourceError):
            async with incoming, sender:
                async for message in incoming:
                    owed.received(message)
                    await sender.send(message)
                await owed.settled(LINGER_S)

    async with receiver, anyio.create_task_group() as group:
        group.start_soon(forward)
        yield receiver, _Answers(outgoing, owed)
        group.cancel_scope.cancel()


class _Owed:
    """The requests that nobody has answered yet."""

    def __init__(self) -> None:
        self._requests: set[types.RequestId] = set()
        self._changed = asyncio.Event()

    def received(self, message: SessionMessage | Exception) -> None:
        content = message.message if isinstance(message, SessionMessage) else None
        if isinstance(content, types.JSONRPCRequest):
            self._requests.add(content.id)
        elif isinstance(content, types.JSONRPCNotification) and content.method == "notifications/cancelled":
            request = (content.params or {}).get("requestId")
            # Whatever else is sent there is for the SDK to refuse; `True` would be taken for 1.
            if isinstance(request, str | int) and not isinstance(request, bool):
                self._forget(request)

    def answered(self, message: SessionMessage) -> None:
        if isinstance(message.message, types.JSONRPCResponse | types.JSONRPCError):
            self._forget(message.message.id)

    async def settled(self, within_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self._requests:
                    self._changed.clear()
                    await self._changed.wait()

    def _forget(self, request: types.RequestId | None) -> None:
        self._requests -= {request}
        self._changed.set()


class _Answers:
    """The way out, on which answers are noticed."""

    def __init__(self, stream: Outgoing, owed: _Owed) -> None:
        self._stream = stream
        self._owed = owed

    async def send(self, item: SessionMessage, /) -> None:
        await self._stream.send(item)
        self._owed.answered(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
