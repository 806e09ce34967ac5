"""Messages over pipes: whole ones, however they were cut on their way."""

from __future__ import annotations

import asyncio
import os
import tracemalloc
from collections.abc import AsyncIterator

import pytest

from dowse.fetch.browser import cdp
from dowse.fetch.browser.cdp import BrowserGone
from dowse.fetch.browser.process import PipeChannel


class Ear:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()
        self.too_much: list[bytes] = []
        self.closed = asyncio.Event()
        self.ends = 0

    def receive(self, message: bytes) -> None:
        self.messages.put_nowait(message)

    def receive_oversized(self, edges: bytes) -> None:
        self.too_much.append(edges)

    def end(self) -> None:
        self.ends += 1
        self.closed.set()


class Pair:
    """A channel, and the ends of its pipes that a browser would hold."""

    def __init__(self) -> None:
        self.commands, ours = os.pipe()
        theirs, self.answers = os.pipe()
        self.ear = Ear()
        self.channel = PipeChannel(self.ear, ours, theirs)

    def hang_up(self) -> None:
        os.close(self.answers)
        self.answers = -1


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    pair = Pair()
    await pair.channel.open()
    yield pair
    pair.channel.close()
    os.close(pair.commands)
    if pair.answers >= 0:
        os.close(pair.answers)


async def test_a_command_goes_out_with_its_end_mark(pair: Pair) -> None:
    pair.channel.send(b'{"id": 1}')
    assert os.read(pair.commands, 100) == b'{"id": 1}\0'


async def test_answers_come_whole_however_they_are_cut(pair: Pair) -> None:
    for piece in (b'{"id"', b': 1}\0{"id": 2}\0{"i', b'd": 3}', b"\0"):
        os.write(pair.answers, piece)
        await asyncio.sleep(0)
    assert [await pair.ear.messages.get() for _ in range(3)] == [b'{"id": 1}', b'{"id": 2}', b'{"id": 3}']


async def test_the_end_is_told_once(pair: Pair) -> None:
    pair.hang_up()
    async with asyncio.timeout(30):
        await pair.ear.closed.wait()
    pair.channel.close()
    await asyncio.sleep(0)
    assert pair.ear.ends == 1


async def test_nothing_is_sent_after_the_end(pair: Pair) -> None:
    pair.channel.close()
    with pytest.raises(BrowserGone):
        pair.channel.send(b"{}")


@pytest.mark.parametrize("piece_size", [10, 100, 700, 20_000])
@pytest.mark.parametrize("beginning", [b'{"method":"Fetch.requestPaused",', b'{"id":1,'])
async def test_of_a_message_that_is_too_large_the_edges_are_kept(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, piece_size: int, beginning: bytes
) -> None:
    monkeypatch.setattr(cdp, "_LARGEST_EVENT", 1000)
    monkeypatch.setattr(cdp, "_LARGEST_ANSWER", 2000)
    large = beginning + b'"params":{"url":"' + b"x" * 5000 + b'"},"sessionId":"page"}'
    said = large + b'\0{"id":2}\0' + large + b'\0{"id":3}\0'
    for start in range(0, len(said), piece_size):
        pair.channel.data_received(said[start : start + piece_size])
    assert [await pair.ear.messages.get() for _ in range(2)] == [b'{"id":2}', b'{"id":3}']
    assert pair.ear.too_much == [large[:256] + large[-256:]] * 2
    assert pair.ear.ends == 0


async def test_large_news_fill_no_memory(pair: Pair) -> None:
    pair.channel.data_received(b'{"id":1}\0')
    pair.channel.data_received(b'{"method":"Network.requestWillBeSent","params":{"url":"')
    tracemalloc.start()
    for _ in range(600):
        pair.channel.data_received(bytes([120]) * 50_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000


async def test_who_fails_to_hear_a_message_hears_the_next_one(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(message: bytes) -> None:
        raise ValueError(message)

    with monkeypatch.context() as patch:
        patch.setattr(pair.ear, "receive", fail)
        with pytest.raises(ValueError, match="1"):
            pair.channel.data_received(b'{"id": 1}\0')
    pair.channel.data_received(b'{"id": 2}\0')
    assert pair.ear.messages.get_nowait() == b'{"id": 2}'
