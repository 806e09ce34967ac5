"""A first run: no key, no configuration. Whole searches by a real client, over the doubles of whoever needs no key."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.doubles.double import Double

KEYLESS = {"DOWSE_KEYLESS": "on", "DOWSE_REQUEST_DELAY_RANGE": "0,0"}
ORDER = ["tavily_keyless", "exa_mcp", "parallel_mcp", "firecrawl_mcp", "open", "searxng_pool", "duckduckgo", "mojeek"]
QUERY = {"query": "python 3.15 release", "num_results": 1, "fetch_content": False}


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


def everybody(web: PocketWeb) -> dict[str, str]:
    """A first run in which the pages of search engines may be asked too."""
    return {**web.environment(), **KEYLESS, "DUCKDUCKGO_ENABLED": "true", "MOJEEK_ENABLED": "true"}


async def kill_one_by_one(client: Client, web: PocketWeb, query: dict[str, object]) -> AsyncIterator[CallToolResult]:
    """One search for each member, who dies after it."""
    for member in ORDER:
        yield await client.call_tool("web_search", query)
        for double in doubles(web, member):
            double.fails("500")


async def test_when_members_die_one_by_one_the_next_takes_over_until_nobody_is_left(
    server: Server, web: PocketWeb
) -> None:
    async with server.connect(everybody(web)) as client:
        place = 0
        async for result in kill_one_by_one(client, web, QUERY):
            assert not result.is_error, text(result)
            assert [provider for provider, _ in tried(result)] == ORDER[: place + 1]
            assert tried(result)[-1][1] == "ok"
            assert result.structured_content["results"][0]["title"] == "Python 3.15: what changes for your code"
            place += 1
        result = await client.call_tool("web_search", QUERY)
    assert result.is_error
    lines = text(result).splitlines()
    further = [line.split()[3] for line in lines if line.startswith("fallback also failed: ")]
    assert [lines[0].split()[0], *further] == ORDER
    assert "SERPER_API_KEY or TAVILY_API_KEY (or EXA_API_KEY, or SEARXNG_URL" in lines[-1]


async def test_each_third_party_is_named_once_with_the_way_to_change_it(server: Server, web: PocketWeb) -> None:
    async with server.connect({**web.environment(), **KEYLESS}) as client:
        first, second = [(await client.call_tool("web_search", QUERY)).structured_content for _ in range(2)]
        web.tavily.fails("429")
        third = (await client.call_tool("web_search", QUERY)).structured_content
    (told,) = first["warnings"]
    assert "the query was sent to Tavily (127.0.0.1)" in told
    assert "DOWSE_KEYLESS=off" in told
    assert second["warnings"] == []
    (told,) = third["warnings"]
    assert "Exa (127.0.0.1)" in told
    assert "Tavily (" not in told


async def test_pages_are_read_as_with_a_key(server: Server, web: PocketWeb) -> None:
    async with server.connect({**web.environment(), **KEYLESS}) as client:
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
    async with server.connect({**web.environment(), **settings}) as client:
        result = await client.call_tool("web_search", {"query": "python 3.15 release", "num_results": 1})
    assert (bool(web.tavily.requests), result.is_error) == (is_asked, not is_asked)
    assert is_asked or "SERPER_API_KEY" in text(result)


async def test_after_providers_of_ones_own_have_failed_the_others_step_in_where_that_is_wanted(
    server: Server, web: PocketWeb
) -> None:
    web.serper.fails("500")
    async with server.connect({**web.environment("serper"), "DOWSE_KEYLESS": "fallback"}) as client:
        result = await client.call_tool("web_search", QUERY)
    assert tried(result) == [("serper", "unavailable"), ("tavily_keyless", "ok")]


async def test_a_category_goes_to_the_member_that_has_it_and_pictures_are_not_read(
    server: Server, web: PocketWeb
) -> None:
    async with server.connect({**web.environment(), **KEYLESS}) as client:
        result = await client.call_tool("web_search", {"query": "python", "category": "images", "num_results": 2})
    assert tried(result) == [("searxng_pool", "ok")]
    first = result.structured_content["results"][0]
    assert first["status"] == "not_fetched"
    assert first["image_url"].startswith("https://")


async def test_the_allowance_of_a_day_outlives_a_restart(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment(), **KEYLESS, "DOWSE_BUDGET_TAVILY_KEYLESS": "1calls/day"}
    async with server.connect(settings) as client:
        assert tried(await client.call_tool("web_search", QUERY)) == [("tavily_keyless", "ok")]
    async with server.connect(settings) as client:
        result = await client.call_tool("web_search", QUERY)
    assert tried(result) == [("tavily_keyless", "quota_spent"), ("exa_mcp", "ok")]


async def test_the_seeds_contract_tells_which_instances_were_tried(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment(), **KEYLESS, "DOWSE_CONTRACT": "swissarmyhammer"}
    settings |= {"DOWSE_KEYLESS_ORDER": "searxng_pool"}
    async with server.connect(settings) as client:
        found = (await client.call_tool("web_search", {"query": "python 3.15"})).structured_content["metadata"]
        assert found["instance_used"] in [address.rstrip("/") for address in web.instances.addresses()]
        web.instances.fails("429")
        failed = (await client.call_tool("web_search", {"query": "python 3.15"})).structured_content["metadata"]
    assert failed["error_type"] == "no_instances_available"
    assert len(failed["attempted_instances"]) == 2
    assert set(failed["attempted_instances"]) < {address.rstrip("/") for address in web.instances.addresses()}
    assert failed["retry_after"] > 0


async def test_nothing_that_looks_like_a_secret_reaches_anybody(server: Server, web: PocketWeb) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    async with server.connect(everybody(web)) as client:
        query = {**QUERY, "query": f"python 3.15 release {secret}"}
        assert [result async for result in kill_one_by_one(client, web, query) if secret in str(result)] == []
    seen = [f"{request.path} {request.params} {request.body!r}" for each in web.doubles for request in each.requests]
    assert len(seen) > len(ORDER)
    assert not [request for request in seen if secret in request]
    assert secret not in server.log


async def test_only_public_instances_and_pages_of_engines_see_browsers(server: Server, web: PocketWeb) -> None:
    async with server.connect(everybody(web)) as client:
        async for _ in kill_one_by_one(client, web, QUERY):
            pass
    disguised = (web.instances, web.duckduckgo, web.mojeek)
    for double in web.doubles:
        agents = {request.headers["user-agent"] for request in double.requests}
        honest = {agent for agent in agents if agent.startswith("dowse/")}
        assert honest == (set() if double in disguised else agents)
        assert not [request for request in double.requests if {"cookie", "referer"} & request.headers.keys()]
    assert all(double.requests for double in disguised)
