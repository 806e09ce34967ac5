"""Two callers over HTTP: one of them fills a shared resource, and the other one takes at most three times as long.

By the rule for timing tests the best of three runs counts. Both times of a ratio are taken on the same server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import aiohttp
import pytest

from tests import realparts
from tests.balancer import balancing
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.fakes.pdf import column, pdf, sheet
from tests.http import HTTP, HttpServer

GREEDY, OTHER = "greedy-has-a-long-token", "other-has-a-long-token"
RUNS = 3
MOST = 3.0
CALLS = 9
SOON_S = 60.0
# A further call of the greedy caller itself waits at least so many times as long as it would alone.
WAITS = 10.0
QUICK = "/articles/python-315"
# Small on the wire, and seconds of work for a worker.
_LINES = column(50, 800, ["the same words once more in a long line of words"] * 60)
HEAVY = pdf(*(sheet(*_LINES * 3) for _ in range(100)))
HANGS = "/hangs.js"
UNFINISHED = f'<body><div id=app></div><script src="{HANGS}"></script>'


@dataclass(frozen=True)
class Filling:
    """How a resource is filled: the greedy caller's pages and how many at a time, and the page of the other one."""

    pages: int
    settings: Mapping[str, str] = field(default_factory=dict)
    page: str = QUICK
    body: str | bytes = ""
    """Of the greedy caller's pages; without one they hang."""
    content_type: str = "text/html"


FILLINGS = {
    "fetch slots": Filling(48),
    "call slots": Filling(12, {"DOWSE_MAX_CALLS": "8", "DOWSE_MAX_CONCURRENT_FETCHES": "32"}),
    "workers": Filling(32, {"DOWSE_MAX_CONCURRENT_FETCHES": "32"}, body=HEAVY, content_type="application/pdf"),
    "browser pages": Filling(
        12,
        {"DOWSE_BROWSER": "auto", "DOWSE_BROWSER_MAX_PAGES": "2", "DOWSE_MAX_CONCURRENT_FETCHES": "16"},
        page="/app",
        body=UNFINISHED,
    ),
}


async def read(http: HttpServer, url: str, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    async with http.post("get_content", {"url": url}, headers=headers) as response:
        text = await response.text()
        return response.status if '"status":"ok"' in text or response.status != 200 else 0


class Greedy:
    """A caller that reads so many pages at a time, again and again."""

    def __init__(self, http: HttpServer, web: PocketWeb, pages: int) -> None:
        self._http, self._web = http, web
        self._tasks = [asyncio.create_task(self._keep_reading(number)) for number in range(pages)]

    async def _keep_reading(self, number: int) -> None:
        while True:
            if await read(self._http, self._web.page(f"/greedy/{number}"), GREEDY) == 503:
                # As `Retry-After` says.
                await asyncio.sleep(1.0)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@dataclass
class Measured:
    """Seconds of the other caller's median call, alone and beside the greedy one, and what it was refused."""

    alone_s: float
    beside_s: float
    refused: int
    greedy_waits: bool
    """Positive control: whether a further call of the greedy caller itself waits, or is refused."""

    @property
    def ratio(self) -> float:
        return self.beside_s / self.alone_s


async def measure(http: HttpServer, web: PocketWeb, filling: Filling, size: int) -> Measured:
    pages = filling.pages * size
    for number in range(pages):
        path = f"/greedy/{number}"
        if filling.body:
            web.pages.serves(path, filling.body, content_type=filling.content_type)
        else:
            web.pages.fails(path, "hang")
    web.pages.fails(HANGS, "hang")
    url = web.page(filling.page)
    await _timed(http, url)
    alone = [await _timed(http, url) for _ in range(CALLS)]
    seen = len(web.pages.requests)
    greedy = Greedy(http, web, pages)
    try:
        async with asyncio.timeout(SOON_S):
            await web.pages.arrived(seen + 8 * size)
        # The first one at each replica starts a worker of the reserve.
        beside = [await _timed(http, url) for _ in range(CALLS + size)][size:]
        alone_s = median(seconds for seconds, _ in alone)
        waits = await _waits(read(http, url, GREEDY), WAITS * alone_s)
    finally:
        await greedy.stop()
    assert [status for _, status in alone] == [200] * CALLS
    refused = sum(status != 200 for _, status in beside)
    return Measured(alone_s, median(seconds for seconds, _ in beside), refused, waits)


async def _timed(http: HttpServer, url: str) -> tuple[float, int]:
    started = time.monotonic()
    status = await asyncio.wait_for(read(http, url, OTHER), SOON_S)
    return time.monotonic() - started, status


async def _waits(call: Awaitable[int], seconds: float) -> bool:
    """Whether a call is refused or takes longer."""
    try:
        return await asyncio.wait_for(call, seconds) == 503
    except TimeoutError:
        return True


@asynccontextmanager
async def replicas(home: Path, settings: Mapping[str, str], valkey_url: str, size: int) -> AsyncIterator[HttpServer]:
    """So many servers on one store, behind an nginx if there are several."""
    async with AsyncExitStack() as stack:
        origins = []
        for number in range(size):
            folder = home / str(number)
            folder.mkdir()
            starting = Server(folder).http({**settings, "DOWSE_STATE": valkey_url}, command=HTTP)
            origins.append((await stack.enter_async_context(starting)).origin)
        url = await stack.enter_async_context(balancing(*origins)) if size > 1 else origins[0]
        connector = aiohttp.TCPConnector(limit=0)
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        yield HttpServer(url + "/mcp", session)


@pytest.mark.promise("fair-three-times")
@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("resource", FILLINGS)
async def test_beside_a_caller_that_fills_a_resource_another_takes_at_most_three_times_as_long(
    resource: str, size: int, web: PocketWeb, valkey_url: str, tmp_path: Path
) -> None:
    filling = FILLINGS[resource]
    if "DOWSE_BROWSER" in filling.settings:
        realparts.require("chromium")
    tokens = {"DOWSE_TOKENS": f"greedy:{GREEDY},other:{OTHER}"}
    best: Measured | None = None
    for number in range(RUNS):
        home = tmp_path / str(number)
        home.mkdir()
        async with replicas(home, {**web.environment(), **tokens, **filling.settings}, valkey_url, size) as http:
            measured = await measure(http, web, filling, size)
        print(f"{resource}, replicas: {size}: {measured.ratio:.1f} times as long ({measured})")
        web.reset()
        assert measured.refused == 0
        assert measured.greedy_waits, "the resource was full"
        best = measured if best is None else min(best, measured, key=lambda each: each.ratio)
        if best.ratio <= MOST:
            break
    assert best is not None and best.ratio <= MOST, best
