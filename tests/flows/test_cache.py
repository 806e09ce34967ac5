"""What the server remembers, by a real MCP client: hits, stale answers while everything is down, broken stores."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb

QUERY = "python release"
# Old at once, and kept: what a provider's outage would meet with after ten minutes.
OLD_AT_ONCE = REMEMBERING | {"DOWSE_TTL_SEARCH": "1ms", "DOWSE_TTL_PAGES": "1ms"}


@asynccontextmanager
async def connected(server: Server, settings: Mapping[str, str]) -> AsyncIterator[Client]:
    """Over HTTP in this process, which starts at once: the memory knows nothing of the transport."""
    async with server.here(settings) as http, http.client() as client:
        yield client


async def search(client: Client, query: str = QUERY, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool("web_search", {"query": query, "num_results": 2, **arguments})
    assert isinstance(result.structured_content, dict), result.content
    return result.structured_content


def states(found: dict[str, Any]) -> list[str]:
    return [found["cache"], *(item["cache"] for item in found["results"])]


async def test_a_question_that_was_asked_before_is_answered_from_the_file_even_after_a_restart(
    server: Server, web: PocketWeb, tmp_path: Path
) -> None:
    settings = web.environment("serper") | REMEMBERING
    async with server.connect(settings) as client:
        first = await search(client)
    async with server.connect(settings) as client:
        second = await search(client)
    assert (states(first), states(second)) == (["miss"] * 3, ["hit"] * 3)
    assert [item["page_content"] for item in first["results"]] == [item["page_content"] for item in second["results"]]
    assert (second["engine"], second["attempts"][0]["provider"]) == ("serper", "cache")
    assert (len(web.serper.requests), len(web.pages.requests)) == (1, 2)
    assert (tmp_path / ".cache" / "dowse" / "state.db").stat().st_mode & 0o777 == 0o600


async def test_a_page_that_a_search_has_read_is_there_for_get_content(server: Server, web: PocketWeb) -> None:
    async with connected(server, web.environment("serper") | REMEMBERING) as client:
        found = await search(client)
        result = await client.call_tool("get_content", {"url": found["results"][0]["link"]})
    assert result.structured_content["cache"] == "hit"
    assert len(web.pages.requests) == 2


async def test_while_everything_is_down_old_answers_are_served_and_marked(server: Server, web: PocketWeb) -> None:
    async with connected(server, web.environment("serper", "tavily") | OLD_AT_ONCE) as client:
        before = await search(client)
        web.serper.fails("500")
        web.tavily.fails("reset")
        for item in before["results"]:
            web.pages.fails(item["link"].removeprefix(web.page("")), "500")
        found = await search(client)
        result = await client.call_tool("web_search", {"query": QUERY, "num_results": 2})
    assert states(found) == ["stale"] * 3
    assert [item["page_content"] for item in found["results"]] == [item["page_content"] for item in before["results"]]
    providers = [(attempt["provider"], attempt["outcome"]) for attempt in found["attempts"]]
    assert providers[0] == ("serper", "unavailable")
    assert providers[-1] == ("cache", "ok")
    (block,) = result.content
    assert block.type == "text"
    assert "This is a copy from" in block.text


async def test_without_an_old_answer_the_call_fails_at_once_when_the_breakers_are_open(
    server: Server, web: PocketWeb
) -> None:
    async with connected(server, web.environment("serper", "tavily") | OLD_AT_ONCE) as client:
        before = await search(client)
        web.serper.fails("500")
        web.tavily.fails("500")
        for number in range(5):
            await client.call_tool("web_search", {"query": f"number {number}", "fetch_content": False})
        asked = len(web.serper.requests) + len(web.tavily.requests)
        failed = await client.call_tool("web_search", {"query": "never asked before"})
        old = await search(client)
    assert failed.is_error
    assert len(web.serper.requests) + len(web.tavily.requests) == asked, "no provider was asked, and so none waited for"
    assert [item["link"] for item in old["results"]] == [item["link"] for item in before["results"]]
    assert old["cache"] == "stale"


def damage(path: Path) -> None:
    path.write_bytes(b"this is no database" * 1000)


def from_the_future(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def a_directory(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("break_it", [damage, from_the_future, a_directory])
async def test_a_store_that_cannot_be_used_fails_no_search_and_is_one_line_in_the_log(
    server: Server, web: PocketWeb, tmp_path: Path, break_it: Any
) -> None:
    path = tmp_path / "broken.db"
    break_it(path)
    settings = web.environment("serper") | REMEMBERING | {"DOWSE_STATE": f"sqlite:///{path}"}
    async with server.http(settings) as http, http.client() as client:
        answers = [await search(client, f"{QUERY} {number}") for number in range(3)]
    assert [len(found["results"]) for found in answers] == [2, 2, 2]
    events = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    assert [each["event"] for each in events if each["level"] == "warning"] == ["store failed, calls go on without it"]
    assert [found["warnings"] for found in answers] == [[], [], []]
