"""The `swissarmyhammer` contract by a real MCP client, over stdio and over HTTP, against the pocket web."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from dowse.contracts.render import note
from dowse.core.models import Page, Status
from tests.conftest import Server
from tests.doubles import SERPER_KEY, Listing, PocketWeb
from tests.http import LEGACY, MODERN

SURFACES = ["stdio", "http"]


@asynccontextmanager
async def connected(
    server: Server, settings: Mapping[str, str], surface: str, mode: str = "auto"
) -> AsyncIterator[Client]:
    chosen = {**settings, "DOWSE_CONTRACT": "swissarmyhammer"}
    if surface == "stdio":
        async with server.connect(chosen, mode=mode) as client:
            yield client
    else:
        async with server.here(chosen) as http, http.client(mode) as client:
            yield client


async def search(client: Client, **arguments: object) -> CallToolResult:
    return await client.call_tool("web_search", {"query": "python release", **arguments})


def texts(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if block.type == "text"]


def metadata(result: CallToolResult) -> dict[str, Any]:
    """The same in the second block and in the typed half."""
    _, block = texts(result)
    assert result.structured_content == {"metadata": json.loads(block)}
    found: dict[str, Any] = json.loads(block)
    return found


@pytest.mark.promise("case-55")
@pytest.mark.parametrize("surface", SURFACES)
async def test_what_is_out_of_range_is_refused_before_any_network_call(
    web: PocketWeb, server: Server, surface: str
) -> None:
    """Acceptance case 55."""
    refused = {
        "query must have at most 500 characters; it has 501.": {"query": "x" * 501},
        'language must be like en or pt-BR, not "not-a-lang".': {"language": "not-a-lang"},
        "results_count must be a whole number from 1 to 50, not 0.": {"results_count": 0},
        "results_count must be a whole number from 1 to 50, not 51.": {"results_count": 51},
    }
    async with connected(server, web.environment("serper"), surface) as client:
        for sentence, arguments in refused.items():
            result = await search(client, **arguments)
            assert result.is_error
            assert texts(result)[0] == f"Search failed: {sentence}"
            assert metadata(result) == {
                "query": "x" * 499 + "…" if "query" in arguments else "python release",
                "error_type": "invalid_parameters",
                "error_details": sentence,
                "attempted_instances": [],
                "retry_after": None,
            }
    assert web.serper.requests == web.pages.requests == []


@pytest.mark.promise("case-55")
@pytest.mark.parametrize("surface", SURFACES)
async def test_the_defaults_are_ten_results_with_pages_in_english(web: PocketWeb, server: Server, surface: str) -> None:
    """Acceptance case 55: the defaults, as declared and as meant."""
    async with connected(server, web.environment("serper"), surface) as client:
        (tool,) = (await client.list_tools()).tools
        found = metadata(await search(client))
    declared = {name: schema.get("default") for name, schema in tool.input_schema["properties"].items()}
    assert (declared["results_count"], declared["fetch_content"], declared["language"]) == (10, True, "en")
    (request,) = web.serper.requests
    assert request.json is not None
    assert (request.json["num"], request.json["hl"]) == (10, "en")
    assert found["language"] == "en"
    assert found["results_count"] == len(found["results"]) == found["content_fetch_stats"]["attempted"] == 10
    assert len(web.pages.requests) >= 10


@pytest.mark.promise("case-56")
@pytest.mark.parametrize("surface", SURFACES)
async def test_scores_fall_duplicates_go_and_the_maximum_holds(web: PocketWeb, server: Server, surface: str) -> None:
    """Acceptance case 56."""
    page = web.page("/articles/python-315")
    twice = [page, f"{page}?utm_source=news", f"{page}/", f"{page}#top"]
    others = [web.page(f"/p{number}") for number in range(10)]
    web.serper.finds([Listing(f"T{number}", url) for number, url in enumerate([*twice, *others])])
    async with connected(server, web.environment("serper"), surface) as client:
        few = metadata(await search(client, results_count=6, fetch_content=False))
        web.serper.finds([Listing("T", url) for url in others])
        most = metadata(await search(client, results_count=5, fetch_content=False))
    assert [item["url"] for item in few["results"]] == [page, *others[:2]]
    assert [item["url"] for item in most["results"]] == others[:5]
    scores = [item["score"] for item in most["results"]]
    assert scores[0] == 1.0
    assert scores == sorted(set(scores), reverse=True)
    assert (most["results_count"], most["total_results"]) == (5, 5)


@pytest.mark.promise("case-57")
@pytest.mark.parametrize("surface", SURFACES)
async def test_without_content_no_page_is_asked_for(web: PocketWeb, server: Server, surface: str) -> None:
    """Acceptance case 57."""
    async with connected(server, web.environment("serper"), surface) as client:
        result = await search(client, fetch_content=False, results_count=3)
    found = metadata(result)
    assert texts(result)[0] == "Found 3 search results for query 'python release'"
    assert found["fetch_content"] is False
    assert "content_fetch_stats" not in found
    assert [sorted(item) for item in found["results"]] == [["description", "engine", "score", "title", "url"]] * 3
    assert (len(web.serper.requests), web.pages.requests) == (1, [])


@pytest.mark.parametrize(
    ("surface", "mode"), [("stdio", "legacy"), ("stdio", MODERN), ("http", "legacy"), ("http", MODERN)]
)
async def test_a_search_reads_pages_and_keeps_those_it_could_not_read(
    web: PocketWeb, server: Server, surface: str, mode: str
) -> None:
    web.searxng.finds(["/missing", "/articles/python-315"])
    async with connected(server, web.environment("searxng"), surface, mode) as client:
        assert client.protocol_version == (MODERN if mode == MODERN else LEGACY)
        result = await search(client, results_count=2)
    found = metadata(result)
    assert not result.is_error
    assert texts(result)[0] == "Found 2 search results for query 'python release'"
    assert (found["instance_used"], found["untrusted"], "warnings" in found) == (web.page("/searxng"), True, False)
    read, unread = found["results"]
    assert (read["url"], read["content"]["status"]) == (web.page("/articles/python-315"), "ok")
    assert read["content"]["markdown"].startswith("# ")
    assert read["content"]["word_count"] > 50
    assert unread["content"]["markdown"] == note(Page(web.page("/missing"), Status.NOT_FOUND))
    assert unread["content"]["status"] == "not_found"
    stats = found["content_fetch_stats"]
    assert (stats["attempted"], stats["successful"], stats["failed"]) == (2, 1, 1)


async def test_a_filter_that_was_dropped_is_a_warning(web: PocketWeb, server: Server) -> None:
    async with connected(server, web.environment("tavily"), "http") as client:
        found = metadata(await search(client, fetch_content=False, safe_search=2))
    assert "tavily cannot filter by safe_search, so it was left out." in found["warnings"]


FAILURES = {
    "429": ("rate_limited", 30),
    "402": ("rate_limited", 30),
    "hang": ("timeout", 30),
    "broken_json": ("parse_error", 30),
    "401": ("auth_error", None),
    "400": ("invalid_parameters", None),
    "500": ("no_instances_available", 30),
    "reset": ("no_instances_available", 30),
}


async def test_a_failing_provider_is_told_by_its_type(web: PocketWeb, server: Server) -> None:
    async with connected(server, web.environment("serper"), "http") as client:
        for trouble in set(FAILURES) - {"hang"}:
            await assert_failure_is_told(client, web, trouble)
            # A success in between: this is about single failures, not about the breaker.
            web.serper.works()
            assert not (await search(client, query=f"after {trouble}", fetch_content=False)).is_error, trouble
    # Apart from the others, which may take their time on a busy machine.
    async with connected(server, web.environment("serper") | {"SERPER_TIMEOUT": "200ms"}, "http") as client:
        await assert_failure_is_told(client, web, "hang")


async def assert_failure_is_told(client: Client, web: PocketWeb, trouble: str) -> None:
    error_type, retry_after = FAILURES[trouble]
    web.serper.fails(trouble)
    # Each asks something else, so that no answer is remembered.
    result = await search(client, query=f"python {trouble}")
    found = metadata(result)
    assert result.is_error
    assert texts(result)[0] == f"Search failed: {found['error_details'].splitlines()[0]}"
    assert found["error_details"].startswith("serper ")
    assert (found["query"], found["error_type"]) == (f"python {trouble}", error_type)
    assert (found["attempted_instances"], found["retry_after"]) == (["serper"], retry_after)


async def test_offline_is_a_type_of_its_own_and_asks_no_provider(web: PocketWeb, server: Server) -> None:
    async with connected(server, web.environment("serper") | {"DOWSE_OFFLINE": "true"}, "http") as client:
        result = await search(client)
    found = metadata(result)
    assert texts(result)[0] == "Search failed: search unavailable: offline mode is enabled"
    assert (found["error_type"], found["attempted_instances"], found["retry_after"]) == ("offline", [], None)
    assert web.serper.requests == []


async def test_without_a_provider_no_request_is_sent_and_waiting_does_not_help(server: Server) -> None:
    async with connected(server, {"DOWSE_KEYLESS": "off"}, "http") as client:
        result = await search(client)
    found = metadata(result)
    assert "SERPER_API_KEY" in texts(result)[0]
    assert (found["error_type"], found["attempted_instances"]) == ("no_instances_available", [])
    assert found["retry_after"] is None


async def test_a_limit_says_when_to_come_back(web: PocketWeb, server: Server) -> None:
    settings = web.environment("serper") | {"DOWSE_LIMIT_WEB_SEARCH": "1/h"}
    async with connected(server, settings, "http") as client:
        assert not (await search(client, fetch_content=False)).is_error
        found = metadata(await search(client, fetch_content=False))
    assert (found["error_type"], found["attempted_instances"]) == ("rate_limited", [])
    assert 3500 < found["retry_after"] <= 3600
    assert len(web.serper.requests) == 1


async def test_all_that_were_asked_are_named_a_searxng_by_its_address(web: PocketWeb, server: Server) -> None:
    web.serper.fails("500")
    web.searxng.fails("500")
    address = web.page("/searxng").replace("http://", "http://someone:secret-password@")
    settings = web.environment("serper", "searxng") | {"SEARXNG_URL": address}
    async with connected(server, settings, "http") as client:
        result = await search(client)
    assert metadata(result)["attempted_instances"] == ["serper", web.page("/searxng")]
    assert "secret-password" not in str(result)


async def test_the_word_of_a_provider_when_to_come_back_is_passed_on_also_while_it_is_not_asked(
    web: PocketWeb, server: Server
) -> None:
    web.serper.fails("429", retry_after=120)
    async with connected(server, web.environment("serper"), "http") as client:
        first, second = metadata(await search(client)), metadata(await search(client))
    assert (first["error_type"], first["retry_after"]) == ("rate_limited", 120)
    assert (second["error_type"], second["attempted_instances"]) == ("no_instances_available", [])
    assert 100 < second["retry_after"] <= 120
    assert len(web.serper.requests) == 1


@pytest.mark.promise("case-34")
async def test_a_key_that_the_provider_repeats_is_in_no_part_of_the_error(web: PocketWeb, server: Server) -> None:
    """Acceptance case 34."""
    web.serper.fails("echo_key")
    async with connected(server, web.environment("serper"), "http") as client:
        result = await search(client, query=f"what is {SERPER_KEY}")
    assert metadata(result)["query"] == "what is [redacted]"
    assert SERPER_KEY not in str(result)
