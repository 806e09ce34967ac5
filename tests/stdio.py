"""The stdio server as a bare process: every byte of its stdout is kept, and nothing is polite unless a test is."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests import forked

SERVE = (sys.executable, "-m", "dowse", "serve")
"""A process of its own, for tests that look at it from outside; others have one forked."""
ANSWER_S = 30.0
_LONGEST_LINE = 64 * 1024 * 1024
_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

Message = dict[str, Any]


class BareServer:
    """One running server. Requests are numbered; whatever comes before an answer is kept as well."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin and process.stdout
        self.process = process
        self.stdin = process.stdin
        self.lines: list[bytes] = []
        self._stdout = process.stdout
        self._sent = 0

    async def send(self, message: Mapping[str, object]) -> None:
        await self.send_bytes(json.dumps(message).encode() + b"\n")

    async def send_bytes(self, line: bytes) -> None:
        self.stdin.write(line)
        await self.stdin.drain()

    async def start(self, method: str, params: Mapping[str, object] | None = None) -> int:
        """Send a request without waiting for its answer; returns its number."""
        self._sent += 1
        await self.send({"jsonrpc": "2.0", "id": self._sent, "method": method, "params": params or {}})
        return self._sent

    async def answer_to(self, number: int) -> Message:
        while (message := await self._receive()).get("id") != number:
            pass
        return message

    async def ask(self, method: str, params: Mapping[str, object] | None = None) -> Message:
        return await self.answer_to(await self.start(method, params))

    async def call(self, tool: str, **arguments: object) -> Message:
        """The whole message that answers a tool call."""
        return await self.ask("tools/call", {"name": tool, "arguments": arguments})

    async def handshake(self) -> Message:
        answer = await self.ask("initialize", _HELLO)
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    async def end(self) -> bytes:
        """Close stdin and wait for the process; returns everything it wrote to stdout, from the beginning."""
        self.stdin.close()
        rest = await asyncio.wait_for(self._stdout.read(), ANSWER_S)
        await asyncio.wait_for(self.process.wait(), ANSWER_S)
        self.lines += rest.splitlines(keepends=True)
        return b"".join(self.lines)

    async def _receive(self) -> Message:
        line = await asyncio.wait_for(self._stdout.readline(), ANSWER_S)
        if not line:
            raise AssertionError("the server ended instead of answering")
        self.lines.append(line)
        message: Message = json.loads(line)
        return message


@asynccontextmanager
async def serving(
    environment: Mapping[str, str], log: Path, command: Sequence[str] | None = None
) -> AsyncIterator[BareServer]:
    """A server whose stderr goes to a file, after the handshake; killed if it is still there in the end."""
    with log.open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            *(command or forked.dowse("serve")),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            env=dict(environment),
            limit=_LONGEST_LINE,
        )
    try:
        server = BareServer(process)
        await server.handshake()
        yield server
        await server.end()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
