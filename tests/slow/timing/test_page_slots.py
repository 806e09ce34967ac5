"""Five pages of a second each with three slots: two rounds, and never more than three at a time."""

from __future__ import annotations

import time

import pytest

from dowse.app import App
from dowse.core.runtime import CallContext
from dowse.settings.sources import load
from tests.conftest import FORGETFUL
from tests.doubles import PocketWeb

TRIES = 3
FIGURE_S = 2.0


@pytest.mark.promise("case-39")
async def test_five_slow_pages_with_three_slots_take_two_rounds(web: PocketWeb) -> None:
    """Acceptance case 39."""
    paths = [f"/slow/{number}" for number in range(5)]
    for path in paths:
        web.pages.serves(path, f"<html><body><main><h1>{path}</h1><p>{'Some words. ' * 40}</p></main></body></html>")
    organic = [{"title": path, "link": web.page(path), "snippet": "Slow."} for path in paths]
    web.serper.replies(json={"organic": organic, "searchParameters": {"q": "slow"}})
    # Each try has to read them anew.
    settings = {
        **FORGETFUL,
        "DOWSE_MAX_CONCURRENT_FETCHES": "3",
        "DOWSE_RESPECT_ROBOTS": "off",
        "DOWSE_STATE": "memory:",
    }
    best = float("inf")
    async with App(load({}, web.environment("serper") | settings).settings) as app:
        tool = app.contract.tool("web_search")
        assert tool is not None
        for _ in range(TRIES):
            web.pages.delays(1.0)
            started = time.monotonic()
            answer = await tool.call({"query": "slow", "num_results": 5}, CallContext())
            best = min(best, time.monotonic() - started)
            assert answer.structured is not None
            items = answer.structured["results"]
            assert isinstance(items, list)
            assert [item["status"] for item in items] == ["ok"] * 5
            if best < 1.5 * FIGURE_S:
                break
    assert web.pages.in_flight_peak == 3
    assert FIGURE_S <= best < 2 * FIGURE_S
