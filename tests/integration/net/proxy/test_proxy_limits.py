"""What a proxy costs at most: time, bytes, connections, memory; and that nothing of it is left."""

from __future__ import annotations

import asyncio
import gc
import resource
import socket
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from dowse.net.proxy.page_policy import Exhausted, ProxyTimeouts
from dowse.net.proxy.server import serve
from dowse.net.proxy.stream import PIECE_BYTES
from tests.integration.net.proxy.conftest import QUICK, Browser, Skip, everything
from tests.support.eventually import eventually

REFUSED = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An answer without end."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def test_a_page_has_so_many_requests(site, proxy) -> None:
    budget = site.budget(max_requests=2)
    browser = await proxy(budget)

    answers = [await browser.get(site.url) for _ in range(4)]

    assert [answer.endswith(b"page") for answer in answers] == [True, True, False, False]
    assert answers[2:] == [REFUSED, REFUSED]
    assert (site.connections, budget.is_exhausted) == (2, True)
    assert isinstance(budget.refusal(site.url), Exhausted)


async def test_a_page_has_so_many_bytes(start, proxy) -> None:
    site = await start(flood)
    budget = site.budget(max_bytes=1_000_000)
    browser = await proxy(budget)

    answer = await browser.get(site.url)

    assert 900_000 < len(answer) <= 1_000_000
    assert budget.is_exhausted
    assert await browser.get(site.url) == REFUSED


async def test_what_a_page_sends_is_counted_too(start, proxy) -> None:
    heard = 0

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal heard
        while data := await reader.read(65_536):
            heard += len(data)

    site = await start(take)
    budget = site.budget(max_bytes=200_000)
    browser = await proxy(budget)

    async with browser.tunnel(site.pair) as (reader, writer):
        writer.write(b"x" * 1_000_000)
        assert await everything(reader) == b""

    assert (budget.is_exhausted, heard <= 200_000) == (True, True)


