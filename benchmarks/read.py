"""What reading costs: pages at the same time, the guarded client against plain aiohttp, no browser for plain pages,
and how long other calls wait while a large page is read.

Five pages that take a second each are read through the whole of dowse, from the pocket web. The guarded client and a
bare aiohttp session fetch 200 pages of 100 kB at a time from a server in a process of its own, in turns and each with
fresh connections, so that a busy machine slows both; the best round of each counts. Pages of 5 MB of several shapes
come from such a server as well, and are read by `get_content`, with and without a question, while somebody
looks at the clock every other millisecond. Prints the figures, and exits 1 when one is above its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from dowse.app import App
from dowse.core.runtime import no_progress
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from dowse.settings.sources import load
from tests.doubles import PocketWeb

FIVE_PAGES_BOUND_S = 1.5
FETCH_BOUND = 1.2
LAG_BOUND_MS = 50.0

PAGES, PAGE_S = 5, 1.0
FETCHES, FETCH_BYTES = 200, 100_000
LARGE_BYTES = 5_000_000
_TICK_S = 0.002
# Of the processes that may appear while pages are read, this one is no browser.
_WORKER = "dowse.worker"

_SITE = """
import asyncio, sys

SHAPE, SIZE = sys.argv[1].encode().decode("unicode_escape"), int(sys.argv[2])
BODY = (SHAPE * (SIZE // len(SHAPE.encode()) + 1)).encode()[:SIZE]
ANSWER = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: %d\\r\\n\\r\\n%b" % (len(BODY), BODY)


class Site(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.head = transport, b""

    def data_received(self, data):
        self.head += data
        while b"\\r\\n\\r\\n" in self.head:
            self.head = self.head.partition(b"\\r\\n\\r\\n")[2]
            self.transport.write(ANSWER)


async def main():
    server = await asyncio.get_running_loop().create_server(Site, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """The seconds that the five pages took together, and the processes that appeared meanwhile."""

    seconds: float
    processes: frozenset[str]

    @property
    def browsers(self) -> frozenset[str]:
        # Between fork and exec a process still has our own name, and after its end it has none.
        others = self.processes - {_command("self"), ""}
        return frozenset(command for command in others if _WORKER not in command)


def read_five_pages(rounds: int) -> Reading:
    """The best round of a search that reads its five results; the processes are those of all rounds."""
    readings = asyncio.run(_read_five_pages(rounds))
    processes = frozenset[str]().union(*(reading.processes for reading in readings))
    return Reading(min(reading.seconds for reading in readings), processes)


async def _read_five_pages(rounds: int) -> list[Reading]:
    async with PocketWeb() as web:
        links = [web.page(f"/{number}") for number in range(PAGES)]
        for number, link in enumerate(links):
            web.pages.serves(f"/{number}", f"<title>Page {number}</title><p>The text of {link}, in full.")
        results = [{"title": f"Five pages: {link}", "url": link, "content": "", "engine": "x"} for link in links]
        web.searxng.replies(json={"results": results})
        web.pages.delays(PAGE_S)
        # Each round reads the pages anew.
        settings = {**web.environment("searxng"), "DOWSE_TTL_SEARCH": "0", "DOWSE_TTL_PAGES": "0"}
        async with App(load({}, {**settings, "DOWSE_STATE": "memory:"}).settings) as app:
            return [await _search(app) for _ in range(rounds)]


async def _search(app: App) -> Reading:
    tool = next(tool for tool in app.contract.tools if tool.name == "web_search")
    before, seen = set(_children()), set[str]()
    watching = asyncio.create_task(_watch(seen))
    started = time.perf_counter()
    answer = await app.dispatcher.call(tool, {"query": "five pages", "num_results": PAGES}, no_progress)
    took = time.perf_counter() - started
    watching.cancel()
    missing = [number for number in range(PAGES) if f"/{number}, in full" not in answer.text]
    assert not missing, answer.text
    return Reading(took, frozenset(seen - before))


async def _watch(seen: set[str]) -> None:
    while True:
        seen |= set(_children())
        await asyncio.sleep(0.01)


def _children(pid: str = "self") -> Iterator[str]:
    """The command lines of the processes below this one."""
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        # A process may be gone before it was looked at.
        with contextlib.suppress(OSError):
            for child in listed.read_text().split():
                yield _command(child)
                yield from _children(child)


def _command(pid: str) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


@dataclass(frozen=True, slots=True)
class Fetching:
    """The milliseconds of the best round of each."""

    plain_ms: float
    guarded_ms: float

    @property
    def ratio(self) -> float:
        return self.guarded_ms / self.plain_ms


def fetch_many(rounds: int) -> Fetching:
    with _site("x", FETCH_BYTES) as port:
        return asyncio.run(_compare(port, rounds))


@contextlib.contextmanager
def _site(shape: str, size: int) -> Iterator[int]:
    """The port of a server that has one page: the shape, again and again."""
    command = [sys.executable, "-c", _SITE, shape.encode("unicode_escape").decode(), str(size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as site:
        try:
            assert site.stdout
            yield int(site.stdout.readline())
        finally:
            site.kill()


async def _compare(port: int, rounds: int) -> Fetching:
    plain, guarded = [], []
    for _ in range(rounds + 1):
        plain.append(await _plain(port))
        guarded.append(await _guarded(port))
    # What is loaded with the first round is not part of the price of a fetch.
    return Fetching(min(plain[1:]), min(guarded[1:]))


async def _plain(port: int) -> float:
    async with aiohttp.ClientSession() as session:

        async def fetch() -> bytes:
            async with session.get(f"http://127.0.0.1:{port}/") as response:
                return await response.read()

        return await _timed(fetch)


async def _guarded(port: int) -> float:
    async def loopback(host: str, port: int) -> list[str]:  # noqa: ARG001
        return ["127.0.0.1"]

    client = UntrustedClient(Guard((f"site.example:{port}",), loopback), "dowse/benchmark")

    async def fetch() -> bytes:
        fetched = await client.get(f"http://site.example:{port}/", timeout_s=30, max_bytes=2 * FETCH_BYTES)
        return fetched.body

    try:
        return await _timed(fetch)
    finally:
        await client.close()


async def _timed(fetch: Callable[[], Awaitable[bytes]]) -> float:
    started = time.perf_counter()
    bodies = await asyncio.gather(*(fetch() for _ in range(FETCHES)))
    took = time.perf_counter() - started
    assert {len(body) for body in bodies} == {FETCH_BYTES}
    return took * 1000


SHAPES = {
    "prose": "<p>The otter swims in the river, and the river is cold in winter. It weighs nine kilograms.</p>\n",
    "headings": "<h2>Otters</h2>\n<p>They swim.</p>\n",
    "lists in lists": "<ul><li>otter" * 8 + "<li>river" * 400 + "</ul>" * 8,
    "code": "<pre>    for otter in river:\n        print(otter)\n</pre>\n",
    "Chinese": "<p>水獭在河里游泳，冬天的河水很冷。otter</p>\n",
}


def lag_while_reading(shape: str, *, question: str = "") -> float:
    """How late the loop was, in milliseconds, in the worst hundredth of the time that the page took."""
    with _site(SHAPES[shape], LARGE_BYTES - 1) as port:
        lags = asyncio.run(_read_large(port, question))
    return sorted(lags)[int(len(lags) * 0.99)] * 1000


async def _read_large(port: int, question: str) -> list[float]:
    # A page that takes long on a busy machine is no failure here.
    settings = {"DOWSE_ALLOW_PRIVATE": f"127.0.0.1:{port}", "DOWSE_CONTENT_FETCH_TIMEOUT": "30s"}
    async with App(load({}, settings).settings) as app:
        tool = app.contract.tool("get_content")
        assert tool
        lags: list[float] = []
        watching = asyncio.create_task(_keep_time(lags))
        given = {"url": f"http://127.0.0.1:{port}/", **({"question": question} if question else {})}
        answer = await app.dispatcher.call(tool, given, no_progress)
        watching.cancel()
        assert "otter" in answer.text.lower(), answer.text[:1000]
        return lags


async def _keep_time(lags: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await asyncio.sleep(_TICK_S)
        lags.append(time.perf_counter() - started - _TICK_S)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    reading, fetching = read_five_pages(rounds), fetch_many(4 * rounds)
    print(f"{PAGES} pages of {PAGE_S:.0f} s each   {reading.seconds:6.2f} s (<= {FIVE_PAGES_BOUND_S})")
    print(f"processes beside the worker   {len(reading.browsers)} (<= 0) {' '.join(sorted(reading.browsers))}")
    print(f"{FETCHES} fetches, plain aiohttp  {fetching.plain_ms:6.1f} ms")
    print(f"{FETCHES} fetches, guarded client {fetching.guarded_ms:6.1f} ms")
    print(f"{'ratio':26} {fetching.ratio:6.2f} (<= {FETCH_BOUND})")
    asked = "How heavy is an otter?"
    lags = {shape: (lag_while_reading(shape), lag_while_reading(shape, question=asked)) for shape in SHAPES}
    for shape, (plain_ms, asked_ms) in lags.items():
        name = f"lag p99, 5 MB of {shape}"
        print(f"{name:34} {plain_ms:5.1f} ms, with a question {asked_ms:5.1f} ms (<= {LAG_BOUND_MS:.0f})")
    held = (
        reading.seconds <= FIVE_PAGES_BOUND_S,
        not reading.browsers,
        fetching.ratio <= FETCH_BOUND,
        max(map(max, lags.values())) <= LAG_BOUND_MS,
    )
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
