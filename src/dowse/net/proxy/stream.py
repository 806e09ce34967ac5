"""One connection, to the browser or to a server, and the two together."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from dowse.core.errors import WireError, WireFailed, WireTimeout
from dowse.net.addresses import Address

# So much is read at a time, and about twice as much waits at most for the other side to take it.
PIECE_BYTES = 65_536
_MOST_ADDRESSES = 6
# For a server to take the last of what the browser said.
_FLUSH_S = 1.0
# Closing drops what was not sent and tells the other side so.
_RESET = struct.pack("ii", 1, 0)


class Line:
    """A connection whose bytes are counted as they come and never kept: a write waits until the other side takes it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, heard: Callable[[int], None]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._heard = heard
        self.was_written = False

    async def read(self) -> bytes:
        """What came next; empty at the end. `heard` is told its size, and may raise."""
        data = await self._reader.read(PIECE_BYTES)
        self._heard(len(data))
        return data

    async def write(self, data: bytes) -> None:
        self.was_written = True
        self._writer.write(data)
        await self._writer.drain()

    async def copy_to(self, other: Line) -> None:
        """Pass everything on until the end."""
        while data := await self.read():
            await other.write(data)

    async def wait_end(self) -> None:
        """Return when the other side has gone; what else it says is for nobody."""
        while await self.read():
            pass


@asynccontextmanager
async def closing(writer: asyncio.StreamWriter, flush_s: float) -> AsyncIterator[None]:
    """Ends a connection: when what was written last has left, or at once if something went wrong."""
    try:
        yield
        writer.close()
        with suppress(OSError):
            async with asyncio.timeout(flush_s):
                await writer.wait_closed()
    finally:
        cut(writer)


def cut(writer: asyncio.StreamWriter) -> None:
    """Break a connection off, so that what came over it does not look whole; one that is closed stays as it is."""
    connection = writer.get_extra_info("socket")
    # Python 3.11 stumbles over the end of a transport that has ended.
    if connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        writer.transport.abort()


@asynccontextmanager
async def dialled(
    addresses: Sequence[Address], port: int, dial_s: float, heard: Callable[[int], None]
) -> AsyncIterator[Line]:
    """A connection to the first of these addresses that takes one; raises `WireError` if none does."""
    reader, writer = await _dial(addresses, port, dial_s)
    async with closing(writer, _FLUSH_S):
        yield Line(reader, writer, heard)


async def _dial(
    addresses: Sequence[Address], port: int, dial_s: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    failure: WireError = WireFailed("no connection")
    for address in addresses[:_MOST_ADDRESSES]:
        try:
            async with asyncio.timeout(dial_s):
                # An address, not a name: nothing is looked up again.
                return await asyncio.open_connection(str(address), port, limit=PIECE_BYTES)
        except TimeoutError:
            failure = WireTimeout("no answer in time")
        except OSError:
            failure = WireFailed("no connection")
    raise failure
