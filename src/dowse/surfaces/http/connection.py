"""Connections that are given a limited time to say what they want and to take what they are told."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dowse.surfaces.http.hurried import REFUSAL, Told, head_of_call
from dowse.surfaces.http.load_shedding import ADMISSIONS, CONNECTIONS, TOLD_TO_WAIT, LoadShedder
from dowse.surfaces.http.replies import HEALTH_PATHS, RETRY_AFTER_S, refusal

HEADERS_TIMEOUT_S = 10.0
TAKING_TIMEOUT_S = 30.0
MAX_CONNECTIONS = 1000
# Those between are still told that there are too many, and how the server is; the others are not listened to.
HARD_MAX_CONNECTIONS = 1100
# Credentials end at 4 kB; up to here an absurd one is still refused as one.
MAX_HEAD_BYTES = 128 * 1024
MAX_HEAD_FIELDS = 100

_HEAD_END = re.compile(rb"\n\r?\n")
_LENGTHS = {b"content-length", b"transfer-encoding"}


class BoundedConnection(H11Protocol):
    """uvicorn's connection, ended when its peer lets it wait; uvicorn would wait for ever."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.conn = _StrictHeads(h11.SERVER, MAX_HEAD_BYTES)
        self._head_due = _Deadline(self.loop)
        self._taking_due = _Deadline(self.loop)
        self._admissions: LoadShedder | None = self.app_state.get(ADMISSIONS)
        self._told: Told | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        if len(self.connections) > HARD_MAX_CONNECTIONS:
            transport.abort()
            return
        if len(self.connections) > MAX_CONNECTIONS:
            self.app = self._one_too_many
        # Writing is paused as soon as the peer does not take everything, and until it has.
        transport.set_write_buffer_limits(high=0)
        self._head_due.start(HEADERS_TIMEOUT_S, transport.close)

    def data_received(self, data: bytes) -> None:
        if self._is_turned_away(data):
            self._turn_away()
            return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            # If it was met before, the head of a further request has begun on a connection that was kept.
            self._head_due.start(HEADERS_TIMEOUT_S, self.transport.close)
        else:
            self._head_due.met()

    async def _one_too_many(self, scope: Any, receive: Any, send: Any) -> None:
        """In place of the application, except for whoever looks after the server."""
        if scope["path"] in HEALTH_PATHS:
            await self.config.loaded_app(scope, receive, send)
            return
        if self._admissions is not None:
            self._admissions.count(CONNECTIONS)
        told = refusal(503, "there are too many connections", {"Retry-After": str(RETRY_AFTER_S)})
        await told(scope, receive, send)

    def _turn_away(self) -> None:
        self.transport.write(REFUSAL)
        self._head_due.met()
        # As after any other answer.
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _is_turned_away(self, data: bytes) -> bool:
        """Only where nothing else is under way, and while answers are taken as fast as they are given."""
        if self._admissions is None or not self._admissions.is_overloaded:
            return False
        is_quiet = self.conn.their_state is h11.IDLE and self.conn.trailing_data == (b"", False)
        head = head_of_call(data) if is_quiet and not self.flow.write_paused else b""
        if not head:
            return False
        told = self._told
        is_known = told is not None and self.loop.time() < told.until and told.is_from_them(head)
        return self._admissions.turns_away(told.caller if told and is_known else None)

    def on_response_complete(self) -> None:
        if caller := self.scope["state"].get(TOLD_TO_WAIT):
            credentials = next((value for name, value in self.headers if name == b"authorization"), b"")
            self._told = Told(caller, credentials, self.loop.time() + RETRY_AFTER_S)
        if self.conn.their_state is h11.SEND_BODY:
            # Nobody reads the rest of the body, and nothing would bound the time it takes.
            self.transport.close()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        if self.cycle is None or self.cycle.response_complete:
            super().send_400_response(msg)
        else:
            # The request that is being answered has turned out bad, and its answer may have begun.
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_taking(self.transport.get_write_buffer_size())

    def _watch_taking(self, left: int) -> None:
        """A slow peer is waited for as long as it takes something."""

        def look() -> None:
            self._taking_due.met()
            now_left = self.transport.get_write_buffer_size()
            if now_left < left:
                self._watch_taking(now_left)
            else:
                self.transport.abort()

        self._taking_due.start(TAKING_TIMEOUT_S, look)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._taking_due.met()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_due.met()
        self._taking_due.met()
        super().connection_lost(exc)


class _StrictHeads(h11.Connection):
    """h11 without heads that are large, even if they came at once, or that say in two ways where the body ends."""

    def __init__(self, *args: Any) -> None:
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
            raise h11.RemoteProtocolError("a proxy in front may have believed the other length")
        return event


def _check_size(received: bytes) -> None:
    """Before the fields are parsed, which is what they cost."""
    head = _HEAD_END.split(received, 1)[0].rstrip(b"\r\n")
    if len(head) > MAX_HEAD_BYTES or head.count(b"\n") > MAX_HEAD_FIELDS:
        raise h11.RemoteProtocolError("the head is too large", error_status_hint=431)


class _Deadline:
    """Does something unless it is met in time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None

    def start(self, seconds: float, missed: Callable[[], None]) -> None:
        """A deadline that has started stays where it is."""
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, missed)

    def met(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
