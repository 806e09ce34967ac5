"""Upstream proxy of `DOWSE_PROXY`: tunnels by HTTP CONNECT (RFC 9110, 9.3.6) or SOCKS5 (RFC 1928 and 1929)."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from dowse.core.reasons import FailureReason
from dowse.core.wire_errors import NotReachedByProxy, ProxyFailed
from dowse.net.guard import Address, look_up, parse_address

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_MOST_DESTINATIONS = 4
_DIAL_S = 4.0
# The proxy dials the destination in this time.
_TUNNEL_S = 6.0
_BUFFER_BYTES = 65_536
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})\b")
# tinyproxy says 401 to wrong ones.
_NEEDS_CREDENTIALS = (401, 407)


@dataclass(frozen=True, slots=True)
class Tunnel:
    """An open connection through the proxy; its bytes are those of the destination."""

    transport: asyncio.Transport
    protocol: asyncio.StreamReaderProtocol
    reader: asyncio.StreamReader
    destination: str


class UpstreamProxy:
    """Opens tunnels through the proxy of the settings; every failure is a `ProxyFailed`."""

    def __init__(self, url: SecretStr, *, tls: ssl.SSLContext | None = None) -> None:
        """`tls` replaces the certificates of the system for an `https` proxy."""
        self._url = url
        self._given_tls = tls
        parts = urlsplit(url.get_secret_value())
        self._scheme = parts.scheme.lower()
        is_socks = self._scheme.startswith("socks")
        self._unlike = FailureReason.PROXY_NOT_SOCKS if is_socks else FailureReason.PROXY_NOT_HTTP
        self._negotiate = self._negotiate_socks if is_socks else self._negotiate_http
        self._host = parts.hostname or ""
        self._port = parts.port or _PORTS[self._scheme]

    async def connect(self, host: str, port: int) -> Tunnel:
        """A tunnel to an endpoint from the settings; the proxy looks its name up."""
        return await self._connect_first([host], port)

    async def connect_pinned(self, addresses: Iterable[Address], port: int) -> Tunnel:
        """A tunnel to one of the addresses that the SSRF guard has judged (address pinning).

        The order of a look-up follows the routes of this machine, not those of the proxy: IPv4, which every proxy has,
        comes first.
        """
        return await self._connect_first(list(map(str, sorted(addresses, key=lambda a: a.version))), port)

    async def _connect_first(self, destinations: Sequence[str], port: int) -> Tunnel:
        failure = NotReachedByProxy(FailureReason.PROXY_REACHES_NOTHING)
        for destination in destinations[:_MOST_DESTINATIONS]:
            try:
                return await self._open(destination, port)
            except NotReachedByProxy as error:
                failure = error
        raise failure

    async def _open(self, destination: str, port: int) -> Tunnel:
        reader = asyncio.StreamReader(_BUFFER_BYTES)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport = await self._dial(protocol)
        is_open = False
        try:
            async with asyncio.timeout(_TUNNEL_S):
                await self._negotiate(transport, reader, destination, port)
            is_open = True
        except TimeoutError as error:
            raise ProxyFailed(FailureReason.PROXY_SILENT) from error
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            raise ProxyFailed(self._unlike) from error
        finally:
            if not is_open:
                transport.abort()
        return Tunnel(transport, protocol, reader, destination)

    async def _dial(self, protocol: asyncio.StreamReaderProtocol) -> asyncio.Transport:
        """A connection to the proxy itself, with TLS for `https`."""
        try:
            async with asyncio.timeout(_DIAL_S):
                return await self._dial_any(protocol, await look_up(self._host, self._port))
        except (OSError, UnicodeError) as error:
            raise ProxyFailed(_reason_of_dialling(error)) from error

    async def _dial_any(self, protocol: asyncio.StreamReaderProtocol, addresses: Sequence[str]) -> asyncio.Transport:
        *others, last = addresses
        for address in others:
            with suppress(ConnectionError):
                return await self._dial_address(protocol, address)
        return await self._dial_address(protocol, last)

    async def _dial_address(self, protocol: asyncio.StreamReaderProtocol, address: str) -> asyncio.Transport:
        loop, tls = asyncio.get_running_loop(), self._tls
        name = self._host if tls else None
        transport, _ = await loop.create_connection(
            lambda: protocol, address, self._port, ssl=tls, server_hostname=name
        )
        return transport

    @cached_property
    def _tls(self) -> ssl.SSLContext | None:
        return (self._given_tls or ssl.create_default_context()) if self._scheme == "https" else None

    @property
    def _credentials(self) -> tuple[bytes, bytes] | None:
        parts = urlsplit(self._url.get_secret_value())
        if parts.username is None:
            return None
        return unquote(parts.username).encode(), unquote(parts.password or "").encode()

    async def _negotiate_http(
        self, transport: asyncio.Transport, reader: asyncio.StreamReader, destination: str, port: int
    ) -> None:
        place = f"[{destination}]:{port}" if ":" in destination else f"{destination}:{port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if self._credentials:
            lines.append(f"Proxy-Authorization: Basic {b64encode(b':'.join(self._credentials)).decode()}")
        transport.write("\r\n".join([*lines, "", ""]).encode("ascii"))
        status = _STATUS.match(await reader.readuntil(b"\r\n\r\n"))
        if status is None:
            raise EOFError
        self._check_status(int(status[1]))

    def _check_status(self, status: int) -> None:
        if 200 <= status < 300:
            return
        if status in _NEEDS_CREDENTIALS:
            raise self._refused_credentials()
        if status >= 500:
            raise NotReachedByProxy(FailureReason.PROXY_REACHES_NOTHING, f"HTTP {status}")
        raise ProxyFailed(FailureReason.PROXY_REFUSES_CONNECTION, f"HTTP {status}")

    async def _negotiate_socks(
        self, transport: asyncio.Transport, reader: asyncio.StreamReader, destination: str, port: int
    ) -> None:
        transport.write(b"\x05\x02\x00\x02" if self._credentials else b"\x05\x01\x00")
        version, method = await reader.readexactly(2)
        if version != _SOCKS:
            raise EOFError
        if method:
            await self._authenticate_socks(transport, reader, method)
        transport.write(b"\x05\x01\x00" + _socks_place(destination, port))
        await _read_socks_reply(reader)

    async def _authenticate_socks(
        self, transport: asyncio.Transport, reader: asyncio.StreamReader, method: int
    ) -> None:
        credentials = self._credentials
        if credentials is None or method != _USER_AND_PASSWORD:
            raise self._refused_credentials()
        user, password = credentials
        transport.write(bytes([1, len(user), *user, len(password), *password]))
        if (await reader.readexactly(2))[1]:
            raise self._refused_credentials()

    def _refused_credentials(self) -> ProxyFailed:
        return ProxyFailed(
            FailureReason.PROXY_REFUSES_CREDENTIALS if self._credentials else FailureReason.PROXY_WANTS_CREDENTIALS
        )


# The first match counts; a timeout is an `OSError` too, and IDNA refuses some names.
_DIALLING: tuple[tuple[type[Exception], FailureReason], ...] = (
    (ssl.SSLCertVerificationError, FailureReason.PROXY_CERTIFICATE_INVALID),
    (ssl.SSLError, FailureReason.PROXY_WITHOUT_TLS),
    (socket.gaierror, FailureReason.PROXY_NOT_FOUND),
    (UnicodeError, FailureReason.PROXY_NOT_FOUND),
    (OSError, FailureReason.PROXY_NOT_REACHED),
)


def _reason_of_dialling(error: Exception) -> FailureReason:
    return next(reason for kind, reason in _DIALLING if isinstance(error, kind))


_SOCKS = 5
_USER_AND_PASSWORD = 2
_IPV4, _NAME, _IPV6 = 1, 3, 4
_NOT_ALLOWED = 2
_ADDRESS_BYTES = {_IPV4: 4, _IPV6: 16}


def _socks_place(destination: str, port: int) -> bytes:
    address = parse_address(destination)
    if address is not None:
        place = bytes([_IPV4 if address.version == 4 else _IPV6]) + address.packed
    else:
        name = destination.encode("ascii")
        place = bytes([_NAME, len(name)]) + name
    return place + port.to_bytes(2, "big")


async def _read_socks_reply(reader: asyncio.StreamReader) -> None:
    """Read the reply to its end: the bytes behind it are those of the destination."""
    version, code, _, kind = await reader.readexactly(4)
    if version != _SOCKS:
        raise EOFError
    if code == _NOT_ALLOWED:
        raise ProxyFailed(FailureReason.PROXY_REFUSES_CONNECTION, f"SOCKS {code}")
    if code:
        raise NotReachedByProxy(FailureReason.PROXY_REACHES_NOTHING, f"SOCKS {code}")
    size = _ADDRESS_BYTES[kind] if kind in _ADDRESS_BYTES else (await reader.readexactly(1))[0]
    await reader.readexactly(size + 2)
