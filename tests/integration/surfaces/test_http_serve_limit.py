"""Too many connections: those that let the server wait make room, those without a token first."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from dowse.app import App
from dowse.net.sockets import listen
from dowse.settings.sources import load
from dowse.surfaces.http.load_shedding import ConnectionLimit, Sheddable
from dowse.surfaces.http.serve import StopSignals, serve
from tests.http import HttpHere, inside

pytestmark = pytest.mark.promise("bound-connections")

TOKEN = "a-token-of-forty-characters-for-the-test"
OTHER_TOKEN = "another-token-of-forty-characters-for-it"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
HEAD = (
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
    b"Authorization: Bearer " + TOKEN.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(LIST)
)
SOON_S = 30.0
MANY = 300


class Peer:
    """The other end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, request: bytes, end: bytes = b"ok\n") -> bytes:
        self.writer.write(request)
        return await self.reader.readuntil(end)

    async def list_tools(self, token: str = TOKEN) -> None:
        request = (HEAD + LIST).replace(TOKEN.encode(), token.encode())
        assert (await self.ask(request, b"}]}}")).startswith(b"HTTP/1.1 200 ")

    async def is_shed(self) -> bool:
        """Whether the server has closed it, without a word; waits until there is either."""
        try:
            return await self.reader.read(1) == b""
        except ConnectionResetError:
            return True


class Peers:
    """Opens connections that are closed at the end."""

    def __init__(self, port: int, stack: AsyncExitStack) -> None:
        self._port = port
        self._stack = stack

    async def open(self, sent: bytes = b"", address: str = "127.0.0.1") -> Peer:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(address, 0))
        self._stack.callback(writer.close)
        writer.write(sent)
        return Peer(reader, writer)


@asynccontextmanager
async def limited(tmp_path: Path, limit: ConnectionLimit, **settings: str) -> AsyncIterator[Peers]:
    async with (
        asyncio.timeout(SOON_S),
        inside({"DOWSE_TOKENS": f"alice:{TOKEN}"} | settings, tmp_path / "log", limit=limit) as http,
        AsyncExitStack() as stack,
    ):
        yield Peers(port_of(http), stack)


def port_of(http: HttpHere) -> int:
    return int(http.origin.rpartition(":")[2])


async def test_a_newcomer_takes_the_place_of_the_connection_that_has_waited_longest(tmp_path: Path) -> None:
    async with limited(tmp_path, ConnectionLimit(4)) as peers:
        first, second = await peers.open(), await peers.open()
        await second.ask(HEALTH)
        third = await peers.open()
        await third.ask(HEALTH)

        assert await first.is_shed()
        # It has waited since its answer only.
        await second.ask(HEALTH)
        await third.ask(HEALTH)


@pytest.mark.parametrize("sent", [b"", b"POST /mcp HT", HEAD, HEAD + LIST[:-1]], ids=["idle", "line", "head", "body"])
async def test_a_connection_that_has_sent_no_whole_request_is_shed_before_one_that_has(
    tmp_path: Path, sent: bytes
) -> None:
    """A token does not count before all of its request has arrived: a body may be sent slowly too."""
    async with limited(tmp_path, ConnectionLimit(2)) as peers:
        known = await peers.open()
        await known.list_tools()
        slow = await peers.open(sent)
        newcomer = await peers.open()
        await newcomer.list_tools()

        assert await slow.is_shed()
        await known.list_tools()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere loopback has one address")
async def test_an_address_with_many_idle_connections_loses_its_own_first(tmp_path: Path) -> None:
    async with limited(tmp_path, ConnectionLimit(6)) as peers:
        other = await peers.open(address="127.0.0.2")
        first = await peers.open()
        await peers.open()
        await (await peers.open()).ask(HEALTH)

        assert await first.is_shed()
        await other.ask(HEALTH)


async def test_an_idle_caller_is_shed_where_all_are_authenticated(tmp_path: Path) -> None:
    async with limited(tmp_path, ConnectionLimit(2)) as peers:
        first, second = await _fill_with_known(peers, 2)
        await first.list_tools()

        await (await peers.open()).list_tools()

        assert await second.is_shed()
        await first.list_tools()


async def test_hundreds_of_idle_and_slow_connections_lock_no_caller_out(tmp_path: Path) -> None:
    async with limited(tmp_path, ConnectionLimit(100)) as peers:
        known = await peers.open()
        await known.list_tools()
        for number in range(MANY):
            await peers.open((b"", HEAD[:20], HEAD)[number % 3])
            if number % 50 == 0:
                await (await peers.open()).ask(HEALTH)
                await (await peers.open()).list_tools()
        await known.list_tools()
        await (await peers.open()).ask(HEALTH)


