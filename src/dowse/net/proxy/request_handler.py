"""One connection of the browser: what it asks for is judged, then served or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import h11

from dowse.core import urls
from dowse.core.errors import WireDenied, WireError, WireFailed, WireTimeout
from dowse.core.runtime import first_of
from dowse.core.urls import Url
from dowse.net.proxy.page_policy import PageBudget
from dowse.net.proxy.stream import Line, closing, cut, dialled

# The same for every reason: a page must not learn what is behind the proxy.
_REFUSAL = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Conversation:
    """Serves one request. Whatever goes wrong is remembered by the leash and ends the connection, never the server."""

    def __init__(self, leash: PageBudget, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._leash = leash
        self._writer = writer
        self._client = Line(reader, writer, self._heard)
        self._incoming = h11.Connection(h11.SERVER, MAX_HEAD_BYTES)
        self._url = ""
        self._now = asyncio.get_running_loop().time
        self._last_heard = self._now()

    async def hold(self) -> None:
        """Serve to the end; only a cancellation is raised."""
        # A browser may be too busy to take an answer that the server has long finished.
        async with closing(self._writer, self._leash.patience.idle_s):
            try:
                await first_of(self._serve(), self._silence())
            except (WireError, OSError, h11.ProtocolError) as error:
                self._fail(error)

    async def _serve(self) -> None:
        async with asyncio.timeout(self._leash.patience.head_s):
            request = await next_event(self._incoming, self._client)
        assert isinstance(request, h11.Request)
        is_tunnel = request.method == b"CONNECT"
        self._url = tunnel_url(request) if is_tunnel else plain_url(request)
        target = self._leash.judge(self._url)
        task = asyncio.current_task()
        assert task is not None
        with self._leash.transfer(task.cancel):
            addresses = await self._leash.resolve(target)
            async with dialled(addresses, target.port, self._leash.patience.dial_s, self._heard) as server:
                self._leash.served(target)
                if is_tunnel:
                    early, _ = self._incoming.trailing_data
                    await tunnel(early, self._client, server)
                else:
                    await exchange(self._incoming, request, target, self._client, server)

    async def _silence(self) -> None:
        """Raise once neither side has said anything for too long."""
        idle_s = left_s = self._leash.patience.idle_s
        while left_s > 0:
            await asyncio.sleep(left_s)
            left_s = self._last_heard + idle_s - self._now()
        raise TimeoutError

    def _heard(self, size: int) -> None:
        self._last_heard = self._now()
        self._leash.spend(size)

    def _fail(self, error: Exception) -> None:
        if self._client.was_written:
            cut(self._writer)
            return
        self._leash.refused(self._url, _translated(error))
        self._writer.write(_REFUSAL)


def _translated(error: Exception) -> WireError:
    match error:
        case WireError():
            return error
        case TimeoutError():
            return WireTimeout("no answer in time")
        case _:
            return WireFailed("the answer broke off or was malformed")


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


_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


def tunnel_url(request: h11.Request) -> str:
    """The URL by which a tunnel is judged; raises `WireDenied` for anything but a host and a port.

    Host and port decide, so a WebSocket at port 80 can be judged as `https` too.
    """
    place = request.target.decode("ascii")
    url = urls.parse(f"https://{place}/")
    # Spelled otherwise, it might mean one place to us and another to whoever reads it next.
    if url is None or place != f"{url.host}:{url.port}":
        raise WireDenied
    return url.href


async def tunnel(early: bytes, client: Line, server: Line) -> None:
    """Pass bytes in both directions until one side has gone; `early` came before the tunnel stood."""
    await client.write(_ESTABLISHED)
    await server.write(early)
    await first_of(client.copy_to(server), server.copy_to(client))
