"""The MCP endpoint: bounded bodies, an answer as JSON or as a stream, and an end when the client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from dowse.core.models import LOCAL
from dowse.surfaces.http.drain import Drain
from dowse.surfaces.http.load_shedding import TOLD_TO_WAIT, LoadShedder
from dowse.surfaces.http.replies import OVERLOADED, OVERLOADED_HEADERS, refusal

MAX_BODY_BYTES = 1024 * 1024
BODY_TIMEOUT_S = 15.0


class McpEndpoint:
    """Streamable HTTP without sessions, in both protocol eras.

    Whoever asks for progress gets a stream, everybody else plain JSON: a stream costs twice the time.
    """

    def __init__(self, server: Server[Any], drain: Drain, admissions: LoadShedder | None = None) -> None:
        self._drain = drain
        self.admissions = admissions or LoadShedder()
        self._json, self._stream = (
            StreamableHTTPSessionManager(
                server, stateless=True, json_response=as_json, max_request_body_size=MAX_BODY_BYTES
            )
            for as_json in (True, False)
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Around the time in which requests are served."""
        async with self._json.run(), self._stream.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            # No session, so there is no stream to open and nothing to delete.
            await refusal(405, "only POST is served here", {"Allow": "POST"})(scope, receive, send)
            return
        if self._drain.started:
            await _leaving()(scope, receive, send)
            return
        reply = _Reply(send, self._drain)
        with self._drain.counted() as call:
            await self._handle(scope, receive, reply, call)
        if call.cancelled_caught and not reply.begun:
            # Whoever left by himself does not hear it any more.
            await _leaving()(scope, receive, send)

    async def _handle(self, scope: Scope, receive: Receive, send: Send, call: anyio.CancelScope) -> None:
        headers = Headers(scope=scope)
        # Before anybody is let in: a client that is slow to send its call keeps nobody else from being served.
        body = await _body(headers, receive)
        if body is None:
            return
        if isinstance(body, Response):
            await body(scope, receive, send)
            return
        caller = scope.get("state", {}).get("principal", LOCAL).name
        if not await self.admissions.enter(caller):
            await _refuse(scope, send, caller)
            return
        try:
            await self._answer(scope, receive, send, call, body)
        finally:
            self.admissions.leave(caller)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, call: anyio.CancelScope, body: bytes) -> None:
        if _wants_stream(body, Headers(scope=scope)):
            await self._stream.handle_request(scope, _replayed(body, receive), send)
        else:
            # The SDK does not notice here that the client has left, so we do.
            watching = asyncio.create_task(_cancel_when_gone(receive, call))
            try:
                await self._json.handle_request(scope, _replayed(body, receive), send)
            finally:
                watching.cancel()


class _Reply:
    """Passes an answer on, remembers that it has begun, and tells clients that the server is about to leave."""

    def __init__(self, send: Send, drain: Drain) -> None:
        self._send = send
        self._drain = drain
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if not self.begun and self._drain.started:
            # A further call on this connection could only be sent away, or meet its end.
            headers = [header for header in message["headers"] if header[0].lower() != b"connection"]
            message = {**message, "headers": [*headers, (b"connection", b"close")]}
        self.begun = True
        await self._send(message)


async def _refuse(scope: Scope, send: Send, caller: str) -> None:
    scope.setdefault("state", {})[TOLD_TO_WAIT] = caller
    # No response object: it has to be cheap.
    await send({"type": "http.response.start", "status": 503, "headers": OVERLOADED_HEADERS})
    await send({"type": "http.response.body", "body": OVERLOADED})


def _leaving() -> Response:
    return refusal(503, "the server is shutting down", {"Retry-After": "5"})


def _too_large() -> Response:
    return refusal(413, f"a body has at most {MAX_BODY_BYTES} bytes")


def _wants_stream(body: bytes, headers: Headers) -> bool:
    """Whether progress was asked for by a client that can take it."""
    return b'"progressToken"' in body and "text/event-stream" in headers.get("accept", "")


async def _body(headers: Headers, receive: Receive) -> bytes | Response | None:
    """The whole body, the refusal of one that is too large or too slow, or nothing if the client left within it."""
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > MAX_BODY_BYTES:
        return _too_large()
    chunks: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                more = message.get("more_body", False)
                if size > MAX_BODY_BYTES:
                    return _too_large()
    except TimeoutError:
        return refusal(408, "the body took too long to arrive")
    return b"".join(chunks)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once more, then whatever comes after it."""
    told = False

    async def replay() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
