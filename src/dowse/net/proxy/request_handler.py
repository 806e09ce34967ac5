"""Proxy side of one browser connection: one request is judged, then forwarded, tunnelled or refused.

One request a connection, on both sides, so that nothing can be smuggled. h11 parses the heads and the request's body.
The response's body is passed on as it comes, in the framing that its head announces: Chromium parses that better than
a check here could, and a body of tiny chunks costs no time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import h11

from dowse.core import urls
from dowse.core.reasons import FailureReason
from dowse.core.runtime import first_of
from dowse.core.urls import Url
from dowse.core.wire_errors import WireDenied, WireError, WireFailed, WireTimeout
from dowse.net.proxy.page_policy import PageBudget
from dowse.net.proxy.stream import ProxyStream, closing, dial, reset

MAX_HEAD_BYTES = 65_536
_MOST_INTERIM_ANSWERS = 16
# The same for every reason: a page must not learn about the network behind the proxy.
_REFUSAL = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
# Headers of a single connection (RFC 9110, 7.6.1). Bodies keep their framing, so the headers that announce it stay.
_HOP_BY_HOP = (b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"expect")
_FRAMING = {b"transfer-encoding", b"content-length"}
_CLOSE = (b"Connection", b"close")

_Headers = Sequence[tuple[bytes, bytes]]


class RequestHandler:
    """Serves one request. A failure is recorded in the page's budget and ends the connection, never the server."""

    def __init__(self, budget: PageBudget, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._budget = budget
        self._writer = writer
        self._client = ProxyStream(reader, writer, self._record_bytes)
        self._incoming = h11.Connection(h11.SERVER, MAX_HEAD_BYTES)
        self._url = ""
        self._now = asyncio.get_running_loop().time
        self._last_heard = self._now()

    async def handle(self) -> None:
        """Serve to the end; raises nothing but a cancellation."""
        # A browser may be too busy to take a response that the server has long finished.
        async with closing(self._writer, self._budget.timeouts.idle_s):
            try:
                await first_of(self._serve(), self._watch_idle())
            except (WireError, OSError, h11.ProtocolError) as error:
                self._refuse(error)

    async def _serve(self) -> None:
        async with asyncio.timeout(self._budget.timeouts.head_s):
            request = await _next_event(self._incoming, self._client)
        assert isinstance(request, h11.Request)
        is_tunnel = request.method == b"CONNECT"
        self._url = _tunnel_url(request) if is_tunnel else _plain_url(request)
        target = self._budget.judge(self._url)
        task = asyncio.current_task()
        assert task is not None
        with self._budget.transfer(task.cancel):
            addresses = await self._budget.resolve(target)
            dial_s, upstream = self._budget.timeouts.dial_s, self._budget.upstream
            async with dial(addresses, target.port, dial_s, self._record_bytes, upstream) as server:
                self._budget.clear_refusal(target)
                if is_tunnel:
                    early, _ = self._incoming.trailing_data
                    await _tunnel(early, self._client, server)
                else:
                    await _exchange(self._incoming, request, target, self._client, server)

    async def _watch_idle(self) -> None:
        """Raise once neither side has sent anything for too long."""
        idle_s = left_s = self._budget.timeouts.idle_s
        while left_s > 0:
            await asyncio.sleep(left_s)
            left_s = self._last_heard + idle_s - self._now()
        raise TimeoutError

    def _record_bytes(self, size: int) -> None:
        self._last_heard = self._now()
        self._budget.spend(size)

    def _refuse(self, error: Exception) -> None:
        if self._client.was_written:
            reset(self._writer)
            return
        self._budget.record_refusal(self._url, _translate(error))
        self._writer.write(_REFUSAL)


def _translate(error: Exception) -> WireError:
    match error:
        case WireError():
            return error
        case TimeoutError():
            return WireTimeout("no answer in time")
        case _:
            return WireFailed(reason=FailureReason.BROKEN_RESPONSE)


async def _next_event(connection: h11.Connection, stream: ProxyStream) -> h11.Event:
    """The next event of the other side; raises `h11.RemoteProtocolError` for malformed input."""
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await stream.read())
    if isinstance(event, h11.ConnectionClosed) or not isinstance(event, h11.Event):
        raise h11.RemoteProtocolError("nothing more was said")
    return event


