"""Paths of the HTTP server, the refusals that it answers by itself, and replies of endpoints as responses."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from dowse.contracts.endpoint import HttpReply
from dowse.core.text import one_line
from dowse.telemetry.log import event

MCP_PATHS = ("/mcp", "/v1/mcp")
WELL_KNOWN = "/.well-known/oauth-protected-resource"
HEALTH_PATHS = ("/healthz", "/readyz")
# The query of a health path that asks for details, which need a token where there are tokens.
_VERBOSE = b"verbose"
METRICS_PATH = "/metrics"
CONSOLE_PAGES = ("/", "/console/dashboard", "/console/setup")
CONSOLE_LOGIN = "/console/login"

RETRY_AFTER_S = 1
# A load-shedding refusal is frequent, hence prepared, and leaves the connection open. It is a JSON-RPC error, because
# MCP clients show their users nothing else.
OVERLOADED = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":'
    b'"the server has more calls than it can answer in time; try again in a second",'
    b'"data":{"retry_after":%d}},"retry_after":%d}' % (RETRY_AFTER_S, RETRY_AFTER_S)
)
OVERLOADED_HEADERS = (
    (b"content-type", b"application/json"),
    (b"content-length", b"%d" % len(OVERLOADED)),
    (b"retry-after", b"%d" % RETRY_AFTER_S),
)


def wants_details(scope: Scope) -> bool:
    """Whether a request to a health path asks for more than one word."""
    return bool(scope["query_string"] == _VERBOSE)


def refusal(status: int, reason: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal with its reason in one sentence; a connection with an unread body is not used again."""
    return JSONResponse({"error": reason}, status, {"Connection": "close", **(headers or {})})


def respond(reply: HttpReply, headers: Mapping[str, str] | None = None) -> Response:
    """The reply of an endpoint as a response: JSON, text or bytes as they are."""
    if isinstance(reply.data, str | bytes):
        kind = "text/plain; charset=utf-8" if isinstance(reply.data, str) else "application/octet-stream"
        content = reply.data
    else:
        kind = "application/json"
        content = json.dumps(reply.data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    everything = {"Content-Type": reply.media_type or kind, **reply.headers, **(headers or {})}
    return Response(content, reply.status, everything)


def log_refusal(scope: Scope, status: int, reason: str, **fields: object) -> None:
    """Log one line per refused caller: address and reason, never the credentials."""
    client = scope.get("client")
    address = one_line(client[0], 64) if client else "unknown"
    event(logging.INFO, "caller refused", status=status, reason=reason, client=address, **fields)
