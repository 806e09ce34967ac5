"""Doubles of upstream proxies, HTTP CONNECT and SOCKS5: strict about the request, with one server behind them."""

from __future__ import annotations

import asyncio
import ipaddress
from base64 import b64encode
from contextlib import suppress

from tests.fakes.wire import Serve

_REPLY = b"\x00\x01\x00\x00\x00\x00\x00\x00"


class ProxyDouble:
    """Every destination is the server at `behind` on loopback; `places` are the destinations that were asked for."""

    def __init__(self, behind: int, user: str = "", password: str = "") -> None:
        self.behind = behind
        self.places: list[str] = []
        self.port = 0
        self.unreachable: tuple[str, ...] = ()
        """Destinations that the double fails to reach."""
        self.forbidden: tuple[str, ...] = ()
        """Destinations that its rules forbid."""
        self._user, self._password = user.encode(), password.encode()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.behind)
        # The end of a test cancels it, which the server of asyncio would report as an error.
        with suppress(asyncio.CancelledError):
            async with asyncio.TaskGroup() as group:
                group.create_task(_pump(reader, far_writer))
                group.create_task(_pump(far_reader, writer))
        far_writer.close()


class HttpProxyDouble(ProxyDouble):
    """Takes CONNECT only, with basic authentication if it has a user."""

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
        line, *fields = head.removesuffix("\r\n\r\n").split("\r\n")
        method, place, version = line.split(" ")
        headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        assert (method, version, headers["host"]) == ("CONNECT", "HTTP/1.1", place), head
        wanted = f"Basic {b64encode(self._user + b':' + self._password).decode()}"
        if self._user and headers.get("proxy-authorization") != wanted:
            writer.write(b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n')
            return
        self.places.append(place)
        if place in self.forbidden or place in self.unreachable:
            status = b"403 Forbidden" if place in self.forbidden else b"502 Bad Gateway"
            writer.write(b"HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n" % status)
            return
        writer.write(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 double\r\n\r\n")
        await self._join(reader, writer)


class Socks5ProxyDouble(ProxyDouble):
    """Takes the command CONNECT only, with RFC 1929 if it has a user."""

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        version, count = await reader.readexactly(2)
        if version != 5:
            return
        methods = await reader.readexactly(count)
        method = (b"\x02" if self._user else b"\x00")[0]
        if method not in methods:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes([5, method]))
        if self._user and not await self._authenticate(reader, writer):
            return
        place = await _read_place(reader)
        self.places.append(place)
        if place in self.forbidden or place in self.unreachable:
            writer.write(b"\x05" + (b"\x02" if place in self.forbidden else b"\x04") + _REPLY)
            return
        writer.write(b"\x05\x00" + _REPLY)
        await self._join(reader, writer)

    async def _authenticate(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        assert await reader.readexactly(1) == b"\x01"
        said = [await reader.readexactly((await reader.readexactly(1))[0]) for _ in range(2)]
        is_right = said == [self._user, self._password]
        writer.write(b"\x01" + (b"\x00" if is_right else b"\x01"))
        return is_right


async def start_proxy(serve: Serve, double: ProxyDouble, *tls: object) -> ProxyDouble:
    """The double, listening at its `port`."""
    double.port = await serve(double.talk, *tls)
    return double


async def _read_place(reader: asyncio.StreamReader) -> str:
    version, command, _, kind = await reader.readexactly(4)
    assert (version, command) == (5, 1)
    if kind == 3:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii")
    else:
        host = str(ipaddress.ip_address(await reader.readexactly({1: 4, 4: 16}[kind])))
    port = int.from_bytes(await reader.readexactly(2), "big")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
