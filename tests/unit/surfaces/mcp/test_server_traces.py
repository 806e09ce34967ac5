"""Spans of MCP messages, under the trace that a message names."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from mcp import Client
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dowse.app import App
from dowse.settings.sources import load
from dowse.surfaces.mcp import server
from dowse.surfaces.mcp.server import build_server

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Ends in memory, by a provider of this test: the one of the process could be set only once."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(server, "_TRACER", provider.get_tracer("dowse"))
    return exporter


async def span_of_a_call(exported: InMemorySpanExporter, meta: Mapping[str, object]) -> ReadableSpan:
    async with App(load({}, {}).settings) as app, Client(build_server(app), mode="legacy") as client:
        await client.call_tool("get_content", {"url": "no address"}, meta=dict(meta))
    [span] = [span for span in exported.get_finished_spans() if span.name == "tools/call get_content"]
    return span


async def test_a_message_that_names_a_trace_is_a_span_of_it(exported: InMemorySpanExporter) -> None:
    span = await span_of_a_call(exported, {"traceparent": TRACEPARENT, "tracestate": "vendor=1"})

    assert span.context is not None
    assert f"{span.context.trace_id:032x}" == TRACE
    assert span.context.trace_state.get("vendor") == "1"
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == PARENT


@pytest.mark.parametrize("meta", [{}, {"traceparent": 17, "tracestate": ["x"]}, {"traceparent": "nonsense"}])
async def test_a_message_without_a_usable_trace_begins_one(
    exported: InMemorySpanExporter, meta: Mapping[str, object]
) -> None:
    span = await span_of_a_call(exported, meta)

    assert span.parent is None
