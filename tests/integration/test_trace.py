"""The path of one cold call through the files of the server: short, downwards, and as docs/architecture.md shows it."""

from __future__ import annotations

import pytest

from tools import trace

# Files of the server process that one call may pass.
FILES = {"web_search": 55, "get_content": 40}
CALLS_UPWARDS = 10


@pytest.mark.parametrize("tool", trace.CALLS)
def test_a_call_stays_within_its_budget_of_files_and_is_documented(tool: str) -> None:
    traced = trace.trace(tool)
    assert len(traced.files) <= FILES[tool], traced.render()
    assert len(traced.upward) <= CALLS_UPWARDS, traced.render()
    shown = trace.documented(tool).search(trace.DOCS.read_text(encoding="utf-8"))
    assert shown, f"docs/architecture.md shows no path of {tool}"
    files = {word for word in shown[2].split() if word.endswith(".py")}
    assert files == set(traced.files), "run python -m tools.trace --docs"
