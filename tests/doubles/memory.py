"""Connections in memory between a client session and a double: HTTP as on a socket, without one."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import socket
from collections import deque
from collections.abc import Callable
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.client_reqrep import ClientRequest
from aiohttp.tracing import Trace

HOST = "127.0.0.1"
_HIGH_WATER = 64 * 1024

_listeners: dict[int, Callable[[], Any]] = {}
# No port of the machine is opened; these are numbers that a URL may carry.
_ports = itertools.count(20_000)


def listen(accept: Callable[[], Any]) -> int:
    """The port at which `accept` makes the server's protocol for each connection, until `close` is called."""
    port = next(_ports)
    _listeners[port] = accept
    return port


def close(port: int) -> None:
    """Refuse further connections."""
    del _listeners[port]


class MemoryConnector(aiohttp.BaseConnector):
    """Connects to what listens in memory; at every other address a connection is refused."""

    async def _create_connection(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - the signature is aiohttp's
    ) -> ResponseHandler:
        accept = _listeners.get(req.url.port or 0) if req.url.host == HOST else None
        if accept is None:
            refused = OSError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))
            raise aiohttp.ClientConnectorError(req.connection_key, refused)
        client, server = self._factory(), accept()
        near, far = _Transport(client), _Transport(server)
        near.peer, far.peer = far, near
        server.connection_made(far)
        client.connection_made(near)
        return client


class _Socket:
    """What aiohttp asks the socket of a transport about: its options."""

    family = socket.AF_UNIX

    def setsockopt(self, *_option: object) -> None:
        """There is none to set."""


class _Transport(asyncio.Transport):
    """One end: what is written here is received by the protocol of the other end, in a later step of the loop."""

    peer: _Transport

    def __init__(self, protocol: Any) -> None:
        super().__init__({"peername": (HOST, 0), "sockname": (HOST, 0), "socket": _Socket()})
        self._loop = asyncio.get_running_loop()
        self._protocol = protocol
        self._received: deque[bytes] = deque()
        self._size = 0
        self._is_reading = True
        self._is_writing_paused = False
        self._is_closing = False
        self._is_lost = False
        self._has_ended = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._is_closing or not data:
            return
        peer = self.peer
        peer._received.append(bytes(data))
        peer._size += len(data)
        self._loop.call_soon(peer._deliver)
        if peer._size > _HIGH_WATER and not self._is_writing_paused:
            self._is_writing_paused = True
            self._protocol.pause_writing()

    def close(self) -> None:
        """What was written before still arrives."""
        if self._is_closing:
            return
        self._is_closing = True
        self.peer._has_ended = True
        self._loop.call_soon(self.peer._deliver)
        self._loop.call_soon(self._lose, None)

    def abort(self) -> None:
        """As a reset: what is under way is lost."""
        self._is_closing = True
        self.peer._received.clear()
        self._loop.call_soon(self._lose, None)
        self._loop.call_soon(self.peer._lose, ConnectionResetError())

    def is_closing(self) -> bool:
        return self._is_closing

    def is_reading(self) -> bool:
        return self._is_reading

    def pause_reading(self) -> None:
        self._is_reading = False

    def resume_reading(self) -> None:
        self._is_reading = True
        self._loop.call_soon(self._deliver)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        protocol: asyncio.BaseProtocol = self._protocol
        return protocol

    def get_write_buffer_size(self) -> int:
        return self.peer._size

    def can_write_eof(self) -> bool:
        return False

    def _deliver(self) -> None:
        while self._received and self._is_reading and not self._is_lost:
            data = self._received.popleft()
            self._size -= len(data)
            self._protocol.data_received(data)
        if not self._received and self.peer._is_writing_paused:
            self.peer._is_writing_paused = False
            self.peer._protocol.resume_writing()
        if self._has_ended and not self._received and not self._is_closing:
            self._protocol.eof_received()
            self.close()

    def _lose(self, error: Exception | None) -> None:
        if not self._is_lost:
            self._is_lost = self._is_closing = True
            self._protocol.connection_lost(error)
