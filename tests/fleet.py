"""Several `dowse serve --http` on one store behind one balancer, and clients that keep them busy."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Self

import aiohttp

from tests.balancer import balancing
from tests.conftest import Server
from tests.http import LEGACY, MODERN, HttpProcess, HttpServer

SIZE = 3
CLIENTS = 20
SOON_S = 30.0
# A machine that has other things to do as well may have no time for so many.
_OVERLOADED = "more calls than it can answer in time"
_CALLS = re.compile(r"^mcp_tool_calls_total\{.*?\} (\S+)$", re.MULTILINE)


class Replica:
    """One process of the fleet, which can be ended and started again on its port."""

    def __init__(self, home: Path, settings: Mapping[str, str]) -> None:
        home.mkdir()
        self.port = 0
        self._server = Server(home)
        self._settings = settings
        self._running = AsyncExitStack()
        self.http: HttpProcess

    async def start(self) -> None:
        self.http = await self._running.enter_async_context(self._server.http(self._settings, "--port", str(self.port)))
        self.port = int(self.http.origin.rpartition(":")[2])

    def send(self, number: signal.Signals) -> None:
        """Send a signal; whoever is killed has no exit code of its own."""
        self.http.exit_code = -number if number is signal.SIGKILL else 0
        self.http.process.send_signal(number)

    async def ended(self) -> int:
        """Wait for the end that a signal has brought about; returns the exit code."""
        code = await asyncio.wait_for(self.http.process.wait(), SOON_S)
        await self.stop()
        return code

    async def stop(self) -> None:
        """Tell it to stop if it runs, and see that it ended as it should."""
        await self._running.aclose()

    async def calls(self) -> int:
        """How many tool calls it has answered."""
        return sum(int(float(count)) for count in _CALLS.findall(await self._get("/metrics")))

    async def _get(self, path: str) -> str:
        async with self.http.session.get(self.http.origin + path) as response:
            return await response.text()


class Fleet:
    """The replicas, and the one address under which they are reached."""

    def __init__(self, replicas: list[Replica], http: HttpServer) -> None:
        self.each = replicas
        self.http = http


@asynccontextmanager
async def fleet(home: Path, settings: Mapping[str, str]) -> AsyncIterator[Fleet]:
    """Replicas with the same settings behind an nginx; all of them have to end well, unless a test has killed them."""
    async with AsyncExitStack() as stack:
        replicas = [Replica(home / f"replica-{number}", settings) for number in range(SIZE)]
        for replica in replicas:
            stack.push_async_callback(replica.stop)
        await asyncio.gather(*(replica.start() for replica in replicas))
        url = await stack.enter_async_context(balancing(*(replica.http.origin for replica in replicas)))
        session = await stack.enter_async_context(aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)))
        yield Fleet(replicas, HttpServer(url + "/mcp", session))


class Load:
    """Clients that ask one thing after the other, nothing twice; in both eras, and every other one with a stream."""

    def __init__(self, http: HttpServer, *, tries: int) -> None:
        self._http = http
        self._tries = tries
        self.answered = 0
        self.retried = {"json": 0, "stream": 0}
        self.lost: list[str] = []
        self._clients: list[asyncio.Task[None]] = []
        self._told = asyncio.Condition()
        self._ends = False

    async def __aenter__(self) -> Self:
        self._clients = [asyncio.create_task(self._client(number)) for number in range(CLIENTS)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ends = True
        await asyncio.gather(*self._clients)

    async def more(self, calls: int) -> None:
        """Wait until so many more calls are through, for better or worse."""
        until = self._through + calls
        async with asyncio.timeout(SOON_S), self._told:
            await self._told.wait_for(lambda: self._through >= until)

    @property
    def _through(self) -> int:
        return self.answered + len(self.lost)

    async def _client(self, number: int) -> None:
        asked = 0
        while not self._ends:
            asked += 1
            await self._ask(number, f"python release {number} {asked}")
            async with self._told:
                self._told.notify_all()

    async def _ask(self, number: int, question: str) -> None:
        kind = "stream" if number % 2 else "json"
        troubles = []
        for _ in range(self._tries):
            trouble = await self._trouble(question, MODERN if number % 4 >= 2 else LEGACY, kind)
            if not trouble:
                self.answered += 1
                self.retried[kind] += len(troubles)
                return
            troubles.append(trouble)
        self.lost.append(" | ".join(troubles))

    async def _trouble(self, question: str, version: str, kind: str) -> str:
        """What went wrong with one try, if something did. Who is told to come back because of the load comes back."""
        arguments = {"query": question, "num_results": 1, "fetch_content": False}
        token = "progress-token" if kind == "stream" else None
        while True:
            try:
                async with self._http.post("web_search", arguments, version=version, progress_token=token) as response:
                    text = await response.text()
            except aiohttp.ClientError as error:
                return repr(error)
            if response.status != 503 or _OVERLOADED not in text:
                break
            await asyncio.sleep(float(response.headers["Retry-After"]))
        return "" if response.status == 200 and '"engine":"serper"' in text else f"{response.status} {text}"
