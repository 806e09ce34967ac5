"""Connections that are given a limited time to say what they want."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADERS_TIMEOUT_S = 10.0
_PIECE_BYTES = 1024


class BoundedConnection(H11Protocol):
    """uvicorn's connection, closed when a request's head does not arrive in time; uvicorn would wait for ever."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._late = self.loop.call_later(HEADERS_TIMEOUT_S, transport.close)

    def data_received(self, data: bytes) -> None:
        # The size of a head is checked only while it is incomplete, and one that came at once never was.
        while len(data) > _PIECE_BYTES and self.conn.their_state is h11.IDLE:
            super().data_received(data[:_PIECE_BYTES])
            data = data[_PIECE_BYTES:]
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._in_time()
        elif self._late is None:
            # The head of a further request has begun on a connection that was kept.
            self._late = self.loop.call_later(HEADERS_TIMEOUT_S, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        super().connection_lost(exc)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
