"""More calls than a server can take: prepared bytes on bare connections, so that whoever asks is not the slower one."""

from __future__ import annotations

import asyncio
import json
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_VERSION = "2025-11-25"
_SETTLE_S = 30.0

Arguments = Callable[[int], Mapping[str, object]]


@dataclass(slots=True)
class Flood:
    """What became of the calls: how many seconds they took, by what the answer was."""

    admitted: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    lost: int = 0
    seconds: float = 0.0

    @property
    def per_s(self) -> float:
        """How many were answered in a second."""
        return len(self.admitted) / self.seconds

    def add(self, status: bytes, seconds: float) -> None:
        if status == b"200":
            self.admitted.append(seconds)
        elif status == b"503":
            self.refused.append(seconds)
        else:
            self.lost += 1


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that such a share of them does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1] if values else math.nan


class Callers:
    """Call a tool over connections that are kept; a further one is opened only while all others wait."""

    def __init__(self, url: str, tool: str, arguments: Arguments, numbers: Callable[[], int]) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._head = (
            f"POST {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {_VERSION}\r\n"
        )
        self._tool = tool
        self._arguments = arguments
        self._numbers = numbers
        self._free: list[_Connection] = []

    async def patient(self, at_a_time: int, seconds: float) -> Flood:
        """So many of them, each of whom asks again as soon as there is an answer."""
        flood, started = Flood(), time.perf_counter()

        async def keep_asking() -> None:
            while time.perf_counter() < started + seconds:
                await self._ask(flood)

        await asyncio.gather(*(keep_asking() for _ in range(at_a_time)))
        flood.seconds = time.perf_counter() - started
        return flood

    async def heedless(self, per_s: float, seconds: float, chance: random.Random) -> Flood:
        """They come when they come, at random, and nobody waits for anybody else."""
        flood, asking = Flood(seconds=seconds), set[asyncio.Task[None]]()
        started = due = time.perf_counter()
        while due < started + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            while due <= time.perf_counter():
                task = asyncio.create_task(self._ask(flood))
                asking.add(task)
                task.add_done_callback(asking.discard)
                due += chance.expovariate(per_s)
        if asking:
            _, late = await asyncio.wait(asking, timeout=_SETTLE_S)
            flood.lost += len(late)
        return flood

    def close(self) -> None:
        for connection in self._free:
            connection.transport.close()

    async def _ask(self, flood: Flood) -> None:
        request = self._request(self._numbers())
        connection = await self._connected()
        started = time.perf_counter()
        status = await connection.ask(request)
        flood.add(status, time.perf_counter() - started)
        self._free.append(connection)

    def _request(self, number: int) -> bytes:
        params = {"name": self._tool, "arguments": self._arguments(number)}
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        return f"{self._head}Content-Length: {len(body)}\r\n\r\n{body}".encode()

    async def _connected(self) -> _Connection:
        while self._free:
            connection = self._free.pop()
            if not connection.transport.is_closing():
                return connection
        _, connection = await asyncio.get_running_loop().create_connection(_Connection, self._host, self._port)
        return connection


class _Connection(asyncio.Protocol):
    """One request at a time, and no more of the answer than its status and its end."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._answer: asyncio.Future[bytes] | None = None
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def ask(self, request: bytes) -> asyncio.Future[bytes]:
        """The status; nothing if the connection broke before the answer was there."""
        self._answer = asyncio.get_running_loop().create_future()
        self._received.clear()
        self.transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = bytes(self._received).partition(b"\r\n\r\n")
        if not found or self._answer is None or self._answer.done():
            return
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        if len(body) >= int(length):
            self._answer.set_result(head[9:12])

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # lost is lost
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(b"")