async def test_what_is_open_is_cut_when_the_page_has_used_up_its_requests(start, proxy) -> None:
    site = await start(wait)
    budget = site.budget(max_requests=5)
    browser = await proxy(budget)

    async with browser.tunnel(site.pair) as (tunnelled, _), browser.connect() as (plain, writer):
        writer.write(f"GET {site.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        for _ in range(2):
            await site.arrivals.get()
        budget.count(10)
        assert (await everything(tunnelled), await everything(plain)) == (b"", b"")


async def test_a_tunnel_inside_is_cut_when_the_page_goes_outside(start, proxy) -> None:
    """The browser keeps connections; the next page must not find one to where it may not go."""
    site = await start(wait)
    budget = site.budget()
    browser = await proxy(budget)

    async with browser.tunnel(site.pair) as (reader, _):
        budget.move_to("http://elsewhere.example/")
        assert await everything(reader) == b""
    assert await browser.get(site.url) == REFUSED


@pytest.mark.parametrize("said", [b"", b"G", b"GET http://site.example/ HTTP/1.1\r\nHost: x\r\n"])
async def test_a_head_that_does_not_end_is_not_waited_for(said: bytes, site, proxy) -> None:
    browser = await proxy(site.budget(timeouts=ProxyTimeouts(head_s=0.02)))

    async with browser.connect() as (reader, writer):
        writer.write(said)
        assert await everything(reader) == REFUSED


async def test_a_head_that_trickles_has_no_more_time(site, proxy, skip: Skip) -> None:
    browser = await proxy(site.budget())

    async with browser.connect() as (reader, writer):
        for part in (b"GET ", site.url.encode(), b" HTTP/1.1\r\n"):
            writer.write(part)
            await skip(QUICK.head_s / 2)
        assert await everything(reader) == REFUSED
    assert site.connections == 0


async def test_a_head_that_is_too_long_is_refused(site, proxy) -> None:
    budget = site.budget()
    browser = await proxy(budget)

    async with browser.connect() as (reader, writer):
        writer.write(f"GET {site.url} HTTP/1.1\r\nHost: x\r\nX: ".encode() + b"y" * 200_000)
        assert await everything(reader) in (REFUSED, b"")

    assert (site.connections, budget.requests) == (0, 0)
    assert (await browser.get(site.url, "X: " + "y" * 30_000)).endswith(b"page")


async def test_a_connection_on_which_nothing_happens_is_closed(start, proxy) -> None:
    site = await start(wait)
    budget = site.budget(timeouts=ProxyTimeouts(idle_s=0.02))
    browser = await proxy(budget)

    async with browser.tunnel(site.pair) as (reader, _):
        assert await everything(reader) == b""
    assert await browser.get(site.url) == REFUSED
    assert str(budget.refusal(site.url)) == "no answer in time"


async def test_a_connection_on_which_one_side_speaks_is_not_idle(start, proxy, skip: Skip) -> None:
    words: asyncio.Queue[bytes] = asyncio.Queue()

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while word := await words.get():
            writer.write(word)

    site = await start(speak)
    browser = await proxy(site.budget())

    async with browser.tunnel(site.pair) as (reader, _):
        for _ in range(5):
            await skip(QUICK.idle_s * 0.9)
            words.put_nowait(b".")
            assert await reader.readexactly(1) == b"."
        await skip(QUICK.idle_s * 1.1)
        assert await everything(reader) == b""
    words.put_nowait(b"")


async def test_there_are_only_so_many_connections_and_the_next_one_waits(start, proxy) -> None:
    site = await start(wait)
    browser = await proxy(site.budget())

    async with AsyncExitStack() as browsing:
        for _ in range(63):
            await browsing.enter_async_context(browser.tunnel(site.pair))
        async with browser.tunnel(site.pair):
            late, writer = await browsing.enter_async_context(browser.connect())
            writer.write(b"GET http://nowhere.example/ HTTP/1.1\r\nHost: x\r\n\r\n")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(late.readexactly(1), 0.05)
        assert await everything(late) == REFUSED
    assert site.connections == 64


async def test_a_process_without_descriptors_accepts_connections_when_it_has_one_again(site, proxy, skip: Skip) -> None:
    browser = await proxy(site.budget())
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)

    with socket.socket() as early:
        early.setblocking(False)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
        try:
            await asyncio.get_running_loop().sock_connect(early, ("127.0.0.1", browser.port))
            await skip(1)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        reader, writer = await asyncio.open_connection(sock=early)
        writer.write(f"GET {site.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert (await everything(reader)).endswith(b"page")
        writer.close()


async def test_a_large_body_goes_by_in_small_pieces_while_others_work(start, proxy, monkeypatch) -> None:
    size = 20_000_000

    async def large(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
        for _ in range(size // 1_000_000):
            writer.write(b"x" * 1_000_000)
            await writer.drain()

    site = await start(large)
    budget = site.budget()
    browser = await proxy(budget)
    pieces: list[int] = []
    monkeypatch.setattr(budget, "spend", pieces.append)
    turns = 0

    async def work() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    other = asyncio.create_task(work())
    heard = 0
    async with browser.connect() as (reader, writer):
        writer.write(f"GET {site.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        while piece := await reader.read(1_000_000):
            heard += len(piece)
    other.cancel()

    assert heard > size
    assert max(pieces) <= PIECE_BYTES
    assert turns > 100


async def test_a_browser_that_does_not_read_is_not_read_for(start, proxy) -> None:
    """Nothing is kept for it: the server is stopped where our and the system's buffers are full."""
    site = await start(flood)
    budget = site.budget(max_bytes=200_000_000)
    browser = await proxy(budget)

    async with browser.connect() as (_, writer):
        writer.transport.pause_reading()
        writer.write(f"GET {site.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        seen = -1
        while budget.bytes != seen:
            seen = budget.bytes
            for _ in range(200):
                await asyncio.sleep(0)
        assert 0 < budget.bytes < 20_000_000


async def test_nothing_is_left_when_the_page_is_closed(start) -> None:
    site = await start(wait)
    stuck = await start(flood)
    before, tasks = open_files(), len(asyncio.all_tasks())

    async with AsyncExitStack() as browsing:
        async with serve(site.budget(stuck.pair)) as address:
            browser = Browser(int(address.rpartition(":")[2]))
            tunnelled, _ = await browsing.enter_async_context(browser.tunnel(site.pair))
            silent, _ = await browsing.enter_async_context(browser.connect())
            plain, writer = await browsing.enter_async_context(browser.connect())
            writer.write(f"GET {stuck.url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await plain.readexactly(1000)
        assert await everything(tunnelled) == await everything(silent) == b""
        await everything(plain)
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", browser.port)

    await eventually(lambda: (open_files(), len(asyncio.all_tasks())) == (before, tasks))


def open_files() -> int:
    gc.collect()
    return sum(1 for _ in Path("/dev/fd").iterdir())


async def test_a_cancelled_page_leaves_nothing_either(start) -> None:
    site = await start(wait)
    before = open_files()
    opened: asyncio.Queue[str] = asyncio.Queue()

    async def page() -> None:
        async with serve(site.budget()) as address:
            opened.put_nowait(address)
            await asyncio.Event().wait()

    for _ in range(5):
        task = asyncio.create_task(page())
        browser = Browser(int((await opened.get()).rpartition(":")[2]))
        async with browser.tunnel(site.pair) as (reader, _):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await everything(reader) == b""

    await eventually(lambda: open_files() == before)


@pytest.mark.parametrize("turns", range(5))
async def test_who_comes_while_the_page_is_closed_is_sent_away(turns: int, site) -> None:
    async with serve(site.budget()) as address:
        late = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])))
        for _ in range(turns):
            await asyncio.sleep(0)
    reader, writer = await asyncio.open_connection(sock=late)
    assert await everything(reader) == b""
    writer.close()


async def test_a_page_can_be_cancelled_at_any_moment_of_its_start(site) -> None:
    before = open_files()
    for turns in range(4):
        opening = asyncio.create_task(_open(site.budget()))
        for _ in range(turns):
            await asyncio.sleep(0)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
    await eventually(lambda: open_files() == before)


async def _open(budget) -> None:
    async with serve(budget):
        pass
