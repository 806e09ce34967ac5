"""A request to an ASGI application without a server, with a body that nobody may read before they may answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = (b"host", b"127.0.0.1:8000")


class Inside:
    """The application behind a door: remembers the scopes that came through."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})


@dataclass(slots=True)
class Told:
    """What the application answered."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


async def ask(
    app: ASGIApp,
    headers: Iterable[tuple[bytes, bytes]] = (HOST,),
    path: str = "/mcp",
    *,
    message: Message | None = None,
    **changes: object,
) -> Told:
    """One request, by default a POST from this machine. `message` is received in place of a body."""
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50_000),
        "headers": list(headers),
        "state": {},
        **changes,
    }
    told = Told()

    async def receive() -> Message:
        assert message is not None, "the body was read"
        return message

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            told.status = message["status"]
            told.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            told.body += message.get("body", b"")

    await app(scope, receive, send)
    return told
