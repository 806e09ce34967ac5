"""Pages that need JavaScript, by a real MCP client and a real Chromium."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client
from mcp_types import CallToolResult

from tests import realparts
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.processes import chromiums

APP, STATIC, SHELL = "/app", "/app/static", "/shell"
WITH_BROWSER = {"DOWSE_BROWSER": "auto"}


@pytest.fixture(scope="module", autouse=True)
def chromium() -> None:
    realparts.require("chromium")


@dataclass(frozen=True)
class Shown:
    """What one browser made of several pages."""

    feed: dict[str, Any]
    shell: dict[str, Any]
    found: CallToolResult


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shown(module_server: Server, module_web: PocketWeb) -> Shown:
    module_web.reset()
    organic = [{"title": path, "link": module_web.page(path), "snippet": "A page."} for path in (APP, "/docs/retrying")]
    module_web.serper.replies(json={"organic": organic, "searchParameters": {"q": "tides"}})
    async with module_server.connect(module_web.environment("serper") | WITH_BROWSER) as client:
        found = await client.call_tool("web_search", {"query": "tides", "num_results": 2})
        assert module_web.serper_scrape.requests == []
        return Shown(
            await read(client, module_web.page("/app/feed")), await read(client, module_web.page(SHELL)), found
        )


async def read(client: Client, url: str) -> dict[str, Any]:
    result = await client.call_tool("get_content", {"url": url})
    assert isinstance(result.structured_content, dict), result.content
    return result.structured_content


def tried(page: dict[str, Any]) -> list[str]:
    return [f"{attempt['provider']} {attempt['outcome']}" for attempt in page["attempts"]]


async def test_a_page_made_by_script_is_read_and_its_static_twin_needs_no_browser(
    web: PocketWeb, server: Server
) -> None:
    async with server.connect(web.environment() | WITH_BROWSER) as client:
        static = await read(client, web.page(STATIC))
        assert (static["status"], static["engine"], tried(static)) == ("ok", "direct", ["direct ok"])
        assert not chromiums()
        rendered = await read(client, web.page(APP))
        assert chromiums()
    assert (rendered["status"], rendered["engine"]) == ("ok", "browser"), rendered
    assert tried(rendered) == ["direct error", "browser ok"]
    assert rendered["page_content"] == static["page_content"]
    assert rendered["title"] == static["title"]
    assert not chromiums()


async def test_a_heading_without_its_text_is_shown_to_the_browser(shown: Shown) -> None:
    page = shown.feed
    assert (page["status"], page["engine"], tried(page)) == ("ok", "browser", ["direct error", "browser ok"])
    assert "## Day 1\n" in page["page_content"]


async def test_a_page_made_by_script_is_read_as_a_search_result(web: PocketWeb, shown: Shown) -> None:
    assert isinstance(shown.found.structured_content, dict)
    by_link = {item["link"]: item for item in shown.found.structured_content["results"]}
    assert by_link[web.page(APP)]["status"] in ("ok", "truncated")
    assert not by_link[web.page(APP)]["page_content"].startswith("_Failed")


async def test_a_browser_that_is_switched_off_is_never_started(web: PocketWeb, server: Server) -> None:
    async with server.connect(web.environment() | {"DOWSE_BROWSER": "off"}) as client:
        page = await read(client, web.page(APP))
        assert not chromiums()
    assert (page["status"], tried(page), page["warnings"]) == ("error", ["direct error"], [])
    assert page["page_content"].startswith("_Failed to retrieve page content: no readable content_")


@pytest.mark.promise("case-53")
@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_without_a_chromium_the_note_says_what_to_install(web: PocketWeb, server: Server, contract: str) -> None:
    """Acceptance case 53: no browser installed gives an actionable note."""
    settings = web.environment() | WITH_BROWSER | {"PATH": "/nowhere", "DOWSE_CONTRACT": contract}
    async with server.connect(settings) as client:
        result = await client.call_tool("get_content", {"url": web.page(APP)})
        static = await client.call_tool("get_content", {"url": web.page(STATIC)})
    (block,) = result.content
    assert block.type == "text"
    assert "install Chromium or set DOWSE_BROWSER_PATH" in block.text
    assert "Failed to retrieve" not in json.dumps([part.model_dump() for part in static.content])
    if contract == "dowse":
        assert isinstance(result.structured_content, dict)
        assert tried(result.structured_content) == ["direct error", "browser skipped"]
        (warning,) = result.structured_content["warnings"]
        assert "no Chromium was found" in warning and "apt-get install chromium" in warning


async def test_a_shell_that_stays_empty_in_the_browser_is_a_note(shown: Shown) -> None:
    page = shown.shell
    assert (page["status"], tried(page)) == ("error", ["direct error", "browser error"])
    assert page["page_content"].startswith("_Failed to retrieve page content: no readable content_")
