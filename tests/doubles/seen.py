"""What arrived: every request is kept, so that a test can say what the product sent and when it hung up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """One request as it came in; `closed` is set when the client left before the answer was complete."""

    method: str
    path: str
    headers: dict[str, str]
    params: dict[str, str]
    body: bytes
    json: dict[str, object] | None
    closed: asyncio.Event = field(default_factory=asyncio.Event)


class RequestLog:
    """The requests seen so far, in order of arrival."""

    def __init__(self) -> None:
        self.requests: list[SeenRequest] = []
        self._arrival = asyncio.Event()

    async def record(self, request: web.Request) -> SeenRequest:
        body = await request.read()
        seen = SeenRequest(
            method=request.method,
            path=request.path,
            headers={name.lower(): value for name, value in request.headers.items()},
            params=dict(request.query),
            body=body,
            json=_json_object(body),
        )
        self.requests.append(seen)
        # A fresh event for each arrival: whoever waits holds the old one and wakes exactly once.
        self._arrival.set()
        self._arrival = asyncio.Event()
        return seen

    async def arrived(self, count: int = 1) -> SeenRequest:
        """Wait until `count` requests came in and return the last of them: no test needs to sleep."""
        while len(self.requests) < count:
            await self._arrival.wait()
        return self.requests[count - 1]


@contextmanager
def watching(request: web.Request, seen: SeenRequest) -> Iterator[None]:
    """Set `seen.closed` when the client goes away while its answer is being made."""
    try:
        yield
    except (asyncio.CancelledError, ConnectionError):
        # Handlers are also cancelled when the pocket web shuts down; then the transport is still there.
        if request.transport is None or request.transport.is_closing():
            seen.closed.set()
        raise


def _json_object(body: bytes) -> dict[str, object] | None:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
