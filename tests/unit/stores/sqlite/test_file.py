"""The file of a SQLite store: private, of one version, shared by processes, and used in threads that end."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import struct
import threading
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores.ledger import Days, Tally
from dowse.stores.sqlite import SqliteStore
from dowse.stores.sqlite import file as connecting
from dowse.stores.sqlite import store as store_module
from dowse.stores.sqlite.file import STEPS, VERSION
from dowse.stores.sqlite.threads import Threads
from dowse.stores.store import Kept, Key
from tests.fakes import FakeClock
from tests.support.eventually import eventually

KEY, OTHER = Key("page", "00ff"), Key("page", "ff00")
NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 15))
CALL = Tally(1, 300)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # A lock that is held a little longer on a busy machine is no failure.
    monkeypatch.setattr(connecting, "BUSY_S", 20.0)
    return tmp_path / "cache" / "dowse" / "state.db"


async def test_the_file_and_its_folder_are_for_the_owner_only(path: Path, clock: FakeClock) -> None:
    store, before = SqliteStore(path, clock), os.umask(0)
    try:
        await store.put(KEY, b"value", 60)
        modes = {item.name: oct(item.stat().st_mode & 0o777) for item in (path.parent, *path.parent.iterdir())}
    finally:
        os.umask(before)
        await store.close()
    assert {"dowse", "state.db", "state.db-wal"} <= set(modes)
    assert modes.pop("dowse") == oct(path.parent.parent.stat().st_mode & 0o777) == "0o700"
    assert set(modes.values()) == {"0o600"}


async def test_the_file_outlives_the_process(path: Path, clock: FakeClock) -> None:
    first = SqliteStore(path, clock)
    await first.put(KEY, b"value", 60)
    await first.add("serper", NOVEMBER, CALL)
    await first.close()
    assert [item.name for item in path.parent.iterdir()] == ["state.db"]
    second = SqliteStore(path, clock)
    clock.advance(10)
    assert await second.get(KEY) == Kept(b"value", 10.0)
    assert await second.total("serper", NOVEMBER) == CALL
    await second.close()


async def test_the_file_holds_versioned_tables_and_no_old_rows_of_what_was_spent(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock)
    await store.add("serper", Days(date(2026, 10, 1), date(2026, 10, 31)), CALL)
    await store.add("serper", NOVEMBER, CALL)
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        rows = connection.execute("SELECT day, provider, calls, micro_usd FROM spend").fetchall()
    assert tables == [("calls",), ("entries",), ("leases",), ("spend",)]
    assert rows == [("2026-11-15", "serper", 1, 300)]


async def test_a_file_of_the_first_version_keeps_what_was_spent(path: Path, clock: FakeClock) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(*STEPS[0])
        connection.execute("INSERT INTO spend VALUES ('2026-11-15', 'serper', 7, 2100)")
        connection.execute("PRAGMA user_version = 1")
    store = SqliteStore(path, clock)
    assert await store.total("serper", NOVEMBER) == Tally(7, 2100)
    await store.put(KEY, b"value", 60)
    assert await store.get(KEY) == Kept(b"value", 0.0)
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)


def held(path: Path) -> bytes:
    return path.read_bytes()


async def test_a_file_of_a_newer_version_is_reported_and_left_as_it_is(path: Path, clock: FakeClock) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE entries (something TEXT)")
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = held(path)
    store = SqliteStore(path, clock)
    for work in (store.get(KEY), store.put(KEY, b"value", 60), store.add("serper", NOVEMBER, CALL), store.clear()):
        with pytest.raises(StoreFailed, match=r"state\.db: written by a newer version of dowse"):
            await work
    await store.close()
    assert held(path) == before
    assert [item.name for item in path.parent.iterdir()] == ["state.db"]


async def test_while_another_process_writes_we_wait_in_our_thread_and_read_meanwhile(
    path: Path, clock: FakeClock
) -> None:
    store = SqliteStore(path, clock)
    await store.put(KEY, b"value", 60)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(store.put(OTHER, b"other", 60))
        for _ in range(10):
            assert await store.get(KEY) == Kept(b"value", 0.0)
        assert not waiting.done()
        other.execute("COMMIT")
        await waiting
    assert await store.get(OTHER) == Kept(b"other", 0.0)
    await store.close()


def commits(path: Path) -> int:
    """How many transactions are in a log: the last page of each says how large the file is after it."""
    log = Path(f"{path}-wal").read_bytes()
    return sum(struct.unpack(">I", log[start + 4 : start + 8])[0] > 0 for start in range(32, len(log), 24 + 4096))


async def test_what_waits_at_the_same_moment_is_written_in_one_transaction(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock)
    await store.sweep()
    before = commits(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        puts = [asyncio.create_task(store.put(Key("page", str(number)), b"value", 60)) for number in range(50)]
        await asyncio.sleep(0)  # each task hands its job over in its first step
        other.execute("ROLLBACK")
    await asyncio.gather(*puts)
    assert 1 <= commits(path) - before <= 3, "one waited for the lock, the others waited for that one"
    assert (await store.usage()).entries == {"page": 50}
    await store.close()


async def test_a_file_that_is_deleted_or_replaced_meanwhile_is_opened_anew(path: Path, clock: FakeClock) -> None:
    """Otherwise all that is kept would be in a file that nobody will ever find again."""
    store = SqliteStore(path, clock)
    await store.put(KEY, b"value", 60)
    for item in path.parent.iterdir():
        item.unlink()
    assert await store.get(KEY) is None
    await store.put(OTHER, b"other", 60)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT digest FROM entries").fetchall() == [(OTHER.digest,)]
    await store.close()


def threads() -> set[threading.Thread]:
    """Those of all stores in this process, which other tests may have left open."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("store-")}


