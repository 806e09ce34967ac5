"""Spans of OpenTelemetry, with a real SDK behind them and without one."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from dowse.telemetry import log
from dowse.telemetry.log import span


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Ends in memory, by a provider of this test: the one of the process could be set only once."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(log, "_TRACER", provider.get_tracer("dowse"))
    return exporter


def only(exporter: InMemorySpanExporter) -> ReadableSpan:
    [finished] = exporter.get_finished_spans()
    return finished


def test_a_span_carries_its_outcome_and_is_no_error(exported: InMemorySpanExporter) -> None:
    with span("search serper", provider="serper") as current:
        current.finish("ok", cache="miss")

    finished = only(exported)
    assert finished.name == "search serper"
    assert finished.attributes == {"dowse.provider": "serper", "dowse.outcome": "ok", "dowse.cache": "miss"}
    assert finished.status.status_code is StatusCode.UNSET


def test_another_outcome_than_ok_is_the_status_of_the_span(exported: InMemorySpanExporter) -> None:
    with span("search serper") as current:
        current.finish("rate_limited")

    status = only(exported).status
    assert (status.status_code, status.description) == (StatusCode.ERROR, "rate_limited")


def test_an_exception_leaves_no_words_in_its_span(exported: InMemorySpanExporter) -> None:
    """Its message may hold a query or an address."""
    with pytest.raises(ValueError, match="what was asked"), span("search serper"):
        raise ValueError("what was asked")

    finished = only(exported)
    assert (finished.events, finished.status.status_code) == ((), StatusCode.UNSET)


def test_without_an_sdk_a_span_records_nothing_and_does_no_harm() -> None:
    with span("search serper", provider="serper") as current:
        current.finish("ok")
        assert not trace.get_current_span().is_recording()
