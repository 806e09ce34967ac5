from __future__ import annotations

import asyncio
import gzip
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web

from dowse.core.wire_errors import WireError, WireFailed, WireTimeout, WireTooLarge
from dowse.net.clients import ConfiguredClient, Reply

Serve = Callable[[Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]], Awaitable[int]]
ServeRaw = Callable[[Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]], Awaitable[int]]


@pytest.fixture
async def client() -> AsyncIterator[ConfiguredClient]:
    client = ConfiguredClient("dowse/test (+https://dowse.example)")
    yield client
    await client.close()


async def test_request_arrives_as_it_was_asked_for(client: ConfiguredClient, serve: Serve) -> None:
    async def echo(request: web.BaseRequest) -> web.Response:
        seen = {
            "method": request.method,
            "path": request.raw_path,
            "agent": request.headers["User-Agent"],
            "key": request.headers["X-Api-Key"],
            "json": await request.json(),
        }
        return web.json_response(seen, status=201, headers={"X-Reply": "Yes"})

    port = await serve(echo)

    reply = await client.send(
        "POST",
        f"http://127.0.0.1:{port}/search?a=1",
        headers={"X-Api-Key": "secret"},
        params={"q": "a b&c=ü"},
        json={"query": "schön"},
        timeout_s=5,
    )

    assert (reply.status, reply.headers["x-reply"]) == (201, "Yes")
    assert json.loads(reply.body) == {
        "method": "POST",
        "path": "/search?a=1&q=a+b%26c%3D%C3%BC",
        "agent": "dowse/test (+https://dowse.example)",
        "key": "secret",
        "json": {"query": "schön"},
    }


async def test_caller_may_bring_its_own_user_agent(client: ConfiguredClient, serve: Serve) -> None:
    async def echo(request: web.BaseRequest) -> web.Response:
        return web.Response(text=request.headers["User-Agent"])

    port = await serve(echo)

    reply = await client.send("GET", f"http://127.0.0.1:{port}/", headers={"User-Agent": "own"}, timeout_s=5)

    assert reply.body == b"own"


async def test_redirect_is_handed_back_and_the_key_goes_nowhere(client: ConfiguredClient, serve: Serve) -> None:
    paths: list[str] = []

    async def redirect(request: web.BaseRequest) -> web.Response:
        paths.append(request.path)
        return web.Response(status=302, headers={"Location": "/elsewhere"}, body=b"moved")

    port = await serve(redirect)

    reply = await client.send("GET", f"http://127.0.0.1:{port}/api", headers={"X-Api-Key": "secret"}, timeout_s=5)

    assert (reply.status, reply.headers["location"], reply.body) == (302, "/elsewhere", b"moved")
    assert paths == ["/api"]


async def test_cookies_are_not_kept_between_requests(client: ConfiguredClient, serve: Serve) -> None:
    """By name, since aiohttp's own jar takes no cookies from an IP address."""
    cookies: list[str | None] = []

    async def handler(request: web.BaseRequest) -> web.Response:
        cookies.append(request.headers.get("Cookie"))
        return web.Response(headers={"Set-Cookie": "id=1"})

    port = await serve(handler)

    for _ in range(2):
        await client.send("GET", f"http://localhost:{port}/", headers={}, timeout_s=5)

    assert cookies == [None, None]


async def test_connection_is_used_again(client: ConfiguredClient, serve: Serve) -> None:
    peers: set[object] = set()

    async def handler(request: web.BaseRequest) -> web.Response:
        assert request.transport
        peers.add(request.transport.get_extra_info("peername"))
        return web.Response(body=b"x")

    port = await serve(handler)

    for _ in range(3):
        await client.send("GET", f"http://127.0.0.1:{port}/", headers={}, timeout_s=5)

    assert len(peers) == 1


async def test_body_of_exactly_the_cap_is_taken_and_one_byte_more_is_not(
    client: ConfiguredClient, serve: Serve
) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        body = gzip.compress(b"x" * 1000) if request.path == "/gzip" else b"x" * 1000
        return web.Response(body=body, headers={"Content-Encoding": "gzip"} if request.path == "/gzip" else {})

    port = await serve(handler)

    for path in ("/plain", "/gzip"):
        url = f"http://127.0.0.1:{port}{path}"
        assert (await client.send("GET", url, headers={}, timeout_s=5, max_bytes=1000)).body == b"x" * 1000
        with pytest.raises(WireTooLarge):
            await client.send("GET", url, headers={}, timeout_s=5, max_bytes=999)


