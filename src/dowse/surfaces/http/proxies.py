"""Reverse proxies: what they say about the caller is believed if it is they who say it."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from dowse.net.addresses import parse_address

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application


class TrustedProxies:
    """Takes client, scheme and host from `X-Forwarded-*` where the peer is a trusted proxy, and from nobody else."""

    def __init__(self, app: ASGIApp, networks: Sequence[str]) -> None:
        self._networks = [ipaddress.ip_network(network) for network in networks]
        # uvicorn's own reads For and Proto; which hop was the caller is not as simple as it looks.
        forwarded = ProxyHeadersMiddleware(cast("ASGI3Application", app), list(networks))
        self._app = app
        self._forwarded = cast(ASGIApp, forwarded)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._trusts(scope):
            return await self._app(scope, receive, send)
        scope["headers"] = _with_forwarded_host(scope["headers"])
        return await self._forwarded(scope, receive, send)

    def _trusts(self, scope: Scope) -> bool:
        peer = parse_address(scope["client"][0]) if scope.get("client") else None
        return peer is not None and any(peer in network for network in self._networks)


def _with_forwarded_host(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """`X-Forwarded-Host` in place of `Host`; several stay several, and are refused with the next check."""
    hosts = [value for name, value in headers if name == b"x-forwarded-host"]
    if not hosts:
        return headers
    return [(b"host", host) for host in hosts] + [header for header in headers if header[0] != b"host"]
