"""HTTP server that runs until a signal: it becomes unready, then finishes the calls in flight.

Its connections have bounds: their number, the size of a head, the time to send it, and the time to take a response.
Connections that let the server wait make room for new ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import signal
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from typing import Any, cast

import h11
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from dowse.app import App
from dowse.core.errors import ConfigError
from dowse.core.runtime import share_key
from dowse.net.sockets import Listener, is_loopback, listen
from dowse.surfaces.http.adaptive_concurrency import run
from dowse.surfaces.http.asgi import build_asgi
from dowse.surfaces.http.auth import anonymous
from dowse.surfaces.http.load_shedding import (
    CONNECTIONS,
    LOAD_SHEDDER,
    MAX_CONNECTIONS,
    ConnectionLimit,
    LoadShedder,
)
from dowse.surfaces.http.mcp import Drain
from dowse.surfaces.http.replies import HEALTH_PATHS, MCP_PATHS, RETRY_AFTER_S, refusal
from dowse.telemetry.log import event
from dowse.worker.process import return_large_blocks

DRAIN_S = 10.0
_STOP = (signal.SIGTERM, signal.SIGINT)
# Log lines that a request without credentials can cause.
_NOISE = (
    "Invalid HTTP request received.",
    "Unsupported upgrade request.",
    "No supported WebSocket library detected.",
)

HEADERS_TIMEOUT_S = 10.0
TAKING_TIMEOUT_S = 30.0
# Descriptors for workers, providers, pages, the store, the browser, and connections that are just being accepted.
_OTHER_FILES = 400
_ENOUGH_FILES = 4096
# Connections that are accepted at a time: the event loop does nothing else meanwhile.
_ACCEPTED_AT_ONCE = 64
# Connections that wait in the kernel to be accepted; it has a bound of its own.
_ACCEPT_QUEUE = 4096
# Credentials end at 4 kB; up to here an absurd one is still refused as one.
MAX_HEAD_BYTES = 128 * 1024
MAX_HEAD_FIELDS = 100

_HEAD_END = re.compile(rb"\n\r?\n")
_LENGTHS = {b"content-length", b"transfer-encoding"}

Build = Callable[[App, Drain], ASGIApp]


def serve_http(app: App, build: Build = build_asgi) -> int:
    """Serve until it is stopped; raises `ConfigError` where the address cannot or must not be used."""
    settings = app.settings
    if not is_loopback(settings.host) and not settings.needs_token:
        raise ConfigError(
            f"Refusing to listen on {settings.host} without tokens: any client of the port could use your keys. "
            "Run `dowse token new NAME` and set DOWSE_TOKENS or DOWSE_TOKENS_FILE, or listen on 127.0.0.1."
        )
    return_large_blocks()
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


async def serve(
    app: App, listener: Listener, stop: StopSignals, build: Build = build_asgi, limit: ConnectionLimit | None = None
) -> None:
    """Serve on a listener until it is stopped."""
    logging.getLogger("uvicorn.error").addFilter(_is_relevant)
    drain = Drain()
    server = _Server(_config(build(app, drain), limit or ConnectionLimit()), listener)
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
    await serve(app, listener, stop, build, ConnectionLimit(_count_descriptors()))


async def _first(serving: asyncio.Task[None], *others: Coroutine[None, None, object]) -> None:
    """Wait for the end of the server or the first of the others, and cancel the rest."""
    waiting = [asyncio.create_task(other) for other in others]
    await asyncio.wait([serving, *waiting], return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: they would stop listening while calls are still being finished."""

    def __init__(self, config: uvicorn.Config, listener: Listener) -> None:
        super().__init__(config)
        self._listener = listener

    async def main_loop(self) -> None:
        # asyncio takes one number for this queue and for the connections that it accepts at a time.
        self._listener.socket.listen(_ACCEPT_QUEUE)
        await super().main_loop()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _is_relevant(record: logging.LogRecord) -> bool:
    return not record.getMessage().startswith(_NOISE)


