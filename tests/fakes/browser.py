"""Stand-ins for Chromium: one inside the process for the pool, and programs that are started in its place."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dowse.fetch.browser.cdp import Connection
from tests.fakes.clock import FakeClock

RESULTS: dict[str, dict[str, str]] = {
    "Target.createBrowserContext": {"browserContextId": "context"},
    "Target.createTarget": {"targetId": "target"},
    "Target.attachToTarget": {"sessionId": "session"},
}


async def until(condition: Callable[[], object]) -> None:
    """Let others work until it holds; for what happens behind everybody's back."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - nobody is told when
            await asyncio.sleep(0)


class PatientClock(FakeClock):
    """Who sleeps wakes when the test says that it is time."""

    def __init__(self) -> None:
        super().__init__()
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def advance(self, seconds: float) -> None:
        super().advance(seconds)
        for until, woken in self._sleepers:
            if until <= self.time:
                woken.set()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        woken = asyncio.Event()
        self._sleepers.append((self.time + seconds, woken))
        await woken.wait()


class FakeBrowser:
    """Answers every command at once, but those that it is told to refuse or to leave without an answer."""

    def __init__(self, *, is_remote: bool = False, memory: int = 0) -> None:
        self.user_agent = "Fake/1.0"
        self.is_remote = is_remote
        self.connection = Connection()
        self.connection.attach(self)
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.refuses: set[str] = set()
        self.ignores: set[str] = set()
        self.memory = memory
        self.reaped = asyncio.Event()

    def heard(self, method: str) -> list[dict[str, Any]]:
        return [params for name, params in self.said if name == method]

    def crash(self) -> None:
        self.connection.end()

    def memory_bytes(self) -> int:
        return self.memory

    def kill(self) -> None:
        self.connection.close()

    async def reap(self) -> None:
        self.reaped.set()

    def send(self, message: bytes) -> None:
        content = json.loads(message)
        method, params = content["method"], content["params"]
        self.said.append((method, params))
        if method in self.ignores:
            return
        is_refused = method in self.refuses
        answer = {"error": {"message": "no"}} if is_refused else {"result": RESULTS.get(method, {})}
        reply = json.dumps({"id": content["id"], **answer}).encode()
        asyncio.get_running_loop().call_soon(self.connection.receive, reply)

    def close(self) -> None:
        """Nothing is open."""


SPEAKS = """
heard = b""
while piece := os.read(3, 65536):
    *messages, heard = (heard + piece).split(bytes(1))
    for message in messages:
        answer = {"id": json.loads(message)["id"], "result": {"userAgent": "Stand-in/1.0"}}
        os.write(4, json.dumps(answer).encode() + bytes(1))
"""


@dataclass(frozen=True, slots=True)
class Start:
    """How a program was started."""

    arguments: list[str]
    environment: dict[str, str]


class Program:
    """An executable in the place of Chromium; remembers how it was started."""

    def __init__(self, directory: Path, body: str = SPEAKS) -> None:
        self.path = directory / "chromium"
        self._log = directory / "starts.jsonl"
        lines = [
            f"#!{sys.executable} -SE",
            "import json, os, sys",
            f"with open({str(self._log)!r}, 'a+') as log:",
            "    print(json.dumps([sys.argv[1:], dict(os.environ)]), file=log, flush=True)",
            "    log.seek(0)",
            "    number = len(log.readlines())",
            body,
        ]
        self.path.write_text("\n".join(lines), encoding="utf-8")
        self.path.chmod(0o700)

    @property
    def starts(self) -> list[Start]:
        if not self._log.exists():
            return []
        return [Start(*json.loads(line)) for line in self._log.read_text(encoding="utf-8").splitlines()]
