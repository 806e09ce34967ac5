"""Runs the HTTP server until a signal: it becomes unready, then finishes the calls in flight."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator

import uvicorn
from starlette.types import ASGIApp

from dowse.app import App
from dowse.core.errors import ConfigError
from dowse.net.sockets import Listener, is_loopback, listen
from dowse.surfaces.http.adaptive_concurrency import run
from dowse.surfaces.http.asgi import build_asgi
from dowse.surfaces.http.connection import BoundedConnection
from dowse.surfaces.http.mcp import Drain
from dowse.surfaces.http.replies import MCP_PATHS
from dowse.telemetry.log import event

DRAIN_S = 10.0
_STOP = (signal.SIGTERM, signal.SIGINT)
# Log lines that a request without credentials can cause.
_NOISE = (
    "Invalid HTTP request received.",
    "Unsupported upgrade request.",
    "No supported WebSocket library detected.",
)

Build = Callable[[App, Drain], ASGIApp]


def serve_http(app: App, build: Build = build_asgi) -> int:
    """Serve until told to stop; raises `ConfigError` where the address cannot or must not be used."""
    settings = app.settings
    if not is_loopback(settings.host) and not settings.needs_token:
        raise ConfigError(
            f"Refusing to listen on {settings.host} without tokens: whoever reaches the port could use your keys. "
            "Run `dowse token new NAME` and set DOWSE_TOKENS or DOWSE_TOKENS_FILE, or listen on 127.0.0.1."
        )
    with listen(settings.host, settings.port) as listener:
        run(_serve_until_signal(app, listener, build))
    return 0


class StopSignals:
    """Stop signals: the first asks to finish the calls in flight, the second not to wait for them."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.at_once = asyncio.Event()

    def __call__(self) -> None:
        (self.at_once if self.asked.is_set() else self.asked).set()


async def serve(app: App, listener: Listener, stop: StopSignals, build: Build = build_asgi) -> None:
    """Serve on a listener until told to stop."""
    logging.getLogger("uvicorn.error").addFilter(_is_relevant)
    drain = Drain()
    server = _Server(_config(build(app, drain)))
    serving = asyncio.create_task(server.serve(sockets=[listener.socket]))
    event(logging.INFO, "listening", url=listener.url + MCP_PATHS[0], contract=app.contract.name)
    await _first(serving, stop.asked.wait())
    drain.start()
    if stop.asked.is_set():
        event(logging.INFO, "shutting down")
        await _first(serving, drain.wait(DRAIN_S), stop.at_once.wait())
        if drain.in_flight:
            event(logging.WARNING, "calls in flight are cancelled", calls=drain.in_flight)
            drain.cancel_calls()
    server.should_exit = True
    await serving


async def _serve_until_signal(app: App, listener: Listener, build: Build) -> None:
    stop = StopSignals()
    for number in _STOP:
        # Not on Windows, where Ctrl+C ends the process the default way.
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop)
    await serve(app, listener, stop, build)


async def _first(serving: asyncio.Task[None], *others: Coroutine[None, None, object]) -> None:
    """Wait for the end of the server or the first of the others, and cancel the rest."""
    waiting = [asyncio.create_task(other) for other in others]
    await asyncio.wait([serving, *waiting], return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: they would stop listening while calls are still being finished."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _is_relevant(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_NOISE)


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
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
    )