STAGES = {
    "before the headers": b"",
    "within the headers": b"HTTP/1.1 200 OK\r\nContent-",
    "within the body": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
}


@pytest.mark.parametrize("sent", STAGES.values(), ids=STAGES.keys())
async def test_time_limit_holds_at_every_stage(client: ConfiguredClient, serve_raw: ServeRaw, sent: bytes) -> None:
    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await reader.read()
        await reader.read()

    port = await serve_raw(stall)

    async with asyncio.timeout(30):
        with pytest.raises(WireTimeout):
            await client.send("GET", f"http://127.0.0.1:{port}/", headers={}, timeout_s=0.2)


async def test_time_limit_holds_against_a_trickle(client: ConfiguredClient, serve_raw: ServeRaw) -> None:
    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"1\r\nx\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    port = await serve_raw(trickle)

    async with asyncio.timeout(30):
        with pytest.raises(WireTimeout):
            await client.send("GET", f"http://127.0.0.1:{port}/", headers={}, timeout_s=0.2)


BROKEN = {
    "nothing": (b"", WireFailed),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", WireFailed),
    "half a body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", WireFailed),
    "bad chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", WireFailed),
    "bad gzip": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", WireFailed),
    "stacked codings": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: 3\r\n\r\nabc", WireFailed),
    "long header": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n", WireTooLarge),
    "many headers": (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n", WireError),
}


@pytest.mark.parametrize(("answer", "expected"), BROKEN.values(), ids=BROKEN.keys())
async def test_broken_answer_is_one_of_our_errors(
    client: ConfiguredClient, serve_raw: ServeRaw, answer: bytes, expected: type[WireError]
) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    port = await serve_raw(talk)

    with pytest.raises(expected) as failure:
        await client.send("GET", f"http://127.0.0.1:{port}/", headers={"X-Api-Key": "secret"}, timeout_s=5)

    assert failure.value.__cause__ is not None or "coding" in str(failure.value)
    assert "127.0.0.1" not in str(failure.value)
    assert "secret" not in str(failure.value)


async def test_refused_connection_names_no_address(client: ConfiguredClient, serve_raw: ServeRaw) -> None:
    with pytest.raises(WireFailed, match=r"^no connection$"):
        await client.send("GET", "http://127.0.0.1:1/", headers={}, timeout_s=5)


@pytest.mark.parametrize("url", ["not an address", "ftp://127.0.0.1/", "/search"])
async def test_endpoint_that_is_no_web_address_is_a_failure(client: ConfiguredClient, url: str) -> None:
    with pytest.raises(WireFailed, match="not a valid address"):
        await client.send("GET", url, headers={}, timeout_s=5)


async def test_header_that_would_split_the_request_is_not_sent(client: ConfiguredClient, serve: Serve) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response()

    port = await serve(handler)

    with pytest.raises(WireFailed, match="could not be sent"):
        await client.send("GET", f"http://127.0.0.1:{port}/", headers={"X-Api-Key": "a\r\nX: b"}, timeout_s=5)


async def test_unknown_host_names_no_host(client: ConfiguredClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)

    with pytest.raises(WireFailed, match=r"^host not found$"):
        await client.send("GET", "http://search.example/", headers={}, timeout_s=5)


async def test_cancelling_the_caller_closes_the_upstream_connection(
    client: ConfiguredClient, serve_raw: ServeRaw
) -> None:
    arrived, closed = asyncio.Event(), asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
        arrived.set()
        await reader.read()
        closed.set()

    port = await serve_raw(hang)
    call = asyncio.create_task(client.send("GET", f"http://127.0.0.1:{port}/", headers={}, timeout_s=30))
    await arrived.wait()

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    async with asyncio.timeout(30):
        await closed.wait()


async def test_client_can_be_used_again_after_it_was_closed(client: ConfiguredClient, serve: Serve) -> None:
    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(body=b"x")

    port = await serve(handler)

    for _ in range(2):
        reply = await client.send("GET", f"http://127.0.0.1:{port}/", headers={}, timeout_s=5)
        assert isinstance(reply, Reply)
        await client.close()
