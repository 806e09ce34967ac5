"""Start-up: CPU until `initialize` is answered, and idle memory, against a bare `MCPServer`.

Both are started in turns, so that a busy machine slows both; the best of the runs counts. Prints the
figures and their ratios, and exits 1 when a ratio is above its bound.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

CPU_BOUND = 1.25
MEMORY_BOUND = 1.3

_BARE = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("bare")


@server.tool()
def echo(text: str) -> str:
    return text


server.run("stdio")
"""
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class Start:
    """What one start cost."""

    cpu_ms: float
    memory_kb: int


def measure(command: list[str], home: str) -> Start:
    """Start a server, have `initialize` answered, read its memory, end it, ask the kernel for its CPU."""
    environment = {"PATH": os.environ["PATH"], "HOME": home, "SERPER_API_KEY": "benchmark-key"}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(_INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["result"]["serverInfo"], answer
    status = Path(f"/proc/{process.pid}/status").read_text()
    memory_kb = int(status.partition("VmRSS:")[2].split()[0])
    # Killed at once: what counts ends with the answer.
    process.send_signal(signal.SIGKILL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = -signal.SIGKILL
    process.stdin.close()
    process.stdout.close()
    return Start((usage.ru_utime + usage.ru_stime) * 1000, memory_kb)


def compare(rounds: int) -> dict[str, Start]:
    """The best start of each server over all rounds."""
    with tempfile.TemporaryDirectory() as home:
        bare = Path(home) / "bare.py"
        bare.write_text(_BARE)
        commands = {
            "bare MCPServer": [sys.executable, str(bare)],
            "dowse serve": [sys.executable, "-m", "dowse", "serve"],
        }
        runs: dict[str, list[Start]] = {name: [] for name in commands}
        for _ in range(rounds + 1):
            for name, command in commands.items():
                runs[name].append(measure(command, home))
    # The first of each wrote the byte code and filled the disk cache.
    return {
        name: Start(min(run.cpu_ms for run in starts[1:]), min(run.memory_kb for run in starts[1:]))
        for name, starts in runs.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=8)
    best = compare(parser.parse_args().rounds)
    for name, start in best.items():
        print(f"{name:16} {start.cpu_ms:7.0f} ms CPU {start.memory_kb / 1024:7.1f} MB")
    bare, dowse = best.values()
    cpu, memory = dowse.cpu_ms / bare.cpu_ms, dowse.memory_kb / bare.memory_kb
    print(f"{'ratio':16} {cpu:7.2f} (<= {CPU_BOUND}) {memory:9.2f} (<= {MEMORY_BOUND})")
    return 0 if cpu <= CPU_BOUND and memory <= MEMORY_BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
