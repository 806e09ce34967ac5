"""The ASGI application: middleware from outside to inside, and the routes for MCP, REST, wires, health and metrics."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from opentelemetry import context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dowse.app import App
from dowse.settings import Settings
from dowse.surfaces.http.adaptive_concurrency import loop_busy_s
from dowse.surfaces.http.auth import AuthMiddleware, metadata_routes
from dowse.surfaces.http.console.door import LOGOUT, STATIC, ConsoleDoor
from dowse.surfaces.http.doors import Doors
from dowse.surfaces.http.endpoints import EndpointRoute
from dowse.surfaces.http.hosts import ForwardedHeadersMiddleware, HostCheckMiddleware
from dowse.surfaces.http.load_shedding import LOAD_SHEDDER, LoadShedder
from dowse.surfaces.http.mcp import Drain, McpEndpoint
from dowse.surfaces.http.replies import (
    CONSOLE_LOGIN,
    CONSOLE_PAGES,
    HEALTH_PATHS,
    MCP_PATHS,
    METRICS_PATH,
    wants_details,
)
from dowse.surfaces.mcp.server import build_server
from dowse.telemetry.log import event
from dowse.telemetry.metrics import CONTENT_TYPE, MetricsObserver

if TYPE_CHECKING:
    from dowse.surfaces.http.console.routes import Console

# Headers that clients in a browser send and may see.
_CORS_HEADERS = (
    *("Authorization", "Content-Type", "Accept", "MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"),
    *("Last-Event-ID", "traceparent", "tracestate", "X-API-Key", "X-Subscription-Token", "If-None-Match"),
)
_CORS_EXPOSED = ("WWW-Authenticate", "Retry-After", "MCP-Protocol-Version", "ETag", "X-Request-Id")


def build_asgi(app: App, drain: Drain, endpoint: McpEndpoint | None = None) -> Starlette:
    """The whole HTTP surface of an application; another `endpoint` can serve more tools behind the same checks."""
    wires = app.wires
    names = {each.name for wire in wires for each in wire.endpoints}
    metrics = MetricsObserver(tools=names | {tool.name for tool in app.contract.tools}, engines=app.engines)
    app.observer.add(metrics)
    endpoint = endpoint or McpEndpoint(build_server(app), drain, _load_shedder(app, metrics))

    @asynccontextmanager
    async def lifespan(_asgi: Starlette) -> AsyncIterator[dict[str, object]]:
        async with app, endpoint.running():
            if app.statistics:
                app.statistics.start()
            # For the connections, which are no part of the application.
            yield {LOAD_SHEDDER: endpoint.load_shedder}

    _warn(app.settings)
    # Clients write the address either way, and a redirect would send those behind a proxy to plain http.
    routes = [Route(path + slash, endpoint) for path in MCP_PATHS for slash in ("", "/")]
    asgi = Starlette(
        routes=[
            *routes,
            *_health_routes(drain, app.settings),
            _metrics_route(app, metrics),
            *metadata_routes(app.settings),
            *(_console_routes(app) if app.settings.console else ()),
            EndpointRoute(app.dispatcher, drain, endpoint.load_shedder),
        ],
        middleware=list(_middleware(app, Doors(wires))),
        lifespan=lifespan,
    )
    asgi.router.redirect_slashes = False
    return asgi


class TraceContextMiddleware:
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


def _load_shedder(app: App, metrics: MetricsObserver) -> LoadShedder:
    busy = (loop_busy_s, lambda: app.workers_full_s)
    return LoadShedder(app.settings.max_calls, busy, clock=app.clock, on_refusal=metrics.call_refused)


def _middleware(app: App, doors: Doors) -> Iterator[Middleware]:
    """From outside to inside."""
    settings = app.settings
    if settings.trusted_proxies:
        yield Middleware(ForwardedHeadersMiddleware, settings.trusted_proxies)
    yield Middleware(HostCheckMiddleware, settings)
    if settings.allowed_origins:
        # Before authentication: a CORS preflight carries no credentials.
        yield Middleware(
            CORSMiddleware,
            allow_origins=settings.allowed_origins,
            allow_methods=("GET", "POST", "PUT", "DELETE"),
            allow_headers=_CORS_HEADERS,
            expose_headers=_CORS_EXPOSED,
        )
    takes_jwt = settings.takes_jwt
    console = ConsoleDoor(app.sessions) if settings.console else None
    yield Middleware(
        AuthMiddleware, app.authenticator, app.contract.name, takes_jwt=takes_jwt, doors=doors, console=console
    )
    yield Middleware(TraceContextMiddleware)


def _health_routes(drain: Drain, settings: Settings) -> list[Route]:
    """Liveness and readiness, one word each, open to all and never refused; `/readyz?verbose` adds warnings.

    Overload does not make a server unready: it would get no calls at all, and the other replicas would be overloaded
    in turn. Load shedding keeps the admitted calls fast.
    """

    async def alive(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    async def ready(request: Request) -> PlainTextResponse:
        word, status = ("draining", 503) if drain.started else ("ready", 200)
        warnings = _find_warnings(settings) if wants_details(request.scope) else []
        return PlainTextResponse("\n".join([word, *warnings, ""]), status)

    return [Route(path, endpoint) for path, endpoint in zip(HEALTH_PATHS, (alive, ready), strict=True)]


def _find_warnings(settings: Settings) -> list[str]:
    # Imported here: the checks of `dowse doctor` are not needed to serve.
    from dowse.flows.doctor.installation import check_sandbox

    return [check.summary for check in check_sandbox(settings)]


def _metrics_route(app: App, metrics: MetricsObserver) -> Route:
    async def scrape(_request: Request) -> Response:
        await app.spending.report()
        metrics.tasks_counted(len(asyncio.all_tasks()))
        return Response(metrics.exposition(), headers={"Content-Type": CONTENT_TYPE})

    return Route(METRICS_PATH, scrape)


def _console_routes(app: App) -> list[Route]:
    """Routes of the console, whose code is imported with the first request."""
    found: list[Console] = []

    async def serve(request: Request) -> Response:
        if not found:
            from dowse.surfaces.http.console.routes import Console

            found.append(Console(app))
        return await found[0].serve(request)

    pages = [Route(path, serve) for path in CONSOLE_PAGES]
    forms = [Route(CONSOLE_LOGIN, serve, methods=["GET", "POST"]), Route(LOGOUT, serve, methods=["POST"])]
    return [*pages, *forms, Route(STATIC + "{name}", serve)]


def _warn(settings: Settings) -> None:
    """A proxy on this machine connects from loopback for every caller behind it."""
    if not settings.needs_token and (settings.allowed_hosts or settings.trusted_proxies):
        event(
            logging.WARNING,
            "no tokens are set, so every client of the reverse proxy has access",
            fix="run `dowse token new NAME` and set DOWSE_TOKENS or DOWSE_TOKENS_FILE",
        )
