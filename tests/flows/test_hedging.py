"""Hedging from the outside: with it, a search does not wait for a provider that hangs; without it, it does."""

from typing import Any

import pytest

from dowse.routing import hedging
from tests.conftest import Server
from tests.doubles import PocketWeb

# After so many searches it is known how long an answer takes.
SEARCHES = 5


def told(result: Any) -> list[tuple[str, str]]:
    return [(attempt["provider"], attempt["outcome"]) for attempt in result.structured_content["attempts"]]


@pytest.mark.parametrize("depth", ["normal", "wide"])
async def test_a_provider_that_hangs_is_outrun_by_the_next(web: PocketWeb, server: Server, depth: str) -> None:
    settings = {**web.environment("serper", "tavily"), "DOWSE_HEDGE": "on", "SERPER_TIMEOUT": "2s"}
    async with server.here(settings) as http, http.client() as client:

        async def search(number: int, depth: str = "normal") -> Any:
            given = {"query": f"python {number}", "num_results": 1, "fetch_content": False, "depth": depth}
            return await client.call_tool("web_search", given)

        for number in range(SEARCHES):
            assert told(await search(number)) == [("serper", "ok")]
        web.serper.delays(30)
        slow = told(await search(SEARCHES, depth))
    # Where all are asked at once there is nobody to ask as well, and nobody is outrun.
    expected = (
        [("serper", "outrun"), ("tavily", "ok")] if depth == "normal" else [("tavily", "ok"), ("serper", "timeout")]
    )
    assert slow == expected


@pytest.mark.promise("hedge")
async def test_the_first_search_of_a_server_does_not_wait_for_a_provider_that_hangs(
    web: PocketWeb, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One hedged request is in hand; without one, the next provider is asked instead."""
    monkeypatch.setattr(hedging, "UNKNOWN_S", 0.2)
    settings = {**web.environment("serper", "tavily"), "DOWSE_HEDGE": "on", "DOWSE_BUDGET_SERPER": "9calls/day"}
    web.serper.delays(60)
    async with server.here(settings) as http, http.client() as client:
        results = [
            told(await client.call_tool("web_search", {"query": f"python {number}", "fetch_content": False}))
            for number in range(2)
        ]
    assert results == [[("serper", "outrun"), ("tavily", "ok")], [("serper", "timeout"), ("tavily", "ok")]]
    assert len(web.tavily.requests) == 2


async def test_without_the_setting_no_provider_has_company(web: PocketWeb, server: Server) -> None:
    settings = {**web.environment("serper", "tavily"), "DOWSE_HEDGE": "off", "SERPER_TIMEOUT": "2s"}
    async with server.here(settings) as http, http.client() as client:
        for number in range(SEARCHES):
            await client.call_tool("web_search", {"query": f"python {number}", "fetch_content": False})
        web.serper.delays(30)
        slow = await client.call_tool("web_search", {"query": "python release", "fetch_content": False})
    assert told(slow) == [("serper", "timeout"), ("tavily", "ok")]
