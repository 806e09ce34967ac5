"""Three replicas on one Valkey behind a real nginx: one server to whoever calls, whatever happens to one of them."""

from __future__ import annotations

import signal
from pathlib import Path

from mcp import Client
from mcp_types import CallToolResult

from tests.conftest import REMEMBERING
from tests.doubles import PocketWeb
from tests.fleet import Load, fleet

ERAS = ("legacy", "2026-07-28")


def settings(web: PocketWeb, valkey_url: str) -> dict[str, str]:
    return {**web.environment("serper"), "DOWSE_STATE": valkey_url, "DOWSE_PACE_SERPER": "off"}


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


async def search(client: Client, number: int) -> str:
    """What came of a search that nobody has asked for yet."""
    arguments = {"query": f"python release {number}", "num_results": 1, "fetch_content": False}
    result = await client.call_tool("web_search", arguments)
    return text(result) if result.is_error else "found"


async def test_memory_budgets_and_limits_are_those_of_one_server(
    web: PocketWeb, valkey_url: str, tmp_path: Path
) -> None:
    shared = {"DOWSE_LIMIT_WEB_SEARCH": "5/1m", "DOWSE_BUDGET_SERPER": "3calls/day"}
    page = {"url": web.page("/articles/python-315")}
    async with fleet(tmp_path, {**settings(web, valkey_url), **REMEMBERING, **shared}) as replicas:
        states = []
        for era in ERAS:
            async with replicas.http.client(era) as client:
                states += [(await client.call_tool("get_content", page)).structured_content["cache"] for _ in range(3)]
        assert states == ["miss"] + ["hit"] * 5
        async with replicas.http.client() as client:
            outcomes = [await search(client, number) for number in range(7)]
        assert all([await replica.calls() for replica in replicas.each]), "each has answered some of them"
    found, unpaid, refused = outcomes[:3], outcomes[3:5], outcomes[5:]
    assert found == ["found"] * 3
    assert all("budget" in outcome for outcome in unpaid)
    assert all(outcome.startswith("web_search is limited to 5 calls in 60 seconds") for outcome in refused)
    assert len(web.serper.requests) == 3


async def test_when_a_replica_is_killed_a_caller_that_asks_once_more_is_answered(
    web: PocketWeb, valkey_url: str, tmp_path: Path
) -> None:
    web.serper.delays(0.4)
    async with fleet(tmp_path, settings(web, valkey_url)) as replicas, Load(replicas.http, tries=2) as load:
        await load.more(60)
        replicas.each[0].send(signal.SIGKILL)
        assert await replicas.each[0].ended() == -signal.SIGKILL
        await load.more(120)
    assert load.lost == []
    # nginx itself asks another replica, unless the answer has begun: a stream has long, JSON for a moment only.
    assert load.retried["json"] <= 1


async def test_a_rolling_restart_under_load_costs_no_call_anything(
    web: PocketWeb, valkey_url: str, tmp_path: Path
) -> None:
    web.serper.delays(0.4)
    async with fleet(tmp_path, settings(web, valkey_url)) as replicas, Load(replicas.http, tries=1) as load:
        for replica in replicas.each:
            await load.more(20)
            replica.send(signal.SIGTERM)
            assert await replica.ended() == 0
            await load.more(20)
            await replica.start()
        await load.more(60)
        assert all([await replica.calls() for replica in replicas.each]), "each is asked again after its restart"
    assert load.lost == []
