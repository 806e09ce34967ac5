"""`Host`, `Origin` and `X-Forwarded-*`: protection against DNS rebinding and foreign pages, and trusted proxies."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from dowse.net.guard import parse_address
from dowse.settings import Settings
from dowse.surfaces.http.replies import CONSOLE_LOGIN, CONSOLE_PAGES, HEALTH_PATHS, log_refusal, refusal

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Names are compared as they are written, so there is one spelling of each: no dot at the end, no other notation.
_AUTHORITY = re.compile(rb"([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?", re.IGNORECASE)
_ORIGIN = re.compile(rb"(https?)://([^/]+)")
# The browser's word on the page that a request comes from.
_OTHER_SITES = ([b"cross-site"], [b"same-site"])
# A link of another page may lead here: showing them changes nothing and costs nothing.
_LINKED = frozenset((*CONSOLE_PAGES, CONSOLE_LOGIN, *HEALTH_PATHS))


class HostCheckMiddleware:
    """Admits requests addressed to this server: 421 for another `Host`, 403 for a foreign `Origin`."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        # An entry with a port is good for that port only.
        self._hosts = frozenset((*LOOPBACK, *settings.allowed_hosts, *_own_name(settings.host)))
        self._origins = frozenset(origin.encode() for origin in settings.allowed_origins)
        self._is_open = not settings.needs_token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if not self._is_addressed_here(scope):
            log_refusal(scope, 421, "host")
            reason = "the Host header names none of this server's hosts; DOWSE_ALLOWED_HOSTS adds to them"
            return await refusal(421, reason)(scope, receive, send)
        if not self._is_own_origin(scope):
            log_refusal(scope, 403, "origin")
            reason = "the Origin header names a page that may not call here; DOWSE_ALLOWED_ORIGINS opens it"
            return await refusal(403, reason)(scope, receive, send)
        if self._is_open and self._is_from_other_site(scope):
            log_refusal(scope, 403, "site")
            reason = "the request comes from a page of another site, and this server has no tokens"
            return await refusal(403, reason)(scope, receive, send)
        return await self._app(scope, receive, send)

    def _is_from_other_site(self, scope: Scope) -> bool:
        """Whether a foreign page makes the request: without tokens nothing else protects the user's keys from it.

        A picture or a form of a foreign page has no `Origin` where the method is GET.
        """
        if _values(scope, b"sec-fetch-site") not in _OTHER_SITES or self._origins.intersection(
            _values(scope, b"origin")
        ):
            return False
        is_link = scope["method"] in ("GET", "HEAD") and _values(scope, b"sec-fetch-dest") == [b"document"]
        return not (is_link and scope["path"] in _LINKED)

    def _is_addressed_here(self, scope: Scope) -> bool:
        values = _values(scope, b"host")
        return len(values) == 1 and self._is_own_authority(values[0], scope["scheme"], scope)

    def _is_own_origin(self, scope: Scope) -> bool:
        values = _values(scope, b"origin")
        if not values:
            return True
        if len(values) > 1:
            return False
        parts = _ORIGIN.fullmatch(values[0])
        return values[0] in self._origins or bool(parts and self._is_own_authority(parts[2], parts[1].decode(), scope))

    def _is_own_authority(self, authority: bytes, scheme: str, scope: Scope) -> bool:
        """Whether a host and port are this server's: by name, or by the address that was connected to."""
        parts = _AUTHORITY.fullmatch(authority)
        if not parts:
            return False
        port = int(parts[2]) if parts[2] else _DEFAULT_PORTS.get(scheme, 0)
        if port > 65_535:
            return False
        host = parts[1].decode("ascii").lower()
        return host in self._hosts or f"{host}:{port}" in self._hosts or host == _connected_to(scope)


class ForwardedHeadersMiddleware:
    """Takes client, scheme and host from `X-Forwarded-*`, only if the peer is a trusted proxy."""

    def __init__(self, app: ASGIApp, networks: Sequence[str]) -> None:
        self._networks = [ipaddress.ip_network(network) for network in networks]
        # uvicorn's own reads For and Proto; which hop was the caller is not as simple as it looks.
        forwarded = ProxyHeadersMiddleware(cast("ASGI3Application", app), list(networks))
        self._app = app
        self._forwarded = cast(ASGIApp, forwarded)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._is_trusted(scope):
            return await self._app(scope, receive, send)
        scope["headers"] = _replace_host(scope["headers"])
        return await self._forwarded(scope, receive, send)

    def _is_trusted(self, scope: Scope) -> bool:
        peer = parse_address(scope["client"][0]) if scope.get("client") else None
        return peer is not None and any(peer in network for network in self._networks)


def _own_name(host: str) -> Sequence[str]:
    """The host name the server listens on; none for a wildcard address."""
    return () if host.strip("[]") in _EVERYWHERE else (_bracket(host.lower()),)


def _connected_to(scope: Scope) -> str:
    """The local address of the connection."""
    server: tuple[str, int | None] | None = scope.get("server")
    return _bracket(server[0]) if server else ""


def _bracket(address: str) -> str:
    """An address as it stands in a URL: IPv6 in brackets."""
    return f"[{address}]" if ":" in address and not address.startswith("[") else address


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


def _replace_host(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """`X-Forwarded-Host` in place of `Host`; several stay several, and `HostCheckMiddleware` refuses them."""
    hosts = [value for name, value in headers if name == b"x-forwarded-host"]
    if not hosts:
        return headers
    return [(b"host", host) for host in hosts] + [header for header in headers if header[0] != b"host"]
