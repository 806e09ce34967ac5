"""A first run: no key, no configuration. Whole searches by a real client, over the doubles of keyless providers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
import pytest_asyncio
from mcp import Client
from mcp_types import CallToolResult

from dowse.providers import html_engines
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.doubles.double import Double
from tests.doubles.recorded_api import recorded
from tests.doubles.seen import SeenRequest

KEYLESS = {"DOWSE_KEYLESS": "on", "DOWSE_REQUEST_DELAY_RANGE": "0,0"}
ORDER = [
    *("tavily_keyless", "exa_mcp", "parallel_mcp", "firecrawl_mcp", "firecrawl_keyless", "you_keyless"),
    *("keenable_keyless", "open", "marginalia_keyless", "mwmbl", "searxng_pool", "duckduckgo", "mojeek"),
]
QUERY = {"query": "python 3.15 release", "num_results": 1, "fetch_content": False}
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


def doubles(web: PocketWeb, member: str) -> tuple[Double, ...]:
    """Everything behind one member."""
    together = {"tavily_keyless": (web.tavily,), "open": tuple(web.sites.values()), "searxng_pool": (web.instances,)}
    return together.get(member) or (getattr(web, member),)


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


def tried(result: CallToolResult) -> list[tuple[str, str]]:
    return [(attempt["provider"], attempt["outcome"]) for attempt in result.structured_content["attempts"]]


@asynccontextmanager
async def connected(server: Server, settings: Mapping[str, str]) -> AsyncIterator[Client]:
    """Over HTTP in this process, which starts at once: keyless providers know nothing of the transport."""
    async with server.here(settings) as http, http.client() as client:
        yield client


@dataclass(frozen=True)
class Outages:
    """A search for each member of the pool, which fails from then on; one more when all fail; and all that was sent."""

    results: list[CallToolResult]
    last: CallToolResult
    sent: dict[Double, list[SeenRequest]]
    log: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def outages(module_server: Server, module_web: PocketWeb) -> Outages:
    module_web.reset()
    settings = {**module_web.environment(), **KEYLESS, "DUCKDUCKGO_ENABLED": "true", "MOJEEK_ENABLED": "true"}
    query = {**QUERY, "query": f"{QUERY['query']} {SECRET}"}
    results = []
    with pytest.MonkeyPatch.context() as patch:
        # The time between two questions to a search page, which has a test of its own.
        patch.setattr(html_engines, "LOWEST_GAP_S", 0.0)
        async with connected(module_server, settings) as client:
            for member in ORDER:
                results.append(await client.call_tool("web_search", query))
                for double in doubles(module_web, member):
                    double.fails("500")
            last = await client.call_tool("web_search", query)
    sent = {double: list(double.requests) for double in module_web.doubles}
    return Outages(results, last, sent, module_server.log)


async def test_when_members_fail_one_by_one_the_next_takes_over_until_none_is_left(outages: Outages) -> None:
    for place, result in enumerate(outages.results):
        assert not result.is_error, text(result)
        assert [provider for provider, _ in tried(result)] == ORDER[: place + 1]
        assert tried(result)[-1][1] == "ok"
        pairs = recorded().get(ORDER[place])
        title = pairs[0].hits[0][0] if pairs else "Python 3.15: what changes for your code"
        assert result.structured_content["results"][0]["title"] == title
    assert outages.last.is_error
    lines = text(outages.last).splitlines()
    further = [line.split()[3] for line in lines if line.startswith("fallback also failed: ")]
    assert [lines[0].split()[0], *further] == ORDER
    assert "SERPER_API_KEY or TAVILY_API_KEY (or EXA_API_KEY, or SEARXNG_URL" in lines[-1]


async def test_a_secret_in_the_query_reaches_no_member_no_answer_and_no_log(outages: Outages) -> None:
    sent = [
        f"{request.path} {request.params} {request.body!r}"
        for requests in outages.sent.values()
        for request in requests
    ]
    assert len(sent) > len(ORDER)
    assert not [request for request in sent if SECRET in request]
    assert SECRET not in str([*outages.results, outages.last])
    assert SECRET not in outages.log


async def test_only_public_instances_and_search_pages_see_a_browsers_headers(
    outages: Outages, module_web: PocketWeb
) -> None:
    disguised = (module_web.instances, module_web.duckduckgo, module_web.mojeek)
    for double, requests in outages.sent.items():
        agents = {request.headers["user-agent"] for request in requests}
        honest = {agent for agent in agents if agent.startswith("dowse/")}
        assert honest == (set() if double in disguised else agents)
        assert not [request for request in requests if {"cookie", "referer"} & request.headers.keys()]
    assert all(outages.sent[double] for double in disguised)


async def test_the_note_on_the_keyless_pool_appears_once_in_a_run_and_then_in_the_log(
    server: Server, web: PocketWeb
) -> None:
    async with connected(server, {**web.environment(), **KEYLESS}) as client:
        first, second = [(await client.call_tool("web_search", QUERY)).structured_content for _ in range(2)]
        web.tavily.fails("429")
        third = (await client.call_tool("web_search", QUERY)).structured_content
    (told,) = first["warnings"]
    assert "the query was sent to Tavily (127.0.0.1)" in told
    assert "DOWSE_KEYLESS=off" in told
    assert second["warnings"] == []
    assert third["engine"] == "exa_mcp"
    assert third["warnings"] == []
    told = [line for line in server.log.splitlines() if "query sent to a keyless provider" in line]
    assert ["Tavily (127.0.0.1)" in told[0], "Exa (127.0.0.1)" in told[1], len(told)] == [True, True, 2]


async def test_pages_are_read_as_with_a_key(server: Server, web: PocketWeb) -> None:
    """Over stdio and with no setting, as a first run is."""
    async with server.connect({**web.environment(), "DOWSE_KEYLESS": ""}) as client:
        result = await client.call_tool("web_search", {"query": "python 3.15 release", "num_results": 1})
    (item,) = result.structured_content["results"]
    assert (item["status"], item["engine"]) == ("ok", "tavily_keyless")


@pytest.mark.parametrize(
    ("settings", "is_asked"),
    [
        ({"DOWSE_KEYLESS": "off"}, False),
        ({"DOWSE_KEYLESS": ""}, True),
        ({"DOWSE_KEYLESS": "", "DOWSE_CONTRACT": "kindly"}, False),
        ({"DOWSE_KEYLESS": "on", "DOWSE_CONTRACT": "kindly"}, True),
    ],
)
async def test_the_pool_is_there_unless_it_is_switched_off_or_the_drop_in_never_had_one(
    server: Server, web: PocketWeb, settings: dict[str, str], is_asked: bool
) -> None:
    async with connected(server, {**web.environment(), **settings}) as client:
        result = await client.call_tool("web_search", QUERY)
    assert (bool(web.tavily.requests), result.is_error) == (is_asked, not is_asked)
    assert is_asked or "SERPER_API_KEY" in text(result)


async def test_after_providers_of_ones_own_have_failed_the_others_step_in_where_that_is_wanted(
    server: Server, web: PocketWeb
) -> None:
    web.serper.fails("500")
    async with connected(server, {**web.environment("serper"), "DOWSE_KEYLESS": "fallback"}) as client:
        result = await client.call_tool("web_search", QUERY)
    assert tried(result) == [("serper", "unavailable"), ("tavily_keyless", "ok")]


async def test_a_category_goes_to_the_member_that_has_it_and_pictures_are_not_read(
    server: Server, web: PocketWeb
) -> None:
    async with connected(server, {**web.environment(), **KEYLESS}) as client:
        result = await client.call_tool("web_search", {"query": "python", "category": "images", "num_results": 2})
    assert tried(result) == [("searxng_pool", "ok")]
    first = result.structured_content["results"][0]
    assert first["status"] == "not_fetched"
    assert first["image_url"].startswith("https://")


async def test_the_allowance_of_a_day_outlives_a_restart(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment(), **KEYLESS, "DOWSE_BUDGET_TAVILY_KEYLESS": "1calls/day"}
    async with connected(server, settings) as client:
        assert tried(await client.call_tool("web_search", QUERY)) == [("tavily_keyless", "ok")]
    async with connected(server, settings) as client:
        result = await client.call_tool("web_search", QUERY)
    assert tried(result) == [("tavily_keyless", "quota_spent"), ("exa_mcp", "ok")]


async def test_the_seeds_contract_tells_which_instances_were_tried(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment(), **KEYLESS, "DOWSE_CONTRACT": "swissarmyhammer"}
    settings |= {"DOWSE_KEYLESS_ORDER": "searxng_pool"}
    query = {"query": "python 3.15", "fetch_content": False}
    async with connected(server, settings) as client:
        found = (await client.call_tool("web_search", query)).structured_content["metadata"]
        assert found["instance_used"] in [address.rstrip("/") for address in web.instances.addresses()]
        web.instances.fails("429")
        failed = (await client.call_tool("web_search", query)).structured_content["metadata"]
    assert failed["error_type"] == "no_instances_available"
    assert len(failed["attempted_instances"]) == 2
    assert set(failed["attempted_instances"]) < {address.rstrip("/") for address in web.instances.addresses()}
    assert failed["retry_after"] > 0
