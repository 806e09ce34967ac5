"""Sites that trickle, hang, break off or never end: the deadline ends them, and the error says what happened.

How soon after the deadline is in `tests/slow`.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest

from dowse.core.wire_errors import TooManyRedirects, WireDenied, WireError, WireFailed, WireTimeout, WireTooLarge
from tests.fakes.wire import BuildClient, Serve, page_clients, raw_servers

pytestmark = pytest.mark.promise("deadline")

DEADLINE_S = 0.3
# For sites that end by themselves, on a machine that has other work.
SOON_S = 30.0
OK = b"HTTP/1.1 200 OK\r\n"

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    async with raw_servers() as start:
        yield start


@pytest.fixture
async def client() -> AsyncIterator[BuildClient]:
    async with page_clients() as build:
        yield build


def says(start: bytes, *, again: bytes = b"", every_s: float = 0.01, then: str = "hang") -> Talk:
    """A site that says `start`, and `again` for ever if there is any; it hangs, closes or resets when it is done."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(start)
        while again:
            writer.write(again)
            await writer.drain()
            await asyncio.sleep(every_s)
        await writer.drain()
        if then == "hang":
            await reader.read()
        if then == "reset":
            # No lingering: the end of the connection is a reset, and what was not delivered is lost.
            connection = writer.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return talk


CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
FAULTS: dict[str, tuple[Talk, type[WireError]]] = {
    "hangs before the headers": (says(b""), WireTimeout),
    "hangs within the status line": (says(b"HTTP/1"), WireTimeout),
    "hangs within the headers": (says(OK + b"Content-"), WireTimeout),
    "hangs before the body": (says(OK + b"Content-Length: 5\r\n\r\n"), WireTimeout),
    "hangs within the body": (says(OK + b"Content-Length: 5\r\n\r\nab"), WireTimeout),
    "hangs within a chunk": (says(CHUNKED + b"5\r\nab"), WireTimeout),
    "hangs before the last chunk": (says(CHUNKED + b"2\r\nab\r\n"), WireTimeout),
    "hangs within packed bytes": (says(OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08"), WireTimeout),
    "never ends without a length": (says(OK + b"\r\nab"), WireTimeout),
    "trickles headers": (says(OK, again=b"X-More: 1\r\n", every_s=0.02), WireTimeout),
    "trickles a header": (says(OK + b"X: ", again=b"x", every_s=0.005), WireTimeout),
    "trickles the body": (says(OK + b"Content-Length: 90000\r\n\r\n", again=b"x"), WireTimeout),
    "trickles chunks": (says(CHUNKED, again=b"1\r\nx\r\n"), WireTimeout),
    "says to wait for ever": (says(b"", again=b"HTTP/1.1 100 Continue\r\n\r\n"), WireTimeout),
    "gives early hints for ever": (says(b"", again=b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"), WireTimeout),
    "pours without end": (says(OK + b"\r\n", again=bytes(65_536), every_s=0), WireTooLarge),
    "pours chunks without end": (says(CHUNKED, again=b"4000\r\n" + bytes(0x4000) + b"\r\n", every_s=0), WireTooLarge),
    "pours headers without end": (says(OK, again=b"X-More: 1\r\n" * 100, every_s=0), WireError),
    "pours one header without end": (says(OK + b"X: ", again=b"x" * 10_000, every_s=0), WireTooLarge),
    "announces too much": (says(OK + b"Content-Length: 999999999999\r\n\r\n"), WireTooLarge),
    "closes at once": (says(b"", then="close"), WireFailed),
    "resets at once": (says(b"", then="reset"), WireFailed),
    "closes within the headers": (says(OK + b"Content-", then="close"), WireFailed),
    "resets within the body": (says(OK + b"Content-Length: 50\r\n\r\nab", then="reset"), WireFailed),
    "closes before the length it named": (says(OK + b"Content-Length: 50\r\n\r\nab", then="close"), WireFailed),
    "closes within a chunk": (says(CHUNKED + b"5\r\nab", then="close"), WireFailed),
    "closes before the last chunk": (says(CHUNKED + b"2\r\nab\r\n", then="close"), WireFailed),
    "names no number as its length": (says(OK + b"Content-Length: many\r\n\r\nab"), WireFailed),
    "names a negative length": (says(OK + b"Content-Length: -5\r\n\r\nab"), WireFailed),
    "names two lengths": (says(OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"), WireFailed),
    "is no HTTP": (says(b"220 mail.example ESMTP ready\r\n\r\n"), WireFailed),
    "sends itself on for ever": (
        says(b"HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n", then="close"),
        TooManyRedirects,
    ),
}


async def test_deadline_ends_whatever_a_site_does_and_the_error_has_its_type(serve: Serve, client: BuildClient) -> None:
    failures = await asyncio.gather(*(failure(name, serve, client) for name in FAULTS))
    assert [
        (name, type(failed))
        for (name, (_, expected)), failed in zip(FAULTS.items(), failures, strict=True)
        if not isinstance(failed, expected)
    ] == []
    assert [name for name, failed in zip(FAULTS, failures, strict=True) if "127.0.0.1" in str(failed)] == []


async def failure(name: str, serve: Serve, client: BuildClient) -> WireError | None:
    """What a site with this fault is answered with."""
    talk, expected = FAULTS[name]
    port = await serve(talk)
    timeout_s = DEADLINE_S if expected is WireTimeout else SOON_S
    try:
        async with asyncio.timeout(SOON_S):
            await client(f"127.0.0.1:{port}").get(f"http://127.0.0.1:{port}/", timeout_s=timeout_s, max_bytes=100_000)
    except WireError as failed:
        return failed
    return None


async def test_body_longer_than_its_length_ends_where_it_said(serve: Serve, client: BuildClient) -> None:
    """What follows is dropped: the next page is not read from it."""
    extra = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    port = await serve(says(OK + b"Content-Length: 4\r\n\r\npage" + extra))
    opened = client(f"127.0.0.1:{port}")

    for _ in range(2):
        fetched = await opened.get(f"http://127.0.0.1:{port}/", timeout_s=SOON_S, max_bytes=100)
        assert fetched.body == b"page"


@pytest.fixture
def full_port() -> Iterator[int]:
    """A port at which new connections wait for ever: its queue is full and none is accepted."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(3)]
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]
        for connection in waiting:
            connection.close()


async def test_connection_that_is_never_accepted_ends_at_the_deadline(full_port: int, client: BuildClient) -> None:
    with pytest.raises(WireTimeout):
        async with asyncio.timeout(SOON_S):
            await client(f"127.0.0.1:{full_port}").get(
                f"http://127.0.0.1:{full_port}/", timeout_s=DEADLINE_S, max_bytes=100
            )


async def test_handshake_that_never_ends_ends_at_the_deadline(serve: Serve, client: BuildClient) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        await reader.read()

    port = await serve(silent)
    with pytest.raises(WireTimeout):
        async with asyncio.timeout(SOON_S):
            await client(f"127.0.0.1:{port}").get(f"https://127.0.0.1:{port}/", timeout_s=DEADLINE_S, max_bytes=100)


async def test_pages_that_wait_for_a_free_connection_end_at_their_deadline(serve: Serve, client: BuildClient) -> None:
    """More at a time than one site may have connections; none of them outlives its deadline."""
    port = await serve(says(b""))
    opened = client(f"127.0.0.1:{port}")
    calls = [opened.get(f"http://127.0.0.1:{port}/", timeout_s=DEADLINE_S, max_bytes=100) for _ in range(60)]
    async with asyncio.timeout(SOON_S):
        answers = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(answer) for answer in answers} == {WireTimeout}


async def test_other_sites_are_read_while_one_hangs(serve: Serve, client: BuildClient) -> None:
    hanging = await serve(says(b""))
    fine = await serve(says(OK + b"Content-Length: 4\r\n\r\npage"))
    opened = client(f"127.0.0.1:{hanging}", f"127.0.0.1:{fine}")
    stuck = [
        asyncio.create_task(opened.get(f"http://127.0.0.1:{hanging}/", timeout_s=SOON_S, max_bytes=100))
        for _ in range(60)
    ]
    await asyncio.sleep(0)

    fetched = await opened.get(f"http://127.0.0.1:{fine}/", timeout_s=SOON_S, max_bytes=100)

    assert fetched.body == b"page"
    for task in stuck:
        task.cancel()
    await asyncio.gather(*stuck, return_exceptions=True)


async def test_refusal_does_not_wait_for_the_deadline(client: BuildClient) -> None:
    with pytest.raises(WireDenied):
        async with asyncio.timeout(SOON_S):
            await client().get("http://10.255.255.1/", timeout_s=20 * SOON_S, max_bytes=100)
