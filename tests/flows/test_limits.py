"""Limits and budgets in whole requests: by real clients over HTTP and stdio, and with a moved clock in process."""

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from dowse.app import App
from dowse.contracts.dispatch import Answer
from dowse.core.models import Clock, Principal
from dowse.core.runtime import SystemClock, no_progress
from dowse.settings.sources import load
from dowse.stores.ledger import Days
from dowse.stores.sqlite import file
from dowse.surfaces.mcp.server import build_server
from dowse.telemetry.log import LOGGER
from tests.conftest import FORGETFUL, TYPED, UNHEDGED, Server
from tests.doubles import PocketWeb, closed_port
from tests.fakes import FakeClock

ERAS = ["legacy", "2026-07-28"]
SEARCH = {"query": "python release", "num_results": 1, "fetch_content": False}
TOKENS = {"DOWSE_TOKENS": "alice:token-of-alice,bob:token-of-bob"}


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


async def search(client: Client, **arguments: Any) -> CallToolResult:
    return await client.call_tool("web_search", {**SEARCH, **arguments})


@pytest.mark.parametrize("era", ERAS)
async def test_the_21st_call_inside_the_window_is_refused_and_other_principals_are_not(
    server: Server, web: PocketWeb, era: str
) -> None:
    settings = {**web.environment("serper"), **TOKENS, "DOWSE_LIMIT_WEB_SEARCH": "20/10m"}
    async with server.here(settings) as http:
        async with http.client(era, "token-of-alice") as alice:
            for _ in range(20):
                assert not (await search(alice)).is_error
            refused = await search(alice)
            read = await alice.call_tool("get_content", {"url": web.page("/articles/python-315")})
        async with http.client(era, "token-of-bob") as bob:
            assert not (await search(bob)).is_error
    assert refused.is_error
    assert refused.meta is not None
    retry_after = refused.meta["dowse/retry_after"]
    assert 500 <= retry_after <= 600
    assert text(refused).startswith("web_search is limited to 20 calls in 600 seconds")
    assert f"try again in {retry_after} seconds" in text(refused)
    assert not read.is_error, "another tool of the same caller"
    assert len(web.serper.requests) == 21


