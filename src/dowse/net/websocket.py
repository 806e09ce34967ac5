"""WebSocket to an endpoint from the settings, such as a remote browser. Imported on first use, like aiohttp."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Literal, NoReturn

import aiohttp

from dowse.core.wire_errors import WireFailed
from dowse.net import wire
from dowse.net.upstream import UpstreamProxy

# A peer that does not answer a ping for this long is gone.
_HEARTBEAT_S = 20.0
_CLOSE_S = 0.5


class WebSocket:
    """An open connection: messages are sent in order and received whole."""

    def __init__(self, session: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse[Literal[False]]) -> None:
        self._session = session
        self._socket = socket
        self._outgoing: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, message: bytes) -> None:
        """Queue a message without waiting; a lost connection ends `run`."""
        self._outgoing.put_nowait(message)

    def close(self) -> None:
        """Make `run` return."""
        self._outgoing.put_nowait(None)

    async def run(self, received: Callable[[bytes], None]) -> None:
        """Transfer messages until one side closes, then close the connection."""
        speaking = asyncio.create_task(self._speak())
        listening = asyncio.create_task(self._listen(received))
        try:
            await asyncio.wait([speaking, listening], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (speaking, listening):
                task.cancel()
            await asyncio.gather(speaking, listening, return_exceptions=True)
            await self._hang_up()

    async def _speak(self) -> None:
        while (message := await self._outgoing.get()) is not None:
            await self._socket.send_str(message.decode())

    async def _listen(self, received: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        async for message in self._socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                # An error of the callback is reported by the loop and does not end the connection.
                loop.call_soon(received, message.data)

    async def _hang_up(self) -> None:
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CLOSE_S):
                    await self._socket.close()
        finally:
            await self._session.close()


async def connect(
    url: str,
    *,
    headers: Mapping[str, str],
    timeout_s: float,
    max_message_bytes: int,
    proxy: UpstreamProxy | None = None,
) -> WebSocket:
    """Open a connection; raises `WireError`, whose text never holds the address."""
    session = wire.open_pooled_session(proxy)
    session.trace_configs.append(_refuse_redirects())
    socket = None
    try:
        async with wire.exchange(timeout_s):
            socket = await session.ws_connect(
                url, headers=headers, max_msg_size=max_message_bytes, heartbeat=_HEARTBEAT_S, decode_text=False
            )
    finally:
        if socket is None:
            await session.close()
    return WebSocket(session, socket)


def _refuse_redirects() -> aiohttp.TraceConfig:
    """Refuse redirects, for which aiohttp has no switch here."""
    config = aiohttp.TraceConfig()
    config.on_request_redirect.append(_refuse_redirect)
    config.freeze()
    return config


async def _refuse_redirect(*_: object) -> NoReturn:
    raise WireFailed("the endpoint leads elsewhere")
