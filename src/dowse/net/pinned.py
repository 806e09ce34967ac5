"""Address pinning: connections to the addresses that the guard has checked, and to no others.

The checked addresses travel with the request in a context variable. aiohttp's own tasks copy the context of the
request they serve, so the resolver, the socket and the connection pool all see them. A second look-up could return
another address (DNS rebinding).
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from ssl import SSLContext

import aiohttp
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from dowse.core.urls import Url
from dowse.net.addresses import Address, parse_address
from dowse.net.wire import AiohttpResolver, build_session, request_target

_CONNECTIONS, _CONNECTIONS_PER_HOST = 100, 20
# Shorter than the five seconds after which many servers close, so that they rarely close during a request.
_KEPT_S = 4.0


@dataclass(slots=True)
class _Hop:
    """Checked addresses of one request, and whether it has dialled."""

    addresses: tuple[Address, ...]
    may_reuse: bool = True
    has_dialled: bool = False


_current: ContextVar[_Hop] = ContextVar("hop")


def pinned_session(tls: SSLContext | None) -> aiohttp.ClientSession:
    """A session for `get`; any other use fails before it dials."""
    connector = _Connector(
        resolver=AiohttpResolver(_checked_addresses),
        use_dns_cache=False,
        # aiohttp resolves no IP literals, so the socket is the only place that every dial passes.
        socket_factory=_open_socket,
        ssl=tls or True,
        limit=_CONNECTIONS,
        limit_per_host=_CONNECTIONS_PER_HOST,
        keepalive_timeout=_KEPT_S,
    )
    return build_session(connector)


async def get(
    session: aiohttp.ClientSession, url: Url, addresses: Iterable[Address], headers: Mapping[str, str]
) -> aiohttp.ClientResponse:
    """The response of one of these addresses, whatever name the URL has. Redirects are not followed."""
    hop = _Hop(tuple(addresses))
    outside = _current.set(hop)
    try:
        try:
            return await session.get(request_target(url), headers=headers, allow_redirects=False)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
            if hop.has_dialled:
                raise
            # The server had closed the pooled connection; that says nothing about the page.
            hop.may_reuse = False
            return await session.get(request_target(url), headers=headers, allow_redirects=False)
    finally:
        _current.reset(outside)


class _Connector(aiohttp.TCPConnector):
    """A pool that reuses no connection to an address outside the request's checked ones."""

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature is aiohttp's
    ) -> Connection:
        hop = _current.get()
        while True:
            connection = await super().connect(req, traces, timeout)
            if hop.has_dialled or (hop.may_reuse and _peer(connection) in hop.addresses):
                return connection
            connection.close()


def _peer(connection: Connection) -> Address | None:
    peer = connection.transport and connection.transport.get_extra_info("peername")
    return parse_address(peer[0]) if peer else None


async def _checked_addresses(_host: str, _port: int) -> list[str]:
    return [str(address) for address in _current.get().addresses]


def _open_socket(info: aiohttp.AddrInfoType) -> socket.socket:
    family, kind, protocol, _, address = info
    hop = _current.get()
    if parse_address(str(address[0])) not in hop.addresses:
        # An OSError, because the connector handles only those while several addresses race.
        raise PermissionError
    hop.has_dialled = True
    return socket.socket(family, kind, protocol)
