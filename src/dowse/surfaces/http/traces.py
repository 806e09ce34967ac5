"""Continues the trace of a caller who sent one along in the headers."""

from __future__ import annotations

from opentelemetry import context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send


class CallersTrace:
    """Makes the spans of a request children of the caller's `traceparent`, if there is one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._propagator = TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if "traceparent" not in headers:
            return await self._app(scope, receive, send)
        token = context.attach(self._propagator.extract(headers))
        try:
            return await self._app(scope, receive, send)
        finally:
            context.detach(token)
