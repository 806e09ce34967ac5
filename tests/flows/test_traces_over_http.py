"""A caller's trace goes on inside the HTTP server: the spans of a call are under the `traceparent` of its headers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dowse.pocketweb import PocketWeb
from tests import traced
from tests.conftest import Server
from tests.http import LEGACY, MODERN
from tests.traced import PARENT, TRACEPARENT, Trace

COMMAND = (sys.executable, *traced.COMMAND, "--http", "--port", "0")


@pytest.mark.parametrize("version", [LEGACY, MODERN])
@pytest.mark.parametrize(("headers", "above"), [({"traceparent": TRACEPARENT}, PARENT), ({}, "None")])
async def test_spans_of_a_call_are_under_the_callers(
    server: Server, web: PocketWeb, tmp_path: Path, version: str, headers: dict[str, str], above: str
) -> None:
    file = tmp_path / "spans.jsonl"
    settings = {**web.environment("serper"), **traced.settings(file)}
    async with server.http(settings, command=COMMAND) as http:
        arguments = {"query": "python", "num_results": 1}
        async with http.post("web_search", arguments, version=version, headers=headers) as answer:
            assert answer.status == 200
    trace = Trace.read(file)
    (page,) = trace.named("page")
    assert trace.above(page) == ["call web_search", "tools/call web_search", above]