def _config(asgi: ASGIApp, limit: ConnectionLimit) -> uvicorn.Config:
    return uvicorn.Config(
        asgi,
        http=cast("type[asyncio.Protocol]", partial(BoundedConnection, limit=limit)),
        backlog=_ACCEPTED_AT_ONCE,
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


def _count_descriptors() -> int:
    """The number of descriptors for connections, after raising the limit of all as far as is allowed and useful."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < _ENOUGH_FILES:
        soft = _ENOUGH_FILES if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else soft - _OTHER_FILES


class BoundedConnection(H11Protocol):
    """uvicorn's h11 connection with timeouts for a slow peer; uvicorn would wait for ever."""

    def __init__(self, *args: Any, limit: ConnectionLimit, **options: Any) -> None:  # the arguments are uvicorn's
        super().__init__(*args, **options)
        self.conn = _StrictConnection(h11.SERVER, MAX_HEAD_BYTES)
        self._limit = limit
        # Of the peer, which may be a proxy; of IPv6 the /64.
        self.address = ""
        self._principal = ""
        self._head_timer = _Timer(self.loop)
        self._taking_timer = _Timer(self.loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.address = share_key(anonymous(self.client[0] if self.client else ""))
        if not self._limit.admit(self):
            self.app = self._refuse
        # Writing is paused as soon as the peer does not take everything, and until it has.
        transport.set_write_buffer_limits(high=0)
        self._head_timer.start(HEADERS_TIMEOUT_S, transport.close)
        self._update_limit()

    def abort(self) -> None:
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            # After an earlier request, the head of the next one has begun on a kept connection.
            self._head_timer.start(HEADERS_TIMEOUT_S, self.transport.close)
        else:
            self._head_timer.cancel()
        self._update_limit()

    def _update_limit(self) -> None:
        is_sending = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        self._limit.update(self, is_waiting=is_sending or self.flow.write_paused, principal=self._principal)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """In place of the application, except for health checks."""
        if scope["path"] in HEALTH_PATHS:
            await self.config.loaded_app(scope, receive, send)
            return
        load_shedder: LoadShedder | None = self.app_state.get(LOAD_SHEDDER)
        if load_shedder is not None:
            load_shedder.count(CONNECTIONS)
        headers = {"Retry-After": str(RETRY_AFTER_S), "Connection": "close"}
        response = refusal(503, "there are too many connections", headers)
        await response(scope, receive, send)

    def on_response_complete(self) -> None:
        if self.conn.their_state is h11.SEND_BODY:
            # The rest of the body is not read, and nothing would bound the time it takes.
            self.transport.close()
        if principal := self.cycle.scope["state"].get("principal"):
            self._principal = share_key(principal)
        super().on_response_complete()
        self._update_limit()

    def send_400_response(self, msg: str) -> None:
        if self.cycle is None or self.cycle.response_complete:
            super().send_400_response(msg)
        else:
            # The request that is being answered has turned out bad, and its answer may have begun.
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._update_limit()
        self._watch_taking(self.transport.get_write_buffer_size())

    def _watch_taking(self, left: int) -> None:
        """Abort a peer that takes nothing of a response for too long; a slow one is waited for."""

        def check() -> None:
            self._taking_timer.cancel()
            now_left = self.transport.get_write_buffer_size()
            if now_left < left:
                self._watch_taking(now_left)
            else:
                self.transport.abort()

        self._taking_timer.start(TAKING_TIMEOUT_S, check)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._update_limit()
        self._taking_timer.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit.forget(self)
        self._head_timer.cancel()
        self._taking_timer.cancel()
        super().connection_lost(exc)


class _StrictConnection(h11.Connection):
    """h11 that refuses heads which are too large, even in one piece, or which give two lengths of the body."""

    def __init__(self, *args: Any) -> None:  # the arguments are h11's
        super().__init__(*args)
        self._has_new_line = False

    def receive_data(self, data: bytes) -> None:
        self._has_new_line |= b"\n" in data
        super().receive_data(data)

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        # Only where a line has ended: looking at every byte of a head that trickles in would take its square.
        if self.their_state is h11.IDLE and self._has_new_line:
            _check_size(self.trailing_data[0])
        event = super().next_event()
        if event is h11.NEED_DATA:
            self._has_new_line = False
        if isinstance(event, h11.Request) and {name for name, _ in event.headers} >= _LENGTHS:
            raise h11.RemoteProtocolError("a proxy may have used the other length (request smuggling)")
        return event


def _check_size(received: bytes) -> None:
    """Before the fields are parsed, which is the expensive part."""
    head = _HEAD_END.split(received, 1)[0].rstrip(b"\r\n")
    if len(head) > MAX_HEAD_BYTES or head.count(b"\n") > MAX_HEAD_FIELDS:
        raise h11.RemoteProtocolError("the head is too large", error_status_hint=431)


class _Timer:
    """A timer that runs once; starting it while it runs does not move its end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    def start(self, seconds: float, action: Callable[[], None]) -> None:
        if self._handle is None:
            self._handle = self._loop.call_later(seconds, action)

    def cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
