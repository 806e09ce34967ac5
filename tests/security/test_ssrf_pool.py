"""Connections that are kept: a pool saves a handshake, never a check."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dowse.core.wire_errors import WireDenied, WireError, WireFailed
from tests.fakes.wire import BuildClient as Build
from tests.fakes.wire import Serve

METADATA = "169.254.169.254"


class KeepAlive:
    """A site that keeps its connections, counts them, and remembers on which one each request came."""

    def __init__(self) -> None:
        self.connections = 0
        self.requests: list[tuple[int, bytes]] = []
        self.answers = 10**6
        self.port = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        for _ in range(self.answers):
            head = await reader.readuntil(b"\r\n\r\n")
            self.requests.append((number, head))
            if b"GET /moved " in head:
                writer.write(b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
            elif b"GET /long " in head:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n" + bytes(100_000))
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage")
            await writer.drain()


@pytest.fixture
async def site(serve: Serve) -> KeepAlive:
    kept = KeepAlive()
    kept.port = await serve(kept.talk)
    return kept


def turns(*answers: list[str]) -> dict[str, list[list[str]]]:
    return {"site.example": list(answers)}


async def test_connection_is_used_again_for_the_same_site(site: KeepAlive, client: Build) -> None:
    opened = client(f"127.0.0.1:{site.port}")
    for path in ("", "a?b", "moved"):
        assert (await opened.get(f"http://127.0.0.1:{site.port}/{path}", timeout_s=30, max_bytes=100)).body == b"page"
    assert (site.connections, len(site.requests)) == (1, 4)


async def test_kept_connection_is_not_used_once_the_name_leads_inside(site: KeepAlive, client: Build) -> None:
    """Rebinding: the connection is open and its site answers, but the name is refused all the same."""
    opened = client(f"site.example:{site.port}", names=turns(["127.0.0.1"], ["127.0.0.1"], [METADATA]))
    url = f"http://site.example:{site.port}/"
    for _ in range(2):
        assert (await opened.get(url, timeout_s=30, max_bytes=100)).body == b"page"
    with pytest.raises(WireDenied):
        await opened.get(url, timeout_s=30, max_bytes=100)
    assert (site.connections, len(site.requests)) == (1, 2)


async def test_kept_connection_to_an_address_the_name_no_longer_has_is_not_used(site: KeepAlive, client: Build) -> None:
    """Both addresses may be dialled; only the one that was checked for this request may be spoken to."""
    opened = client(f"site.example:{site.port}", names=turns(["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]))
    url = f"http://site.example:{site.port}/"
    assert (await opened.get(url, timeout_s=30, max_bytes=100)).body == b"page"
    with pytest.raises(WireFailed, match="no connection"):
        await opened.get(url, timeout_s=30, max_bytes=100)
    assert len(site.requests) == 1

    assert (await opened.get(url, timeout_s=30, max_bytes=100)).body == b"page"
    assert site.connections == 2


async def test_kept_connection_is_not_lent_to_another_name_or_port(listen, site: KeepAlive, client: Build) -> None:
    other = await listen()
    names = {name: [["127.0.0.1"]] for name in ("site.example", "other.example")}
    pairs = [f"{name}:{port}" for name in names for port in (site.port, other.port)]
    opened = client(*pairs, names=names)

    for host, port in (("site.example", site.port), ("other.example", site.port), ("site.example", other.port)):
        await opened.get(f"http://{host}:{port}/", timeout_s=30, max_bytes=100)

    assert [(number, b"Host: other" in head) for number, head in site.requests] == [(1, False), (2, True)]
    assert other.connections == 1


async def test_plain_connection_is_not_used_for_a_secure_request(site: KeepAlive, client: Build) -> None:
    opened = client(f"127.0.0.1:{site.port}", tls=ssl.create_default_context())
    await opened.get(f"http://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100)
    with pytest.raises(WireError):
        await opened.get(f"https://127.0.0.1:{site.port}/", timeout_s=0.5, max_bytes=100)
    assert len(site.requests) == 1


async def test_connection_is_closed_when_its_body_was_not_read_to_the_end(site: KeepAlive, client: Build) -> None:
    opened = client(f"127.0.0.1:{site.port}")
    with pytest.raises(WireError):
        await opened.get(f"http://127.0.0.1:{site.port}/long", timeout_s=30, max_bytes=100)
    assert (await opened.get(f"http://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100)).body == b"page"
    assert [number for number, _ in site.requests] == [1, 2]


async def test_page_is_asked_for_again_when_the_kept_connection_had_been_closed(site: KeepAlive, client: Build) -> None:
    """Servers close without a word; a new connection to the same checked address tells whether the page is there."""
    site.answers = 1
    names = turns(["127.0.0.1"], ["127.0.0.1"], ["127.0.0.1"], [METADATA])
    opened = client(f"site.example:{site.port}", names=names)
    for path in ("moved", ""):
        url = f"http://site.example:{site.port}/{path}"
        assert (await opened.get(url, timeout_s=30, max_bytes=100)).body == b"page"
    assert site.connections == 3


async def test_page_is_asked_for_once_on_a_new_connection(serve: Serve, client: Build) -> None:
    """Neither we nor aiohttp try again: who is asked again, and when, is for the router to say."""
    arrived = 0

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal arrived
        arrived += 1
        await reader.readuntil(b"\r\n\r\n")

    port = await serve(hang_up)
    with pytest.raises(WireFailed):
        await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=30, max_bytes=100)
    assert arrived == 1


async def test_page_is_asked_for_no_third_time(serve: Serve, client: Build) -> None:
    arrived: list[bytes] = []

    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.append(await reader.readuntil(b"\r\n\r\n"))
        if len(arrived) == 1:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage")
            arrived.append(await reader.readuntil(b"\r\n\r\n"))

    port = await serve(answer_once)
    opened, url = client(f"127.0.0.1:{port}"), f"http://127.0.0.1:{port}/"
    assert (await opened.get(url, timeout_s=30, max_bytes=100)).body == b"page"
    with pytest.raises(WireFailed):
        await opened.get(url, timeout_s=30, max_bytes=100)
    assert len(arrived) == 3


async def test_requests_at_the_same_time_see_their_own_addresses_only(site: KeepAlive, client: Build) -> None:
    """The addresses travel with the request: a hundred at once, half of them to an address where nobody listens."""
    names = {f"{n}.example": [["127.0.0.1" if n % 2 else "127.0.0.2"]] for n in range(100)}
    opened = client(*(f"{name}:{site.port}" for name in names), names=names)
    calls = (opened.get(f"http://{name}:{site.port}/", timeout_s=30, max_bytes=100) for name in names)

    answers = await asyncio.gather(*calls, return_exceptions=True)

    assert [isinstance(answer, WireFailed) for answer in answers] == [n % 2 == 0 for n in range(100)]
    hosts = {head.partition(b"Host: ")[2].partition(b".")[0] for _, head in site.requests}
    assert hosts == {str(n).encode() for n in range(1, 100, 2)}


async def test_racing_addresses_are_those_that_were_checked(site: KeepAlive, client: Build) -> None:
    """Several addresses race in tasks of aiohttp's own, which inherit what was checked."""
    addresses = ["127.0.0.9", "::1", "127.0.0.8", "127.0.0.1"]
    opened = client(f"site.example:{site.port}", names=turns(addresses))
    with connects() as seen:
        assert (await opened.get(f"http://site.example:{site.port}/", timeout_s=30, max_bytes=100)).body == b"page"
    assert set(seen) <= set(addresses)
    assert "127.0.0.1" in seen


