"""Leaving the application: each part is closed, whatever becomes of the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from dowse.app import App
from dowse.core.runtime import CallContext
from dowse.routing.provider_limits import Account
from dowse.settings.sources import load
from dowse.stores.ledger import MemoryLedger

SOON_S = 30.0
NOTHING_FOUND = b'{"results": []}'


class Keeper:
    """A SearXNG that finds nothing and keeps its connection until the client leaves."""

    def __init__(self) -> None:
        self.url = ""
        self.left = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(NOTHING_FOUND)}\r\n\r\n"
        writer.write(head.encode() + NOTHING_FOUND)
        await reader.read()
        self.left.set()
        writer.close()


@asynccontextmanager
async def keeping() -> AsyncIterator[Keeper]:
    keeper = Keeper()
    async with await asyncio.start_server(keeper, "127.0.0.1", 0) as server:
        keeper.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield keeper


async def connected(keeper: Keeper, ledger: MemoryLedger) -> App:
    """An application with a connection that is open, and with this ledger."""
    app = App(load({}, {"SEARXNG_URL": keeper.url}).settings)
    app.spending = Account({}, {}, ledger, clock=app.clock, observer=app.observer)
    tool = app.contract.tool("web_search")
    assert tool is not None
    await tool.call({"query": "anything", "fetch_content": False}, CallContext())
    assert not keeper.left.is_set()
    return app


class Broken(MemoryLedger):
    async def close(self) -> None:
        raise OSError("the disk is gone")


class Stuck(MemoryLedger):
    def __init__(self) -> None:
        super().__init__()
        self.is_closing = asyncio.Event()

    async def close(self) -> None:
        self.is_closing.set()
        await asyncio.Event().wait()


async def test_a_part_that_fails_to_close_does_not_keep_the_others_open() -> None:
    async with keeping() as keeper:
        app = await connected(keeper, Broken())
        with pytest.raises(OSError, match="the disk is gone"):
            async with app:
                pass
        await asyncio.wait_for(keeper.left.wait(), SOON_S)


async def test_a_caller_that_gives_up_on_closing_still_closes_the_rest() -> None:
    ledger = Stuck()
    async with keeping() as keeper:
        app = await connected(keeper, ledger)
        leaving = asyncio.create_task(app.__aexit__(None, None, None))
        await asyncio.wait_for(ledger.is_closing.wait(), SOON_S)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        await asyncio.wait_for(keeper.left.wait(), SOON_S)
