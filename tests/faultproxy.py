"""A TCP proxy before any server, with faults that can be named, combined and switched while connections are open.

    async with FaultProxy(valkey.port) as proxy:
        proxy.answers = (latency(0.05, jitter_s=0.02), corrupt(every=200))
        ...
        proxy.heal()

Faults are applied in the order given, to one direction: `questions` go to the server, `answers` come from it. Those
that count bytes count anew with every question, so that a connection that is kept suffers as a new one does.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

HOST = "127.0.0.1"
_PIECE = 65_536
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = re.compile(rb"(?i)(content-length: {0,4})(\d{1,15})")


class Ending(Enum):
    """How a connection stops in the middle."""

    RESET = "reset"
    CLOSE = "close"
    SILENCE = "silence"


class BrokenOffError(Exception):
    """Nothing more is carried in this direction."""

    def __init__(self, ending: Ending) -> None:
        self.ending = ending


@dataclass(slots=True)
class Way:
    """One direction of one connection."""

    is_answers: bool
    carried: int = 0
    """Bytes since the other side spoke last."""
    chance: random.Random = field(default_factory=lambda: random.Random(11))


Fault = Callable[[bytes, Way], AsyncIterator[bytes]]
"""What becomes of a piece of what one side says; `BrokenOffError` behind the last that is carried. The end is an empty
piece."""


def latency(seconds: float, *, jitter_s: float = 0.0) -> Fault:
    """Every piece comes later."""

    async def carry(piece: bytes, way: Way) -> AsyncIterator[bytes]:
        await asyncio.sleep(seconds + way.chance.uniform(0, jitter_s))
        yield piece

    return carry


def slicing(size: int, pause_s: float) -> Fault:
    """Tiny pieces, with a pause after each."""

    async def carry(piece: bytes, _way: Way) -> AsyncIterator[bytes]:
        for start in range(0, len(piece), size):
            yield piece[start : start + size]
            await asyncio.sleep(pause_s)

    return carry


def bandwidth(bytes_per_s: int) -> Fault:
    """A line that carries no more."""
    pieces_per_s = 50
    return slicing(max(1, bytes_per_s // pieces_per_s), 1 / pieces_per_s)


def breaking_off(after_bytes: int, ending: Ending) -> Fault:
    async def carry(piece: bytes, way: Way) -> AsyncIterator[bytes]:
        left = max(0, after_bytes - way.carried)
        yield piece[:left]
        if len(piece) >= left:
            raise BrokenOffError(ending)

    return carry


def reset(after_bytes: int = 0) -> Fault:
    """Torn off, as by a process that was killed."""
    return breaking_off(after_bytes, Ending.RESET)


def limit(after_bytes: int) -> Fault:
    """Closed properly, though not everything was said."""
    return breaking_off(after_bytes, Ending.CLOSE)


def timeout(after_bytes: int = 0) -> Fault:
    """Nothing more is said, and the connection stays open; healing does not wake it."""
    return breaking_off(after_bytes, Ending.SILENCE)


def half_headers(ending: Ending = Ending.SILENCE) -> Fault:
    """The head of an HTTP message ends in its middle."""

    async def carry(piece: bytes, _way: Way) -> AsyncIterator[bytes]:
        yield piece[: _head(piece) // 2]
        raise BrokenOffError(ending)

    return carry


def wrong_length(by: int) -> Fault:
    """An HTTP message announces more or fewer bytes than it has."""

    def mistaken(told: re.Match[bytes]) -> bytes:
        return told[1] + str(max(0, int(told[2]) + by)).encode()

    async def carry(piece: bytes, _way: Way) -> AsyncIterator[bytes]:
        head = _head(piece)
        yield _LENGTH.sub(mistaken, piece[:head]) + piece[head:]

    return carry


def corrupt(every: int, *, spares_heads: bool = True) -> Fault:
    """About one byte in so many is another one; by default only behind the head of an HTTP message."""

    async def carry(piece: bytes, way: Way) -> AsyncIterator[bytes]:
        damaged = bytearray(piece)
        position = _head(piece) if spares_heads else 0
        while (position := position + way.chance.randint(1, 2 * every)) <= len(damaged):
            damaged[position - 1] ^= way.chance.randint(1, 255)
        yield bytes(damaged)

    return carry


def slow_close(seconds: float) -> Fault:
    """Everything is said, but the end comes late."""

    async def carry(piece: bytes, _way: Way) -> AsyncIterator[bytes]:
        if not piece:
            await asyncio.sleep(seconds)
        yield piece

    return carry


class FaultProxy:
    """A port of its own before a server; what is between the two can be changed at any time."""

    def __init__(self, port: int, host: str = HOST) -> None:
        self._to = (host, port)
        self.questions: tuple[Fault, ...] = ()
        self.answers: tuple[Fault, ...] = ()
        self.connections = 0
        """How many there were."""
        # Bound and never listening: it keeps the port ours while nobody is to be heard on it.
        self._held = socket.socket()
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        return int(self._held.getsockname()[1])

    @property
    def open_connections(self) -> int:
        return len(self._talks)

    async def __aenter__(self) -> FaultProxy:
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind((HOST, 0))
        await self.up()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.down()
        self._held.close()

    async def up(self) -> None:
        """Take connections, if nobody does."""
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, HOST, self.port, backlog=1024)

    async def down(self) -> None:
        """Refuse connections, and reset those that are open."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self.drop()

    async def drop(self) -> None:
        """Reset the connections that are open."""
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def heal(self) -> None:
        """No faults any more, for what is said from now on."""
        self.questions = self.answers = ()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        talk = asyncio.create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        """Carry what both sides say, until either has ended."""
        with contextlib.ExitStack() as stack:
            stack.callback(to_client.transport.abort)
            try:
                from_server, to_server = await asyncio.open_connection(*self._to)
                stack.callback(to_server.transport.abort)
                asked, answered = Way(is_answers=False), Way(is_answers=True)
                ways = {
                    asyncio.create_task(self._carry(from_client, to_server, asked, answered)),
                    asyncio.create_task(self._carry(from_server, to_client, answered, asked)),
                }
                await _first_of(ways)
            except (OSError, asyncio.CancelledError):
                _reset_on_close(to_client)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: Way, other: Way) -> None:
        """One direction, until its side has ended."""
        # Both connections are dropped in the end, so that nothing may wait to be sent.
        writer.transport.set_write_buffer_limits(0)
        piece = b"begun"
        try:
            while piece:
                piece = await reader.read(_PIECE)
                other.carried = 0
                async for part in _through(self.answers if way.is_answers else self.questions, piece, way):
                    writer.write(part)
                    await writer.drain()
                    way.carried += len(part)
        except BrokenOffError as broken:
            if broken.ending is Ending.RESET:
                _reset_on_close(writer)
            elif broken.ending is Ending.SILENCE and way.is_answers:
                # The server may leave as it likes: the client learns nothing of it.
                await asyncio.Event().wait()
            elif broken.ending is Ending.SILENCE:
                while await reader.read(_PIECE):
                    """The client talks to nobody, until it has had enough."""


async def _first_of(ways: set[asyncio.Task[None]]) -> None:
    """Until one has ended, and with its error; the other is not waited for."""
    try:
        ended, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
    for way in ended:
        way.result()


async def _through(faults: Sequence[Fault], piece: bytes, way: Way) -> AsyncIterator[bytes]:
    """The piece after all faults, each of which sees what the one before it left."""
    if not faults:
        yield piece
        return
    async for part in faults[0](piece, way):
        async for last in _through(faults[1:], part, way):
            yield last


def _head(piece: bytes) -> int:
    """How long the head of the HTTP message is that begins here; 0 within a body or another protocol."""
    first_line = piece.partition(b"\r\n")[0]
    if b"HTTP/1." not in first_line:
        return 0
    return piece.find(_END_OF_HEAD) + len(_END_OF_HEAD)


def _reset_on_close(writer: asyncio.StreamWriter) -> None:
    """No lingering: the end of the connection is a reset."""
    connection: socket.socket | None = writer.get_extra_info("socket")
    if connection is not None:
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
