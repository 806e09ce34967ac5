"""aiohttp layer of the clients: sessions, bounded bodies, pinned connections. Imported on first use, for start-up."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from ssl import SSLContext, SSLError
from typing import Any
from weakref import WeakKeyDictionary

import aiohttp
import yarl
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from aiohttp.tracing import Trace

from dowse.core.reasons import FailureReason
from dowse.core.runtime import record_sending
from dowse.core.urls import Url
from dowse.core.wire_errors import (
    WireDenied,
    WireError,
    WireFailed,
    WireInsecure,
    WireTimeout,
    WireTooLarge,
    WireUnreached,
)
from dowse.net.decode import ACCEPTED, Decoder
from dowse.net.guard import Address, look_up, parse_address
from dowse.net.sockets import is_loopback
from dowse.net.upstream import Tunnel, UpstreamProxy

_MAX_LINE_BYTES = 16_384
_MAX_HEADERS = 200
# How long decoding may block other tasks.
_TURN_S = 0.005


@asynccontextmanager
async def exchange(timeout_s: float) -> AsyncIterator[None]:
    """One deadline for the whole exchange, and the only place where errors of aiohttp are translated."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    # ValueError: a URL, header or body that aiohttp refuses to send.
    except (aiohttp.ClientError, HttpProcessingError, OSError, ValueError) as error:
        raise _translate(error) from error


def build_session(connector: aiohttp.BaseConnector) -> aiohttp.ClientSession:
    """A session without environment proxies, cookies or timeouts; its time limit is `exchange`."""
    session = aiohttp.ClientSession(
        connector=connector,
        headers={"Accept-Encoding": ACCEPTED},
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        timeout=aiohttp.ClientTimeout(total=None),
        max_line_size=_MAX_LINE_BYTES,
        max_field_size=_MAX_LINE_BYTES,
        max_headers=_MAX_HEADERS,
    )
    # aiohttp sends an idempotent request again after a broken connection, and has no public switch for it;
    # its own test client sets this attribute. Retries are decided by the router.
    session._retry_connection = False
    return session


def open_pooled_session(proxy: UpstreamProxy | None = None) -> aiohttp.ClientSession:
    """A session that dials any address and pools connections."""
    return build_session(_PooledConnector(proxy, resolver=AiohttpResolver(look_up)))


def request_target(url: Url) -> yarl.URL:
    """The judged URL, unchanged, for aiohttp; denied if its parser sees another host or port."""
    target = yarl.URL(url.href, encoded=True)
    if target.raw_host != url.host.removeprefix("[").removesuffix("]") or target.port != url.port:
        raise WireDenied
    return target


async def read_body(
    response: aiohttp.ClientResponse,
    max_bytes: int,
    is_enough: Callable[[bytes], bool] | None = None,
    accepted: str = ACCEPTED,
) -> bytes:
    """Read and decode a body up to the limit, yielding to other tasks in between.

    `is_enough` receives every piece, and returns true to stop reading. Codings that are not `accepted` are not read.
    """
    decoder = Decoder(",".join(response.headers.getall("Content-Encoding", [])), max_bytes, accepted)
    if (response.content_length or 0) > decoder.max_packed_bytes:
        raise WireTooLarge("the answer is larger than the limit")
    now = asyncio.get_running_loop().time
    pieces, turn_ends = list[bytes](), now() + _TURN_S
    async for chunk in response.content.iter_any():
        for piece in decoder.feed(chunk):
            pieces.append(piece)
            if is_enough and is_enough(piece):
                return b"".join(pieces)
            if now() > turn_ends:
                await asyncio.sleep(0)
                turn_ends = now() + _TURN_S
    decoder.finish()
    return b"".join(pieces)


