"""The protocol: answers find their commands, events their listeners, and the end reaches everybody who waits."""

from __future__ import annotations

import asyncio
import json

import pytest

from dowse.fetch.browser import cdp
from dowse.fetch.browser.cdp import (
    OVERSIZED,
    BrowserGone,
    CdpSession,
    CommandFailed,
    Connection,
    NotDevTools,
    Oversized,
    Params,
)


class Wire:
    """A channel that keeps what was sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self.is_closed = False

    def send(self, message: bytes) -> None:
        self.sent.append(json.loads(message))

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
async def connection(wire: Wire) -> Connection:
    connection = Connection()
    connection.attach(wire)
    return connection


async def test_answers_may_come_in_any_order(wire: Wire, connection: Connection) -> None:
    calls = [asyncio.create_task(connection.call("A")), asyncio.create_task(connection.call("B"))]
    await asyncio.sleep(0)
    connection.receive(b'{"id": 2, "result": {"of": "B"}}')
    connection.receive(b'{"id": 1, "result": {"of": "A"}}')
    assert await asyncio.gather(*calls) == [{"of": "A"}, {"of": "B"}]
    assert [sent["method"] for sent in wire.sent] == ["A", "B"]


async def test_a_refused_command_is_an_error_of_its_own(connection: Connection) -> None:
    call = asyncio.create_task(connection.call("A"))
    await asyncio.sleep(0)
    connection.receive(b'{"id": 1, "error": {"message": "no such target"}}')
    with pytest.raises(CommandFailed, match="no such target"):
        await call


async def test_an_answer_that_no_call_waits_for_any_more_is_dropped(connection: Connection) -> None:
    call = asyncio.create_task(connection.call("A"))
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    connection.receive(b'{"id": 1, "result": {}}')
    connection.receive(b'{"id": 99, "result": {}}')
    assert not connection.is_gone


async def test_the_end_of_the_browser_ends_every_command(connection: Connection) -> None:
    calls = [asyncio.create_task(connection.call(name)) for name in "AB"]
    await asyncio.sleep(0)
    connection.end()
    assert [type(end) for end in await asyncio.gather(*calls, return_exceptions=True)] == [BrowserGone, BrowserGone]
    with pytest.raises(BrowserGone):
        await connection.call("C")
    await connection.wait_gone()


NOT_THE_PROTOCOL = [
    b"HTTP/1.1 200 OK",
    b"[1]",
    b"\xff",
    b"[" * 100_000,
    b'{"id":1,"result":[]}',
    b'{"id":1,"error":"no"}',
    b'{"id":[],"result":{}}',
    b'{"method":"Page.a","sessionId":[]}',
    b'{"method":"Page.a","params":[]}',
]


@pytest.mark.parametrize("message", NOT_THE_PROTOCOL)
async def test_what_is_not_the_protocol_ends_the_connection(connection: Connection, message: bytes) -> None:
    call = asyncio.create_task(connection.call("A"))
    await asyncio.sleep(0)
    connection.receive(message)
    with pytest.raises(NotDevTools):
        await call
    assert connection.is_gone


async def test_what_is_not_the_protocol_is_told_to_later_commands_too(connection: Connection) -> None:
    """It may come before the first command, and its pipes may close before anybody asks."""
    connection.receive(b"HTTP/1.1 400 Bad Request")
    connection.end()
    with pytest.raises(NotDevTools):
        await connection.call("Browser.getVersion")


async def test_events_reach_the_session_they_belong_to(connection: Connection) -> None:
    heard: list[object] = []
    elsewhere: list[object] = []
    page, other = CdpSession(connection, "page"), CdpSession(connection, "other")
    page.on("Page.loadEventFired", heard.append)
    other.on("Page.loadEventFired", elsewhere.append)
    connection.receive(b'{"method": "Page.loadEventFired", "params": {"timestamp": 1}, "sessionId": "page"}')
    connection.receive(b'{"method": "Page.loadEventFired", "params": {}, "sessionId": "unknown"}')
    connection.receive(b'{"method": "Page.frameNavigated", "params": {}, "sessionId": "page"}')
    assert (heard, elsewhere) == ([{"timestamp": 1}], [])


async def test_a_closed_session_hears_nothing(connection: Connection) -> None:
    heard: list[object] = []
    page = CdpSession(connection, "page")
    page.on("A", heard.append)
    page.close()
    connection.receive(b'{"method": "A", "params": {}, "sessionId": "page"}')
    assert heard == []


async def test_commands_of_a_session_name_it(wire: Wire, connection: Connection) -> None:
    call = asyncio.create_task(CdpSession(connection, "page").call("Page.navigate", url="http://a.example/"))
    await asyncio.sleep(0)
    expected = {"id": 1, "method": "Page.navigate", "params": {"url": "http://a.example/"}, "sessionId": "page"}
    assert wire.sent == [expected]
    call.cancel()


async def test_who_waits_in_a_session_hears_that_the_browser_has_ended(connection: Connection) -> None:
    waiting = asyncio.create_task(CdpSession(connection, "page").wait_gone())
    await asyncio.sleep(0)
    assert not waiting.done()
    connection.end()
    await waiting


async def test_closing_closes_the_channel(wire: Wire, connection: Connection) -> None:
    connection.close()
    assert wire.is_closed
    assert connection.is_gone


def answer(size: int, session: str) -> bytes:
    return b'{"id":1,"result":{"value":"%b"},"sessionId":"%b"}' % (b"x" * size, session.encode())


def happening(event: str, size: int, session: str) -> bytes:
    return b'{"method":"%b","params":{"url":"%b"},"sessionId":"%b"}' % (event.encode(), b"x" * size, session.encode())


TOO_LARGE = {
    "an answer": answer(2_000_001, "page"),
    "a request that waits to be let through": happening("Fetch.requestPaused", 1_000_001, "page"),
    "a question of the page": happening("Page.javascriptDialogOpening", 1_000_001, "page"),
}


@pytest.mark.parametrize("message", TOO_LARGE.values(), ids=TOO_LARGE)
@pytest.mark.parametrize("is_cut", [True, False])
async def test_who_says_too_much_alone_is_given_up(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, message: bytes, is_cut: bool
) -> None:
    monkeypatch.setattr(cdp, "_LARGEST_ANSWER", 2_000_000)
    told: list[Params] = []
    page, other = CdpSession(connection, "page"), CdpSession(connection, "other")
    page.on(OVERSIZED, told.append)
    calls = [asyncio.create_task(each.call("A")) for each in (page, page, other)]
    await asyncio.sleep(0)
    if is_cut:
        connection.receive_oversized(cdp.edges(message))
    else:
        connection.receive(message)
    connection.receive(b'{"id":3,"result":{"of":"other"},"sessionId":"other"}')
    async with asyncio.timeout(30):
        ends = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(end) for end in ends[:2]] == [Oversized, Oversized]
    assert ends[2] == {"of": "other"}
    assert told == [{}]
    async with asyncio.timeout(30):
        with pytest.raises(Oversized):
            await page.call("B")


async def test_large_news_are_forgotten(connection: Connection) -> None:
    """They may come as fast as a page can make them; reading them would keep everybody waiting."""
    heard: list[Params] = []
    page = CdpSession(connection, "page")
    for event in ("Network.requestWillBeSent", OVERSIZED):
        page.on(event, heard.append)
    connection.receive(happening("Network.requestWillBeSent", 1_000_001, "page"))
    connection.receive_oversized(cdp.edges(happening("Network.requestWillBeSent", 1_000_001, "page")))
    assert heard == []
    connection.receive(happening("Network.requestWillBeSent", 900_000, "page"))
    assert len(heard) == 1


async def test_a_large_answer_is_read(connection: Connection) -> None:
    call = asyncio.create_task(CdpSession(connection, "page").call("A"))
    await asyncio.sleep(0)
    connection.receive(answer(2_000_000, "page"))
    assert len((await call)["value"]) == 2_000_000


async def test_no_page_has_another_one_given_up(connection: Connection) -> None:
    """Whatever it writes, Chromium has the last word in a message."""
    other = CdpSession(connection, "other")
    told: list[Params] = []
    other.on(OVERSIZED, told.append)
    forged = json.dumps({"x": ',"sessionId":"other"}'}).encode()
    connection.receive_oversized(b'{"method":"Fetch.requestPaused","params":%b,"sessionId":"page"}' % forged)
    connection.receive_oversized(b'{"method":"Fetch.requestPaused","params":%b}' % forged)
    connection.receive_oversized(b'{"method":"Fetch.requestPaused","params":{"a":1,"sessionId":"other"}}')
    assert told == []
