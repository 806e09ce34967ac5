"""The path of one cold call through the files of the server: short, downwards, and as docs/architecture.md shows it."""

from __future__ import annotations

import pytest

from tools import trace

# Files of the server process that one call may pass.
FILES = {"web_search": 55, "get_content": 40}
# Callbacks of the design: work that the cache and the router run, candidates by priority, and progress reports.
UPWARD = {
    "web_search": {
        "cache/fetch.py -> flows/find.py  produce",
        "routing/fallback.py -> flows/find.py  call",
        "cache/flights.py -> surfaces/mcp/server.py  report",
        "cache/fetch.py -> flows/read.py  _slot",
        "cache/fetch.py -> flows/read.py  produce",
        "routing/router.py -> flows/readers.py  candidates",
        "routing/fallback.py -> flows/readers.py  call",
        "flows/search.py -> surfaces/mcp/server.py  report",
    },
    "get_content": {
        "contracts/get_content.py -> surfaces/mcp/server.py  report",
        "cache/fetch.py -> flows/read.py  _slot",
        "cache/fetch.py -> flows/read.py  produce",
        "routing/router.py -> flows/readers.py  candidates",
        "routing/fallback.py -> flows/readers.py  call",
    },
}


@pytest.mark.parametrize("tool", trace.CALLS)
def test_a_call_stays_within_its_budget_of_files_and_is_documented(tool: str) -> None:
    traced = trace.trace(tool)
    assert len(traced.files) <= FILES[tool], traced.render()
    assert {f"{hop.caller} -> {hop.file}  {hop.function}" for hop in traced.upward} <= UPWARD[tool]
    page = trace.DOCS.read_text(encoding="utf-8")
    assert trace.shown_files(page, tool) == set(traced.files), "run make docs"
    assert trace.shown_count(page, tool) == len(traced.files), "run make docs"
