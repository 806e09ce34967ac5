"""How long a search waits for pages that hang: as long as the budget of a page, or of the call, and little more."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.flows.test_reading import ARTICLE, SLOW, connected, finds, read, search

BUDGET_MS = 2000
MARGIN_MS = 1000


@pytest.mark.promise("case-38")
@pytest.mark.parametrize(
    ("settings", "arguments"),
    [({"DOWSE_CONTENT_FETCH_TIMEOUT": "2s"}, {}), ({}, {"timeout_s": 2})],
    ids=["page", "call"],
)
async def test_a_page_that_hangs_costs_no_more_than_its_budget(
    web: PocketWeb, server: Server, settings: dict[str, str], arguments: dict[str, Any]
) -> None:
    """Acceptance case 38."""
    async with connected(server, web.environment("serper") | settings) as client:
        assert (await read(client, web.page(ARTICLE)))["status"] == "ok", "the worker has started"
        finds(web, ARTICLE, SLOW)
        web.pages.fails(SLOW, "hang")
        found = await search(client, **arguments)
    assert found["results"][-1]["status"] == "timeout"
    assert found["stats"]["total_ms"] < BUDGET_MS + MARGIN_MS
