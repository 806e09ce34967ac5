"""The other end of a browser's proxy, for tests of the browser itself: answers every request with the same page."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from dowse.fetch.browser.cdp import CdpSession
from dowse.fetch.browser.pool import BrowserPool
from tests.processes import Process, below, chromiums

URL = "http://page.example/"
PAGE = b"<!doctype html><title>read</title><p>Otters hold hands.</p>"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"


@asynccontextmanager
async def answering(page: bytes = PAGE) -> AsyncIterator[str]:
    """Its address.

    asyncio's own server loses a connection that comes while it closes, and browsers open some that they never use.
    """
    loop = asyncio.get_running_loop()
    talks: set[asyncio.Task[None]] = set()

    async def answer(connection: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connection)
        with contextlib.closing(writer), contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(_HEAD % len(page) + page)
            await writer.drain()

    def accept() -> None:
        connection, _ = listener.accept()
        talk = loop.create_task(answer(connection))
        talks.add(talk)
        talk.add_done_callback(talks.discard)
        # A task that was cancelled before it began has not seen its connection.
        talk.add_done_callback(lambda done: connection.close() if done.cancelled() else None)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        loop.add_reader(listener, accept)
        try:
            yield "{}:{}".format(*listener.getsockname())
        finally:
            loop.remove_reader(listener)
            for talk in [*talks]:
                talk.cancel()
            await asyncio.gather(*talks, return_exceptions=True)
            # Transports close their sockets in the next round of the loop.
            await asyncio.sleep(0)


async def title(session: CdpSession) -> str:
    """Go to the page and tell its title once it has loaded."""
    loaded = asyncio.Event()
    session.on("Page.loadEventFired", lambda _: loaded.set())
    await session.call("Page.enable")
    await session.call("Page.navigate", url=URL)
    async with asyncio.timeout(60):
        await loaded.wait()
    answer = await session.call("Runtime.evaluate", expression="document.title")
    return str(answer["result"]["value"])


async def read(pool: BrowserPool, proxy: str) -> str:
    """One page from beginning to end."""
    async with pool.tab(proxy, 60) as tab:
        return await title(tab.session)


async def eventually(condition: Callable[[], object], within_s: float = 60) -> None:
    """Wait for a change in other processes, of which there is no news."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - nobody is told when
            await asyncio.sleep(0.02)


def wrapped_chromium(directory: Path, *lines: str) -> str:
    """The path of a script that does something before it becomes Chromium, and counts its starts."""
    path = directory / "wrapper"
    chromium = shlex.quote(shutil.which("chromium") or "")
    path.write_text("\n".join(["#!/bin/sh", f"echo >> {directory}/starts", *lines, f'exec {chromium} "$@"']))
    path.chmod(0o755)
    return str(path)


def starts(directory: Path) -> int:
    """How often `wrapped_chromium` was started."""
    return len((directory / "starts").read_text().splitlines())


def browsers() -> list[Process]:
    """The first process of each browser."""
    return [process for process in below() if process.parent == os.getpid() and "--headless" in process.command]


def renderers() -> int:
    return sum(process.is_renderer for process in chromiums())


# Its gathering ends at once where no packet may be sent.
_WEB_RTC = """new Promise(resolve => {
    const pc = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:%d"}]});
    pc.onicecandidate = event => event.candidate || resolve("done");
    pc.createDataChannel("x");
    pc.createOffer().then(offer => pc.setLocalDescription(offer));
})"""


async def reached_by_web_rtc(session: CdpSession) -> bool:
    """Whether packets of a page arrive at a STUN server on loopback before it has gathered its candidates."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as canary:
        canary.bind(("127.0.0.1", 0))
        canary.setblocking(False)
        script = _WEB_RTC % canary.getsockname()[1]
        trying = asyncio.create_task(session.call("Runtime.evaluate", expression=script, awaitPromise=True))
        await eventually(lambda: trying.done() or _was_touched(canary))
        if trying.done():
            trying.result()
        trying.cancel()
        return _was_touched(canary)


def _was_touched(canary: socket.socket) -> bool:
    try:
        return bool(canary.recv(2000, socket.MSG_PEEK))
    except BlockingIOError:
        return False
