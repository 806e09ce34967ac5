"""Shutdown of the HTTP server: readiness first, then the calls in flight, and no process or connection is left."""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from dowse.surfaces.http import serve
from tests import forked
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HTTP, LEGACY, MODERN, HttpServer

pytestmark = pytest.mark.promise("data-shutdown")

QUICKLY: dict[str, object] = {"query": "python release", "num_results": 1, "fetch_content": False}
# Without one the answer is JSON, with one a stream.
PROGRESS: list[dict[str, str]] = [{}, {"progress_token": "token-7"}]
SOON_S = 30.0

linux_only = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="watches processes as only Linux can")


async def search(
    http: HttpServer, version: str = LEGACY, query: str = "python release", **options: str
) -> tuple[int, str]:
    async with http.post("web_search", {**QUICKLY, "query": query}, version=version, **options) as response:
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
async def test_sigterm_sends_newcomers_away_and_finishes_what_is_in_flight(server: Server, web: PocketWeb) -> None:
    """A call of each era as JSON and as a stream, all in flight when the signal comes."""
    release = asyncio.Event()
    async with server.http(web.environment("serper"), command=HTTP) as http:
        async with http.post("get_content", {"url": web.page("/articles/python-315")}) as response:
            assert response.status == 200
        children = workers(http.process.pid)
        assert children, "a page was converted, hence there is a worker"
        web.serper.waits_for(release)
        slow = [
            asyncio.create_task(search(http, version, f"python {number} {version}", **progress))
            for version in (LEGACY, MODERN)
            for number, progress in enumerate(PROGRESS)
        ]
        await asyncio.wait_for(web.serper.arrived(len(slow)), SOON_S)
        http.process.send_signal(signal.SIGTERM)
        assert await until_not_ready(http) == "draining\n"
        async with http.post("web_search", QUICKLY) as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "5")
            assert await response.json() == {"error": "the server is shutting down"}
        async with http.session.get(http.origin + "/healthz") as response:
            assert response.status == 200
        assert not any(call.done() for call in slow)
        release.set()
        answers = await asyncio.wait_for(asyncio.gather(*slow), SOON_S)
        assert [(status, '"engine":"serper"' in text) for status, text in answers] == [(200, True)] * len(slow)
        assert await http.stop() == 0
    assert all_end(children)
    assert "traceback" not in server.log
    assert len(web.serper.requests) == len(slow)


# What a call in flight gets is far more than a test waits: a server that ends has not waited for it.
PATIENT = """
from dowse.surfaces.cli.main import main
from dowse.surfaces.http import serve

serve.DRAIN_S = 600.0
raise SystemExit(main(["serve", "--http", "--port", "0"]))
"""


@pytest.fixture
def patient(tmp_path: Path) -> Path:
    script = tmp_path / "patient.py"
    script.write_text(PATIENT)
    return script


@linux_only
async def test_a_second_signal_does_not_wait_for_what_is_in_flight(
    server: Server, web: PocketWeb, patient: Path
) -> None:
    async with server.http(web.environment("serper"), command=(sys.executable, str(patient))) as http:
        async with http.post("get_content", {"url": web.page("/articles/python-315")}) as response:
            assert response.status == 200
        children = workers(http.process.pid)
        web.serper.fails("hang")
        hanging = asyncio.create_task(search(http))
        seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
        http.process.send_signal(signal.SIGTERM)
        await until_not_ready(http)
        http.process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(http.process.wait(), SOON_S) == 0
        await asyncio.wait_for(seen.closed.wait(), SOON_S)
        assert await hanging == (503, '{"error":"the server is shutting down"}')
    assert all_end(children)
    assert "traceback" not in server.log


async def test_a_call_that_does_not_end_in_time_is_cancelled(
    server: Server, web: PocketWeb, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both eras; a client of JSON is told, and a stream breaks off."""
    monkeypatch.setattr(serve, "DRAIN_S", 0.01)
    web.serper.fails("hang")
    async with server.here(web.environment("serper")) as http:
        json_calls, streams = (
            [asyncio.create_task(search(http, era, f"{era} {progress}", **progress)) for era in (LEGACY, MODERN)]
            for progress in PROGRESS
        )
        await asyncio.wait_for(web.serper.arrived(4), SOON_S)
        seen = list(web.serper.requests)
        http.stop()
        await asyncio.wait_for(http.serving, SOON_S)
        for request in seen:
            await asyncio.wait_for(request.closed.wait(), SOON_S)
        assert await asyncio.gather(*json_calls) == [(503, '{"error":"the server is shutting down"}')] * 2
        for stream in streams:
            with pytest.raises(aiohttp.ClientPayloadError):
                await stream
    assert "traceback" not in server.log
    told = [json.loads(line) for line in server.log.splitlines()]
    assert [line["calls"] for line in told if line["event"] == "calls in flight are cancelled"] == [4]


async def test_an_answer_that_begins_while_draining_ends_its_connection(server: Server, web: PocketWeb) -> None:
    """On a connection that is kept, the next call would come when the server has ended."""
    release = asyncio.Event()
    web.serper.waits_for(release)
    async with server.here(web.environment("serper")) as http:
        slow = asyncio.create_task(http.post("web_search", QUICKLY).__aenter__())
        await asyncio.wait_for(web.serper.arrived(), SOON_S)
        http.stop()
        await until_not_ready(http)
        release.set()
        response = await asyncio.wait_for(slow, SOON_S)
        assert (response.status, response.headers["Connection"]) == (200, "close")
        assert '"engine":"serper"' in await response.text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_an_idle_server_ends_at_once_and_well(server: Server, number: signal.Signals, patient: Path) -> None:
    async with server.http({}, command=forked.script(patient)) as http:
        # A client that keeps its connection does not keep the server.
        async with http.session.get(http.origin + "/healthz") as response:
            assert response.status == 200
        http.process.send_signal(number)
        assert await asyncio.wait_for(http.process.wait(), SOON_S) == 0
    events = [json.loads(line)["event"] for line in server.log.splitlines()]
    assert events == ["listening", "shutting down"]
