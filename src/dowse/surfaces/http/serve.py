"""Runs the HTTP server until a signal: readiness goes first, then the calls in flight are finished."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from dowse.app import App
from dowse.errors import ConfigError
from dowse.net.listener import Listener, is_loopback, listening
from dowse.surfaces.http.asgi import MCP_PATHS, build_asgi
from dowse.surfaces.http.connection import BoundedConnection
from dowse.surfaces.http.drain import Drain
from dowse.telemetry.log import event

DRAIN_S = 10.0
MAX_CONNECTIONS = 1000
MAX_HEAD_BYTES = 32 * 1024
_STOP = (signal.SIGTERM, signal.SIGINT)


def serve_http(app: App) -> int:
    """Serve until told to stop; raises `ConfigError` where the address cannot or must not be used."""
    settings = app.settings
    if not is_loopback(settings.host) and not settings.needs_token:
        raise ConfigError(
            f"Refusing to listen on {settings.host} without tokens: whoever reaches the port could use your keys. "
            "Run `dowse token new NAME` and set DOWSE_TOKENS or DOWSE_TOKENS_FILE, or listen on 127.0.0.1."
        )
    with listening(settings.host, settings.port) as listener:
        asyncio.run(_serve(app, listener))
    return 0


async def _serve(app: App, listener: Listener) -> None:
    drain, stop = Drain(), asyncio.Event()
    server = _Server(_config(build_asgi(app, drain)))
    for number in _STOP:
        # Not on Windows, where Ctrl+C ends the process the default way.
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, _stopped(stop, server))
    serving = asyncio.create_task(server.serve(sockets=[listener.socket]))
    stopping = asyncio.create_task(stop.wait())
    event(logging.INFO, "listening", url=listener.url + MCP_PATHS[0], contract=app.contract.name)
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    drain.start()
    if stop.is_set():
        event(logging.INFO, "shutting down")
        if not await drain.wait(DRAIN_S):
            event(logging.WARNING, "calls in flight were cancelled", after_s=DRAIN_S)
    server.should_exit = True
    stopping.cancel()
    await serving


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: it would stop listening before anybody learns that it is not ready."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(asgi: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        asgi,
        http=BoundedConnection,
        ws="none",
        lifespan="on",
        # Our own logger writes JSON lines; uvicorn's loggers reach it as every library's do.
        log_config=None,
        access_log=False,
        # Its default believes X-Forwarded-* from loopback and reads the environment; ours is a setting.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
    )


def _stopped(stop: asyncio.Event, server: uvicorn.Server) -> Callable[[], None]:
    """The first signal drains, the second does not wait."""

    def stopped() -> None:
        if stop.is_set():
            server.should_exit = server.force_exit = True
        stop.set()

    return stopped
