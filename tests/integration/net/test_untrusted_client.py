from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from dowse.core.urls import Url
from dowse.core.wire_errors import HostNotFound, TooManyRedirects, WireDenied, WireFailed, WireTimeout, WireTooLarge
from dowse.net import wire
from dowse.net.clients import Fetched
from tests.fakes.wire import BuildClient

Serve = Callable[[Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]], Awaitable[int]]
ServeRaw = Callable[[Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]], Awaitable[int]]
Fetch = Callable[..., Awaitable[Fetched]]


async def loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


@pytest.fixture
def fetch(client: BuildClient) -> Fetch:
    """Fetches from `site.example`, which is open at one port."""

    async def get(url: str, port: int, *, timeout_s: float = 5, max_bytes: int = 10_000) -> Fetched:
        opened = client(f"site.example:{port}", resolver=loopback)
        return await opened.get(url, timeout_s=timeout_s, max_bytes=max_bytes)

    return get


async def test_page_is_fetched_under_its_own_name(serve: Serve, fetch: Fetch) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        names = ("Host", "User-Agent", "Authorization", "Cookie", "Referer")
        seen = {name: request.headers.get(name) for name in names}
        return web.json_response([request.raw_path, seen])

    port = await serve(handler)

    fetched = await fetch(f"http://site.example:{port}/a%2Fb?q=%41#part", port)

    assert fetched.url == f"http://site.example:{port}/a%2Fb?q=%41#part"
    assert (fetched.status, fetched.headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert fetched.body.decode() == (
        f'["/a%2Fb?q=%41", {{"Host": "site.example:{port}", "User-Agent": "dowse/test", '
        '"Authorization": null, "Cookie": null, "Referer": null}]'
    )


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirect_is_followed_to_the_final_address(serve: Serve, status: int, fetch: Fetch) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        if request.path == "/end":
            return web.Response(body=b"here")
        return web.Response(status=status, headers={"Location": "../end?x=1"})

    port = await serve(handler)

    fetched = await fetch(f"http://site.example:{port}/a/b", port)

    assert (fetched.url, fetched.body) == (f"http://site.example:{port}/end?x=1", b"here")


async def test_location_beyond_ascii_is_followed_byte_for_byte(serve_raw: ServeRaw, fetch: Fetch) -> None:
    paths: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1]
        paths.append(path)
        if path == b"/":
            writer.write(b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n")
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()

    port = await serve_raw(talk)

    assert (await fetch(f"http://site.example:{port}/", port)).body == b"ok"
    assert paths == [b"/", b"/caf%E9"]


async def test_five_redirects_are_followed_and_the_sixth_is_not(serve: Serve, fetch: Fetch) -> None:
    paths: list[str] = []

    async def handler(request: web.BaseRequest) -> web.Response:
        paths.append(request.path)
        left = int(request.path[1:])
        return web.Response(status=302, headers={"Location": f"/{left - 1}"}) if left else web.Response(body=b"end")

    port = await serve(handler)

    assert (await fetch(f"http://site.example:{port}/5", port)).body == b"end"
    paths.clear()
    with pytest.raises(TooManyRedirects):
        await fetch(f"http://site.example:{port}/6", port)
    assert paths == ["/6", "/5", "/4", "/3", "/2", "/1"]


async def test_redirect_status_without_a_location_is_the_answer(serve: Serve, fetch: Fetch) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(status=302, body=b"lost")

    port = await serve(handler)

    fetched = await fetch(f"http://site.example:{port}/", port)

    assert (fetched.status, fetched.body) == (302, b"")


async def test_cookie_set_by_a_hop_is_not_sent_to_the_next(serve: Serve, fetch: Fetch) -> None:
    cookies: list[str | None] = []

    async def handler(request: web.BaseRequest) -> web.Response:
        cookies.append(request.headers.get("Cookie"))
        headers = {"Location": "/end", "Set-Cookie": "session=1; Path=/"}
        return web.Response(status=200 if request.path == "/end" else 302, headers=headers)

    port = await serve(handler)

    await fetch(f"http://site.example:{port}/", port)

    assert cookies == [None, None]


async def test_failure_is_told_by_its_status_however_large_its_page(serve: Serve, fetch: Fetch) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(status=404, body=b"x" * 100_000)

    port = await serve(handler)

    fetched = await fetch(f"http://site.example:{port}/", port)

    assert (fetched.status, fetched.body) == (404, b"")


async def test_body_of_exactly_the_cap_is_taken(serve: Serve, fetch: Fetch) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(body=b"x" * int(request.path[1:]))

    port = await serve(handler)

    assert len((await fetch(f"http://site.example:{port}/10000", port)).body) == 10_000
    with pytest.raises(WireTooLarge):
        await fetch(f"http://site.example:{port}/10001", port)


async def test_many_tiny_chunks_are_read_as_one_body(serve_raw: ServeRaw, fetch: Fetch) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 100_000 + b"0\r\n\r\n")
        await writer.drain()

    port = await serve_raw(talk)

    assert (await fetch(f"http://site.example:{port}/", port, max_bytes=100_000)).body == b"x" * 100_000


async def test_time_limit_is_one_for_all_hops(serve_raw: ServeRaw, fetch: Fetch) -> None:
    async def slow_maze(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.1)
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /on\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    port = await serve_raw(slow_maze)

    async with asyncio.timeout(30):
        with pytest.raises(WireTimeout):
            await fetch(f"http://site.example:{port}/", port, timeout_s=0.25)


async def test_time_limit_includes_the_lookup(client: BuildClient) -> None:
    async def never(host: str, port: int) -> list[str]:
        return await asyncio.get_running_loop().create_future()

    opened = client(resolver=never)

    with pytest.raises(WireTimeout):
        await opened.get("http://example.com/", timeout_s=0.1, max_bytes=10)


async def test_unknown_host_is_told_apart_from_other_failures(client: BuildClient) -> None:
    async def nothing(host: str, port: int) -> list[str]:
        return []

    opened = client(resolver=nothing)

    with pytest.raises(HostNotFound):
        await opened.get("http://example.com/", timeout_s=5, max_bytes=10)


async def test_next_address_is_tried_when_the_first_refuses(serve: Serve, client: BuildClient) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(body=b"second")

    async def two(host: str, port: int) -> list[str]:
        return ["127.0.0.9", "127.0.0.1"]

    port = await serve(handler)
    opened = client(f"site.example:{port}", resolver=two)

    assert (await opened.get(f"http://site.example:{port}/", timeout_s=5, max_bytes=10)).body == b"second"


async def test_refused_connection_names_no_address(fetch: Fetch) -> None:
    with pytest.raises(WireFailed, match=r"^no connection$"):
        await fetch("http://site.example:1/", 1)


async def test_cancelling_the_caller_closes_the_connection(serve_raw: ServeRaw, fetch: Fetch) -> None:
    arrived, closed = asyncio.Event(), asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        arrived.set()
        await reader.read()
        closed.set()

    port = await serve_raw(hang)
    call = asyncio.create_task(fetch(f"http://site.example:{port}/", port, timeout_s=30))
    await arrived.wait()

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    async with asyncio.timeout(30):
        await closed.wait()


@pytest.mark.parametrize(("host", "port"), [("other.example", 80), ("site.example", 8080)])
def test_url_that_the_http_library_would_read_differently_is_refused(host: str, port: int) -> None:
    """Both parsers agree today; should a release of either change that, nothing is dialled unjudged."""
    with pytest.raises(WireDenied):
        wire.request_target(Url("http://site.example/", "http", host, port, has_userinfo=False))