async def test_threads_end_with_the_store_and_it_says_so_to_who_comes_later(path: Path, clock: FakeClock) -> None:
    others = threads()
    store = SqliteStore(path, clock)
    await store.put(KEY, b"value", 60)
    await store.get(KEY)
    own = threads() - others
    assert len(own) == 2
    await store.close()

    async def have_ended() -> bool:
        return own.isdisjoint(threads())

    await eventually(have_ended)
    for work in (store.get(KEY), store.put(KEY, b"value", 60), store.sweep()):
        with pytest.raises(StoreFailed, match="used after it was closed"):
            await work
    assert threads() <= others


async def test_what_waits_when_a_store_is_closed_is_still_written(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock)
    puts = [asyncio.create_task(store.put(Key("page", str(number)), b"value", 60)) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*puts)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (20,)


async def test_a_bug_in_one_write_leaves_no_call_waiting_and_nothing_half_written(path: Path) -> None:
    threads = Threads(path, 10_000_000)

    def insert(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO spend VALUES ('2026-11-15', 'serper', 1, 1)")

    def fail(connection: sqlite3.Connection) -> None:
        raise ZeroDivisionError

    works = [asyncio.create_task(threads.writer.write(work)) for work in (insert, fail)]
    done, _ = await asyncio.wait(works, timeout=30)
    assert len(done) == 2
    with pytest.raises(StoreFailed, match="not written"):
        works[1].result()
    spent = await threads.reader.run(lambda connection: connection.execute("SELECT count(*) FROM spend").fetchone())
    assert spent == (0 if works[0].exception() else 1,)
    await threads.close()


async def test_expired_rows_are_deleted_at_the_start_and_while_nothing_happens(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "SWEEP_EVERY_S", 0.001)
    store = SqliteStore(path, clock)
    await asyncio.gather(*[store.put(Key("page", str(number)), b"value", 60) for number in range(1100)])
    await store.put(OTHER, b"other", 1000)
    clock.advance(60)

    async def one_is_left() -> bool:
        return (await store.usage()).entries == {"page": 1}

    await eventually(one_is_left)
    await store.close()
    clock.advance(1000)
    second = SqliteStore(path, clock)
    assert await second.get(OTHER) is None

    async def none_is_left() -> bool:
        return not (await second.usage()).entries

    await eventually(none_is_left)
    await second.close()


async def test_sweeping_says_how_much_it_deleted_and_takes_what_is_from_ahead_and_old_leases(
    path: Path, clock: FakeClock
) -> None:
    store = SqliteStore(path, clock)
    await asyncio.gather(*[store.put(Key("page", str(number)), b"value", 60) for number in range(1100)])
    await store.put(KEY, b"value", 10**6)
    await store.claim(KEY, "a", 30)
    clock.advance(60)
    assert await store.sweep() == 1100
    assert await store.get(KEY) == Kept(b"value", 60.0)
    clock.advance(-1000)
    assert await store.sweep() == 1, "the clock was set back"
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM leases").fetchone() == (0,)


async def test_a_lease_from_before_the_clock_was_set_back_binds_no_process(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock)
    assert await store.claim(KEY, "a", 30)
    clock.advance(-3600)
    assert await store.claim(KEY, "b", 30)
    await store.close()