async def test_the_system_sees_no_connect_for_a_refused_page(canary, client: Build) -> None:
    """By the audit events of the interpreter, below everything that could be patched."""
    names = {"inside.example": [["127.0.0.1"]], "mixed.example": [["93.184.216.34", "127.0.0.1"]]}
    hosts = ("127.0.0.1", "[::1]", "0", "inside.example", "mixed.example", "localhost", METADATA)
    with connects() as seen:
        for host in hosts:
            with pytest.raises(WireDenied):
                await client(names=names).get(f"http://{host}:8080/", timeout_s=30, max_bytes=100)
        assert seen == []

        await client(f"127.0.0.1:{canary.port}").get(f"http://127.0.0.1:{canary.port}/", timeout_s=30, max_bytes=100)
        assert seen == ["127.0.0.1"]


_watchers: list[list[str]] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.connect" and _watchers:
        address = arguments[1]
        for watcher in _watchers:
            watcher.append(str(address[0] if isinstance(address, tuple) else address))


@pytest.fixture(scope="module", autouse=True)
def audit() -> None:
    """A hook stays as long as the process, so there is one."""
    sys.addaudithook(_watch)


@contextmanager
def connects() -> Iterator[list[str]]:
    seen: list[str] = []
    _watchers.append(seen)
    try:
        yield seen
    finally:
        _watchers.remove(seen)
