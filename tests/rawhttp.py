"""HTTP by the byte, for heads that no client library would send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

ANSWER_S = 20.0
Header = tuple[str, str | bytes]


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer as it came; header names are lower-case. `ended`: the server closed the connection behind it."""

    status: int
    headers: dict[str, str]
    body: bytes
    ended: bool

    def json(self) -> Any:
        return json.loads(self.body)


async def exchange(origin: str, sent: bytes) -> RawAnswer:
    """Send these bytes, keep the sending side open, and read one answer."""
    parts = urlsplit(origin)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        async with asyncio.timeout(ANSWER_S):
            writer.write(sent)
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            pairs = (line.partition(":") for line in head[1:] if line)
            headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
            length = int(headers.get("content-length", 0))
            body = await reader.readexactly(length) if length else b""
            closing = headers.get("connection", "").lower() == "close"
            ended = closing and await reader.read() == b""
            return RawAnswer(int(head[0].split()[1]), headers, body, ended)
    finally:
        writer.close()


def request(
    method: str, path: str, headers: Iterable[Header], body: bytes = b"", *, version: str = "1.1", declare: bool = True
) -> bytes:
    """A request with exactly these headers, `Content-Length` apart."""
    lines = [f"{method} {path} HTTP/{version}".encode()]
    lines += [
        name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()) for name, value in headers
    ]
    if declare and body:
        lines.append(f"Content-Length: {len(body)}".encode())
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
