"""`python -m tests.slow.clients.conformance FILE [--sessions]`: dowse over HTTP, the suite's fixtures beside its tools.

The names of the fixtures that ran go into the file. With `--sessions` the endpoint keeps sessions, which dowse itself
never does: without one there is no way for a server of 2025-11-25 to ask its client something.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPDeprecationWarning
from starlette.types import ASGIApp, Receive, Scope, Send

from dowse.app import App
from dowse.secrets.redact import Redactor
from dowse.settings import sources
from dowse.surfaces.http.asgi import build_asgi
from dowse.surfaces.http.mcp import Drain, McpEndpoint
from dowse.surfaces.http.serve import serve_http
from dowse.surfaces.mcp.server import build_server
from dowse.telemetry import log
from tests.slow.clients.conformance.server import Fixtures


class SessionEndpoint(McpEndpoint):
    """The endpoint with the SDK's sessions and streams in place of single answers."""

    def __init__(self, server: Server[Any], drain: Drain) -> None:
        super().__init__(server, drain)
        self._sessions = StreamableHTTPSessionManager(server)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sessions.handle_request(scope, receive, send)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ran", type=Path)
    parser.add_argument("--sessions", action="store_true")
    arguments = parser.parse_args()
    # The suite tests what 2026-07-28 has deprecated, too.
    warnings.filterwarnings("ignore", category=MCPDeprecationWarning)
    settings = sources.load({"DOWSE_PORT": "0"}).settings
    log.configure(settings.log_level, Redactor(settings.secrets()))

    def build(app: App, drain: Drain) -> ASGIApp:
        server = build_server(app)
        Fixtures(arguments.ran).add_to(server)
        endpoint = SessionEndpoint if arguments.sessions else McpEndpoint
        return build_asgi(app, drain, endpoint(server, drain))

    return serve_http(App(settings), build)


if __name__ == "__main__":
    raise SystemExit(main())
