"""Identical calls at the same time ask upstream once: in one server, and in several that share a store."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dowse.cache.flights import Flights
from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb
from tests.http import HttpHere, HttpProcess, HttpServer

SOON_S = 30.0
# As many as are in flight before the first answer; `tests/slow` has a hundred.
CALLS = 30
# So long that most of the calls which are made together have arrived before the answer.
SLOW_S = 0.3
ARGUMENTS = {"query": "python", "num_results": 3, "max_tokens": 300}

Outcome = dict[str, Any]


@asynccontextmanager
async def running(
    server: Server, web: PocketWeb, state: str, processes: int
) -> AsyncIterator[tuple[HttpHere, list[HttpProcess]]]:
    """A server in this process and some in others, which share a store and have used it before."""
    settings = web.environment("serper") | REMEMBERING | {"DOWSE_STATE": state}
    async with AsyncExitStack() as stack:
        starting = [stack.enter_async_context(server.http(settings)) for _ in range(processes)]
        others = await asyncio.gather(*starting)
        here = await stack.enter_async_context(server.here(settings))
        await asyncio.gather(*(found(one, {"query": "kettle", "fetch_content": False}) for one in (here, *others)))
        web.reset()
        yield here, others
        await asyncio.gather(*(one.stop() for one in others))


async def found(http: HttpServer, arguments: Mapping[str, object] = ARGUMENTS) -> Outcome:
    """What one call brings."""
    async with http.post("web_search", arguments) as response:
        outcome: Outcome = (await response.json())["result"]["structuredContent"]
        return outcome


def calls(count: int, *servers: HttpServer) -> list[asyncio.Task[Outcome]]:
    """So many at the same time, the same number at each server."""
    return [asyncio.create_task(found(servers[number % len(servers)])) for number in range(count)]


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Awaitable[None]]:
    """Waits until so many searches of the server in this process wait for one in flight."""
    share, arrivals = Flights.share, asyncio.Semaphore(0)

    async def counted(flights: Flights, key: Any, *arguments: Any) -> Any:
        kind, name, _ = key
        if kind == "search" and ARGUMENTS["query"] in name:
            arrivals.release()
        return await share(flights, key, *arguments)

    async def wait(count: int) -> None:
        async with asyncio.timeout(SOON_S):
            for _ in range(count):
                await arrivals.acquire()

    monkeypatch.setattr(Flights, "share", counted)
    return wait


def assert_asked_once(web: PocketWeb, outcomes: Sequence[Outcome]) -> None:
    """All calls got the same pages, and nothing was asked for twice."""
    [pages] = {tuple(result["link"] for result in outcome["results"]) for outcome in outcomes}
    assert {outcome["stats"]["pages_read"] for outcome in outcomes} == {len(pages)} == {3}
    assert len(web.serper.requests) == 1
    assert Counter(web.page(seen.path) for seen in web.pages.requests) == Counter(pages)


async def test_calls_at_one_server_ask_upstream_once(server: Server, web: PocketWeb) -> None:
    await calls_at_one_server(server, web, CALLS)


async def calls_at_one_server(server: Server, web: PocketWeb, count: int) -> None:
    web.serper.delays(SLOW_S)
    web.pages.delays(SLOW_S)
    async with server.here(web.environment("serper") | REMEMBERING) as http:
        outcomes = await asyncio.wait_for(asyncio.gather(*calls(count, http)), SOON_S)
    assert_asked_once(web, outcomes)
    assert len(web.pages.robots_requests) == 1


@pytest.mark.parametrize("store", ["sqlite", "valkey"])
async def test_calls_at_three_servers_with_one_store_ask_upstream_once(
    server: Server, web: PocketWeb, store: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    state = f"sqlite:///{tmp_path}/state.db" if store == "sqlite" else request.getfixturevalue("valkey_url")
    await calls_at_three_servers(server, web, state, CALLS)


async def calls_at_three_servers(server: Server, web: PocketWeb, state: str, count: int) -> None:
    async with running(server, web, state, processes=2) as (here, others):
        web.serper.delays(SLOW_S)
        web.pages.delays(SLOW_S)
        outcomes = await asyncio.wait_for(asyncio.gather(*calls(count, here, *others)), SOON_S)
    assert_asked_once(web, outcomes)


async def test_the_others_are_answered_when_the_client_that_was_first_goes_away(
    server: Server, web: PocketWeb, joined: Callable[[int], Awaitable[None]]
) -> None:
    release = asyncio.Event()
    web.serper.waits_for(release)
    async with server.here(web.environment("serper") | REMEMBERING) as http:
        [first] = calls(1, http)
        seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
        others = calls(5, http)
        await joined(6)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        # Requests on other connections: meanwhile the server sees that this one is closed.
        for _ in range(5):
            async with http.session.get(f"{http.origin}/healthz") as response:
                await response.read()
        release.set()
        outcomes = await asyncio.wait_for(asyncio.gather(*others), SOON_S)
    assert not seen.closed.is_set()
    assert_asked_once(web, outcomes)


async def test_the_others_are_answered_when_the_server_that_was_first_is_killed(
    server: Server, web: PocketWeb, valkey_url: str, joined: Callable[[int], Awaitable[None]]
) -> None:
    async with running(server, web, valkey_url, processes=1) as (follower, [leader]):
        web.serper.fails("hang", times=1)
        [first] = calls(1, leader)
        await asyncio.wait_for(web.serper.arrived(), SOON_S)
        others = calls(5, follower)
        await joined(5)
        assert len(web.serper.requests) == 1
        leader.process.kill()
        leader.exit_code = -signal.SIGKILL
        outcomes = await asyncio.wait_for(asyncio.gather(*others), SOON_S)
        await asyncio.gather(first, return_exceptions=True)
    web.serper.requests.pop(0)
    assert_asked_once(web, outcomes)
