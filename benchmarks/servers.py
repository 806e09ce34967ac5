"""What the benchmarks of calls share: a bare `MCPServer`, dowse, and what a call costs each of them over HTTP.

Servers are asked in turns by the same client on connections that are kept, so that a busy machine slows all of them;
the best round of each counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

CALLS = 500
# One call after the other, as an agent makes them, is what bounds are about; many at a time is for comparison.
JUDGED, CROWD = 1, 16
_START_S = 30.0
_VERSION = "2026-07-28"

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
        return sum(map(_cpu_ms, [self.pid, *_children(self.pid)]))


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
    connector = aiohttp.TCPConnector(limit=at_a_time)
    async with aiohttp.ClientSession(connector=connector) as session:
        await _ask(target, session, 2 * at_a_time)
        before = target.cpu_ms()
        await asyncio.gather(*(_ask(target, session, calls // at_a_time) for _ in range(at_a_time)))
        return (target.cpu_ms() - before) / (calls // at_a_time * at_a_time)


async def _ask(target: Target, session: aiohttp.ClientSession, times: int) -> None:
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": target.tool,
    }
    meta = {
        "io.modelcontextprotocol/protocolVersion": _VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
    }
    for number in itertools.islice(_numbers, times):
        params = {"name": target.tool, "arguments": target.arguments(number), "_meta": meta}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        async with session.post(target.url, json=message, headers=headers) as response:
            answer = json.loads(await response.read())
        assert answer["result"]["isError"] is False, answer


@contextmanager
def bare(home: Path) -> Iterator[Target]:
    """The SDK's own server with a tool that does nothing."""
    script = home / "bare.py"
    script.write_text(_BARE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with _running([sys.executable, str(script), str(port)], home) as server:
        server.line_with("starting")
        _wait_for(port)
        url = f"http://127.0.0.1:{port}/mcp"
        yield Target("bare MCPServer", server.process.pid, url, "echo", lambda _number: {"text": "hello"})


@contextmanager
def dowse(home: Path, further: Mapping[str, str] | None = None) -> Iterator[Callable[..., Target]]:
    """Makes targets out of one dowse, by their name and arguments. Its provider and its pages are the pocket web."""
    with _running([sys.executable, "-m", "dowse.pocketweb"], home) as web:
        wanted = ("SERPER_API_KEY", "SERPER_SEARCH_ENDPOINT", "DOWSE_ALLOW_PRIVATE")
        settings = {name: web.line_with(f"export {name}=").partition("=")[2].strip() for name in wanted}
        settings |= further or {}
        with _running([sys.executable, "-m", "dowse", "serve", "--http", "--port", "0"], home, settings) as server:
            url = json.loads(server.line_with('"listening"'))["url"]
            yield lambda name, arguments: Target(name, server.process.pid, url, "web_search", arguments)


@dataclass(frozen=True, slots=True)
class _Running:
    """A process that writes into a file, so that nobody has to read along."""

    process: subprocess.Popen[bytes]
    output: Path

    def line_with(self, text: str) -> str:
        """The first line with the text, waited for."""
        deadline = time.monotonic() + _START_S
        while True:
            written = self.output.read_text()
            for line in written.splitlines():
                if text in line:
                    return line
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{text!r} did not come: {written}")
            time.sleep(0.01)


@contextmanager
def _running(command: Sequence[str], home: Path, settings: Mapping[str, str] | None = None) -> Iterator[_Running]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), **(settings or {})}
    with tempfile.NamedTemporaryFile(dir=home) as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        with process:
            try:
                yield _Running(process, Path(output.name))
            finally:
                process.kill()


def _wait_for(port: int) -> None:
    while True:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.01)


def _cpu_ms(pid: int) -> float:
    # The name, in parentheses, may contain spaces; the times are the 12th and 13th field behind it.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]