def _plain_url(request: h11.Request) -> str:
    """The URL of a request to a proxy; raises `WireDenied` for one to a server, and for another protocol."""
    is_upgrade = any(name == b"upgrade" for name, _ in request.headers)
    if is_upgrade or not request.target.startswith(b"http://"):
        raise WireDenied
    return request.target.decode("ascii")


def _tunnel_url(request: h11.Request) -> str:
    """The URL by which a tunnel is judged; raises `WireDenied` for anything but a host and a port.

    Host and port decide, so a WebSocket at port 80 can be judged as `https` too.
    """
    place = request.target.decode("ascii")
    url = urls.parse(f"https://{place}/")
    # In another spelling it might mean one place to this parser and another to the next.
    if url is None or place != f"{url.host}:{url.port}":
        raise WireDenied
    return url.href


async def _tunnel(early: bytes, client: ProxyStream, server: ProxyStream) -> None:
    """Pass opaque bytes (TLS or a WebSocket) in both directions until one side closes; `early` came with the head."""
    await client.write(_ESTABLISHED)
    await server.write(early)
    await first_of(client.copy_to(server), server.copy_to(client))


async def _exchange(
    incoming: h11.Connection, request: h11.Request, target: Url, client: ProxyStream, server: ProxyStream
) -> None:
    """Pass a plain request on to a server, and its response back; over when either side closes."""
    outgoing = h11.Connection(h11.CLIENT, MAX_HEAD_BYTES)
    await server.write(outgoing.send(_forward(request, target)))
    await first_of(_pass_body(incoming, client, outgoing, server), _pass_response(outgoing, server, client))


async def _pass_body(
    incoming: h11.Connection, client: ProxyStream, outgoing: h11.Connection, server: ProxyStream
) -> None:
    # A server may respond before it has received everything, and close.
    with suppress(ConnectionError):
        while isinstance(event := await _next_event(incoming, client), h11.Data):
            await server.write(outgoing.send(event))
        await server.write(outgoing.send(h11.EndOfMessage()))
    await client.wait_end()


async def _pass_response(outgoing: h11.Connection, server: ProxyStream, client: ProxyStream) -> None:
    response = await _read_response(outgoing, server)
    beginning, _ = outgoing.trailing_data
    await client.write(_head(response) + beginning)
    await server.copy_to(client)


async def _read_response(outgoing: h11.Connection, server: ProxyStream) -> h11.Response:
    for _ in range(_MOST_INTERIM_ANSWERS):
        event = await _next_event(outgoing, server)
        if isinstance(event, h11.Response):
            return event
    raise WireFailed(reason=FailureReason.BROKEN_RESPONSE)


def _forward(request: h11.Request, target: Url) -> h11.Request:
    """The request as sent to the server: exactly the judged host and path."""
    _, _, authority, path = target.href.partition("#")[0].split("/", 3)
    headers = [(name, value) for name, value in _end_to_end(request.headers.raw_items()) if name.lower() != b"host"]
    return h11.Request(
        method=request.method,
        target=f"/{path}",
        headers=[(b"Host", authority.encode("ascii")), *headers, _CLOSE],
    )


def _head(response: h11.Response) -> bytes:
    lines = [b"HTTP/1.1 %d %s" % (response.status_code, response.reason)]
    lines += [b"%s: %s" % field for field in [*_end_to_end(response.headers.raw_items()), _CLOSE]]
    return b"\r\n".join([*lines, b"", b""])


def _end_to_end(headers: _Headers) -> _Headers:
    """The end-to-end headers in their own spelling."""
    named = b",".join(value for name, value in headers if name.lower() == b"connection").lower().split(b",")
    dropped = {*_HOP_BY_HOP, *map(bytes.strip, named)} - _FRAMING
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in dropped and not name.lower().startswith(b"proxy-")
    ]
