"""The `/metrics` route: read only, up to date, and counting from the moment the surface is built."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from dowse.app import App
from dowse.core.protocols import ToolCall
from dowse.settings.sources import load
from dowse.surfaces.http.asgi import build_asgi
from dowse.surfaces.http.mcp import Drain
from tests.fakes import FakeClock

BUDGET = {"DOWSE_BUDGET_SERPER": "4calls/day"}


@asynccontextmanager
async def surface(app: App, drain: Drain | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(build_asgi(app, drain or Drain()))
    async with app, httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
        yield client


async def test_it_is_read_and_nothing_else() -> None:
    async with surface(App(load({}, {}).settings)) as client:
        answers = [await client.request(method, "/metrics") for method in ("GET", "HEAD", "POST", "DELETE")]
    assert [answer.status_code for answer in answers] == [200, 200, 405, 405]
    assert answers[0].headers["content-type"].startswith("text/plain; version=")
    assert "# TYPE mcp_tool_calls_total counter" in answers[0].text


async def test_it_is_served_while_the_server_drains() -> None:
    drain = Drain()
    drain.start()
    async with surface(App(load({}, {}).settings), drain) as client:
        assert (await client.get("/metrics")).status_code == 200


async def test_tools_are_those_of_the_contract() -> None:
    app = App(load({}, {"DOWSE_CONTRACT": "jan"}).settings)
    async with surface(app) as client:
        app.observer.tool_called(ToolCall("google_search", "serper", "ok", 0.1, "local"))
        app.observer.tool_called(ToolCall("scrape", "exa", "ok", 0.1, "local"))
        text = (await client.get("/metrics")).text
    assert 'mcp_tool_calls_total{provider="serper",tool="google_search"} 1.0' in text
    assert 'mcp_tool_calls_total{provider="exa",tool="scrape"} 1.0' in text


async def test_what_another_process_spends_shows_at_the_next_reading(tmp_path: Path, clock: FakeClock) -> None:
    settings = load({}, {**BUDGET, "DOWSE_STATE": f"sqlite:///{tmp_path}/state.db"}).settings
    async with App(settings, clock=clock) as other, surface(App(settings, clock=clock)) as client:
        for used in ("0.25", "0.5"):
            async with other.spending.charge("serper", "search"):
                pass
            assert f'dowse_budget_used_ratio{{provider="serper"}} {used}\n' in (await client.get("/metrics")).text
