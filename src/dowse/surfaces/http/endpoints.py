"""Serves the endpoints of REST and the wires: bounded bodies, load shedding, draining, cancellation, event streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace

import anyio
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope, Send

from dowse.contracts.dispatch import Dispatcher
from dowse.contracts.endpoint import Event, HttpEndpoint, HttpReply, HttpRequest, retry_after_s
from dowse.core.errors import DowseError, Overloaded, RequestRefused, Stopping
from dowse.core.models import LOCAL, Principal
from dowse.core.runtime import share_key
from dowse.surfaces.http.auth import check_body, origin
from dowse.surfaces.http.body import cancel_on_disconnect, read_body
from dowse.surfaces.http.doors import MATCH, DoorMatch
from dowse.surfaces.http.load_shedding import LoadShedder
from dowse.surfaces.http.mcp import Drain, DrainingReply
from dowse.surfaces.http.replies import RETRY_AFTER_S, respond

EVENT_STREAM = "text/event-stream"
_STREAM_HEADERS = {"Content-Type": EVENT_STREAM, "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_DRAIN_RETRY_S = 5


class EndpointRoute(BaseRoute):
    """The route of every path that belongs to an endpoint; `AuthMiddleware` has found which."""

    def __init__(self, dispatcher: Dispatcher, drain: Drain, load_shedder: LoadShedder) -> None:
        self._dispatcher = dispatcher
        self._drain = drain
        self._load_shedder = load_shedder

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_found = scope["type"] == "http" and scope.get("state", {}).get(MATCH) is not None
        return (Match.FULL if is_found else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        match: DoorMatch = scope["state"][MATCH]
        reply = DrainingReply(send, self._drain)
        try:
            endpoint = match.endpoint(scope["method"])
            head = match.request(scope, origin(scope))
            if self._drain.started:
                raise Stopping
        except DowseError as error:
            await _fail(error, scope, match)(scope, receive, reply)
            return
        exchange = _Exchange(scope, receive, reply, match, endpoint, head)
        if endpoint.is_monitor:
            await self._monitor(exchange)
            return
        with self._drain.track() as call:
            await self._serve(exchange, call)
        if call.cancelled_caught and not reply.begun:
            # A client that has left does not receive it.
            await _fail(Stopping(), scope, match)(scope, receive, reply)

    async def _monitor(self, exchange: _Exchange) -> None:
        """Serve a monitor beside the calls; it ends with the client, or as soon as the server begins to stop."""
        caller: Principal = exchange.scope["state"].get("principal", LOCAL)
        with self._drain.track_monitor() as watch:
            watching = asyncio.create_task(cancel_on_disconnect(exchange.receive, watch))
            try:
                await self._answer(exchange, exchange.head, caller)
            finally:
                watching.cancel()
        if watch.cancelled_caught and exchange.respond.begun:
            await exchange.respond({"type": "http.response.body", "body": b""})

    async def _serve(self, exchange: _Exchange, call: anyio.CancelScope) -> None:
        caller: Principal = exchange.scope["state"].get("principal", LOCAL)
        try:
            request = await exchange.read_request()
            if request is None:
                return
            # After the body: a client that is slow to send its call takes no place from others.
            if not await self._load_shedder.enter(share_key(caller)):
                raise Overloaded(RETRY_AFTER_S)
        except DowseError as error:
            await exchange.send(exchange.match.fail(error, exchange.head), _headers_of(error))
            return
        watching = asyncio.create_task(cancel_on_disconnect(exchange.receive, call))
        try:
            await self._answer(exchange, request, caller)
        finally:
            watching.cancel()
            self._load_shedder.leave(share_key(caller))

    async def _answer(self, exchange: _Exchange, request: HttpRequest, caller: Principal) -> None:
        endpoint, door = exchange.endpoint, exchange.match.wire.door
        if endpoint.stream and EVENT_STREAM in request.headers.get("accept", ""):
            events = EventStream(exchange.respond)
            reply = await self._dispatcher.serve(endpoint, request, caller, door, events.emit)
            if events.begun:
                await events.close(reply)
                return
        else:
            reply = await self._dispatcher.serve(endpoint, request, caller, door)
        await exchange.send(reply)


class _Exchange:
    """One request to an endpoint, and the way back."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: DrainingReply,
        match: DoorMatch,
        endpoint: HttpEndpoint,
        head: HttpRequest,
    ) -> None:
        self.scope = scope
        self.receive = receive
        self.respond = send
        self.match = match
        self.endpoint = endpoint
        self.head = head

    async def read_request(self) -> HttpRequest | None:
        """The request with its body; `None` if the client left within it. Raises `RequestRefused`, `Unauthorized`."""
        body = await read_body(Headers(scope=self.scope), self.receive, self.endpoint.max_body_bytes)
        if body is None:
            return None
        check_body(self.scope, body, self.match)
        return replace(self.head, body=body) if body else self.head

    async def send(self, reply: HttpReply, headers: Mapping[str, str] | None = None) -> None:
        await respond(reply, headers)(self.scope, self.receive, self.respond)


class EventStream:
    """Server-sent events; the response begins with the first one, so that an early error keeps its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def emit(self, event: Event) -> None:
        if not self.begun:
            self.begun = True
            headers = [(name.lower().encode(), value.encode()) for name, value in _STREAM_HEADERS.items()]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._write(event)

    async def close(self, reply: HttpReply) -> None:
        """Send the reply, which is encoded, as the last event: as `error` if it is one."""
        assert isinstance(reply.data, bytes)
        await self._write_line("error" if reply.status >= 400 else "result", reply.data)
        await self._send({"type": "http.response.body", "body": b""})

    async def _write(self, event: Event) -> None:
        data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
        await self._write_line(event.name, data.encode("utf-8", "replace"))

    async def _write_line(self, name: str, data: bytes) -> None:
        """JSON holds no line end, which would end the data."""
        body = b"event: %s\ndata: %s\n\n" % (name.encode(), data)
        message: Message = {"type": "http.response.body", "body": body, "more_body": True}
        await self._send(message)


def _fail(error: DowseError, scope: Scope, match: DoorMatch) -> Response:
    """A refusal before the body is read: the connection is not used again."""
    request = HttpRequest(scope["method"], match.params, base_url=origin(scope) + match.mount)
    headers = {"Connection": "close", **_headers_of(error)}
    if isinstance(error, RequestRefused) and error.status == 405:
        headers["Allow"] = ", ".join(match.endpoints)
    return respond(match.fail(error, request), headers)


def _headers_of(error: DowseError) -> dict[str, str]:
    if isinstance(error, Stopping):
        return {"Retry-After": str(_DRAIN_RETRY_S)}
    wait_s = retry_after_s(error)
    return {"Retry-After": str(wait_s)} if wait_s is not None else {}
