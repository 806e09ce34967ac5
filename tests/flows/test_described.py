"""Providers as data, by a real MCP client: shipped ones, one of the user's own, routing by what providers are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.doubles.recorded_api import recorded

DESCRIPTION = """\
[lamplight]
title = "Lamplight"
url = "https://api.lamplight.example/v3/find"
method = "POST"
auth = {in = "header", name = "X-Lamp-Key"}
query = {field = "text", max_chars = 300}
count = {field = "options.limit", max = 25}
time_range = {field = "since", day = "P1D", week = "P7D", month = "P1M", year = "P1Y"}
results = "found.pages"
fields = {url = "href", title = "heading", snippet = "about", date = "seen_at"}
"""
PAGES = [
    {"href": "https://lantern.example/a", "heading": "Lanterns", "about": "About lanterns.", "seen_at": 1766016000},
    {"href": "https://lantern.example/b", "heading": "Wicks", "about": "About wicks.", "seen_at": 1766016000},
]
PAIR = {
    "lamplight": {
        "search": {
            "category": "general",
            "request": {
                "method": "POST",
                "path": "/v3/find",
                "auth": {"in": "header", "name": "x-lamp-key", "value": "{key}"},
                "headers": {},
                "sent": {"text": "lanterns", "options": {"limit": 2}},
            },
            "accepts": {"text": ".{1,300}", "options.limit": "int 1..25", "since": "P(1D|7D|1M|1Y)"},
            "required": ["text"],
            "when": {},
            "count": "options.limit",
            "list": "found.pages",
            "response": {"found": {"pages": PAGES}},
            "error": {"problem": "{message}"},
            "hits": [],
        }
    }
}


async def call(server: Server, settings: dict[str, str], **arguments: Any) -> dict[str, Any]:
    given = {"query": "lanterns", "num_results": 2, "fetch_content": False, **arguments}
    async with server.connect(settings) as client:
        result = await client.call_tool("web_search", given)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    return found


def outcomes(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(attempt["provider"], attempt["outcome"]) for attempt in found["attempts"]]


@pytest.mark.promise("described-no-python")
async def test_a_keyed_provider_is_one_file_and_one_recorded_pair(server: Server, tmp_path: Path) -> None:
    (tmp_path / "pair.json").write_text(json.dumps(PAIR), encoding="utf-8")
    home = tmp_path / ".config" / "dowse"
    home.mkdir(parents=True)
    (home / "providers.toml").write_text(DESCRIPTION, encoding="utf-8")
    pocket = PocketWeb()
    pocket.record(tmp_path / "pair.json")
    async with pocket:
        api = pocket.recorded["lamplight"]
        settings = {
            **pocket.environment(),
            "LAMPLIGHT_API_KEY": api.key,
            "LAMPLIGHT_SEARCH_ENDPOINT": pocket.page(api.endpoint("search")),
        }
        found = await call(server, settings, time_range="week")
    assert [(each["title"], each["link"], each["published"]) for each in found["results"]] == [
        ("Lanterns", "https://lantern.example/a", "2025-12-18"),
        ("Wicks", "https://lantern.example/b", "2025-12-18"),
    ]
    assert (found["engine"], outcomes(found), api.refusals) == ("lamplight", [("lamplight", "ok")], [])
    assert api.requests[0].json == {"text": "lanterns", "options": {"limit": 2}, "since": "P7D"}


@pytest.mark.parametrize(
    ("trouble", "outcome"), [("500", "unavailable"), ("429", "rate_limited"), ("402", "quota_spent")]
)
async def test_the_next_described_provider_answers_when_one_fails(
    server: Server, web: PocketWeb, trouble: str, outcome: str
) -> None:
    web.brave.fails(trouble)
    found = await call(server, web.environment("brave", "linkup"))
    assert outcomes(found) == [("brave", outcome), ("linkup", "ok")]


@pytest.mark.parametrize("trouble", ["401", "400"])
async def test_a_rejected_key_or_a_bad_request_does_not_move_on(server: Server, web: PocketWeb, trouble: str) -> None:
    web.brave.fails(trouble)
    async with server.connect(web.environment("brave", "linkup")) as client:
        result = await client.call_tool("web_search", {"query": "lanterns", "fetch_content": False})
    assert result.is_error
    assert web.linkup.requests == []


async def test_a_specialist_is_asked_first_for_its_category_and_last_for_the_others(
    server: Server, web: PocketWeb
) -> None:
    settings = web.environment("serper", "openalex")
    assert (await call(server, settings, category="science"))["engine"] == "openalex"
    assert (await call(server, settings))["engine"] == "serper"
    web.serper.fails("500")
    assert outcomes(await call(server, settings))[-1] == ("openalex", "ok")


async def test_an_explicit_order_wins_over_the_category(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper", "openalex"), "DOWSE_SEARCH_ORDER": "serper,openalex"}
    assert (await call(server, settings, category="science"))["engine"] == "serper"


async def test_a_provider_without_a_key_is_asked_where_an_order_names_it_and_nowhere_else(
    server: Server, web: PocketWeb
) -> None:
    settings = web.environment("serper")
    await call(server, settings, category="news")
    assert [name for name in recorded() if web.recorded[name].requests] == []
    named = {**settings, "DOWSE_SEARCH_ORDER": "gdelt,serper"}
    found = await call(server, named, category="news")
    assert (found["engine"], found["warnings"]) == ("gdelt", []), "the order names it, so nothing has to be disclosed"


async def test_the_pool_goes_on_to_the_keyless_apis_and_says_who_got_the_query(server: Server, web: PocketWeb) -> None:
    order = "firecrawl_keyless,you,keenable,marginalia,mwmbl"
    settings = {**web.environment(), "DOWSE_KEYLESS": "on", "DOWSE_KEYLESS_ORDER": order}
    for name in ("firecrawl_keyless", "you_keyless", "keenable_keyless", "marginalia_keyless"):
        web.recorded[name].fails("429")
    found = await call(server, settings)
    assert [name for name, _ in outcomes(found)] == [
        *("firecrawl_keyless", "you_keyless", "keenable_keyless", "marginalia_keyless"),
        "mwmbl",
    ]
    assert any("Mwmbl" in warning and "You.com" in warning for warning in found["warnings"])


async def test_mcp_and_rest_of_one_vendor_share_one_allowance(server: Server, web: PocketWeb) -> None:
    settings = {
        **web.environment(),
        "DOWSE_KEYLESS": "on",
        "DOWSE_KEYLESS_ORDER": "firecrawl_mcp,firecrawl_keyless,mwmbl",
        "DOWSE_BUDGET_FIRECRAWL_MCP": "1calls/day",
        "DOWSE_BUDGET_FIRECRAWL_KEYLESS": "1calls/day",
    }
    async with server.connect(settings) as client:
        arguments = {"query": "lanterns", "fetch_content": False}
        first = await client.call_tool("web_search", arguments)
        second = await client.call_tool("web_search", arguments)
    assert outcomes(first.structured_content) == [("firecrawl_mcp", "ok")]
    assert outcomes(second.structured_content) == [
        *(("firecrawl_mcp", "quota_spent"), ("firecrawl_keyless", "quota_spent")),
        ("mwmbl", "ok"),
    ]
    assert web.firecrawl_keyless.requests == []


@pytest.mark.parametrize("name", ["jina", "firecrawl", "linkup", "ollama", "keenable"])
async def test_a_reader_from_data_reads_what_direct_http_could_not(server: Server, web: PocketWeb, name: str) -> None:
    settings = {**web.environment(name), "DOWSE_READ_ORDER": "scrape-first"}
    async with server.connect(settings) as client:
        result = await client.call_tool("get_content", {"url": "https://example.org/guide"})
    assert result.structured_content["engine"] == name
    assert f"Read by {name}" in result.structured_content["page_content"]


async def test_two_providers_of_one_index_are_one_opinion(server: Server, web: PocketWeb) -> None:
    settings = web.environment("serpapi", "searchapi")
    async with server.connect(settings) as client:
        arguments = {"query": "lanterns", "num_results": 3, "fetch_content": False, "depth": "wide"}
        result = await client.call_tool("web_search", arguments)
    block = result.content[0]
    assert block.type == "text"
    assert "found by serpapi" in block.text
    assert "; 0 of them in more than one index" in block.text