def read_headers(response: aiohttp.ClientResponse) -> Mapping[str, str]:
    """Headers with lower-case names: the first value of a repeated one, or all values of Cache-Control."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        headers.setdefault(name.lower(), value)
    if "cache-control" in headers:
        headers["cache-control"] = ", ".join(response.headers.getall("Cache-Control"))
    return headers


class AiohttpResolver(AbstractResolver):
    """Adapter of a look-up function to the resolver interface of aiohttp."""

    def __init__(self, addresses_of: Callable[[str, int], Awaitable[list[str]]]) -> None:
        self._addresses_of = addresses_of

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - the signature is aiohttp's
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in await self._addresses_of(host, port)
        ]

    async def close(self) -> None:
        """Nothing is held."""


def open_pinned_session(tls: SSLContext | None, proxy: UpstreamProxy | None = None) -> aiohttp.ClientSession:
    """A session for `get`; any other use fails before it dials."""
    connector = _PinnedConnector(
        proxy,
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


def _translate(error: Exception) -> WireError:
    """Redaction: errors of aiohttp name the address, so they are replaced by fixed messages."""
    match error:
        case TimeoutError():
            return WireTimeout("no answer in time")
        case aiohttp.ClientResponseError(__cause__=HttpProcessingError(__cause__=LineTooLong())):
            return WireTooLarge("the headers are larger than the limit")
        case aiohttp.ClientConnectorDNSError():
            return WireUnreached(reason=FailureReason.HOST_NOT_FOUND)
        case aiohttp.ClientSSLError():
            return WireInsecure()
        case aiohttp.ClientConnectorError():
            return WireUnreached(reason=FailureReason.NO_CONNECTION)
        case aiohttp.ClientError() | HttpProcessingError() | OSError():
            return WireFailed(reason=FailureReason.BROKEN_RESPONSE)
        case _:
            return WireFailed("the request could not be sent")


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


class _TunnelConnector(aiohttp.TCPConnector):
    """A pool of connections through the proxy of the settings, except to this machine.

    aiohttp's own support of proxies has no SOCKS, and sends plain requests with names, which the proxy would look up.
    """

    def __init__(self, proxy: UpstreamProxy | None, **options: Any) -> None:  # the options are aiohttp's
        super().__init__(**options)
        self._proxy = proxy

    async def _create_connection(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature is aiohttp's
    ) -> ResponseHandler:
        if self._proxy is None or self._stays_here(req):
            return await super()._create_connection(req, traces, timeout)
        protocol = self._factory()
        tunnel = await self._open_tunnel(self._proxy, req, protocol)
        transport = await self._secure(tunnel.transport, protocol, req)
        protocol.connection_made(transport)
        return protocol

    def _stays_here(self, req: aiohttp.ClientRequest) -> bool:
        return is_loopback(req.url.raw_host or "")

    async def _open_tunnel(
        self,
        proxy: UpstreamProxy,
        req: aiohttp.ClientRequest,
        protocol: ResponseHandler,  # noqa: ARG002 - for the pinned pool
    ) -> Tunnel:
        return await proxy.connect(req.url.raw_host or "", req.url.port or 0)

    async def _secure(
        self, transport: asyncio.Transport, protocol: ResponseHandler, req: aiohttp.ClientRequest
    ) -> asyncio.Transport:
        """Pass the tunnel on to aiohttp, with TLS to the destination if it needs that."""
        context = self._get_ssl_context(req)
        if context is None:
            transport.set_protocol(protocol)
            return transport
        name = req.server_hostname or req.url.raw_host or ""
        return await self._start_tls(transport, protocol, context, name)

    async def _start_tls(
        self, transport: asyncio.Transport, protocol: ResponseHandler, context: SSLContext, name: str
    ) -> asyncio.Transport:
        secured: asyncio.Transport | None = None
        try:
            # Certificates have names without the final dot.
            secured = await self._loop.start_tls(transport, protocol, context, server_hostname=name.rstrip("."))
        except SSLError as error:
            raise WireInsecure from error
        finally:
            if secured is None:
                transport.abort()
        if secured is None:
            raise WireUnreached(reason=FailureReason.NO_CONNECTION)
        return secured


class _PooledConnector(_TunnelConnector):
    """A pool that records when a request gets its connection: before that nothing was sent."""

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature is aiohttp's
    ) -> Connection:
        connection = await super().connect(req, traces, timeout)
        record_sending()
        return connection


class _PinnedConnector(_TunnelConnector):
    """A pool that reuses no connection to an address outside the request's checked ones."""

    def __init__(self, proxy: UpstreamProxy | None, **options: Any) -> None:  # the options are aiohttp's
        super().__init__(proxy, **options)
        # The peer of a tunnel's socket is the proxy.
        self._destinations: WeakKeyDictionary[ResponseHandler, Address] = WeakKeyDictionary()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature is aiohttp's
    ) -> Connection:
        hop = _current.get()
        while True:
            connection = await super().connect(req, traces, timeout)
            if hop.has_dialled or (hop.may_reuse and self._peer(connection) in hop.addresses):
                record_sending()
                return connection
            connection.close()

    def _stays_here(self, req: aiohttp.ClientRequest) -> bool:  # noqa: ARG002 - the addresses decide, not the name
        return any(address.is_loopback for address in _current.get().addresses)

    async def _open_tunnel(self, proxy: UpstreamProxy, req: aiohttp.ClientRequest, protocol: ResponseHandler) -> Tunnel:
        hop = _current.get()
        tunnel = await proxy.connect_pinned(hop.addresses, req.url.port or 0)
        hop.has_dialled = True
        destination = parse_address(tunnel.destination)
        if destination is not None:
            self._destinations[protocol] = destination
        return tunnel

    def _peer(self, connection: Connection) -> Address | None:
        protocol = connection.protocol
        destination = self._destinations.get(protocol) if protocol is not None else None
        return destination or _socket_peer(connection)


def _socket_peer(connection: Connection) -> Address | None:
    peer = connection.transport and connection.transport.get_extra_info("peername")
    return parse_address(peer[0]) if peer else None


async def _checked_addresses(_host: str, _port: int) -> list[str]:
    return list(map(str, _current.get().addresses))


def _open_socket(info: aiohttp.AddrInfoType) -> socket.socket:
    family, kind, protocol, _, address = info
    hop = _current.get()
    if parse_address(str(address[0])) not in hop.addresses:
        # An OSError, because the connector handles only those while several addresses race.
        raise PermissionError
    hop.has_dialled = True
    return socket.socket(family, kind, protocol)
