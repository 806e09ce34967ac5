"""Load over HTTP: so many calls at a time or so many a second, how long they took and what became of them."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal

import aiohttp

Outcome = Literal["ok", "failed", "refused", "broken"]
"""An answer, an error of the tool, a word to come back later, or no answer at all."""

_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
}
# How refusals say when to come back, in their headers or in their text.
_REFUSED = (429, 503)
_COME_BACK = "retry_after"
_LATER_S = 1.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one call."""

    seconds: float
    outcome: Outcome
    text: str
    refusals: int = 0
    """How often it was sent away before."""


@dataclass(frozen=True, slots=True)
class Run:
    """Calls that belong together, and how long they took from the first to the last."""

    answers: Sequence[Answer]
    seconds: float

    @property
    def outcomes(self) -> Counter[str]:
        return Counter(answer.outcome for answer in self.answers)

    @property
    def per_s(self) -> float:
        """How many were answered in a second."""
        return self.outcomes["ok"] / self.seconds

    def percentile(self, share: float, outcome: Outcome = "ok") -> float:
        """The seconds within which such a share of the calls with this outcome had come back."""
        times = sorted(answer.seconds for answer in self.answers if answer.outcome == outcome)
        return times[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


Ask = Callable[[int], Awaitable[Answer]]
"""Makes the call with a number."""


class Caller:
    """Calls the tools of one server or of several in turn, on connections that are kept."""

    def __init__(self, session: aiohttp.ClientSession, urls: Sequence[str]) -> None:
        self._session = session
        self._urls = itertools.cycle(urls)

    async def ask(self, tool: str, arguments: Mapping[str, object], number: int = 1) -> Answer:
        """One call; whatever happens is its outcome."""
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        params = {"name": tool, "arguments": arguments, "_meta": _META}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        started = time.perf_counter()
        try:
            async with self._session.post(next(self._urls), json=message, headers=headers) as response:
                body = await response.text()
                outcome = _outcome(response.status, body)
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            outcome, body = "broken", repr(error)
        return Answer(time.perf_counter() - started, outcome, body)

    async def ask_again(self, tool: str, arguments: Mapping[str, object], number: int = 1) -> Answer:
        """The same as a polite client does it, who comes back when told to; the time in between counts."""
        started, refusals = time.perf_counter(), 0
        while (answer := await self.ask(tool, arguments, number)).outcome == "refused":
            refusals += 1
            await asyncio.sleep(_LATER_S)
        return replace(answer, seconds=time.perf_counter() - started, refusals=refusals)


@asynccontextmanager
async def calling(*urls: str, patience_s: float = 60.0) -> AsyncIterator[Caller]:
    """A caller with as many connections as its calls need."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=patience_s)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        yield Caller(session, urls)


async def at_a_time(ask: Ask, calls: int, together: int) -> Run:
    """So many calls, of which so many are under way all the time."""
    numbers = iter(range(calls))

    async def one_after_the_other() -> list[Answer]:
        return [await ask(number) for number in numbers]

    started = time.perf_counter()
    parts = await asyncio.gather(*(one_after_the_other() for _ in range(together)))
    return Run([answer for part in parts for answer in part], time.perf_counter() - started)


async def at_rate(ask: Ask, per_s: float, for_s: float) -> Run:
    """Calls that come at a rate, however long those before them take."""
    started = time.perf_counter()
    asked = []
    for number in range(int(per_s * for_s)):
        await asyncio.sleep(started + number / per_s - time.perf_counter())
        asked.append(asyncio.create_task(_made(ask, number)))
    answers = await asyncio.gather(*asked)
    return Run(answers, time.perf_counter() - started)


async def _made(ask: Ask, number: int) -> Answer:
    return await ask(number)


def _outcome(status: int, body: str) -> Outcome:
    if status in _REFUSED:
        return "refused"
    if status != 200:
        return "failed"
    result = json.loads(body).get("result", {"isError": True})
    if not result["isError"]:
        return "ok"
    return "refused" if _COME_BACK in body else "failed"
