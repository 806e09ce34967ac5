"""Reading pages by a real MCP client: within the budget and the limits, and by readers in the order of the table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client

from tests import forked
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.support.held import held

ARTICLE, SLOW, OTHER = "/articles/python-315", "/slow", "/docs/retrying"
SOON_S = 30.0


@asynccontextmanager
async def connected(server: Server, settings: Mapping[str, str]) -> AsyncIterator[Client]:
    """Over HTTP, which starts at once: reading knows nothing of the transport."""
    async with server.here(settings) as http, http.client() as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(module_server: Server, module_web: PocketWeb) -> AsyncIterator[Client]:
    """A client of a server with every provider, which asks for robots.txt each time."""
    settings = module_web.environment("serper", "exa", "tavily") | {"DOWSE_TTL_ROBOTS": "0"}
    async with held(connected(module_server, settings)) as client:
        yield client


async def search(client: Client, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool("web_search", {"query": "release notes", **arguments})
    assert isinstance(result.structured_content, dict), result.content
    return result.structured_content


async def read(client: Client, url: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool("get_content", {"url": url, **arguments})
    assert isinstance(result.structured_content, dict), result.content
    return result.structured_content


def finds(web: PocketWeb, *paths: str) -> None:
    organic = [{"title": path, "link": web.page(path), "snippet": "A page."} for path in paths]
    web.serper.replies(json={"organic": organic, "searchParameters": {"q": "release notes"}})


@pytest.mark.promise("case-38")
async def test_a_slow_page_is_a_note_within_the_budget_and_the_others_are_read(web: PocketWeb, server: Server) -> None:
    """Acceptance case 38."""
    web.serper_scrape.fails("500")
    async with connected(server, web.environment("serper") | {"DOWSE_CONTENT_FETCH_TIMEOUT": "3s"}) as client:
        # The worker has started by now, which takes long on a busy machine.
        assert (await read(client, web.page(ARTICLE)))["status"] == "ok"
        finds(web, ARTICLE, SLOW, OTHER)
        web.pages.fails(SLOW, "hang")
        found = await search(client)
    statuses = {item["link"]: item["status"] for item in found["results"]}
    assert statuses[web.page(SLOW)] == "timeout"
    assert {statuses[web.page(ARTICLE)], statuses[web.page(OTHER)]} <= {"ok", "truncated"}
    assert found["results"][-1]["page_content"].startswith("_Failed to retrieve page content: the page took too long_")


@pytest.mark.promise("case-38")
async def test_pages_that_are_too_slow_for_the_call_do_not_hold_it_up(web: PocketWeb, shared: Client) -> None:
    """Acceptance case 38: the budget of the whole call, not of one page."""
    assert (await read(shared, web.page(ARTICLE)))["status"] == "ok", "the worker has started"
    finds(web, ARTICLE, SLOW)
    web.pages.fails(SLOW, "hang")
    found = await search(shared, timeout_s=3)
    assert [item["status"] for item in found["results"]][-1] == "timeout"
    assert found["results"][0]["status"] in ("ok", "truncated")


@pytest.mark.promise("case-40")
async def test_text_over_the_cap_is_cut_at_the_cap_with_a_mark(web: PocketWeb, server: Server, shared: Client) -> None:
    """Acceptance case 40."""
    async with connected(server, web.environment() | {"DOWSE_CONTRACT": "kindly"}) as client:
        result = await client.call_tool("get_content", {"url": web.page("/long")})
    (block,) = result.content
    assert block.type == "text"
    text = json.loads(block.text)["page_content"]
    assert len(text) == 50_000
    assert text.endswith("…(truncated)")
    page = await read(shared, web.page("/long"), max_tokens=500)
    assert page["status"] == "truncated"
    assert page["total_tokens"] > 500


@pytest.mark.promise("case-49")
@pytest.mark.parametrize("trouble", ["huge", "bomb"])
async def test_a_download_stops_at_the_limit(web: PocketWeb, shared: Client, trouble: str) -> None:
    """Acceptance case 49: the endless page notices that its reader has gone."""
    web.pages.fails("/endless", trouble)
    page = await read(shared, web.page("/endless"))
    assert (page["status"], page["page_content"].splitlines()[0]) == (
        "too_large",
        "_Failed to retrieve page content: the page is too large_",
    )
    if trouble == "huge":
        await asyncio.wait_for(web.pages.requests[0].closed.wait(), SOON_S)


async def test_a_blocked_page_is_read_by_the_scrape_apis_and_a_missing_one_is_not(
    web: PocketWeb, shared: Client
) -> None:
    """The table of docs/reading.md through the real server; its pages are private, so the APIs are told of none."""
    web.pages.fails("/blocked", "403")
    blocked, missing = await read(shared, web.page("/blocked")), await read(shared, web.page("/missing"))
    assert [attempt["provider"] for attempt in blocked["attempts"]] == ["direct"]
    assert (blocked["status"], missing["status"]) == ("blocked", "not_found")
    assert not any(reader.requests for reader in web.readers)


async def test_search_results_obey_robots_txt_and_a_page_that_was_asked_for_does_not(
    web: PocketWeb, shared: Client
) -> None:
    web.pages.serves("/robots.txt", "User-agent: *\nDisallow: /articles/", content_type="text/plain")
    finds(web, ARTICLE, OTHER)
    found, page = await search(shared), await read(shared, web.page(ARTICLE))
    assert [(item["link"], item["status"]) for item in found["results"]][-1] == (web.page(ARTICLE), "robots")
    assert "robots.txt does not allow it" in found["results"][-1]["page_content"]
    assert page["status"] == "ok"


@pytest.mark.parametrize(("mode", "status"), [("all", "robots"), ("off", "ok"), ("search", "ok")])
async def test_robots_txt_can_be_obeyed_always_or_never(web: PocketWeb, server: Server, mode: str, status: str) -> None:
    web.pages.serves("/robots.txt", "User-agent: *\nDisallow: /", content_type="text/plain")
    async with connected(server, web.environment() | {"DOWSE_RESPECT_ROBOTS": mode}) as client:
        assert (await read(client, web.page(ARTICLE)))["status"] == status
    assert [request.path for request in web.pages.requests] == ([] if mode == "all" else [ARTICLE])
    assert len(web.pages.robots_requests) == (mode == "all")


async def test_a_url_with_a_secret_leaves_the_machine_only_if_the_user_says_so(
    web: PocketWeb, server: Server, shared: Client
) -> None:
    url = web.page(f"{ARTICLE}?api_key=9f86d081884c7d659a2feaa0c55ad015")
    refused = await read(shared, url)
    assert (refused["status"], web.pages.requests) == ("denied", [])
    assert "'api_key'" in refused["warnings"][0]
    async with connected(server, web.environment() | {"DOWSE_ALLOW_SECRET_URLS": "true"}) as client:
        assert (await read(client, url))["status"] == "ok"


async def test_the_command_says_why_a_url_was_not_sent(web: PocketWeb, server: Server) -> None:
    url = web.page(f"{ARTICLE}?api_key=9f86d081884c7d659a2feaa0c55ad015")
    done = await asyncio.create_subprocess_exec(
        *forked.dowse("read", url), env=server.environment(web.environment()), stderr=asyncio.subprocess.PIPE
    )
    _, printed = await done.communicate()
    assert done.returncode == 1
    assert b"DOWSE_ALLOW_SECRET_URLS" in printed
    assert web.pages.requests == []


async def test_several_pages_are_read_side_by_side(web: PocketWeb, server: Server) -> None:
    """Each of them hangs, and still all of them are asked for."""
    paths = ["/one", "/two", "/three"]
    for path in paths:
        web.pages.fails(path, "hang")
    async with server.bare(web.environment()) as bare:
        arguments = {"urls": [web.page(path) for path in paths]}
        await bare.start("tools/call", {"name": "get_content", "arguments": arguments})
        await web.pages.arrived(len(paths))
    assert sorted(request.path for request in web.pages.requests) == sorted(paths)


async def test_several_pages_are_one_text_and_an_error_only_when_all_fail(web: PocketWeb, server: Server) -> None:
    page, missing, denied = web.page("/articles/python-315"), web.page("/missing"), "http://localhost:3000/"
    async with server.connect(web.environment() | {"DOWSE_STRUCTURED": "off"}) as client:
        some = await client.call_tool("get_content", {"urls": [missing, page, denied]})
        none = await client.call_tool("get_content", {"urls": [missing, denied]})
        one = await client.call_tool("get_content", {"url": denied})
    assert (some.is_error, none.is_error, one.is_error) == (False, True, True)
    text = some.content[0].text
    assert text.startswith("1 of 3 pages were read.")
    assert text.index(missing) < text.index(page) < text.index(denied)
    assert "Status: not_found (HTTP 404)." in text
    opening = "the person who runs this server can open this one with DOWSE_ALLOW_PRIVATE=localhost:3000"
    assert all(opening in result.content[0].text for result in (some, none, one))
