"""A large body lets other tasks work while it is read."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable

import pytest

from dowse.net import wire
from dowse.net.clients import ConfiguredClient
from tests.fakes.wire import Serve

SIZE = 2_000_000
PATIENCE_S = 60


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often a body gave way to others so far; each turn is over as soon as it has begun."""
    monkeypatch.setattr(wire, "_TURN_S", -1.0)
    count, sleep = 0, asyncio.sleep

    async def counting(seconds: float) -> None:
        nonlocal count
        count += 1
        await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", counting)
    return lambda: count


async def test_a_body_that_takes_long_to_decode_gives_way_between_its_pieces(
    serve_raw: Serve, turns: Callable[[], int]
) -> None:
    """A hundred bytes can stand for a megabyte: without a pause, one answer would hold up all other calls."""
    packed = zlib.compress(bytes(SIZE))
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: {len(packed)}\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head.encode() + packed)
        await writer.drain()
        await reader.read()

    url = f"http://127.0.0.1:{await serve_raw(answer)}/"
    client = ConfiguredClient("dowse/test")
    reply = await client.send("GET", url, headers={}, timeout_s=PATIENCE_S, max_bytes=SIZE)
    await client.close()

    assert reply.body == bytes(SIZE)
    assert turns() >= SIZE // 65_536
