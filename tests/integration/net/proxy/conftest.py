"""A site on loopback, a proxy with a leash in front of it, and a browser that says what the test writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget, ProxyTimeouts
from dowse.net.proxy.server import serve
from tests.fakes.wire import Serve

# Refusals come at once, everything else has the time of a busy machine.
QUICK = ProxyTimeouts(refusal_step_s=0.001)
Skip = Callable[[float], Awaitable[None]]
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Names:
    """Answers in turn, the last one for ever, and remembers what it was asked; other names do not exist."""

    def __init__(self, **answers: list[list[str]]) -> None:
        self._answers = {name.replace("_", "."): turns for name, turns in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        turns = self._answers.get(host, [[]])
        return turns.pop(0) if len(turns) > 1 else turns[0]


class Site:
    """A server on loopback that counts who comes and answers as it is told."""

    def __init__(self, answer: bytes | Answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage") -> None:
        self._answer = answer
        self.requests: list[bytes] = []
        self.connections = 0
        self.arrivals: asyncio.Queue[int] = asyncio.Queue()
        self.port = 0

    @property
    def pair(self) -> str:
        return f"site.example:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.pair}/"

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.arrivals.put_nowait(self.connections)
        if not isinstance(self._answer, bytes):
            await self._answer(reader, writer)
            return
        self.requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(self._answer)
        await writer.drain()

    def budget(self, *pairs: str, names: Names | None = None, **options: object) -> PageBudget:
        """A leash of which this site is the page; its pair is open, and so are others if given."""
        guard = Guard((self.pair, *pairs), names or Names(site_example=[["127.0.0.1"]]))
        budget = PageBudget(guard, **{"timeouts": QUICK} | options)  # type: ignore[arg-type]
        budget.move_to(self.url)
        return budget


class Browser:
    """Speaks bytes to a proxy."""

    def __init__(self, port: int) -> None:
        self.port = port

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def say(self, *words: bytes) -> bytes:
        """Everything that comes back until the proxy closes; what it cut off is followed by nothing."""
        async with self.connect() as (reader, writer):
            for word in words:
                writer.write(word)
            return await everything(reader)

    async def get(self, url: str, *headers: str, method: str = "GET") -> bytes:
        host = url.split("/")[2]
        lines = [f"{method} {url} HTTP/1.1", f"Host: {host}", *headers]
        return await self.say("\r\n".join([*lines, "", ""]).encode())

    @asynccontextmanager
    async def tunnel(self, place: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        async with self.connect() as (reader, writer):
            writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            yield reader, writer


async def everything(reader: asyncio.StreamReader) -> bytes:
    """What comes until the end, also if that is no good one."""
    heard = b""
    try:
        while piece := await asyncio.wait_for(reader.read(65_536), 30):
            heard += piece
    except ConnectionError:
        pass
    return heard


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever the two sides say, it is no news for a log."""
    yield
    assert [record.getMessage() for record in caplog.get_records("call")] == []


@pytest.fixture
def start(serve_raw: Serve) -> Callable[..., Awaitable[Site]]:
    """Starts sites, each at a port of its own."""

    async def run(*answer: bytes | Answer) -> Site:
        site = Site(*answer)
        site.port = await serve_raw(site.talk)
        return site

    return run


@pytest.fixture
async def site(start: Callable[..., Awaitable[Site]]) -> Site:
    return await start()


@pytest.fixture
async def proxy() -> AsyncIterator[Callable[[PageBudget], Awaitable[Browser]]]:
    """Opens the proxy of a leash, and a browser that uses it."""
    async with AsyncExitStack() as stack:

        async def run(budget: PageBudget) -> Browser:
            address = await stack.enter_async_context(serve(budget))
            return Browser(int(address.rpartition(":")[2]))

        yield run


@pytest.fixture
async def skip(monkeypatch: pytest.MonkeyPatch) -> Skip:
    """Lets time go by on the clock of the event loop, after everything that is ready has been done."""
    loop = asyncio.get_running_loop()
    now, skipped = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: now() + skipped)

    async def run(seconds: float) -> None:
        nonlocal skipped
        for _ in range(20):
            await asyncio.sleep(0)
        skipped += seconds

    return run
