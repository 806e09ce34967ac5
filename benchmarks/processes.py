"""Processes that benchmarks start, and what Linux knows of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_START_S = 30.0


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
def running(command: Sequence[str], home: Path, settings: Mapping[str, str] | None = None) -> Iterator[Running]:
    """A process with an environment of its own, killed in the end."""
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


@contextmanager
def pocket_web(home: Path, *options: str) -> Iterator[dict[str, str]]:
    """The settings that point dowse at a pocket web in a process of its own."""
    with running([sys.executable, str(Path(__file__).with_name("pocket.py")), *options], home) as web:
        yield json.loads(web.line_with("SERPER_API_KEY"))


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process and those below it hold at a moment."""

    memory_kb: int
    descriptors: int
    threads: int
    processes: int


def usage(pid: int) -> Usage:
    """Of the process itself, except that `processes` counts those below it."""
    status = _status(pid)
    return Usage(
        int(status["VmRSS"].split()[0]),
        len(list(Path(f"/proc/{pid}/fd").iterdir())),
        int(status["Threads"]),
        len(children(pid)),
    )


def memory_of_workers_kb(pid: int) -> int:
    """What the processes below one hold together; one may be gone before it was looked at."""
    total = 0
    for child in children(pid):
        with suppress(OSError, KeyError):
            total += int(_status(child)["VmRSS"].split()[0])
    return total


def cpu_ms(pid: int) -> float:
    """User and system time so far, of all its threads, those that have ended among them."""
    # The clock of the process counts nanoseconds, `/proc` hundredths of a second. Its number is made of the process as
    # clock_getcpuclockid(3) does, which Python has for threads only.
    return time.clock_gettime(~pid << 3 | 2) * 1000


def children(pid: int) -> list[int]:
    """The processes that it has started."""
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
