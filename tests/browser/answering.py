"""The other end of a browser's proxy, for tests of the browser itself: answers every request with the same page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from dowse.fetch.browser.cdp import Session
from dowse.fetch.browser.pool import BrowserPool

URL = "http://page.example/"
PAGE = b"<!doctype html><title>read</title><p>Otters hold hands.</p>"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"


@asynccontextmanager
async def answering(page: bytes = PAGE) -> AsyncIterator[str]:
    """Its address."""

    talks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(_HEAD % len(page) + page)
            await writer.drain()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """No coroutine: one that is cancelled before its first step would not close anything."""
        talk = asyncio.create_task(answer(reader, writer))
        talks[talk] = writer
        talk.add_done_callback(lambda done: talks.pop(done).close())

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        host, port = server.sockets[0].getsockname()
        yield f"{host}:{port}"
    finally:
        server.close()
        # A browser keeps connections on which it says nothing; left open, they would outlive the test.
        ending = [*talks]
        for talk in ending:
            talk.cancel()
        await asyncio.gather(*ending, return_exceptions=True)


async def title(session: Session) -> str:
    """Go to the page and tell its title once it has loaded."""
    loaded = asyncio.Event()
    session.on("Page.loadEventFired", lambda _: loaded.set())
    await session.call("Page.enable")
    await session.call("Page.navigate", url=URL)
    async with asyncio.timeout(20):
        await loaded.wait()
    answer = await session.call("Runtime.evaluate", expression="document.title")
    return str(answer["result"]["value"])


async def read(pool: BrowserPool, proxy: str) -> str:
    """One page from beginning to end."""
    async with pool.tab(proxy, 60) as tab:
        return await title(tab.session)


async def eventually(condition: Callable[[], object], within_s: float = 20) -> None:
    """Wait for what other processes do, and tell nobody about."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - nobody is told when
            await asyncio.sleep(0.02)
