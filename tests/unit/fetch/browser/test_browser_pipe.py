"""Messages over pipes: whole ones, however they were cut on their way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

import pytest

from dowse.fetch.browser import pipe
from dowse.fetch.browser.cdp import BrowserGone
from dowse.fetch.browser.pipe import PipeChannel


class Ear:
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[bytes] = asyncio.Queue()
        self.end = asyncio.Event()
        self.ends = 0

    def received(self, message: bytes) -> None:
        self.messages.put_nowait(message)

    def ended(self) -> None:
        self.ends += 1
        self.end.set()


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
    async with asyncio.timeout(10):
        await pair.ear.end.wait()
    pair.channel.close()
    await asyncio.sleep(0)
    assert pair.ear.ends == 1


async def test_nothing_is_sent_after_the_end(pair: Pair) -> None:
    pair.channel.close()
    with pytest.raises(BrowserGone):
        pair.channel.send(b"{}")


async def test_a_message_without_end_is_cut_off(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "_LONGEST_MESSAGE", 1000)
    os.write(pair.answers, b"x" * 1001)
    async with asyncio.timeout(10):
        await pair.ear.end.wait()
    assert pair.ear.messages.empty()
