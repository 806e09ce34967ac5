"""The MCP endpoint: bounded bodies, an answer as JSON or as a stream, cancellation when the client leaves, draining."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import anyio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from dowse.contracts.endpoint import MAX_BODY_BYTES
from dowse.core.errors import RequestRefused
from dowse.core.models import LOCAL
from dowse.core.runtime import share_key
from dowse.surfaces.http.body import cancel_on_disconnect, read_body, replay
from dowse.surfaces.http.load_shedding import LoadShedder
from dowse.surfaces.http.replies import OVERLOADED, OVERLOADED_HEADERS, refusal


class Drain:
    """The calls in flight, which a shutdown waits for; once started, new calls are refused."""

    def __init__(self) -> None:
        self.started = False
        self._calls: set[anyio.CancelScope] = set()
        self._monitors: set[anyio.CancelScope] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def in_flight(self) -> int:
        return len(self._calls)

    @contextmanager
    def track(self) -> Iterator[anyio.CancelScope]:
        """Around a call that a shutdown should wait for; the scope tells whether it was cancelled."""
        with anyio.CancelScope() as scope:
            self._calls.add(scope)
            self._idle.clear()
            try:
                yield scope
            finally:
                self._calls.discard(scope)
                if not self._calls:
                    self._idle.set()

    @contextmanager
    def track_monitor(self) -> Iterator[anyio.CancelScope]:
        """Around a watch of the server, which a shutdown does not wait for but ends."""
        with anyio.CancelScope() as scope:
            self._monitors.add(scope)
            try:
                yield scope
            finally:
                self._monitors.discard(scope)

    def start(self) -> None:
        """From now on the server is not ready."""
        self.started = True
        for scope in self._monitors:
            scope.cancel()

    def cancel_calls(self) -> None:
        for scope in self._calls:
            scope.cancel()

    async def wait(self, timeout_s: float) -> bool:
        """Wait for the calls in flight; `False` when some are left after the time."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True


class McpEndpoint:
    """Streamable HTTP without sessions, in both protocol eras.

    A call that asks for progress gets a stream, any other plain JSON: a stream costs twice the time.
    """

    def __init__(self, server: Server[object], drain: Drain, load_shedder: LoadShedder | None = None) -> None:
        self._drain = drain
        self.load_shedder = load_shedder or LoadShedder()
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
            # Without sessions there is no stream to open and nothing to delete.
            await refusal(405, "only POST is served here", {"Allow": "POST"})(scope, receive, send)
            return
        if self._drain.started:
            await _refuse_draining()(scope, receive, send)
            return
        reply = DrainingReply(send, self._drain)
        with self._drain.track() as call:
            await self._handle(scope, receive, reply, call)
        if call.cancelled_caught and not reply.begun:
            # A client that has left does not receive it.
            await _refuse_draining()(scope, receive, send)

    async def _handle(self, scope: Scope, receive: Receive, send: Send, call: anyio.CancelScope) -> None:
        # Before admission: a client that is slow to send its call takes no place from others.
        try:
            body = await read_body(Headers(scope=scope), receive)
        except RequestRefused as refused:
            await refusal(refused.status, str(refused))(scope, receive, send)
            return
        if body is None:
            return
        caller = share_key(scope.get("state", {}).get("principal", LOCAL))
        if not await self.load_shedder.enter(caller):
            # No response object: a refusal has to be cheap.
            await send({"type": "http.response.start", "status": 503, "headers": OVERLOADED_HEADERS})
            await send({"type": "http.response.body", "body": OVERLOADED})
            return
        try:
            await self._answer(scope, receive, send, call, body)
        finally:
            self.load_shedder.leave(caller)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, call: anyio.CancelScope, body: bytes) -> None:
        if _wants_stream(body, Headers(scope=scope)):
            await self._stream.handle_request(scope, replay(body, receive), send)
            return
        # The SDK does not notice here that the client has left.
        watching = asyncio.create_task(cancel_on_disconnect(receive, call))
        try:
            await self._json.handle_request(scope, replay(body, receive), send)
        finally:
            watching.cancel()


class DrainingReply:
    """Passes an answer on, remembers that it has begun, and closes the connection while the server drains."""

    def __init__(self, send: Send, drain: Drain) -> None:
        self._send = send
        self._drain = drain
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if not self.begun and self._drain.started:
            # A further call on this connection would only be refused.
            headers = [header for header in message["headers"] if header[0].lower() != b"connection"]
            message = {**message, "headers": [*headers, (b"connection", b"close")]}
        self.begun = True
        await self._send(message)


def _refuse_draining() -> Response:
    return refusal(503, "the server is shutting down", {"Retry-After": "5"})


def _wants_stream(body: bytes, headers: Headers) -> bool:
    """Whether the call asks for progress and the client can take a stream."""
    return b'"progressToken"' in body and "text/event-stream" in headers.get("accept", "")
