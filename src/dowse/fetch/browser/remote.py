"""Remote browser over a WebSocket. The proxy and its SSRF guard do not apply: its own network has to guard it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from dowse.core.wire_errors import WireError
from dowse.fetch.browser.cdp import BrowserUnavailable, CdpError, Connection, NotDevTools
from dowse.net.clients import ConfiguredClient
from dowse.telemetry.log import event

if TYPE_CHECKING:
    from pydantic import SecretStr

    from dowse.net.websocket import WebSocket

_WEB_SOCKET_SCHEMES = {"http": "ws", "https": "wss"}
_DESCRIPTION = "/json/version"
_LARGEST_DESCRIPTION = 100_000
# A socket takes a message whole, or ends. Chromium sends none above 256 MiB; a message above the limit of `cdp` is
# dropped after the socket, and costs one page instead of all.
_LARGEST_MESSAGE = 270_000_000
_UNREACHABLE = "the browser at DOWSE_BROWSER_URL cannot be used: see that it runs, and that the address is right"


class RemoteBrowser:
    """Implements `browser.Browser`; only the connection is closed, and its contexts end with it."""

    is_remote = True

    def __init__(self, socket: WebSocket) -> None:
        self.user_agent = ""
        self.connection = Connection()
        self.connection.attach(socket)
        self._transfer = asyncio.create_task(self._run_socket(socket))

    def memory_bytes(self) -> int:
        return 0

    def kill(self) -> None:
        self.connection.close()

    async def reap(self) -> None:
        await asyncio.wait([self._transfer])

    async def _run_socket(self, socket: WebSocket) -> None:
        try:
            await socket.run(self.connection.receive)
        finally:
            self.connection.end()


class RemoteLauncher:
    """Connects to the browser at an address that may hold a token, and is never logged."""

    def __init__(self, url: SecretStr, client: ConfiguredClient, *, ready_timeout_s: float = 12.0) -> None:
        self._url = url
        self._client = client
        self._ready_timeout_s = ready_timeout_s
        self._has_warned = False

    async def __call__(self) -> RemoteBrowser:
        if not self._has_warned:
            self._has_warned = True
            event(logging.WARNING, "remote browser is used", note="the SSRF guard does not cover its requests")
        try:
            async with asyncio.timeout(self._ready_timeout_s):
                return await self._connect()
        except (TimeoutError, WireError, CdpError) as error:
            event(logging.WARNING, "remote browser failed", reason=type(error).__name__)
            raise BrowserUnavailable(_UNREACHABLE) from None

    async def _connect(self) -> RemoteBrowser:
        try:
            return await self._connect_as({})
        except (WireError, CdpError):
            # Chromium itself accepts only IP addresses and this name as host, not that of a container.
            return await self._connect_as({"Host": "localhost"})

    async def _connect_as(self, headers: Mapping[str, str]) -> RemoteBrowser:
        from dowse.net import websocket

        address = await self._web_socket_address(headers)
        socket = await websocket.connect(
            address,
            headers=headers,
            timeout_s=self._ready_timeout_s,
            max_message_bytes=_LARGEST_MESSAGE,
            proxy=self._client.proxy,
        )
        browser = RemoteBrowser(socket)
        try:
            version = await browser.connection.call("Browser.getVersion")
            browser.user_agent = _text(version, "userAgent")
        finally:
            if not browser.user_agent:
                browser.kill()
                await browser.reap()
        return browser

    async def _web_socket_address(self, headers: Mapping[str, str]) -> str:
        """The address of the settings, or the path that the browser reports, at the host of the settings."""
        url = self._url.get_secret_value()
        parts = urlsplit(url)
        if parts.scheme not in _WEB_SOCKET_SCHEMES:
            return url
        described = parts._replace(path=parts.path.rstrip("/") + _DESCRIPTION)
        reply = await self._client.send(
            "GET",
            urlunsplit(described),
            headers=headers,
            timeout_s=self._ready_timeout_s,
            max_bytes=_LARGEST_DESCRIPTION,
        )
        try:
            named = urlsplit(_text(_json(reply.body), "webSocketDebuggerUrl"))
        except ValueError:
            raise NotDevTools from None
        # The reported host is the browser's view of its network; the reachable host and the token are in the settings.
        query = named.query or parts.query
        return urlunsplit((_WEB_SOCKET_SCHEMES[parts.scheme], parts.netloc, named.path, query, ""))


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise NotDevTools from None


def _text(content: object, key: str) -> str:
    value = content.get(key) if isinstance(content, Mapping) else None
    if not value or not isinstance(value, str):
        raise NotDevTools
    return value
