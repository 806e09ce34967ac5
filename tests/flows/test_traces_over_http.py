"""A caller's trace goes on inside the HTTP server: the spans of a call are under the `traceparent` of its headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import traced
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import LEGACY, MODERN, SERVE, call, call_headers
from tests.traced import PARENT, TRACEPARENT, Trace


@pytest.mark.parametrize("version", [LEGACY, MODERN])
@pytest.mark.parametrize(("headers", "above"), [({"traceparent": TRACEPARENT}, PARENT), ({}, "None")])
async def test_spans_of_a_call_are_under_the_callers(
    server: Server, web: PocketWeb, tmp_path: Path, version: str, headers: dict[str, str], above: str
) -> None:
    file = tmp_path / "spans.jsonl"
    settings = {**web.environment("serper"), **traced.settings(file)}
    async with server.http(settings, command=traced.command(*SERVE)) as http:
        arguments = {"query": "python", "num_results": 1}
        async with http.post("web_search", arguments, version=version, headers=headers) as answer:
            assert answer.status == 200
    trace = Trace.read(file)
    (page,) = trace.named("page")
    assert trace.above(page) == ["call web_search", "tools/call web_search", above]


@pytest.mark.parametrize("version", [LEGACY, MODERN])
async def test_no_span_holds_what_was_sent_as_a_tool_a_method_or_an_id(
    server: Server, web: PocketWeb, tmp_path: Path, version: str
) -> None:
    file, key = tmp_path / "spans.jsonl", web.serper.key
    settings = {**web.environment("serper"), **traced.settings(file)}
    tool, method = call(key, {}, version=version), call("web_search", {}, version=version)
    method |= {"id": key, "method": key}
    tool["params"]["_meta"] = tool["params"].get("_meta", {}) | {"traceparent": 17, "tracestate": [key]}  # type: ignore
    async with server.http(settings, command=traced.command(*SERVE)) as http:
        for message in (tool, method):
            headers = call_headers(key, version) | ({"Mcp-Method": message["method"]} if version == MODERN else {})
            async with http.session.post(http.url, json=message, headers=headers) as answer:
                assert "error" in await answer.json()
    trace = Trace.read(file)
    assert [span.name for span in trace.spans] == ["tools/call other", "other"]
    assert [span.status for span in trace.spans] == ["ERROR -32602", "ERROR -32601"]
    assert key not in trace.text


@pytest.mark.promise("http-token-places")
async def test_no_span_holds_a_token_of_the_path(server: Server, web: PocketWeb, tmp_path: Path) -> None:
    file, token = tmp_path / "spans.jsonl", "dowse_a-token-in-the-path-of-a-request-0000"
    settings = {**web.environment("serper"), **traced.settings(file), "DOWSE_TOKENS": f"ana:{token}"}
    search = {"query": "python", "fetch_content": False}
    async with server.http(settings, command=traced.command(*SERVE)) as http:
        async with http.session.post(f"{http.origin}/t/{token}/api/v1/search", json=search) as answer:
            assert answer.status == 200
        async with http.post("web_search", search, path=f"/t/{token}/mcp") as answer:
            assert answer.status == 200
    trace = Trace.read(file)
    assert len(trace.named("call web_search")) == 2
    assert token not in trace.text
