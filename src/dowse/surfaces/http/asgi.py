"""The ASGI application: what is checked before a request comes in, in order, and where it goes."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from dowse.app import App
from dowse.settings import Settings
from dowse.surfaces.http.auth import Credentials
from dowse.surfaces.http.drain import Drain
from dowse.surfaces.http.health import health_routes
from dowse.surfaces.http.hosts import CheckedNames
from dowse.surfaces.http.load_shedding import ADMISSIONS, LoadShedder
from dowse.surfaces.http.mcp import McpEndpoint
from dowse.surfaces.http.metadata import metadata_routes
from dowse.surfaces.http.metrics import metrics_routes, observing
from dowse.surfaces.http.paths import MCP_PATHS
from dowse.surfaces.http.proxies import TrustedProxies
from dowse.surfaces.http.traces import CallersTrace
from dowse.surfaces.loop import loop_busy_s
from dowse.surfaces.mcp.server import build_server
from dowse.telemetry.log import event
from dowse.telemetry.metrics import MetricsObserver

# What MCP clients in a browser send and may see.
_CORS_HEADERS = (
    *("Authorization", "Content-Type", "Accept", "MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"),
    *("Last-Event-ID", "traceparent", "tracestate"),
)
_CORS_EXPOSED = ("WWW-Authenticate", "Retry-After", "MCP-Protocol-Version")


def build_asgi(app: App, drain: Drain, endpoint: McpEndpoint | None = None) -> Starlette:
    """The whole HTTP surface of an application; another `endpoint` can serve more tools behind the same checks."""
    metrics = observing(app)
    endpoint = endpoint or McpEndpoint(build_server(app), drain, _admissions(app, metrics))

    @asynccontextmanager
    async def lifespan(_asgi: Starlette) -> AsyncIterator[dict[str, object]]:
        async with app, endpoint.running():
            # For the connections, which are no part of the application.
            yield {ADMISSIONS: endpoint.admissions}

    _warn(app.settings)
    # Clients write the address either way, and a redirect would send those behind a proxy to plain http.
    routes = [Route(path + slash, endpoint) for path in MCP_PATHS for slash in ("", "/")]
    asgi = Starlette(
        routes=[*routes, *health_routes(drain), *metrics_routes(app, metrics), *metadata_routes(app.settings)],
        middleware=list(_doors(app)),
        lifespan=lifespan,
    )
    asgi.router.redirect_slashes = False
    return asgi


def _admissions(app: App, metrics: MetricsObserver) -> LoadShedder:
    busy = (loop_busy_s, lambda: app.workers_full_s)
    return LoadShedder(app.settings.max_calls, busy, clock=app.clock, on_refusal=metrics.call_refused)


def _doors(app: App) -> Iterator[Middleware]:
    """What a request passes, from outside to inside."""
    settings = app.settings
    if settings.trusted_proxies:
        yield Middleware(TrustedProxies, settings.trusted_proxies)
    yield Middleware(CheckedNames, settings)
    if settings.allowed_origins:
        # Before credentials: a browser asks whether it may send them without sending them.
        yield Middleware(
            CORSMiddleware,
            allow_origins=settings.allowed_origins,
            allow_methods=("GET", "POST"),
            allow_headers=_CORS_HEADERS,
            expose_headers=_CORS_EXPOSED,
        )
    yield Middleware(Credentials, app.authenticator, app.contract.name, takes_jwt=settings.takes_jwt)
    yield Middleware(CallersTrace)


def _warn(settings: Settings) -> None:
    """A proxy on this machine comes from loopback, whoever is behind it."""
    if not settings.needs_token and (settings.allowed_hosts or settings.trusted_proxies):
        event(
            logging.WARNING,
            "no tokens are set, and a proxy would let anybody in",
            fix="run `dowse token new NAME` and set DOWSE_TOKENS or DOWSE_TOKENS_FILE",
        )
