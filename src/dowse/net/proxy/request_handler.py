"""One connection of the browser: what it asks for is judged, then served or refused."""

from __future__ import annotations

import asyncio

import h11

from dowse.core.errors import WireError, WireFailed, WireTimeout
from dowse.core.tasks import first_of
from dowse.net.proxy.exchange import MAX_HEAD_BYTES, exchange, next_event, plain_url
from dowse.net.proxy.page_policy import PageBudget
from dowse.net.proxy.stream import Line, closing, cut, dialled
from dowse.net.proxy.tunnel import tunnel, tunnel_url

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
