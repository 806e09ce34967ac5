"""The end of a connection of the proxy: what is unsent is sent, for a bounded time."""

from __future__ import annotations

import asyncio
import socket

from dowse.net.proxy.stream import closing
from tests.integration.net.proxy.conftest import Skip, everything


async def test_the_last_words_are_kept_for_a_browser_that_is_busy(skip: Skip) -> None:
    ours, theirs = socket.socketpair()
    # So little that most has to wait on our side.
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    reader, other = await asyncio.open_connection(sock=theirs, limit=1000)
    _, writer = await asyncio.open_connection(sock=ours)

    async def say() -> None:
        async with closing(writer, flush_s=30):
            writer.write(b"x" * 500_000)

    saying = asyncio.create_task(say())
    await skip(20)
    assert len(await everything(reader)) == 500_000
    await saying
    other.close()


async def test_the_last_words_are_not_kept_for_ever(skip: Skip) -> None:
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    with theirs:
        _, writer = await asyncio.open_connection(sock=ours)

        async def say() -> None:
            async with closing(writer, flush_s=30):
                writer.write(b"x" * 500_000)

        saying = asyncio.create_task(say())
        await skip(31)
        await saying
        assert writer.transport.get_write_buffer_size() == 0
