"""CPU per call over HTTP: `web_search` without pages, against an echo tool on a bare `MCPServer`.

The provider is the pocket web in a process of its own, which answers at once. Both servers are asked in turns by the
same client on connections that are kept, so that a busy machine slows both; the best round of each counts. Prints the
figures and their ratio, and exits 1 when it is above its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

BOUND = 2.5
VERSION = "2026-07-28"
CALLS = 500
START_S = 30.0
# One call after the other, as an agent makes them, is what the bound is about; many at a time is for comparison.
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


@dataclass(frozen=True, slots=True)
class Target:
    """A running server and the call it is asked to answer."""

    name: str
    pid: int
    url: str
    tool: str
    arguments: dict[str, object]

    def cpu_ms(self) -> float:
        """User and system time of the process so far."""
        # The name, in parentheses, may contain spaces; the times are the 12th and 13th field behind it.
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


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
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": target.tool,
    }
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
    }
    params = {"name": target.tool, "arguments": target.arguments, "_meta": meta}
    for number in range(times):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        async with session.post(target.url, json=message, headers=headers) as response:
            answer = json.loads(await response.read())
        assert answer["result"]["isError"] is False, answer


def compare(rounds: int, calls: int = CALLS) -> dict[str, dict[int, float]]:
    """The best round of each server, by how many calls there were at a time."""
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        targets = [stack.enter_context(_bare(Path(home))), stack.enter_context(_dowse(Path(home)))]
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


@contextmanager
def _bare(home: Path) -> Iterator[Target]:
    script = home / "bare.py"
    script.write_text(_BARE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with _running([sys.executable, str(script), str(port)], home) as server:
        server.line_with("starting")
        _wait_for(port)
        yield Target("bare MCPServer", server.pid, f"http://127.0.0.1:{port}/mcp", "echo", {"text": "hello"})


@contextmanager
def _dowse(home: Path) -> Iterator[Target]:
    with _running([sys.executable, "-m", "dowse.pocketweb"], home) as web:
        wanted = ("SERPER_API_KEY", "SERPER_SEARCH_ENDPOINT", "DOWSE_ALLOW_PRIVATE")
        settings = {name: web.line_with(f"export {name}=").partition("=")[2].strip() for name in wanted}
        with _running([sys.executable, "-m", "dowse", "serve", "--http", "--port", "0"], home, settings) as server:
            url = json.loads(server.line_with('"listening"'))["url"]
            arguments: dict[str, object] = {"query": "python release", "fetch_content": False}
            yield Target("dowse web_search", server.pid, url, "web_search", arguments)


def _wait_for(port: int) -> None:
    while True:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.01)


@dataclass(frozen=True, slots=True)
class Running:
    """A process that writes into a file, so that nobody has to read along."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def line_with(self, text: str) -> str:
        """The first line with the text, waited for."""
        deadline = time.monotonic() + START_S
        while True:
            written = self.output.read_text()
            for line in written.splitlines():
                if text in line:
                    return line
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{text!r} did not come: {written}")
            time.sleep(0.01)


@contextmanager
def _running(command: Sequence[str], home: Path, settings: Mapping[str, str] | None = None) -> Iterator[Running]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), **(settings or {})}
    with tempfile.NamedTemporaryFile(dir=home) as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        with process:
            try:
                yield Running(process, Path(output.name))
            finally:
                process.kill()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    best = compare(parser.parse_args().rounds)
    for name, costs in best.items():
        print(f"{name:16} {costs[JUDGED]:6.2f} ms CPU a call, {costs[CROWD]:6.2f} with {CROWD} at a time")
    bare, dowse = best.values()
    ratio = dowse[JUDGED] / bare[JUDGED]
    print(f"{'ratio':16} {ratio:6.2f} (<= {BOUND}), {dowse[CROWD] / bare[CROWD]:14.2f} with {CROWD} at a time")
    return 0 if ratio <= BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
