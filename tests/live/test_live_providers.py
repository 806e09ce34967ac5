"""The real providers, one search each. Opt-in: RUN_LIVE_TESTS=1 and the provider's key or address in the environment.

They cost credits and need the internet, so nothing else depends on them; they show that the doubles are still true.
"""

from __future__ import annotations

import pytest

from dowse.settings import SPECS
from tests.conftest import MACHINE, Server
from tests.doubles import PROVIDERS


def why_not(provider: str) -> str:
    """Why this provider is not asked; empty when it is."""
    if MACHINE.get("RUN_LIVE_TESTS") != "1":
        return "live tests are opt-in: set RUN_LIVE_TESTS=1"
    variable = SPECS[provider].credential
    return "" if MACHINE.get(variable) else f"{variable} is not set"


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_one_search_is_answered_and_one_page_read(server: Server, provider: str) -> None:
    if reason := why_not(provider):
        pytest.skip(reason)
    mine = {name: value for name, value in MACHINE.items() if name.startswith(f"{provider.upper()}_")}
    settings = mine | {"DOWSE_SEARCH_ORDER": provider}
    async with server.connect(settings) as client:
        result = await client.call_tool("web_search", {"query": "python programming language", "num_results": 3})
    assert not result.is_error, result.content
    found = result.structured_content
    assert [(attempt["provider"], attempt["outcome"]) for attempt in found["attempts"]][-1] == (provider, "ok")
    assert found["results"]
    assert all(item["title"] and item["link"].startswith("http") for item in found["results"])
    assert {item["status"] for item in found["results"]} & {"ok", "truncated"}
