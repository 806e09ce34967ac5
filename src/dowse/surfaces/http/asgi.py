"""The ASGI application: what is checked before a request comes in, in order, and where it goes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.routing import Route

from dowse.app import App
from dowse.surfaces.http.drain import Drain
from dowse.surfaces.http.health import health_routes
from dowse.surfaces.http.mcp import McpEndpoint
from dowse.surfaces.mcp.server import build_server

MCP_PATHS = ("/mcp", "/v1/mcp")


def build_asgi(app: App, drain: Drain, server: Server[Any] | None = None) -> Starlette:
    """The whole HTTP surface of an application; `server` lets tests add what MCP clients expect of fixtures."""
    endpoint = McpEndpoint(server or build_server(app), drain)

    @asynccontextmanager
    async def lifespan(_asgi: Starlette) -> AsyncIterator[None]:
        async with app, endpoint.running():
            yield

    routes = [Route(path, endpoint) for path in MCP_PATHS]
    return Starlette(routes=[*routes, *health_routes(drain)], lifespan=lifespan)
