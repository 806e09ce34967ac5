"""A span for each message of the protocol, under the trace that the message itself names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from opentelemetry import context, trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_TRACER = trace.get_tracer("dowse")
_METHODS = SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS
_OTHER = "other"
_PROPAGATOR = TraceContextTextMapPropagator()


class MessageSpans:
    """Middleware of the SDK's server. Spans hold names that we know, never text or an id that somebody sent."""

    def __init__(self, tools: Iterable[str]) -> None:
        self._tools = frozenset(tools)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        attributes = dict(self._attributes(ctx))
        name = " ".join(attributes.values())
        # What an exception says may hold what was sent.
        with _TRACER.start_as_current_span(
            name,
            _callers(ctx.meta),
            SpanKind.SERVER,
            attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            failure = "error"
            try:
                result = await call_next(ctx)
                failure = "tool_error" if isinstance(result, Mapping) and result.get("isError") else ""
                return result
            except MCPError as error:
                failure = str(error.code)
                raise
            finally:
                if failure:
                    span.set_status(Status(StatusCode.ERROR, failure))

    def _attributes(self, ctx: ServerRequestContext[Any, Any]) -> Iterator[tuple[str, str]]:
        yield "mcp.method.name", ctx.method if ctx.method in _METHODS else _OTHER
        if ctx.method == "tools/call":
            tool = (ctx.params or {}).get("name")
            yield "gen_ai.tool.name", tool if isinstance(tool, str) and tool in self._tools else _OTHER


def _callers(meta: Mapping[str, object] | None) -> context.Context | None:
    """The trace of whoever sent the message; without one it is that of the request that brought it."""
    if not meta or "traceparent" not in meta:
        return None
    carrier = {key: value for key in ("traceparent", "tracestate") if isinstance(value := meta.get(key), str)}
    return _PROPAGATOR.extract(carrier, context.get_current())
