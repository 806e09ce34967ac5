"""The threads of a SQLite store: one that is stuck is left behind, and what a sound one was given is done."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores.sqlite import threads as threads_module
from dowse.stores.sqlite.threads import Threads

ROOM = 10_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


class HungDisk:
    """Work that does not come back until the disk does."""

    def __init__(self) -> None:
        self._is_met = threading.Event()
        self._is_back = threading.Event()

    def work(self, connection: sqlite3.Connection) -> None:
        self._is_met.set()
        assert self._is_back.wait(60)

    async def met(self) -> None:
        assert await asyncio.to_thread(self._is_met.wait, 30)

    def comes_back(self) -> None:
        self._is_back.set()


def insert(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO spend VALUES ('2026-11-15', 'serper', 1, 1)")


def rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM spend").fetchone()
    return int(count)


def of_stores() -> set[threading.Thread]:
    """The threads of all stores in this process, which other tests may have left open."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("store-")}


async def all_have_ended(but: set[threading.Thread]) -> None:
    for thread in of_stores() - but:
        await asyncio.to_thread(thread.join, 30)
        assert not thread.is_alive()


async def test_closing_leaves_threads_that_are_stuck_behind_and_tells_who_waits(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads_module, "CLOSE_S", 0.05)
    others = of_stores()
    threads, reading, writing = Threads(path, ROOM), HungDisk(), HungDisk()
    works = [asyncio.create_task(threads.reader.run(reading.work))]
    await reading.met()  # before the writer has the lock, which a reader needs to make a new file
    works.append(asyncio.create_task(threads.writer.write(writing.work)))
    await writing.met()
    works.append(asyncio.create_task(threads.writer.write(insert)))
    await asyncio.sleep(0)  # it hands its job over in its first step
    async with asyncio.timeout(30):
        await threads.close()
        outcomes = await asyncio.gather(*works, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreFailed] * 3
    assert {str(outcome) for outcome in outcomes} == {f"{path}: closed before it answered"}
    reading.comes_back()
    writing.comes_back()
    await all_have_ended(but=others)
    assert rows(path) == 0, "what was said to have failed is not written later"


async def test_a_reader_that_is_stuck_does_not_keep_the_writer_from_writing_what_waits(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads_module, "CLOSE_S", 0.5)
    others = of_stores()
    threads, reading = Threads(path, ROOM), HungDisk()
    stuck = asyncio.create_task(threads.reader.run(reading.work))
    await reading.met()
    writes = [asyncio.create_task(threads.writer.write(insert_of(number))) for number in range(20)]
    await asyncio.sleep(0)
    await threads.close()
    await asyncio.gather(*writes)
    assert rows(path) == 20
    with pytest.raises(StoreFailed):
        await stuck
    reading.comes_back()
    await all_have_ended(but=others)


def insert_of(number: int) -> threads_module.Work[None]:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO spend VALUES ('2026-11-15', ?, 1, 1)", [f"provider {number}"])

    return work


async def test_threads_that_were_closed_take_nothing_on(path: Path) -> None:
    threads = Threads(path, ROOM)
    await threads.close()
    for work in (threads.reader.run(insert), threads.writer.write(insert), threads.clear()):
        with pytest.raises(StoreFailed, match="used after it was closed"):
            await work
