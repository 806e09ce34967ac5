"""A canary that counts who reaches it, and a DNS whose answers the test writes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from dowse.net.clients import UntrustedClient
from tests.fakes.wire import BuildClient, Serve, page_clients, raw_servers


class Canary:
    """A loopback listener that must stay silent; `answer` is what it would have said."""

    def __init__(self) -> None:
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(self.answer)
        await writer.drain()

    def redirects_to(self, location: str, status: int = 302) -> None:
        head = f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
        self.answer = head.encode()


class Names:
    """Answers in turn, the last one for ever, and remembers what it was asked."""

    def __init__(self, answers: dict[str, list[list[str]]]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        turns = self.answers.get(host, [[]])
        return turns.pop(0) if len(turns) > 1 else turns[0]


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Starts a server on loopback that speaks bytes, over TLS if given, and returns its port."""
    async with raw_servers() as start:
        yield start


@pytest.fixture
def listen(serve: Serve) -> Callable[[], Awaitable[Canary]]:
    """Starts canaries, each at a port of its own."""

    async def start() -> Canary:
        canary = Canary()
        canary.port = await serve(canary.talk)
        return canary

    return start


@pytest.fixture
async def canary(listen: Callable[[], Awaitable[Canary]]) -> Canary:
    return await listen()


@pytest.fixture
def dials(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every address a socket of the event loop is pointed at, none of which is reached."""
    seen: list[str] = []

    async def record(loop: object, sock: object, address: tuple[str, int]) -> None:
        seen.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_connect", record)
    return seen


@pytest.fixture
async def client() -> AsyncIterator[BuildClient]:
    """Makes clients whose DNS is `names`, or a resolver of the test's own."""
    async with page_clients() as build:

        def with_names(*pairs: str, names: dict[str, list[list[str]]] | None = None, **options: Any) -> UntrustedClient:
            return build(*pairs, **{"resolver": Names(names or {})} | options)

        yield with_names
