"""OpenTelemetry spans: one per call, attempt and page. Without an SDK in the process they cost next to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Status, StatusCode

_TRACER = trace.get_tracer("dowse")


class TraceSpan:
    """A running span; its attributes never hold a query or a URL."""

    __slots__ = ("_span",)

    def __init__(self, current: trace.Span) -> None:
        self._span = current

    def finish(self, outcome: str, **attributes: str) -> None:
        if not self._span.is_recording():
            return
        self._span.set_attributes(
            {f"dowse.{name}": value for name, value in {"outcome": outcome, **attributes}.items()}
        )
        if outcome != "ok":
            self._span.set_status(Status(StatusCode.ERROR, outcome))


@contextmanager
def span(name: str, **attributes: str) -> Iterator[TraceSpan]:
    """A span around a piece of work, child of the current one."""
    named = {f"dowse.{key}": value for key, value in attributes.items()}
    # Redaction: the text of an exception may hold a query or an address; its class is in the outcome.
    with _TRACER.start_as_current_span(
        name, attributes=named, record_exception=False, set_status_on_exception=False
    ) as current:
        yield TraceSpan(current)
