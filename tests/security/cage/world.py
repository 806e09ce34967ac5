"""Everybody a browser could reach: in the namespace each address is this process, and it remembers who was touched."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import unquote

PAGE, SECOND, HOUSE = "93.184.216.34", "93.184.216.35", "10.0.0.9"
NAMES = {
    "page.example": [PAGE],
    "second.example": [SECOND],
    "inside.example": ["10.0.0.7"],
    "mixed.example": [SECOND, "127.0.0.1"],
    "metadata.google.internal": ["169.254.169.254"],
    "localhost": ["127.0.0.1"],
    "wiki.corp": [HOUSE],
}
SECRET = "canary-secret"

_SITES = (PAGE, SECOND, HOUSE)
_PLAIN, _TLS = (80, 3478, 6379, 8080), (443, 8443)
# Longer than any page stays open.
_PATIENCE_S = 300


@dataclass(slots=True)
class Touch:
    """Somebody was connected to; `said` is what they heard first, if anything."""

    address: str
    port: int
    said: str = ""

    @property
    def means(self) -> str:
        """By which means, if the request tells."""
        _, marker, rest = self.said.partition(" /touch/")
        return unquote(rest.split(" ", 1)[0]) if marker else ""


@dataclass(frozen=True, slots=True)
class Request:
    """What came to a site."""

    host: str
    path: str


Site = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class News:
    """Wakes whoever waits for something to happen."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def tell(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    async def until(self, condition: Callable[[], bool], within_s: float) -> bool:
        """Whether it comes to be so in time; looked at whenever there are news."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not condition():
                    await self._next.wait()
        return condition()


class World:
    """Three addresses are sites. On every other one a canary tells its secret to whoever asks, from whatever page."""

    def __init__(self, site: Site, tls: ssl.SSLContext) -> None:
        self.touches: list[Touch] = []
        self.news = News()
        self._means: set[tuple[str, str]] = set()
        self._site = site
        self._tls = tls
        self._closing = AsyncExitStack()
        self._talks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        for port in (*_PLAIN, *_TLS):
            # Room for a page that asks for a thousand things at once: a dial that waits would be sent again.
            server = await asyncio.start_server(self._accept, ["0.0.0.0", "::"], port, backlog=1024)
            self._closing.callback(server.close)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._closing.aclose()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def forget(self) -> None:
        """Nobody was touched yet."""
        self.touches.clear()
        self._means.clear()

    def was_touched(self, address: str, means: str) -> bool:
        return (address, means) in self._means

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        touch = Touch(*writer.get_extra_info("sockname")[:2])
        self.touches.append(touch)
        task = asyncio.current_task()
        assert task
        self._talks.add(task)
        task.add_done_callback(self._talks.discard)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._talk(touch, reader, writer)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError, asyncio.CancelledError):
            # Whoever hangs up has said enough. Nobody waits for a talk, so none needs to be told that it was cancelled.
            pass
        finally:
            writer.close()

    async def _talk(self, touch: Touch, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if touch.port in _TLS:
            await writer.start_tls(self._tls)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        touch.said = head.partition("\r\n")[0]
        self._means.add((touch.address, touch.means))
        self.news.tell()
        if touch.address in _SITES:
            await self._site(Request(_host(head), touch.said.split(" ")[1]), writer)
            self.news.tell()
        else:
            answer(writer, f"{SECRET} of {touch.address}")
        await writer.drain()


def answer(writer: asyncio.StreamWriter, text: str, *headers: str, status: str = "200 OK") -> None:
    """Say this, as HTML unless a header says otherwise."""
    body = text.encode()
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        "Access-Control-Allow-Origin: *",
    ]
    if not any(header.startswith("Content-Type") for header in headers):
        lines.append("Content-Type: text/html")
    writer.write("\r\n".join([*lines, *headers, "", ""]).encode() + body)


def _host(head: str) -> str:
    return next((line[5:].strip() for line in head.split("\r\n") if line.lower().startswith("host:")), "")
