"""Every tool names its caller to the router, which serves callers fairly."""

from __future__ import annotations

from typing import Any

import pytest

from dowse.core.models import LOCAL, Found, Hit, Principal
from dowse.core.runtime import CallContext
from dowse.routing.router import Router
from tests.fakes.bench import ContractBench

ALICE = Principal("alice")
URL = "https://a.example/otters"
TOOLS = [
    ("dowse", "web_search", {"query": "otters"}, {"search", "read"}),
    ("dowse", "get_content", {"url": URL}, {"read"}),
    ("kindly", "web_search", {"query": "otters"}, {"search", "read"}),
    ("kindly", "get_content", {"url": URL}, {"read"}),
    ("jan", "google_search", {"q": "otters"}, {"search"}),
    ("jan", "scrape", {"url": URL}, {"read"}),
    ("swissarmyhammer", "web_search", {"query": "otters"}, {"search", "read"}),
    ("answers", "search_web", {"query": "otters"}, {"search", "read"}),
]


@pytest.mark.parametrize(("contract", "tool", "arguments", "operations"), TOOLS)
async def test_a_tool_asks_providers_for_its_caller(
    monkeypatch: pytest.MonkeyPatch, contract: str, tool: str, arguments: dict[str, object], operations: set[str]
) -> None:
    asked: set[tuple[str, str]] = set()
    first = Router.first

    async def record(router: Router[Any], *args: Any, caller: Principal = LOCAL, **options: Any) -> Any:
        asked.add((router._operation, caller.name))
        return await first(router, *args, caller=caller, **options)

    monkeypatch.setattr(Router, "first", record)
    bench = ContractBench(contract, Found((Hit("Otters", URL),)), {URL: "Otters swim."})
    await bench.call(tool, context=CallContext(ALICE), **arguments)
    assert asked == {(operation, "alice") for operation in operations}
