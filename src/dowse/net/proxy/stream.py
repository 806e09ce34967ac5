"""Streams of the proxy, to the browser and to servers, with byte counting and backpressure."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from dowse.core.reasons import FailureReason
from dowse.core.wire_errors import WireError, WireFailed, WireTimeout
from dowse.net.guard import Address
from dowse.net.upstream import UpstreamProxy

# Read size. About twice as much is buffered at most until the other side takes it.
PIECE_BYTES = 65_536
_MOST_ADDRESSES = 6
# For a server to take the last bytes of the browser.
_FLUSH_S = 1.0
# SO_LINGER with zero: closing drops unsent bytes and resets the connection.
_RESET = struct.pack("ii", 1, 0)


class ProxyStream:
    """A connection with bytes that are counted and never buffered: a write waits until the other side takes it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_bytes: Callable[[int], None]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._on_bytes = on_bytes
        self.was_written = False

    async def read(self) -> bytes:
        """The next bytes; empty at the end. `on_bytes` receives their number, and may raise."""
        data = await self._reader.read(PIECE_BYTES)
        self._on_bytes(len(data))
        return data

    async def write(self, data: bytes) -> None:
        self.was_written = True
        self._writer.write(data)
        await self._writer.drain()

    async def copy_to(self, other: ProxyStream) -> None:
        """Pass all bytes on until the end."""
        while data := await self.read():
            await other.write(data)

    async def wait_end(self) -> None:
        """Return when the other side has closed; its remaining bytes are dropped."""
        while await self.read():
            pass


@asynccontextmanager
async def closing(writer: asyncio.StreamWriter, flush_s: float) -> AsyncIterator[None]:
    """Close a connection on exit: after its last bytes have left, or at once after an error."""
    try:
        yield
        writer.close()
        with suppress(OSError):
            async with asyncio.timeout(flush_s):
                await writer.wait_closed()
    finally:
        reset(writer)


def reset(writer: asyncio.StreamWriter) -> None:
    """Reset an open connection, so that a truncated response does not look complete."""
    connection = writer.get_extra_info("socket")
    # Python 3.11 fails to abort a transport that is closed.
    if connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        writer.transport.abort()


@asynccontextmanager
async def dial(
    addresses: Sequence[Address],
    port: int,
    dial_s: float,
    on_bytes: Callable[[int], None],
    upstream: UpstreamProxy | None = None,
) -> AsyncIterator[ProxyStream]:
    """A connection to the first of the addresses that accepts one; raises `WireError` if none does."""
    if upstream is None or any(address.is_loopback for address in addresses):
        reader, writer = await _connect(addresses, port, dial_s)
    else:
        tunnel = await upstream.connect_pinned(addresses, port)
        loop = asyncio.get_running_loop()
        reader, writer = tunnel.reader, asyncio.StreamWriter(tunnel.transport, tunnel.protocol, tunnel.reader, loop)
    async with closing(writer, _FLUSH_S):
        yield ProxyStream(reader, writer, on_bytes)


async def _connect(
    addresses: Sequence[Address], port: int, dial_s: float
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    failure: WireError = WireFailed(reason=FailureReason.NO_CONNECTION)
    for address in addresses[:_MOST_ADDRESSES]:
        try:
            async with asyncio.timeout(dial_s):
                # Address pinning: an address, not a name, so nothing is looked up again.
                return await asyncio.open_connection(str(address), port, limit=PIECE_BYTES)
        except TimeoutError:
            failure = WireTimeout("no answer in time")
        except OSError:
            failure = WireFailed(reason=FailureReason.NO_CONNECTION)
    raise failure
