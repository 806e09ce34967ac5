"""Ending the HTTP server: readiness first, then the calls in flight, and nothing stays behind."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
from pathlib import Path

import aiohttp
import pytest

from dowse.surfaces.http import serve
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HTTP, LEGACY, MODERN, HttpServer

QUICKLY: dict[str, object] = {"query": "python release", "num_results": 1, "fetch_content": False}
SOON_S = 5.0

linux_only = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="watches processes as only Linux can")


async def search(http: HttpServer, version: str = LEGACY, **options: str) -> tuple[int, str]:
    async with http.post("web_search", QUICKLY, version=version, **options) as response:
        return response.status, await response.text()


async def until_not_ready(http: HttpServer) -> str:
    async with asyncio.timeout(SOON_S):
        while True:
            async with http.session.get(http.origin + "/readyz") as response:
                if response.status == 503:
                    return await response.text()


def workers(pid: int) -> list[int]:
    """A descriptor for each child process, which becomes readable when the child ends."""
    return [os.pidfd_open(int(child)) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def all_end(children: list[int]) -> bool:
    ended = [bool(select.select([child], [], [], SOON_S)[0]) for child in children]
    for child in children:
        os.close(child)
    return all(ended)


@linux_only
@pytest.mark.parametrize("version", [LEGACY, MODERN])
@pytest.mark.parametrize("progress", [{}, {"progress_token": "token-7"}], ids=["json", "stream"])
async def test_sigterm_sends_newcomers_away_and_finishes_what_is_in_flight(
    server: Server, web: PocketWeb, version: str, progress: dict[str, str]
) -> None:
    async with server.http(web.environment("serper"), command=HTTP) as http:
        async with http.post("get_content", {"url": web.page("/articles/python-315")}) as response:
            assert response.status == 200
        children = workers(http.process.pid)
        assert children, "a page was converted, hence there is a worker"
        web.serper.delays(1.5)
        slow = asyncio.create_task(search(http, version, **progress))
        await asyncio.wait_for(web.serper.arrived(), SOON_S)
        http.process.send_signal(signal.SIGTERM)
        assert await until_not_ready(http) == "draining\n"
        async with http.post("web_search", QUICKLY) as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "5")
            assert await response.json() == {"error": "the server is shutting down"}
        async with http.session.get(http.origin + "/healthz") as response:
            assert response.status == 200
        assert not slow.done()
        status, text = await slow
        assert (status, '"engine":"serper"' in text) == (200, True)
        assert await http.stop() == 0
    assert all_end(children)
    assert "traceback" not in server.log
    assert len(web.serper.requests) == 1


@linux_only
async def test_a_second_signal_does_not_wait_for_what_is_in_flight(server: Server, web: PocketWeb) -> None:
    async with server.http(web.environment("serper"), command=HTTP) as http:
        async with http.post("get_content", {"url": web.page("/articles/python-315")}) as response:
            assert response.status == 200
        children = workers(http.process.pid)
        web.serper.fails("hang")
        hanging = asyncio.create_task(search(http))
        seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
        http.process.send_signal(signal.SIGTERM)
        await until_not_ready(http)
        http.process.send_signal(signal.SIGINT)
        # Half of what the first signal alone would wait.
        assert await asyncio.wait_for(http.process.wait(), serve.DRAIN_S / 2) == 0
        await asyncio.wait_for(seen.closed.wait(), SOON_S)
        assert await hanging == (503, '{"error":"the server is shutting down"}')
    assert all_end(children)
    assert "traceback" not in server.log


@pytest.mark.parametrize("version", [LEGACY, MODERN])
@pytest.mark.parametrize("progress", [{}, {"progress_token": "token-7"}], ids=["json", "stream"])
async def test_a_call_that_does_not_end_in_time_is_cancelled(
    server: Server, web: PocketWeb, monkeypatch: pytest.MonkeyPatch, version: str, progress: dict[str, str]
) -> None:
    monkeypatch.setattr(serve, "DRAIN_S", 0.01)
    web.serper.fails("hang")
    async with server.here(web.environment("serper")) as http:
        hanging = asyncio.create_task(search(http, version, **progress))
        seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
        http.stop()
        await asyncio.wait_for(http.serving, SOON_S)
        await asyncio.wait_for(seen.closed.wait(), SOON_S)
        if progress:
            with pytest.raises(aiohttp.ClientPayloadError):
                await hanging
        else:
            assert await hanging == (503, '{"error":"the server is shutting down"}')
    assert "traceback" not in server.log
    told = [json.loads(line) for line in server.log.splitlines()]
    assert [line["calls"] for line in told if line["event"] == "calls in flight are cancelled"] == [1]


async def test_an_answer_that_begins_while_draining_ends_its_connection(server: Server, web: PocketWeb) -> None:
    """On a connection that is kept, the next call would come where nobody takes it."""
    web.serper.delays(0.5)
    async with server.here(web.environment("serper")) as http:
        slow = asyncio.create_task(http.post("web_search", QUICKLY).__aenter__())
        await asyncio.wait_for(web.serper.arrived(), SOON_S)
        http.stop()
        response = await slow
        assert (response.status, response.headers["Connection"]) == (200, "close")
        assert '"engine":"serper"' in await response.text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_an_idle_server_ends_at_once_and_well(server: Server, number: signal.Signals) -> None:
    async with server.http({}) as http:
        # A client that keeps its connection does not keep the server.
        async with http.session.get(http.origin + "/healthz") as response:
            assert response.status == 200
        http.process.send_signal(number)
        assert await asyncio.wait_for(http.process.wait(), serve.DRAIN_S / 2) == 0
    events = [json.loads(line)["event"] for line in server.log.splitlines()]
    assert events == ["listening", "shutting down"]
