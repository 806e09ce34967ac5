"""`Host` and `Origin`: a web page in somebody's browser must not reach the server under a name of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from dowse.settings import Settings
from dowse.surfaces.http.replies import log_refusal, refusal

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Names are compared as they are written, so there is one spelling of each: no dot at the end, no other notation.
_AUTHORITY = re.compile(rb"([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?", re.IGNORECASE)
_ORIGIN = re.compile(rb"(https?)://([^/]+)")


class CheckedNames:
    """Lets through what is addressed to this server: 421 for another `Host`, 403 for a foreign `Origin`."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        named = (*LOOPBACK, *settings.allowed_hosts, *_own_name(settings.host))
        # An entry with a port is good for that port only.
        self._hosts = frozenset(named)
        self._origins = frozenset(origin.encode() for origin in settings.allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        if not self._addressed_to_us(scope):
            log_refusal(scope, 421, "host")
            reason = "the Host header names none of this server's hosts; DOWSE_ALLOWED_HOSTS adds to them"
            return await refusal(421, reason)(scope, receive, send)
        if not self._from_our_pages(scope):
            log_refusal(scope, 403, "origin")
            reason = "the Origin header names a page that may not call here; DOWSE_ALLOWED_ORIGINS opens it"
            return await refusal(403, reason)(scope, receive, send)
        return await self._app(scope, receive, send)

    def _addressed_to_us(self, scope: Scope) -> bool:
        values = _values(scope, b"host")
        return len(values) == 1 and self._is_ours(values[0], scope["scheme"], scope)

    def _from_our_pages(self, scope: Scope) -> bool:
        values = _values(scope, b"origin")
        if not values:
            return True
        if len(values) > 1:
            return False
        parts = _ORIGIN.fullmatch(values[0])
        return values[0] in self._origins or bool(parts and self._is_ours(parts[2], parts[1].decode(), scope))

    def _is_ours(self, authority: bytes, scheme: str, scope: Scope) -> bool:
        """Whether a host and port are this server's: by name, or by the address that was connected to."""
        parts = _AUTHORITY.fullmatch(authority)
        if not parts:
            return False
        port = int(parts[2]) if parts[2] else _DEFAULT_PORTS.get(scheme, 0)
        if port > 65_535:
            return False
        host = parts[1].decode("ascii").lower()
        return host in self._hosts or f"{host}:{port}" in self._hosts or host == _connected_to(scope)


def _own_name(host: str) -> Sequence[str]:
    """The name the server was told to listen on, if it is one."""
    return () if host.strip("[]") in _EVERYWHERE else (_written(host.lower()),)


def _connected_to(scope: Scope) -> str:
    """The address of this machine at which the connection came in."""
    server: tuple[str, int | None] | None = scope.get("server")
    return _written(server[0]) if server else ""


def _written(address: str) -> str:
    """An address as it stands in a URL."""
    return f"[{address}]" if ":" in address and not address.startswith("[") else address


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]
