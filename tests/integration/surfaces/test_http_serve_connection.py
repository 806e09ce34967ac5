"""What one connection may cost: each way to let the server wait has an end, and the log hears little of it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import h11
import pytest
from starlette.types import Message, Receive, Scope, Send

from dowse.app import App
from dowse.net.sockets import listen
from dowse.settings.sources import load
from dowse.surfaces.http import serve
from dowse.surfaces.http.mcp import Drain, McpEndpoint
from dowse.surfaces.mcp.server import build_server
from tests.doubles import PocketWeb
from tests.http import HttpHere, call, inside

GET = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
SOON_S = 30.0
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[HttpHere]:
    async with inside({}, tmp_path / "log") as running:
        yield running


@asynccontextmanager
async def opened(http: HttpHere) -> AsyncIterator[Streams]:
    reader, writer = await http.connection()
    try:
        async with asyncio.timeout(SOON_S):
            yield reader, writer
    finally:
        writer.close()


async def told(http: HttpHere, request: bytes) -> bytes:
    """All that the server says until it closes the connection."""
    async with opened(http) as (reader, writer):
        writer.write(request)
        return await reader.read()


@pytest.mark.parametrize("length", [b"Content-Length: 1000", b"Transfer-Encoding: chunked"])
async def test_a_connection_with_an_unread_body_ends_with_the_answer(http: HttpHere, length: bytes) -> None:
    assert (await told(http, GET + length + b"\r\n\r\n")).endswith(b"\r\n\r\nok\n")


async def test_a_connection_with_a_whole_body_is_kept(http: HttpHere) -> None:
    async with opened(http) as (reader, writer):
        for _ in range(2):
            writer.write(GET + b"Content-Length: 3\r\n\r\nabc")
            await reader.readuntil(b"ok\n")


async def test_a_body_that_is_announced_behind_another_request_is_waited_for(http: HttpHere) -> None:
    """Whether a body is unread is asked of the request that was answered, not of the one behind it."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    headers = b"Content-Type: application/json\r\nAccept: application/json\r\nConnection: close\r\n"
    async with opened(http) as (reader, writer):
        writer.write(GET + b"\r\nPOST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers)
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body))
        await reader.readuntil(b"ok\n")
        writer.write(body)
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'"web_search"' in answer


class Talkative:
    """Answers with more than any buffer holds, and remembers when it got rid of it."""

    def __init__(self) -> None:
        self.rid = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            for _ in range(2):
                await send({"type": f"{(await receive())['type']}.complete"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 2**25, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        self.rid.set()


async def test_who_does_not_take_the_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "TAKING_TIMEOUT_S", 0.01)
    talkative, stop = Talkative(), serve.StopSignals()
    with listen("127.0.0.1", 0) as listener:
        serving = asyncio.create_task(serve.serve(App(load({}, {}).settings), listener, stop, lambda *_: talkative))
        _reader, writer = await asyncio.open_connection("127.0.0.1", listener.socket.getsockname()[1])
        writer.write(GET + b"\r\n")
        await asyncio.wait_for(talkative.rid.wait(), SOON_S)
        writer.close()
        stop()
        await serving


@pytest.mark.parametrize("before", [b"", GET + b"\r\n"], ids=["alone", "behind another"])
async def test_a_head_with_over_100_fields_is_refused(http: HttpHere, before: bytes) -> None:
    answers = await told(http, before + GET + b"a: b\r\n" * 100 + b"\r\n")
    assert answers.count(b"HTTP/1.1 200 ") == bool(before)
    assert answers.count(b"HTTP/1.1 400 ") == 1


async def test_a_head_with_100_fields_is_taken_however_it_arrives(http: HttpHere) -> None:
    head = GET + b"a: b\r\n" * 98 + b"Connection: close\r\n\r\n"
    for cut in (len(head), -2, -1, -3):
        async with opened(http) as (reader, writer):
            writer.write(head[:cut])
            await writer.drain()
            writer.write(head[cut:] if cut < 0 else b"")
            assert (await reader.read()).startswith(b"HTTP/1.1 200 ")


async def test_the_lines_of_a_body_are_not_fields(http: HttpHere) -> None:
    body = b"\n" * 500
    assert (await told(http, GET + b"Connection: close\r\nContent-Length: 500\r\n\r\n" + body)).endswith(b"ok\n")


async def test_a_long_head_behind_another_request_is_refused(http: HttpHere) -> None:
    """It is complete when it is looked at for the first time."""
    async with opened(http) as (reader, writer):
        writer.write(GET + b"\r\n" + GET + b"X-Long: " + b"x" * 130 * 1024 + b"\r\n\r\n")
        answers = await reader.read()
    assert (answers.count(b"HTTP/1.1 200 "), answers.count(b"HTTP/1.1 400 ")) == (1, 1)


async def test_two_lengths_are_refused(http: HttpHere) -> None:
    """A proxy in front may have believed the other one, and taken the rest for another request."""
    lengths = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    answers = await told(http, GET + lengths + b"0\r\n\r\n" + GET + b"\r\n")
    assert answers.startswith(b"HTTP/1.1 400 ")
    assert answers.count(b"HTTP/1.1 ") == 1


BAD = {
    "a bad chunk": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    "an upgrade": GET + b"Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n",
    "noise": b"\x16\x03\x01\x02\r\n\r\n",
}


@pytest.mark.parametrize("request_", BAD.values(), ids=BAD)
async def test_a_bad_request_is_not_worth_a_line_in_the_log(
    http: HttpHere, caplog: pytest.LogCaptureFixture, request_: bytes
) -> None:
    await told(http, request_)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_chunk_that_turns_out_bad_ends_the_connection_and_nothing_else(
    http: HttpHere, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(http) as (reader, writer):
        writer.write(
            b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        )
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
        writer.write(b"ZZ\r\n")
        assert await reader.read() == b""
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert (await told(http, GET + b"Connection: close\r\n\r\n")).startswith(b"HTTP/1.1 200 ")


def test_other_warnings_of_uvicorn_are_news(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("uvicorn.error").warning("Exceeded concurrency limit.")
    assert [record.getMessage() for record in caplog.records] == ["Exceeded concurrency limit."]


async def test_a_call_whose_client_leaves_within_the_body_is_not_made(web: PocketWeb) -> None:
    """What has arrived may happen to be a whole call."""
    app = App(load({}, web.environment("serper")).settings)
    endpoint = McpEndpoint(build_server(app), Drain())
    body = json.dumps(call("web_search", {"query": "python", "fetch_content": False})).encode()
    coming: list[Message] = [{"type": "http.request", "body": body, "more_body": True}]
    sent: list[Message] = []

    async def receive() -> Message:
        return coming.pop() if coming else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"accept", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers}
    async with app, endpoint.running():
        await endpoint(scope, receive, send)
    assert (sent, web.serper.requests) == ([], [])


def test_a_head_that_trickles_in_is_looked_at_once_for_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking at all of it with every byte would take its square, without credentials."""
    looks: list[int] = []
    monkeypatch.setattr(serve, "_check_size", lambda received: looks.append(len(received)))
    heads = serve._StrictConnection(h11.SERVER, 1000)
    for byte in b"GET / HTTP/1.1\r\nHost: a\r\nX-Long: and so on":
        heads.receive_data(bytes([byte]))
        assert heads.next_event() is h11.NEED_DATA
    assert len(looks) == 2
