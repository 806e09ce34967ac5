"""A plain HTTP request of the browser and its answer. One request a connection, on both sides: nothing can be smuggled.

h11 reads the heads and the request's body. The answer's body is passed on as it comes, in the framing that its head
announces: Chromium reads that better than we could check it, and a body of tiny chunks costs us no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import h11

from dowse.core.errors import WireDenied, WireFailed
from dowse.core.tasks import first_of
from dowse.core.urls import Url
from dowse.net.proxy.stream import Line

MAX_HEAD_BYTES = 65_536
_MOST_INTERIM_ANSWERS = 16
# They are about one connection only (RFC 9110, 7.6.1). Bodies keep their framing, so what announces it stays.
_HOP_BY_HOP = (b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"expect")
_FRAMING = {b"transfer-encoding", b"content-length"}
_CLOSE = (b"Connection", b"close")

_Headers = Sequence[tuple[bytes, bytes]]


async def next_event(connection: h11.Connection, line: Line) -> h11.Event:
    """What the other side said next; raises `h11.RemoteProtocolError` where it makes no sense."""
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await line.read())
    if isinstance(event, h11.ConnectionClosed) or not isinstance(event, h11.Event):
        raise h11.RemoteProtocolError("nothing more was said")
    return event


def plain_url(request: h11.Request) -> str:
    """The URL of a request to a proxy; raises `WireDenied` for one to a server, and for another protocol."""
    is_upgrade = any(name == b"upgrade" for name, _ in request.headers)
    if is_upgrade or not request.target.startswith(b"http://"):
        raise WireDenied
    return request.target.decode("ascii")


async def exchange(incoming: h11.Connection, request: h11.Request, target: Url, client: Line, server: Line) -> None:
    """Pass the request on to a server, and its answer back; over when either of them has gone."""
    outgoing = h11.Connection(h11.CLIENT, MAX_HEAD_BYTES)
    await server.write(outgoing.send(_forwarded(request, target)))
    await first_of(_pass_body(incoming, client, outgoing, server), _pass_answer(outgoing, server, client))


async def _pass_body(incoming: h11.Connection, client: Line, outgoing: h11.Connection, server: Line) -> None:
    # A server may answer before it has heard everything, and hang up.
    with suppress(ConnectionError):
        while isinstance(event := await next_event(incoming, client), h11.Data):
            await server.write(outgoing.send(event))
        await server.write(outgoing.send(h11.EndOfMessage()))
    await client.wait_end()


async def _pass_answer(outgoing: h11.Connection, server: Line, client: Line) -> None:
    response = await _response(outgoing, server)
    beginning, _ = outgoing.trailing_data
    await client.write(_head(response) + beginning)
    await server.copy_to(client)


async def _response(outgoing: h11.Connection, server: Line) -> h11.Response:
    for _ in range(_MOST_INTERIM_ANSWERS):
        event = await next_event(outgoing, server)
        if isinstance(event, h11.Response):
            return event
    raise WireFailed("the answer broke off or was malformed")


def _forwarded(request: h11.Request, target: Url) -> h11.Request:
    """The request as the server is asked: exactly the host and path that were judged."""
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
    """The headers that are meant for the other end, spelled as they came."""
    named = b",".join(value for name, value in headers if name.lower() == b"connection").lower().split(b",")
    dropped = {*_HOP_BY_HOP, *(name.strip() for name in named)} - _FRAMING
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in dropped and not name.lower().startswith(b"proxy-")
    ]
