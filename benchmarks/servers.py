"""What the benchmarks of calls share: a bare `MCPServer`, dowse, and what a call costs each of them over HTTP.

Servers are asked in turns by the same client on connections that are kept, so that a busy machine slows all of them;
the best round of each counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import load
from benchmarks.processes import children, cpu_ms, pocket_web, running

CALLS = 500
# One call after the other, as an agent makes them, is what bounds are about; many at a time is for comparison.
JUDGED, CROWD = 1, 16

_BARE = """
import sys

from mcp.server.mcpserver import MCPServer

# Quiet, so that nothing makes it look dearer than it is.
server = MCPServer("bare", log_level="WARNING")


@server.tool()
def echo(text: str) -> str:
    return text


print("starting", flush=True)
server.run("streamable-http", port=int(sys.argv[1]), stateless_http=True, json_response=True)
"""

Costs = dict[int, float]
"""CPU milliseconds per call, by how many calls there were at a time."""

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Target:
    """A running server and the calls it is asked to answer, by their number."""

    name: str
    pid: int
    url: str
    tool: str
    arguments: Callable[[int], Mapping[str, object]]

    def cpu_ms(self) -> float:
        """User and system time so far, of the process and of its workers."""
        return sum(map(cpu_ms, [self.pid, *children(self.pid)]))


def best_of(rounds: int, targets: Sequence[Target], calls: int) -> dict[str, Costs]:
    """The best round of each target."""
    for target in targets:
        # What is loaded with the first calls is not part of the price of a call.
        asyncio.run(measure(target, calls, CROWD))
    best = {target.name: {JUDGED: float("inf"), CROWD: float("inf")} for target in targets}
    for _ in range(rounds):
        for at_a_time in (JUDGED, CROWD):
            for target in targets:
                cost = asyncio.run(measure(target, calls, at_a_time))
                best[target.name][at_a_time] = min(best[target.name][at_a_time], cost)
    return best


async def measure(target: Target, calls: int, at_a_time: int) -> float:
    """CPU milliseconds of the server per call."""
    async with load.calling(target.url) as caller:

        async def ask(_number: int) -> load.Answer:
            answer = await caller.ask(target.tool, target.arguments(next(_numbers)))
            assert answer.outcome == "ok", answer
            return answer

        await load.at_a_time(ask, 2 * at_a_time, at_a_time)
        before = target.cpu_ms()
        await load.at_a_time(ask, calls, at_a_time)
        return (target.cpu_ms() - before) / calls


@contextmanager
def bare(home: Path) -> Iterator[Target]:
    """The SDK's own server with a tool that does nothing."""
    script = home / "bare.py"
    script.write_text(_BARE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running([sys.executable, str(script), str(port)], home) as server:
        server.line_with("starting")
        wait_for(port)
        url = f"http://127.0.0.1:{port}/mcp"
        yield Target("bare MCPServer", server.pid, url, "echo", lambda _number: {"text": "hello"})


@contextmanager
def dowse(home: Path, further: Mapping[str, str] | None = None) -> Iterator[Callable[..., Target]]:
    """Makes targets out of one dowse, by their name and arguments. Its provider and its pages are the pocket web."""
    with pocket_web(home, "--pages", "0") as web:
        wanted = ("SERPER_API_KEY", "SERPER_SEARCH_ENDPOINT", "DOWSE_ALLOW_PRIVATE")
        settings = {name: web[name] for name in wanted} | dict(further or {})
        with running([sys.executable, "-m", "dowse", "serve", "--http", "--port", "0"], home, settings) as server:
            url = json.loads(server.line_with('"listening"'))["url"]
            yield lambda name, arguments: Target(name, server.pid, url, "web_search", arguments)


def wait_for(port: int) -> None:
    while True:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.01)
