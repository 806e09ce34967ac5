"""`/metrics` over HTTP: what a Prometheus server reads after whole requests by a real MCP client."""

import asyncio
import json
from dataclasses import dataclass, field

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer

ERAS = ["legacy", "2026-07-28"]
QUERY = "quetzal nesting sites"


@dataclass
class Scrape:
    """One reading of `/metrics`."""

    status: int
    content_type: str
    text: str
    samples: dict[tuple[str, ...], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        families = text_string_to_metric_families(self.text) if self.status == 200 else ()
        for family in families:
            for sample in family.samples:
                labels = [f"{name}={value}" for name, value in sorted(sample.labels.items())]
                self.samples[sample.name, *labels] = sample.value

    def __getitem__(self, key: str) -> float:
        return self.samples[tuple(key.split())]


async def scraped(http: HttpServer, token: str = "") -> Scrape:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with http.session.get(f"{http.origin}/metrics", headers=headers) as reply:
        return Scrape(reply.status, reply.headers["Content-Type"], await reply.text())


@pytest.mark.parametrize("era", ERAS)
async def test_after_a_fallback_the_engine_that_answered_is_the_provider(
    server: Server, web: PocketWeb, era: str
) -> None:
    web.serper.fails("429")
    async with server.here(web.environment("serper", "tavily")) as http:
        async with http.client(era) as client:
            result = await client.call_tool("web_search", {"query": QUERY, "fetch_content": False})
        assert not result.is_error
        metrics = await scraped(http)
    assert metrics["mcp_tool_calls_total provider=tavily tool=web_search"] == 1
    assert metrics["mcp_tool_duration_seconds_count provider=tavily tool=web_search"] == 1
    assert not any(key[0].startswith("mcp_tool") and "provider=serper" in key for key in metrics.samples)
    attempts = "dowse_provider_attempts_total operation=search"
    assert metrics[f"{attempts} outcome=rate_limited provider=serper"] == 1
    assert metrics[f"{attempts} outcome=ok provider=tavily"] == 1
    assert metrics["dowse_provider_calls_total operation=search provider=serper"] == 1
    assert metrics["dowse_provider_calls_total operation=search provider=tavily"] == 1
    assert metrics["dowse_provider_cost_usd_total provider=tavily"] > 0


async def test_it_is_the_text_format_and_holds_no_query_no_address_and_no_token(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_TOKENS": "alice:secret-of-alice"}) as http:
        async with http.client(token="secret-of-alice") as client:
            await client.call_tool("web_search", {"query": QUERY, "num_results": 1})
            await client.call_tool("get_content", {"url": "http://127.0.0.1:9/private-path"})
            await client.call_tool("web_search", {"query": ""})
        metrics = await scraped(http, "secret-of-alice")
    assert metrics.status == 200
    assert metrics.content_type.startswith("text/plain; version=")
    assert metrics["mcp_tool_errors_total error=InvalidRequest tool=web_search"] == 1
    for private in ("quetzal", "private-path", "127.0.0.1", "secret-of-alice", web.serper.key):
        assert private not in metrics.text


async def test_a_token_is_needed_whenever_tokens_exist(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_TOKENS": "alice:secret-of-alice"}) as http:
        assert (await scraped(http)).status == 401
        assert (await scraped(http, "secret-of-bob")).status == 401
        assert (await scraped(http, "secret-of-alice")).status == 200


async def test_an_open_breaker_and_a_call_without_an_answer_show(server: Server, web: PocketWeb) -> None:
    web.serper.fails("429", retry_after=60)
    async with server.here(web.environment("serper")) as http:
        async with http.client() as client:
            assert (await client.call_tool("web_search", {"query": QUERY})).is_error
        metrics = await scraped(http)
    assert metrics["dowse_breaker_open operation=search provider=serper"] == 1
    assert metrics["mcp_tool_calls_total provider=none tool=web_search"] == 1
    assert metrics["mcp_tool_errors_total error=AllProvidersFailed tool=web_search"] == 1


async def test_pages_are_counted_by_what_became_of_them(server: Server, web: PocketWeb) -> None:
    missing = web.page("/no-such-page")
    async with server.here(web.environment("serper")) as http:
        async with http.client() as client:
            await client.call_tool("web_search", {"query": QUERY, "num_results": 2})
            await client.call_tool("get_content", {"url": missing})
        metrics = await scraped(http)
    assert metrics["dowse_pages_total engine=direct status=ok"] == 2
    assert metrics["dowse_pages_total engine=direct status=not_found"] == 1
    assert metrics["dowse_provider_attempts_total operation=read outcome=ok provider=direct"] == 2
    assert metrics["mcp_tool_calls_total provider=none tool=get_content"] == 1


async def test_a_budget_is_shown_before_the_first_call_of_a_new_process(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper"), "DOWSE_BUDGET_SERPER": "4calls/month"}
    for expected in (0.25, 0.5):
        async with server.http(settings) as http:
            assert (await scraped(http))["dowse_budget_used_ratio provider=serper"] == expected - 0.25
            async with http.client() as client:
                await client.call_tool("web_search", {"query": QUERY, "fetch_content": False})
            assert (await scraped(http))["dowse_budget_used_ratio provider=serper"] == expected


async def test_a_refusal_by_a_limit_shows(server: Server, web: PocketWeb) -> None:
    async with server.here({**web.environment("serper"), "DOWSE_LIMIT_WEB_SEARCH": "1/10m"}) as http:
        async with http.client() as client:
            for _ in range(3):
                await client.call_tool("web_search", {"query": QUERY, "fetch_content": False})
        metrics = await scraped(http)
    assert metrics["dowse_limit_refusals_total tool=web_search"] == 2
    assert metrics["mcp_tool_calls_total provider=serper tool=web_search"] == 1


async def test_calls_and_log_lines_are_told_apart_by_caller_door_and_call(server: Server, web: PocketWeb) -> None:
    """Two calls at once: every line of each has its own id, from the failed attempt to the finished call."""
    web.serper.fails("429")
    tokens = {"DOWSE_TOKENS": "alice:a-long-token-of-alice,bob:a-long-token-of-bob"}
    async with server.here({**web.environment("serper", "tavily"), **tokens}) as http:

        async def search(name: str, num_results: int) -> None:
            async with http.client(token=f"a-long-token-of-{name}") as client:
                await client.call_tool("web_search", {"query": f"{QUERY} {name}", "num_results": num_results})

        await asyncio.gather(search("alice", 1), search("bob", 2))
        metrics = await scraped(http, "a-long-token-of-alice")
    for caller in ("alice", "bob"):
        assert metrics[f"dowse_calls_total caller={caller} door=mcp tool=web_search"] == 1
        assert metrics[f"dowse_caller_cost_usd_total caller={caller}"] > 0
    assert metrics["dowse_call_duration_seconds_count door=mcp tool=web_search"] == 2
    lines = [json.loads(line) for line in server.log.splitlines()]
    calls = {line["call_id"]: line["caller"] for line in lines if line["event"] == "tool called"}
    assert sorted(calls.values()) == ["alice", "bob"]
    for call_id in calls:
        events = [line["event"] for line in lines if line.get("call_id") == call_id]
        assert {"attempt failed", "search completed using engine", "fetch completed using engine"} <= set(events)
    named = [line for line in lines if "engine" in line]
    assert named
    assert all(line["provider"] == line["engine"] for line in named)
