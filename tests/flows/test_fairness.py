"""Two callers over HTTP: one of them fills a shared resource, and the other one is served at once.

`tests/slow` has the times, with workers and a browser too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp
import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpHere, HttpServer

SOON_S = 60.0
GREEDY, OTHER = "greedy-has-a-long-token", "other-has-a-long-token"
TOKENS = {"DOWSE_TOKENS": f"greedy:{GREEDY},other:{OTHER}"}
SEARCH: dict[str, object] = {"query": "python release", "num_results": 1, "fetch_content": False}
QUICK = "/articles/python-315"


async def call(http: HttpServer, tool: str, arguments: Mapping[str, object], token: str = "", **headers: str) -> int:
    """The HTTP status of a call, or 0 for one that was answered with an error."""
    if token:
        headers["Authorization"] = f"Bearer {token}"
    async with http.post(tool, arguments, headers=headers) as response:
        text = await response.text()
        return 0 if '"isError":true' in text or '"status":"error"' in text else response.status


async def read(http: HttpServer, url: str, token: str) -> int:
    return await call(http, "get_content", {"url": url}, token)


@asynccontextmanager
async def filled(http: HttpServer, *urls: str) -> AsyncIterator[list[asyncio.Task[int]]]:
    """The pages that the greedy caller reads meanwhile."""
    reading = [asyncio.create_task(read(http, url, GREEDY)) for url in urls]
    yield reading
    for each in reading:
        each.cancel()
    await asyncio.gather(*reading, return_exceptions=True)


@pytest.mark.promise("fair-at-once")
async def test_hanging_pages_of_one_caller_do_not_delay_the_pages_of_another(server: Server, web: PocketWeb) -> None:
    paths = [f"/hangs/{number}" for number in range(12)]
    for path in paths:
        web.pages.fails(path, "hang")
    settings = {**web.environment("serper"), **TOKENS, "DOWSE_MAX_CONCURRENT_FETCHES": "4"}
    async with server.here(settings) as http, filled(http, *map(web.page, paths)), asyncio.timeout(SOON_S):
        await web.pages.arrived(4)
        assert [await read(http, web.page(QUICK), OTHER) for _ in range(3)] == [200] * 3
        # Positive control: a further page of the greedy caller has no slot.
        own = asyncio.create_task(read(http, web.page("/docs/retrying"), GREEDY))
        assert await read(http, web.page(QUICK), OTHER) == 200
        assert not own.done()
        assert [seen.path for seen in web.pages.requests].count("/docs/retrying") == 0
        own.cancel()


@pytest.mark.promise("fair-flights")
async def test_a_page_that_one_caller_has_queued_is_read_at_once_for_another(server: Server, web: PocketWeb) -> None:
    paths = [f"/hangs/{number}" for number in range(12)]
    for path in paths:
        web.pages.fails(path, "hang")
    settings = {**web.environment("serper"), **TOKENS, "DOWSE_MAX_CONCURRENT_FETCHES": "4"}
    async with server.here(settings) as http, filled(http, *map(web.page, paths)), asyncio.timeout(SOON_S):
        await web.pages.arrived(4)
        async with filled(http, web.page(QUICK)) as [queued]:
            # Positive control: it waits behind the others of its caller.
            await asyncio.sleep(0.2)
            assert QUICK not in [seen.path for seen in web.pages.requests]
            assert await read(http, web.page(QUICK), OTHER) == 200
            assert await queued == 200
        assert [seen.path for seen in web.pages.requests].count(QUICK) == 1


@asynccontextmanager
async def full(server: Server, web: PocketWeb, **settings: str) -> AsyncIterator[HttpHere]:
    """A server with two call slots."""
    async with server.here({**web.environment("serper"), "DOWSE_MAX_CALLS": "2", **settings}) as http:
        web.serper.fails("hang", times=2)
        yield http


@pytest.mark.promise("fair-calls")
async def test_a_caller_with_all_call_slots_is_refused_more_and_another_one_is_served(
    server: Server, web: PocketWeb
) -> None:
    async with full(server, web, **TOKENS) as http, asyncio.timeout(SOON_S):
        hanging = [asyncio.create_task(_search(http, number, GREEDY)) for number in range(2)]
        await web.serper.arrived(2)
        assert await _search(http, 2, GREEDY) == 503
        assert [await _search(http, number, OTHER) for number in range(3, 8)] == [200] * 5
        assert await _search(http, 8, GREEDY) == 503
        await _cancel(hanging)


@pytest.mark.promise("fair-without-tokens")
async def test_without_tokens_callers_have_the_address_that_they_connect_from(server: Server, web: PocketWeb) -> None:
    elsewhere = aiohttp.TCPConnector(local_addr=("127.0.0.2", 0))
    async with full(server, web) as http, aiohttp.ClientSession(connector=elsewhere) as session:
        hanging = [asyncio.create_task(_search(http, number)) for number in range(2)]
        await asyncio.wait_for(web.serper.arrived(2), SOON_S)
        assert await _search(http, 2) == 503
        assert await _search(HttpServer(http.url, session), 3) == 200
        await _cancel(hanging)


@pytest.mark.promise("fair-without-tokens")
async def test_behind_a_trusted_proxy_callers_have_the_address_that_it_names(server: Server, web: PocketWeb) -> None:
    async with full(server, web, DOWSE_TRUSTED_PROXIES="127.0.0.1") as http, asyncio.timeout(SOON_S):
        greedy, other = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
        hanging = [asyncio.create_task(_search(http, number, **greedy)) for number in range(2)]
        await web.serper.arrived(2)
        assert await _search(http, 2, **greedy) == 503
        assert await _search(http, 3, **other) == 200
        await _cancel(hanging)


@pytest.mark.promise("fair-without-tokens")
async def test_an_untrusted_header_makes_no_caller_another_one(server: Server, web: PocketWeb) -> None:
    async with full(server, web) as http, asyncio.timeout(SOON_S):
        hanging = [asyncio.create_task(_search(http, number)) for number in range(2)]
        await web.serper.arrived(2)
        assert await _search(http, 2, **{"X-Forwarded-For": "192.0.2.2"}) == 503
        await _cancel(hanging)


async def _search(http: HttpServer, number: int, token: str = "", **headers: str) -> int:
    return await call(http, "web_search", SEARCH | {"query": f"python release {number}"}, token, **headers)


async def _cancel(tasks: list[asyncio.Task[int]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
