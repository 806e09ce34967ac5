"""Closing the connection is how HTTP clients cancel: whatever was being asked upstream ends at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import LEGACY, MODERN, HttpServer
from tests.support.tables import each_row

HOW = each_row(
    ("version", "progress_token"), [(version, token) for version in (LEGACY, MODERN) for token in (None, "token-7")]
)
SOON_S = 30.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(module_server: Server, module_web: PocketWeb) -> AsyncIterator[HttpServer]:
    """One server for all: a call that is cancelled must not change how it treats the next."""
    async with module_server.here(module_web.environment("serper", "tavily")) as running:
        yield running


@pytest.fixture(autouse=True)
def fresh_web(web: PocketWeb) -> None:
    """No test finds the requests of another."""


async def whole(request: object) -> bytes:
    async with request as response:  # type: ignore[attr-defined]
        return bytes(await response.read())


@HOW
async def test_leaving_closes_the_connection_to_the_provider(
    http: HttpServer, web: PocketWeb, version: str, progress_token: str | None
) -> None:
    web.reset()
    web.serper.fails("hang")
    arguments = {"query": "python"}
    calling = asyncio.create_task(
        whole(http.post("web_search", arguments, version=version, progress_token=progress_token))
    )
    seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
    assert not seen.closed.is_set()
    calling.cancel()
    await asyncio.wait_for(seen.closed.wait(), SOON_S)
    assert web.tavily.requests == []


@HOW
async def test_leaving_closes_the_connection_to_a_page(
    http: HttpServer, web: PocketWeb, version: str, progress_token: str | None
) -> None:
    web.reset()
    web.pages.fails("/slow", "hang")
    arguments = {"url": web.page("/slow")}
    calling = asyncio.create_task(
        whole(http.post("get_content", arguments, version=version, progress_token=progress_token))
    )
    seen = await asyncio.wait_for(web.pages.arrived(), SOON_S)
    calling.cancel()
    await asyncio.wait_for(seen.closed.wait(), SOON_S)


async def test_a_client_of_2026_07_28_that_cancels_its_call_ends_it_upstream(http: HttpServer, web: PocketWeb) -> None:
    web.serper.fails("hang")
    async with http.client(MODERN) as client:
        calling = asyncio.create_task(client.call_tool("web_search", {"query": "python"}))
        seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
        calling.cancel()
        await asyncio.wait_for(seen.closed.wait(), SOON_S)


async def test_a_client_of_2025_11_25_that_goes_away_ends_its_call_upstream(http: HttpServer, web: PocketWeb) -> None:
    """In its era a further request names the call to cancel; without sessions the server cannot tell whose it is."""
    web.serper.fails("hang")
    async with http.client("legacy") as client:
        calling = asyncio.create_task(client.call_tool("web_search", {"query": "python"}))
        seen = await asyncio.wait_for(web.serper.arrived(), SOON_S)
        calling.cancel()
    await asyncio.wait_for(seen.closed.wait(), SOON_S)


@HOW
async def test_those_who_leave_do_not_count_against_the_provider_and_others_are_answered(
    http: HttpServer, web: PocketWeb, module_server: Server, version: str, progress_token: str | None
) -> None:
    web.reset()
    web.serper.fails("hang")
    for number in range(1, 7):
        calling = asyncio.create_task(
            whole(http.post("web_search", {"query": "python"}, version=version, progress_token=progress_token))
        )
        seen = await asyncio.wait_for(web.serper.arrived(number), SOON_S)
        calling.cancel()
        await asyncio.wait_for(seen.closed.wait(), SOON_S)
    web.serper.works()
    async with http.post("web_search", {"query": "python", "fetch_content": False}, version=version) as response:
        found = (await response.json())["result"]["structuredContent"]
    assert found["engine"] == "serper"
    assert '"breaker changed"' not in module_server.log
    assert "traceback" not in module_server.log