async def _fill_with_known(peers: Peers, count: int) -> list[Peer]:
    """Authenticated connections, one after another."""
    known = list[Peer]()
    for _ in range(count):
        known.append(await peers.open())
        await known[-1].list_tools()
    return known


async def test_newcomers_have_half_of_the_places_when_authenticated_connections_have_filled_all(tmp_path: Path) -> None:
    """A flood behind them sheds none before its request has arrived."""
    async with limited(tmp_path, ConnectionLimit(20)) as peers:
        await _fill_with_known(peers, 20)
        caller, probe = await peers.open(), await peers.open()
        for _ in range(8):
            await peers.open()

        await probe.ask(HEALTH)
        await caller.list_tools()


class KnownKept(ConnectionLimit):
    """A limit that sheds no authenticated connection while there is another one."""

    def _next_shed(self) -> Sheddable | None:
        return self._unknown.longest() if self._unknown else self._known.longest()


async def test_a_limit_that_keeps_authenticated_connections_sheds_the_newcomer(tmp_path: Path) -> None:
    """Positive control."""
    async with limited(tmp_path, KnownKept(20)) as peers:
        await _fill_with_known(peers, 20)
        caller = await peers.open()
        for _ in range(8):
            await peers.open()

        assert await caller.is_shed()


async def test_the_principal_with_most_connections_loses_its_own_first(tmp_path: Path) -> None:
    tokens = f"alice:{TOKEN},ben:{OTHER_TOKEN}"
    async with limited(tmp_path, ConnectionLimit(4), DOWSE_TOKENS=tokens) as peers:
        ben = await peers.open()
        await ben.list_tools(OTHER_TOKEN)
        first, *_ = await _fill_with_known(peers, 3)

        await (await peers.open()).ask(HEALTH)

        assert await first.is_shed()
        await ben.list_tools(OTHER_TOKEN)


class NothingShed(ConnectionLimit):
    """A limit that refuses newcomers, and lets the others stay."""

    def _shed(self, now: float) -> bool:
        return False


async def test_a_server_that_sheds_no_connection_is_locked_by_idle_ones(tmp_path: Path) -> None:
    async with limited(tmp_path, NothingShed(10)) as peers:
        for _ in range(10):
            await peers.open()

        answer = await (await peers.open()).ask(HEAD + LIST, b"\r\n\r\n")

        assert answer.startswith(b"HTTP/1.1 503 ")


class Slow:
    """Answers `/mcp` when it is released, with more than any buffer holds, and everything else at once."""

    def __init__(self) -> None:
        self.asked, self.released, self.done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            for _ in range(2):
                await send({"type": f"{(await receive())['type']}.complete"})
            return
        body = b"ok\n"
        if scope["path"] == "/mcp":
            self.asked.set()
            await self.released.wait()
            body = b"x" * 2**25
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        self.done.set()


@asynccontextmanager
async def slow_server(slow: Slow, limit: ConnectionLimit) -> AsyncIterator[Peers]:
    stop = StopSignals()
    with listen("127.0.0.1", 0) as listener:
        app = App(load({}, {}).settings)
        serving = asyncio.create_task(serve(app, listener, stop, lambda *_: slow, limit))
        async with asyncio.timeout(SOON_S), AsyncExitStack() as stack:
            yield Peers(listener.socket.getsockname()[1], stack)
        stop()
        await serving


async def test_while_every_connection_has_a_call_newcomers_are_told_so_and_health_is_answered() -> None:
    slow = Slow()
    async with slow_server(slow, ConnectionLimit(1)) as peers:
        busy = await peers.open(HEAD + LIST)
        await slow.asked.wait()

        refused = await (await peers.open()).ask(HEAD + LIST, b"\r\n\r\n")
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nretry-after: 1\r\n" in refused
        assert b"\r\nconnection: close\r\n" in refused
        await (await peers.open()).ask(HEALTH)

        slow.released.set()
        assert (await busy.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")


async def test_a_caller_that_does_not_take_its_answer_is_shed() -> None:
    slow = Slow()
    slow.released.set()
    async with slow_server(slow, ConnectionLimit(1)) as peers:
        await peers.open(HEAD + LIST)
        await slow.asked.wait()
        assert not slow.done.is_set()

        await (await peers.open()).ask(HEALTH)

        await slow.done.wait()


async def test_shed_connections_are_at_most_one_line_a_second_in_the_log(tmp_path: Path) -> None:
    async with limited(tmp_path, ConnectionLimit(1)) as peers:
        for _ in range(10):
            await (await peers.open()).ask(HEALTH)
    lines = (tmp_path / "log").read_text().splitlines()
    shed = [json.loads(line)["connections"] for line in lines if '"connections shed"' in line]
    assert shed[0] == 1
    assert len(shed) < 9
