"""More calls than the server takes: refused at once and told when to come back, while everything else goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from starlette.types import ASGIApp

from dowse.app import App
from dowse.net.sockets import listen
from dowse.settings.sources import load
from dowse.surfaces.http.adaptive_concurrency import SHORT_QUEUE, START, ConcurrencyLimit
from dowse.surfaces.http.asgi import build_asgi
from dowse.surfaces.http.load_shedding import LoadShedder
from dowse.surfaces.http.mcp import Drain, McpEndpoint
from dowse.surfaces.http.serve import StopSignals, serve
from dowse.surfaces.mcp.server import build_server
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer, call

SOON_S = 30.0
SEARCH: dict[str, object] = {"query": "python release", "num_results": 1, "fetch_content": False}


async def search(http: HttpServer, query: str = "python release", **options: Any) -> int:
    async with http.post("web_search", SEARCH | {"query": query}, **options) as response:
        await response.read()
        return response.status


async def keep_searching(http: HttpServer, **options: Any) -> None:
    while True:
        await search(http, **options)


async def health(http: HttpServer) -> int:
    async with http.session.get(http.origin + "/healthz") as response:
        return response.status


async def until(status: int, http: HttpServer) -> None:
    async with asyncio.timeout(SOON_S):
        while await search(http) != status:
            pass


async def test_a_call_beyond_the_maximum_is_told_when_to_come_back(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_MAX_CALLS": "1"}) as http:
        web.serper.fails("hang")
        hanging = asyncio.create_task(search(http))
        await asyncio.wait_for(web.serper.arrived(), SOON_S)
        async with http.post("web_search", SEARCH) as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "1")
            assert "Connection" not in response.headers
            told = await response.json()
        assert told["error"]["message"].startswith("the server has more calls than it can answer in time; try again")
        assert told["error"]["data"]["retry_after"] == told["retry_after"] == 1
        for path in ("/healthz", "/readyz"):
            async with http.session.get(http.origin + path) as response:
                assert response.status == 200
        async with http.session.get(http.origin + "/metrics") as response:
            assert 'dowse_calls_refused_total{reason="max_calls"} 1.0' in await response.text()
        web.reset()
        hanging.cancel()
        await until(200, http)
    assert len([line for line in server.log.splitlines() if "calls refused" in line]) == 1


async def test_a_client_that_is_slow_to_send_its_call_takes_no_place(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_MAX_CALLS": "1"}) as http:
        _, writer = await http.connection()
        writer.write(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        await writer.drain()
        assert await search(http) == 200
        writer.close()


@asynccontextmanager
async def full(web: PocketWeb, token: str = "") -> AsyncIterator[tuple[HttpServer, StopSignals]]:
    """A server that never has any time to spare, and is full of calls that hang; whoever else comes waits in line."""
    web.serper.fails("hang")
    tokens = {"DOWSE_TOKENS": f"ana:{token}"} if token else {}
    app = App(load({"DOWSE_PORT": "0"}, {**web.environment("serper"), **tokens}).settings)
    options = {"headers": {"Authorization": f"Bearer {token}"}} if token else {}
    stop = StopSignals()

    def build(app: App, drain: Drain) -> ASGIApp:
        # A part that is as busy as time goes by.
        admissions = LoadShedder(busy=[app.clock.now], limit=ConcurrencyLimit(512, usual_rate=0.0))
        return build_asgi(app, drain, McpEndpoint(build_server(app), drain, admissions))

    with listen(app.settings.host, app.settings.port) as listener:
        serving = asyncio.create_task(serve(app, listener, stop, build))
        async with aiohttp.ClientSession() as session:
            http = HttpServer(listener.url + "/mcp", session)
            calls = [asyncio.create_task(search(http, f"python {number}", **options)) for number in range(START)]
            await asyncio.wait_for(web.serper.arrived(START), SOON_S)
            yield http, stop
            for each in calls:
                each.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        stop()
        stop()
        await asyncio.wait_for(serving, SOON_S)


@asynccontextmanager
async def overloaded(web: PocketWeb, token: str = "") -> AsyncIterator[HttpServer]:
    """A server that is full, and more keep coming."""
    options = {"headers": {"Authorization": f"Bearer {token}"}} if token else {}
    async with full(web, token) as (http, _):
        line: list[asyncio.Task[int]] = []
        async with asyncio.timeout(SOON_S):
            # They might be a burst, and stand in line, until the line is too long.
            while not any(each.done() for each in line):
                line.append(asyncio.create_task(search(http, f"more {len(line)}", **options)))
                assert await health(http) == 200
            flood = asyncio.create_task(keep_searching(http, **options))
            assert set(await asyncio.gather(*line)) == {503}
        assert len(line) > SHORT_QUEUE
        yield http
        flood.cancel()
        await asyncio.gather(flood, return_exceptions=True)


async def test_a_call_in_line_when_the_server_leaves_is_sent_elsewhere(web: PocketWeb) -> None:
    async with full(web) as (http, stop), asyncio.timeout(SOON_S):
        reader, writer = await http.connection()
        writer.write(bytes_of_a_call())
        # By then the call has been read and stands in line.
        assert [await health(http) for _ in range(3)] == [200] * 3
        stop()
        stop()
        told = await answer(reader)
        assert told.startswith(b"HTTP/1.1 503 ")
        assert b"shutting down" in told
        writer.close()


def bytes_of_a_call(*fields: bytes) -> bytes:
    body = json.dumps(call("web_search", SEARCH)).encode()
    head = [b"POST /mcp HTTP/1.1", b"Host: 127.0.0.1", b"Accept: application/json", *fields]
    return b"\r\n".join([*head, b"Content-Length: %d" % len(body), b"", body])


async def answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    return head + await reader.readexactly(length)


async def test_under_overload_a_call_is_refused_however_often_it_comes_back(web: PocketWeb) -> None:
    async with overloaded(web) as http, asyncio.timeout(SOON_S):
        reader, writer = await http.connection()
        for _ in range(5):
            writer.write(bytes_of_a_call())
            assert (await answer(reader)).startswith(b"HTTP/1.1 503 ")
        # What comes in pieces on the same connection, or is no call, is read as ever.
        whole = bytes_of_a_call()
        writer.write(whole[:30])
        await writer.drain()
        writer.write(whole[30:])
        assert (await answer(reader)).startswith(b"HTTP/1.1 503 ")
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert (await answer(reader)).endswith(b"ready\n")
        writer.close()


async def test_under_overload_strangers_are_strangers_where_callers_were_told(web: PocketWeb) -> None:
    token = "ana-has-a-long-token"
    async with overloaded(web, token) as http, asyncio.timeout(SOON_S):
        reader, writer = await http.connection()
        for presented, status in ((token, 503), ("somebody-elses-token", 401)):
            writer.write(bytes_of_a_call(b"Authorization: Bearer " + presented.encode()))
            assert (await answer(reader)).startswith(b"HTTP/1.1 %d " % status)
        writer.close()


async def test_overload_leaves_the_server_alive_and_ready(web: PocketWeb) -> None:
    async with overloaded(web) as http:
        for path in ("/healthz", "/readyz", "/metrics"):
            async with http.session.get(http.origin + path) as response:
                assert response.status == 200