async def test_over_stdio_the_owner_of_the_process_is_limited_too(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper"), "DOWSE_LIMIT_WEB_SEARCH": "2/10m"}
    async with server.connect(settings) as client:
        assert [(await search(client)).is_error for _ in range(3)] == [False, False, True]


@pytest.mark.promise("limits-restart")
async def test_a_limit_survives_a_restart_with_sqlite(server: Server, web: PocketWeb) -> None:
    settings = {**web.environment("serper"), "DOWSE_LIMIT_WEB_SEARCH": "3/10m"}
    async with server.connect(settings) as client:
        assert [(await search(client)).is_error for _ in range(2)] == [False, False]
    async with server.connect(settings) as client:
        assert [(await search(client)).is_error for _ in range(2)] == [False, True]
    async with server.here({**settings, **TOKENS}) as http, http.client("auto", "token-of-alice") as alice:
        assert not (await search(alice)).is_error, "another caller"


class Moved:
    """The application in this process, with a clock that a test moves and callers that it names."""

    def __init__(self, settings: Mapping[str, str], clock: Clock) -> None:
        self.clock = clock
        self.app = App(
            load({}, {**FORGETFUL, **TYPED, **UNHEDGED, "DOWSE_STATE": "memory:", **settings}).settings, clock=clock
        )

    async def search(self, caller: str = "alice", **arguments: object) -> Answer:
        tool = self.app.contract.tool("web_search")
        assert tool is not None
        return await self.app.dispatcher.call(tool, {**SEARCH, **arguments}, no_progress, Principal(caller))


async def test_recovery_is_exactly_on_time(web: PocketWeb, clock: FakeClock) -> None:
    settings = {**web.environment("serper"), "DOWSE_LIMIT_WEB_SEARCH": "20/10m"}
    moved = Moved(settings, clock)
    async with moved.app:
        started = clock.now()
        for _ in range(20):
            assert not (await moved.search()).is_error
            clock.advance(1.0)
        assert (await moved.search()).meta == {"retry_after": 580}
        clock.time = started + 600 - 0.001
        assert (await moved.search()).meta == {"retry_after": 1}
        clock.time = started + 600
        assert not (await moved.search()).is_error
        assert (await moved.search()).meta == {"retry_after": 1}
        assert not (await moved.search("bob")).is_error


async def test_a_spent_budget_moves_on_to_the_next_provider_and_is_new_next_month(
    web: PocketWeb, clock: FakeClock
) -> None:
    settings = {**web.environment("serper", "tavily"), "DOWSE_BUDGET_SERPER": "2calls/month"}
    moved = Moved(settings, clock)
    async with moved.app:
        engines = [(await moved.search()).engine for _ in range(3)]
        clock.date = date(2026, 11, 30)
        last = await moved.search()
        clock.date = date(2026, 12, 1)
        engines.append((await moved.search()).engine)
    assert engines == ["serper", "serper", "tavily", "serper"]
    assert last.structured is not None
    assert last.structured["attempts"][0] == {  # type: ignore[index]
        "provider": "serper",
        "operation": "search",
        "outcome": "quota_spent",
        "ms": 0,
        "detail": "its budget of 2 calls/month is spent until 2026-12-01",
    }
    assert len(web.serper.requests) == 3


async def test_80_percent_of_a_budget_are_told_to_the_log_and_to_no_caller(
    web: PocketWeb, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    LOGGER.propagate = True
    settings = {**web.environment("serper"), "DOWSE_BUDGET_SERPER": "5calls/day"}
    moved = Moved(settings, clock)
    async with moved.app:
        answers = [await moved.search() for _ in range(5)]
    assert not [answer for answer in answers if "budget" in answer.text]
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == ["budget runs out"]


async def test_a_spent_budget_of_the_only_provider_says_so(web: PocketWeb, clock: FakeClock) -> None:
    moved = Moved({**web.environment("serper"), "DOWSE_BUDGET_SERPER": "1calls/day"}, clock)
    async with moved.app:
        await moved.search()
        refused = await moved.search()
    assert refused.is_error
    assert refused.text == "serper was not asked: its budget of 1 calls/day is spent until 2026-11-16"


async def test_money_is_counted_by_the_prices_of_the_providers(web: PocketWeb, clock: FakeClock) -> None:
    """Tavily's basic search is one credit of 0.8 cents."""
    moved = Moved({**web.environment("tavily"), "DOWSE_BUDGET_TAVILY": "0.016usd/day"}, clock)
    async with moved.app:
        assert [(await moved.search()).is_error for _ in range(3)] == [False, False, True]
    assert len(web.tavily.requests) == 2


@pytest.fixture(params=["memory", "sqlite", "valkey"])
def state(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a store."""
    if request.param == "valkey":
        return str(request.getfixturevalue("valkey_url"))
    return "memory:" if request.param == "memory" else f"sqlite:///{tmp_path}/state.db"


@pytest.mark.promise("given-back")
@pytest.mark.parametrize("where", ["refused", "unknown host"])
async def test_calls_that_sent_nothing_are_given_back(web: PocketWeb, clock: FakeClock, state: str, where: str) -> None:
    """Three refused connections once spent a budget of three."""
    address = "nowhere.invalid" if where == "unknown host" else f"127.0.0.1:{closed_port()}"
    budget = {"DOWSE_BUDGET_SERPER": "3calls/day", "DOWSE_STATE": state}
    away = {"SERPER_SEARCH_ENDPOINT": f"http://{address}/search"}
    moved = Moved({**web.environment("serper"), **budget, **away}, clock)
    async with moved.app:
        # Each of them tries twice, and a fifth failure would open the breaker.
        for _ in range(2):
            assert "could not be reached" in (await moved.search()).text
        assert (spent := await moved.app.spending.spent("serper"))
        assert (spent.calls, spent.share) == (0, 0)
    back = Moved({**web.environment("serper"), **budget}, clock)
    async with back.app:
        assert [(await back.search()).is_error for _ in range(4)] == [False, False, False, True]


@pytest.mark.promise("given-back")
async def test_an_open_breaker_and_a_failure_of_the_provider_are_told_apart(web: PocketWeb, clock: FakeClock) -> None:
    """What was sent is charged, whatever became of it; a breaker that is open sends nothing."""
    web.serper.fails("500")
    moved = Moved({**web.environment("serper"), "DOWSE_BUDGET_SERPER": "100calls/day"}, clock)
    async with moved.app:
        for _ in range(8):
            assert (await moved.search()).is_error
        spent = await moved.app.spending.spent("serper")
    assert spent
    assert spent.calls == len(web.serper.requests) == 5


@pytest.mark.promise("given-back")
async def test_searches_without_a_network_do_not_spend_the_keyless_calls_of_the_day(
    web: PocketWeb, clock: FakeClock, state: str
) -> None:
    doubles = {name: value for name, value in web.environment().items() if value.startswith("http://")}
    nowhere = {name: f"http://127.0.0.1:{closed_port()}/" for name in doubles}
    moved = Moved({**web.environment(), **nowhere, "DOWSE_KEYLESS": "on", "DOWSE_STATE": state}, clock)
    async with moved.app:
        for _ in range(8):
            assert (await moved.search()).is_error
            clock.advance(60)
        budgets = [name for name in moved.app.settings.keyless_members() if moved.app.settings.budget(name)]
        spent = {name: await moved.app.spending.spent(name) for name in budgets}
    assert budgets
    assert {name: each.calls for name, each in spent.items() if each} == dict.fromkeys(budgets, 0)


async def test_servers_and_commands_of_one_user_share_the_budget(
    server: Server, web: PocketWeb, tmp_path: Path
) -> None:
    """One process after the other: the file in the cache directory remembers."""
    settings = {**web.environment("serper"), "DOWSE_BUDGET_SERPER": "3calls/month"}
    async with server.connect(settings) as client:
        assert [(await search(client)).is_error for _ in range(2)] == [False, False]
    async with server.http(settings) as http, http.client() as client:
        results = [await search(client) for _ in range(2)]
    assert [result.is_error for result in results] == [False, True]
    assert len(web.serper.requests) == 3
    assert (tmp_path / ".cache" / "dowse" / "state.db").exists()


async def test_without_a_call_to_a_provider_no_file_is_made(server: Server, web: PocketWeb, tmp_path: Path) -> None:
    async with server.connect({**web.environment("serper"), "DOWSE_TTL_ROBOTS": "0"}) as client:
        await client.list_tools()
        assert not (await client.call_tool("get_content", {"url": web.page("/articles/python-315")})).is_error
    assert not (tmp_path / ".cache").exists()


@pytest.mark.promise("usage")
async def test_the_usage_tells_who_has_called_which_provider(web: PocketWeb, clock: FakeClock, state: str) -> None:
    """Of all processes that share a store, whether there are budgets or not; failures count once they were sent."""
    own = {**web.environment("serper", "tavily"), "DOWSE_STATE": state}
    moved = Moved(own, clock)
    async with moved.app:
        for caller in ("alice", "bob", "alice"):
            await moved.search(caller)
        web.serper.fails("500")
        await moved.search("bob")
        await moved.app._usage.close()
        counts = await moved.app._store.call_counts(Days(date(2026, 11, 1), date(2026, 11, 15)))
    assert {(each.provider, each.caller): (each.tally.calls, each.tally.micro_usd) for each in counts} == {
        ("serper", "alice"): (2, 2000),
        ("serper", "bob"): (2, 2000),
        ("tavily", "bob"): (1, 8000),
    }


async def test_a_ledger_that_cannot_be_written_fails_no_search(server: Server, web: PocketWeb, tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"this is no database" * 100)
    settings = {
        **web.environment("serper", "tavily"),
        "DOWSE_BUDGET_SERPER": "1calls/month",
        "DOWSE_STATE": f"sqlite:///{tmp_path}/state.db",
    }
    async with server.connect(settings) as client:
        results = [await search(client) for _ in range(3)]
    assert [result.structured_content["engine"] for result in results] == ["serper", "tavily", "tavily"]
    assert server.log.count("store failed, calls go on without it") == 1


async def test_a_locked_ledger_delays_searches_once_and_fails_none(
    web: PocketWeb, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the write lock; six waits for it in turn would last beyond the deadline."""
    monkeypatch.setattr(file, "BUSY_S", 1.0)
    settings = {
        **web.environment("serper"),
        "DOWSE_BUDGET_SERPER": "100calls/day",
        "DOWSE_DEADLINE_S": "5",
        "DOWSE_STATE": f"sqlite:///{tmp_path}/state.db",
    }
    LOGGER.propagate = True
    moved = Moved(settings, SystemClock())
    async with moved.app:
        await moved.search()
        with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answers = await asyncio.gather(*[moved.search(query=f"python {number}") for number in range(6)])
            other.execute("ROLLBACK")
    assert [answer.is_error for answer in answers] == [False] * 6
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == ["store failed, calls go on without it"]
    with closing(sqlite3.connect(tmp_path / "state.db")) as kept:
        assert kept.execute("SELECT sum(calls) FROM spend").fetchone() == (7,), "handed in at the end"


async def test_a_redis_that_is_not_there_fails_no_search_and_keeps_its_password(server: Server, web: PocketWeb) -> None:
    settings = {
        **web.environment("serper"),
        "DOWSE_BUDGET_SERPER": "1calls/month",
        "DOWSE_STATE": f"redis://user:canary-password@127.0.0.1:{closed_port()}/0",
    }
    async with server.connect(settings) as client:
        assert [(await search(client)).is_error for _ in range(2)] == [False, True]
    assert server.log.count("store failed, calls go on without it") == 1
    assert "canary-password" not in server.log


async def test_replicas_share_a_budget_on_one_valkey(server: Server, web: PocketWeb, valkey_url: str) -> None:
    settings = {**web.environment("serper"), "DOWSE_BUDGET_SERPER": "3calls/month", "DOWSE_STATE": valkey_url}
    async with (
        server.here(settings) as one,
        server.here(settings) as two,
        one.client() as first,
        two.client() as second,
    ):
        answers = [await search(client) for client in (first, second, first, second)]
    assert [answer.is_error for answer in answers] == [False, False, False, True]
    assert len(web.serper.requests) == 3


@pytest.mark.parametrize("era", ERAS)
async def test_a_budget_refuses_in_both_eras(web: PocketWeb, clock: FakeClock, era: str) -> None:
    settings = {**web.environment("serper", "tavily"), "DOWSE_BUDGET_SERPER": "1calls/day", "DOWSE_STATE": "memory:"}
    async with (
        App(load({}, {**FORGETFUL, **TYPED, **UNHEDGED, **settings}).settings, clock=clock) as app,
        Client(build_server(app), mode=era) as client,
    ):
        results = [await search(client) for _ in range(2)]
    assert [result.structured_content["engine"] for result in results] == ["serper", "tavily"]
