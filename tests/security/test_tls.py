"""TLS is verified against the name that was asked for, while the checked address is dialled."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dowse.core.wire_errors import WireFailed
from dowse.net.clients import UntrustedClient
from tests.fakes.wire import BuildClient
from tests.support.authority import DAY, NOW, Authority


class SecureSite:
    """A loopback HTTPS server that remembers the names it was asked for."""

    def __init__(self) -> None:
        self.server_names: list[str | None] = []
        self.hosts: list[bytes] = []
        self.port = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        self.hosts += [line[6:] for line in request.split(b"\r\n") if line.startswith(b"Host: ")]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()

    def note(self, connection: object, name: str | None, context: object) -> None:
        self.server_names.append(name)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def listen_with(serve: Callable[..., Awaitable[int]]) -> Callable[[ssl.SSLContext], Awaitable[SecureSite]]:
    async def start(context: ssl.SSLContext) -> SecureSite:
        site = SecureSite()
        context.sni_callback = site.note
        site.port = await serve(site.talk, context)
        return site

    return start


@pytest.fixture
def client_for(client: BuildClient) -> Callable[[SecureSite, ssl.SSLContext | None], UntrustedClient]:
    names = {"shop.example": [["127.0.0.1"]]}
    return lambda site, tls: client(f"shop.example:{site.port}", names=names, tls=tls)


async def test_name_asked_for_is_the_one_in_the_handshake_and_the_host_header(
    authority, listen_with, client_for
) -> None:
    site = await listen_with(authority.server("shop.example"))

    fetched = await client_for(site, authority.trusting()).get(
        f"https://shop.example:{site.port}/", timeout_s=30, max_bytes=100
    )

    assert fetched.body == b"ok"
    assert site.server_names == ["shop.example"]
    assert site.hosts == [f"shop.example:{site.port}".encode()]


CERTIFICATES: dict[str, Callable[[Authority], ssl.SSLContext]] = {
    "for another name": lambda authority: authority.server("other.example"),
    "for a name above": lambda authority: authority.server("example"),
    "for names below": lambda authority: authority.server("*.shop.example"),
    "expired": lambda authority: authority.server("shop.example", ends=NOW - DAY),
    "not valid yet": lambda authority: authority.server("shop.example", begins=NOW + DAY / 2),
    "of an authority with the same name": lambda authority: Authority(authority.folder).server("shop.example"),
}


@pytest.mark.parametrize("name", CERTIFICATES)
async def test_certificate_is_refused(name: str, authority, listen_with, client_for) -> None:
    site = await listen_with(CERTIFICATES[name](authority))

    with pytest.raises(WireFailed, match="no secure connection"):
        await client_for(site, authority.trusting()).get(
            f"https://shop.example:{site.port}/", timeout_s=30, max_bytes=100
        )

    assert site.hosts == []


async def test_certificate_of_an_unknown_authority_is_refused_by_default(authority, listen_with, client_for) -> None:
    site = await listen_with(authority.server("shop.example"))

    with pytest.raises(WireFailed, match="no secure connection"):
        await client_for(site, None).get(f"https://shop.example:{site.port}/", timeout_s=30, max_bytes=100)

    assert site.hosts == []


async def test_certificate_of_a_name_is_no_good_for_its_address(authority, listen_with, client: BuildClient) -> None:
    site = await listen_with(authority.server("shop.example"))

    with pytest.raises(WireFailed, match="no secure connection"):
        await client(f"127.0.0.1:{site.port}", tls=authority.trusting()).get(
            f"https://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100
        )

    assert site.hosts == []
