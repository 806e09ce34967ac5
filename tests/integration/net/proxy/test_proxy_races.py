"""Browsers that say too much, or are gone when the proxy turns to them."""

from __future__ import annotations

import asyncio
import socket

import pytest

from dowse.net.proxy import server
from tests.integration.net.proxy.conftest import everything

PATIENCE_S = 30
REQUEST = "GET {} HTTP/1.1\r\nHost: x\r\n\r\n"


async def test_a_connection_that_is_gone_before_it_is_accepted_disturbs_no_other(
    site, proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event loop sees a connection first and accepts it later: in between it can vanish."""
    listeners: list[socket.socket] = []
    create_server = socket.create_server

    def remember(*arguments: object, **options: object) -> socket.socket:
        listeners.append(create_server(*arguments, **options))  # type: ignore[arg-type]
        return listeners[-1]

    monkeypatch.setattr(socket, "create_server", remember)
    # The pause after other errors of accepting, which would hold up the next connection here.
    monkeypatch.setattr(server, "_PAUSE_S", 3600.0)
    browser = await proxy(site.budget())
    [listener] = listeners

    with socket.create_connection(("127.0.0.1", browser.port)):
        # The loop looks at its sockets before it comes back to us, and calls the proxy after us.
        await asyncio.sleep(0)
        listener.accept()[0].close()
        await asyncio.sleep(0)  # the turn of the proxy, which finds no connection
    answer = await browser.get(site.url)

    assert answer.endswith(b"page")
    assert site.connections == 1


async def test_what_a_browser_says_after_its_request_reaches_no_server(
    start, proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request a connection: a second one behind it would pass without being judged."""
    asked, said_more = asyncio.Event(), asyncio.Event()
    heard = b""

    async def answer_late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal heard
        heard = await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await said_more.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage")
        writer.write_eof()
        heard += await reader.read()

    site = await start(answer_late)
    budget = site.budget()
    spend, smuggled = budget.spend, REQUEST.format("http://inside.example/").encode()

    def count(size: int) -> None:
        spend(size)
        if size == len(smuggled):
            said_more.set()

    monkeypatch.setattr(budget, "spend", count)
    browser = await proxy(budget)

    async with asyncio.timeout(PATIENCE_S), browser.connect() as (reader, writer):
        writer.write(REQUEST.format(site.url).encode())
        await asked.wait()
        writer.write(smuggled)
        assert (await everything(reader)).endswith(b"\r\n\r\npage")

    assert heard.count(b"HTTP/1.1") == 1
    assert b"inside" not in heard
