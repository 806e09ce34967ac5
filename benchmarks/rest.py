"""CPU per REST search without pages, against bare Starlette routes that ask the same double and answer JSON.

The provider is the pocket web in a process of its own, which answers at once, and every question is a new one. The bare
routes read a JSON body, send one request, and answer with the results. Judged is the one with aiohttp, the client of
dowse itself, so that the ratio is what dowse adds; the one with httpx is printed for comparison. Exits 1 when the ratio
is above its bound, which is the figure of the feature and is not reached: most of the cost is the search flow.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.processes import children, cpu_ms, pocket_web, running
from benchmarks.servers import wait_for

BOUND = 1.6
CALLS = 500
CLIENTS = ("aiohttp", "httpx")
JUDGED = "bare with aiohttp"
# What is measured today, with room for a busy machine: for a test that notices a regression, no target.
CEILING = 6.0

_BARE = """
import os
import sys
from contextlib import asynccontextmanager

import aiohttp
import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

HEADERS = {"X-API-KEY": os.environ["SERPER_API_KEY"]}
URL = os.environ["SERPER_SEARCH_ENDPOINT"]
session = None


@asynccontextmanager
async def lifespan(app):
    global session
    async with aiohttp.ClientSession() if sys.argv[2] == "aiohttp" else httpx2.AsyncClient() as session:
        yield


async def ask_aiohttp(body):
    async with session.post(URL, json=body, headers=HEADERS) as response:
        return await response.json()


async def ask_httpx(body):
    return (await session.post(URL, json=body, headers=HEADERS)).json()


ask = {"aiohttp": ask_aiohttp, "httpx": ask_httpx}[sys.argv[2]]


async def search(request):
    asked = await request.json()
    found = await ask({"q": asked["query"], "num": 3})
    return JSONResponse({"query": asked["query"], "results": found["organic"]})


print("starting", flush=True)
app = Starlette(routes=[Route("/search", search, methods=["POST"])], lifespan=lifespan)
uvicorn.run(app, port=int(sys.argv[1]), http="h11", access_log=False, log_level="warning")
"""
_SETTINGS = {"DOWSE_STATE": "memory:", "DOWSE_TTL_SEARCH": "0"}
WANTED = ("SERPER_API_KEY", "SERPER_SEARCH_ENDPOINT", "DOWSE_ALLOW_PRIVATE")

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """An endpoint of a running server, and the request for each number."""

    name: str
    pid: int
    url: str
    body: Callable[[int], Mapping[str, object]]
    headers: Mapping[str, str]
    is_get: bool = False
    """Whether the body is sent as the query of the address."""

    def cpu_ms(self) -> float:
        """User and system time so far, of the process and of its workers."""
        return sum(map(cpu_ms, [self.pid, *children(self.pid)]))


def compare(rounds: int, calls: int = CALLS) -> dict[str, float]:
    """CPU milliseconds per call of each server in its best round."""
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        web = stack.enter_context(pocket_web(Path(home), "--pages", "0"))
        settings = {name: web[name] for name in WANTED}
        pid, origin = stack.enter_context(serving(Path(home), settings))
        bare = [stack.enter_context(_bare(Path(home), settings, client)) for client in CLIENTS]
        rest = HttpTarget("REST", pid, f"{origin}/api/v1/search", _search, {})
        return asyncio.run(best_of(rounds, [*bare, rest], calls))


async def best_of(rounds: int, targets: Sequence[HttpTarget], calls: int) -> dict[str, float]:
    """The best round of each target; they are asked in turns, so that a busy machine slows all of them."""
    best = {target.name: float("inf") for target in targets}
    async with aiohttp.ClientSession() as session:
        for target in targets:
            # What is loaded with the first calls is not part of the price of a call.
            await _measure(session, target, calls)
        for _ in range(rounds):
            for target in targets:
                best[target.name] = min(best[target.name], await _measure(session, target, calls))
    return best


async def _measure(session: aiohttp.ClientSession, target: HttpTarget, calls: int) -> float:
    before = target.cpu_ms()
    for _ in range(calls):
        body = target.body(next(_numbers))
        async with _request(session, target, body) as response:
            assert response.status == 200, await response.text()
            await response.read()
    return (target.cpu_ms() - before) / calls


def _request(
    session: aiohttp.ClientSession, target: HttpTarget, body: Mapping[str, object]
) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
    if target.is_get:
        query = {name: str(value) for name, value in body.items()}
        return session.get(target.url, params=query, headers=target.headers)
    return session.post(target.url, json=body, headers=target.headers)


def _search(number: int) -> Mapping[str, object]:
    return {"query": f"python release {number}", "fetch_content": False}


@contextmanager
def _bare(home: Path, settings: Mapping[str, str], client: str) -> Iterator[HttpTarget]:
    script = home / "bare.py"
    script.write_text(_BARE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running([sys.executable, str(script), str(port), client], home, settings) as server:
        server.line_with("starting")
        wait_for(port)
        url = f"http://127.0.0.1:{port}/search"
        yield HttpTarget(
            f"bare with {client}", server.pid, url, lambda number: {"query": f"python release {number}"}, {}
        )


@contextmanager
def serving(home: Path, settings: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    command = [sys.executable, "-m", "dowse", "serve", "--http", "--port", "0"]
    with running(command, home, {**settings, **_SETTINGS}) as server:
        url: str = json.loads(server.line_with('"listening"'))["url"]
        yield server.pid, url.removesuffix("/mcp")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    best = compare(parser.parse_args().rounds)
    bare, rest = best[JUDGED], best["REST"]
    for name, cost in best.items():
        print(f"{name:18} {cost:6.2f} ms CPU a call: REST costs {rest / cost:.2f}x")
    print(f"{'ratio':18} {rest / bare:6.2f} (<= {BOUND})")
    return 0 if rest / bare <= BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
