"""The fallback table, by a real MCP client against the real server.

Over stdio and over HTTP in both eras where answers and refusals are told; which provider is asked is no matter of that.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.conftest import Server
from tests.doubles import PocketWeb, closed_port

Connect = Callable[[Mapping[str, str]], AbstractAsyncContextManager[Client]]


EVERYWHERE = pytest.mark.parametrize("connect", ["stdio", "http legacy", "http 2026-07-28"], indirect=True)


@pytest.fixture
def connect(request: pytest.FixtureRequest, server: Server) -> Connect:
    """A server of its own with a client connected to it."""
    transport, _, mode = getattr(request, "param", "http 2026-07-28").partition(" ")

    @asynccontextmanager
    async def connected(settings: Mapping[str, str]) -> AsyncIterator[Client]:
        if transport == "stdio":
            async with server.connect(settings) as client:
                yield client
        else:
            async with server.here(settings) as http, http.client(mode) as client:
                yield client

    return connected


async def search(connect: Connect, settings: dict[str, str], **arguments: Any) -> CallToolResult:
    async with connect(settings) as client:
        return await ask(client, **arguments)


async def ask(client: Client, query: str = "python release", **arguments: Any) -> CallToolResult:
    given = {"query": query, "num_results": 1, "fetch_content": False, **arguments}
    return await client.call_tool("web_search", given)


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


def outcomes(result: CallToolResult) -> list[tuple[str, str]]:
    return [(attempt["provider"], attempt["outcome"]) for attempt in result.structured_content["attempts"]]


@pytest.mark.promise("case-21")
async def test_with_only_a_tavily_key_tavily_alone_is_called(web: PocketWeb, connect: Connect) -> None:
    """Acceptance case 21."""
    result = await search(connect, web.environment("tavily"))
    assert result.structured_content["engine"] == "tavily"
    assert (len(web.serper.requests), len(web.tavily.requests)) == (0, 1)


@pytest.mark.promise("case-22")
async def test_with_both_keys_serper_alone_is_called(web: PocketWeb, connect: Connect) -> None:
    """Acceptance case 22."""
    result = await search(connect, web.environment("serper", "tavily"))
    assert result.structured_content["engine"] == "serper"
    assert (len(web.serper.requests), len(web.tavily.requests)) == (1, 0)


TRANSIENT = {
    "500": "unavailable",
    "502": "unavailable",
    "503": "unavailable",
    "504": "unavailable",
    "429": "rate_limited",
    "reset": "network_error",
    "broken_json": "bad_answer",
    "json_array": "bad_answer",
    "html": "bad_answer",
    "402": "quota_spent",
    "not_enough_credits": "quota_spent",
    "challenge": "blocked",
    "redirect": "redirected",
}


@pytest.mark.promise("case-23", "case-24", "case-26", "case-31")
@EVERYWHERE
async def test_the_next_provider_answers_and_attempts_say_why(web: PocketWeb, connect: Connect) -> None:
    """Acceptance cases 23, 24, 26 and 31."""
    async with connect(web.environment("serper", "tavily")) as client:
        for trouble, outcome in TRANSIENT.items():
            web.serper.reset()
            web.serper.fails(trouble)
            # Each asks something else, so that no answer is remembered.
            result = await ask(client, f"python release {trouble}", fetch_content=True)
            assert not result.is_error, text(result)
            assert result.structured_content["engine"] == "tavily"
            assert outcomes(result) == [("serper", outcome), ("tavily", "ok")]
            assert result.structured_content["results"][0]["status"] == "ok"
            assert len(web.serper.requests) == 1, trouble
            # Good news in between: the table is about single failures, not about the breaker.
            web.serper.works()
            assert outcomes(await ask(client, f"python release after {trouble}")) == [("serper", "ok")], trouble


@pytest.mark.promise("case-25")
@EVERYWHERE
async def test_a_provider_that_never_answers_is_left_for_the_next_at_its_timeout(
    web: PocketWeb, connect: Connect
) -> None:
    """Acceptance case 25. Apart from the other failures, which may take their time on a busy machine."""
    web.serper.fails("hang")
    result = await search(connect, web.environment("serper", "tavily") | {"SERPER_TIMEOUT": "2s"})
    assert not result.is_error, text(result)
    assert outcomes(result) == [("serper", "timeout"), ("tavily", "ok")]
    assert len(web.serper.requests) == 1


@pytest.mark.promise("case-25")
async def test_a_refused_connection_leads_to_the_next_provider(web: PocketWeb, connect: Connect) -> None:
    """Acceptance case 25."""
    nobody = {"SERPER_SEARCH_ENDPOINT": f"http://127.0.0.1:{closed_port()}/search"}
    result = await search(connect, web.environment("serper", "tavily") | nobody)
    assert outcomes(result) == [("serper", "network_error"), ("tavily", "ok")]


@pytest.mark.promise("case-27", "case-28")
@EVERYWHERE
@pytest.mark.parametrize(("trouble", "said"), [("400", "rejected the request"), ("401", "key"), ("403", "key")])
async def test_a_refusal_calls_no_second_provider(web: PocketWeb, connect: Connect, trouble: str, said: str) -> None:
    """Acceptance cases 27 and 28."""
    web.serper.fails(trouble)
    result = await search(connect, web.environment("serper", "tavily"))
    assert result.is_error
    assert "serper" in text(result)
    assert said in text(result)
    assert web.tavily.requests == []


@pytest.mark.promise("case-10")
async def test_no_results_is_an_answer_and_calls_no_second_provider(web: PocketWeb, connect: Connect) -> None:
    """Acceptance case 10."""
    web.serper.finds_nothing()
    result = await search(connect, web.environment("serper", "tavily"))
    assert not result.is_error
    assert result.structured_content["results"] == []
    assert web.tavily.requests == []


@pytest.mark.promise("case-29")
@EVERYWHERE
async def test_when_all_fail_the_first_error_comes_first_with_a_line_per_attempt(
    web: PocketWeb, connect: Connect
) -> None:
    """Acceptance case 29."""
    web.serper.fails("500")
    web.exa.fails("broken_json")
    web.tavily.fails("402")
    result = await search(connect, web.environment("serper", "exa", "tavily"))
    assert result.is_error
    first, *further = text(result).splitlines()
    assert first.startswith("serper is unavailable: HTTP 500")
    assert [line.split(":")[1].split()[:2] for line in further] == [["exa", "bad_answer"], ["tavily", "quota_spent"]]


@pytest.mark.promise("case-30")
async def test_the_fourth_provider_is_reached_in_the_configured_order(web: PocketWeb, connect: Connect) -> None:
    """Acceptance case 30."""
    for double in (web.serper, web.exa, web.tavily):
        double.fails("500")
    result = await search(connect, web.environment("serper", "exa", "tavily", "searxng"))
    assert result.structured_content["engine"] == "searxng"
    assert [provider for provider, _ in outcomes(result)] == ["serper", "exa", "tavily", "searxng"]


async def test_the_order_can_be_changed(web: PocketWeb, connect: Connect) -> None:
    order = {"DOWSE_SEARCH_ORDER": "tavily,serper"}
    result = await search(connect, web.environment("serper", "tavily") | order)
    assert result.structured_content["engine"] == "tavily"
    assert web.serper.requests == []


async def test_a_provider_switched_off_is_not_asked_although_it_has_a_key(web: PocketWeb, connect: Connect) -> None:
    result = await search(connect, web.environment("serper", "tavily") | {"SERPER_ENABLED": "false"})
    assert result.structured_content["engine"] == "tavily"
    assert web.serper.requests == []


async def test_fallback_any_moves_on_after_a_rejected_key_with_a_warning(web: PocketWeb, connect: Connect) -> None:
    web.serper.fails("401")
    result = await search(connect, web.environment("serper", "tavily") | {"DOWSE_FALLBACK": "any"})
    assert result.structured_content["engine"] == "tavily"
    assert any("SERPER_API_KEY" in warning for warning in result.structured_content["warnings"])


@pytest.mark.promise("case-3")
@EVERYWHERE
@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_without_a_provider_the_error_names_both_variables(connect: Connect, contract: str) -> None:
    """Acceptance case 3."""
    result = await search(connect, {"DOWSE_KEYLESS": "off", "DOWSE_CONTRACT": contract})
    assert result.is_error
    assert "SERPER_API_KEY" in text(result)
    assert "TAVILY_API_KEY" in text(result)


@pytest.mark.promise("case-17")
@EVERYWHERE
async def test_searxng_with_json_off_falls_back_with_a_warning_how_to_fix_it(web: PocketWeb, connect: Connect) -> None:
    """Acceptance case 17."""
    web.searxng.json_off()
    order = {"DOWSE_SEARCH_ORDER": "searxng,tavily"}
    result = await search(connect, web.environment("searxng", "tavily") | order)
    assert outcomes(result) == [("searxng", "misconfigured"), ("tavily", "ok")]
    assert any("search.formats" in warning for warning in result.structured_content["warnings"])


async def test_a_searxng_that_hangs_at_its_second_page_answers_with_the_first(web: PocketWeb, connect: Connect) -> None:
    """Its share of the time is for the whole search: the page that hangs must not take the other with it."""
    first = [{"title": "Python", "url": web.page(f"/p{number}")} for number in range(10)]
    web.searxng.replies(json={"results": first}, times=1).fails("hang")
    settings = web.environment("searxng", "tavily") | {"DOWSE_SEARCH_ORDER": "searxng,tavily", "SEARXNG_TIMEOUT": "2s"}
    result = await search(connect, settings, num_results=20)
    assert outcomes(result) == [("searxng", "ok")]
    assert len(result.structured_content["results"]) == 10
    (warning,) = result.structured_content["warnings"]
    assert warning.startswith("page 2 could not be fetched: searxng did not answer in time")
    assert web.tavily.requests == []


async def test_a_searxng_whose_connection_breaks_is_asked_once(web: PocketWeb, connect: Connect) -> None:
    web.searxng.fails("reset")
    result = await search(connect, web.environment("searxng", "tavily") | {"DOWSE_SEARCH_ORDER": "searxng,tavily"})
    assert outcomes(result) == [("searxng", "network_error"), ("tavily", "ok")]
    assert len(web.searxng.requests) == 1


@EVERYWHERE
async def test_a_caller_in_a_hurry_does_not_close_a_provider_for_the_others(
    web: PocketWeb, connect: Connect, server: Server
) -> None:
    web.serper.delays(30)
    async with connect(web.environment("serper")) as client:
        calls = [ask(client, f"q{number}", timeout_s=5) for number in range(6)]
        assert all(result.is_error for result in await asyncio.gather(*calls))
        assert len(web.serper.requests) == 6
        web.serper.works()
        result = await ask(client)
    assert outcomes(result) == [("serper", "ok")]
    assert '"breaker changed"' not in server.log


@EVERYWHERE
async def test_the_fallback_is_the_same_in_the_kindly_contract(web: PocketWeb, connect: Connect) -> None:
    web.serper.fails("500")
    settings = web.environment("serper", "tavily") | {"DOWSE_CONTRACT": "kindly"}
    result = await search(connect, settings, fetch_content=True)
    assert not result.is_error
    assert result.structured_content is None
    assert '"page_content": "# ' in text(result)


@pytest.mark.promise("case-32")
@EVERYWHERE
async def test_five_failures_open_the_breaker_and_no_call_is_made_while_it_is_open(
    web: PocketWeb, connect: Connect, server: Server
) -> None:
    """Acceptance case 32: the walk with a moved clock is in tests/unit/routing."""
    web.serper.fails("500")
    async with connect(web.environment("serper", "tavily")) as client:
        for _ in range(7):
            result = await ask(client)
    assert len(web.serper.requests) == 5
    assert outcomes(result) == [("serper", "skipped"), ("tavily", "ok")]
    assert '"event": "breaker changed"' in server.log
    assert '"state": "open"' in server.log


@pytest.mark.promise("case-33")
@EVERYWHERE
@pytest.mark.parametrize("how", ["argument", "setting"])
async def test_offline_refuses_before_any_socket_is_opened(web: PocketWeb, connect: Connect, how: str) -> None:
    """Acceptance case 33."""
    settings = web.environment("serper", "tavily") | ({"DOWSE_OFFLINE": "true"} if how == "setting" else {})
    arguments = {"offline_mode": True} if how == "argument" else {}
    async with connect(settings) as client:
        searched = await client.call_tool("web_search", {"query": "python", **arguments})
        read = await client.call_tool("get_content", {"url": web.page("/articles/python-315"), **arguments})
    assert (searched.is_error, text(searched)) == (True, "search unavailable: offline mode is enabled")
    assert (read.is_error, text(read)) == (True, "scrape unavailable: offline mode is enabled")
    assert web.serper.requests == web.tavily.requests == web.pages.requests == []
