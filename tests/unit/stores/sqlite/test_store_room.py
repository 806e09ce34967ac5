"""A SQLite store and its log stay within their bound, whatever is put there and whoever else reads."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores.ledger import Days, Tally
from dowse.stores.sqlite import SqliteStore, file
from dowse.stores.store import Kept, Key
from tests.fakes import FakeClock

ROOM = 1_000_000
NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 15))
CALL = Tally(1, 300)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


def key(number: int) -> Key:
    return Key("page", f"{number:064x}")


def taken(path: Path) -> int:
    return sum(item.stat().st_size for item in (path, Path(f"{path}-wal")) if item.exists())


async def put_many(store: SqliteStore, numbers: range, size_bytes: int, kept_s: float = 1000) -> None:
    await asyncio.gather(*[store.put(key(number), bytes(size_bytes), kept_s) for number in numbers])


@pytest.mark.parametrize(("size_bytes", "count"), [(50, 3000), (3000, 600), (50_000, 90)])
async def test_the_bound_holds_and_the_room_is_used(path: Path, clock: FakeClock, size_bytes: int, count: int) -> None:
    """Whether there are many small entries or a few large ones; each time several times what fits in."""
    store = SqliteStore(path, clock, ROOM)
    chance = random.Random(size_bytes)
    largest = 0
    at_once = count // 30
    for first in range(0, count, at_once):
        await asyncio.gather(
            *[
                store.put(
                    key(number), chance.randbytes(chance.randint(0, 2 * size_bytes)), chance.choice([60, 600, 6000])
                )
                for number in range(first, first + at_once)
            ]
        )
        largest = max(largest, taken(path))
        assert await store.get(key(first + at_once - 1)), "what is new is there"
    assert ROOM / 2 < largest <= ROOM
    usage = await store.usage()
    assert usage.size_bytes == taken(path) <= usage.max_bytes == ROOM
    assert usage.value_bytes["page"] + 250 * usage.entries["page"] > ROOM / 3, "with what a row takes beside its value"
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_the_bound_also_holds_for_several_who_write_at_the_same_moment(
    path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them may find room that another one has taken before it comes to write."""
    monkeypatch.setattr(file, "BUSY_S", 20)
    stores = [SqliteStore(path, clock, ROOM) for _ in range(3)]
    for first in range(0, 150, 5):
        await asyncio.gather(
            *[
                put_many(store, range(1000 * each + first, 1000 * each + first + 5), 15_000)
                for each, store in enumerate(stores)
            ]
        )
        assert taken(path) <= ROOM
    for store in stores:
        await store.close()


async def test_what_expires_next_makes_room(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock, ROOM)
    await put_many(store, range(60), 3000, kept_s=9000)
    await put_many(store, range(60, 120), 3000, kept_s=60)
    await put_many(store, range(120, 180), 3000, kept_s=600)
    held = [number for number in range(180) if await store.get(key(number))]
    assert set(held) > {*range(60), *range(120, 180)}
    assert len(held) < 180
    await store.close()


async def test_a_value_that_would_push_too_much_out_is_not_kept_and_neither_is_its_forerunner(
    path: Path, clock: FakeClock
) -> None:
    store = SqliteStore(path, clock, ROOM)
    await store.put(key(1), bytes(ROOM // 8), 60)
    assert await store.get(key(1)) == Kept(bytes(ROOM // 8), 0.0)
    await store.put(key(1), bytes(ROOM // 8 + 1), 60)
    assert await store.get(key(1)) is None
    await store.close()


async def test_a_file_from_when_the_bound_was_higher_keeps_what_fits_and_what_was_spent(
    path: Path, clock: FakeClock
) -> None:
    large = SqliteStore(path, clock, 4 * ROOM)
    await put_many(large, range(80), 20_000)
    await large.add("serper", NOVEMBER, CALL)
    await large.close()
    assert taken(path) > ROOM
    small = SqliteStore(path, clock, ROOM)
    await small.put(key(200), b"value", 60)
    assert taken(path) < ROOM
    assert (await small.usage()).entries["page"] > 10
    assert await small.total("serper", NOVEMBER) == CALL
    assert await small.get(key(200)) == Kept(b"value", 0.0)
    await small.close()


async def test_clearing_gives_the_room_back_to_the_disk(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock, ROOM)
    await put_many(store, range(20), 20_000)
    await store.add("serper", NOVEMBER, CALL)
    assert taken(path) > 400_000
    assert await store.clear() == 20
    assert taken(path) < 50_000
    assert await store.total("serper", NOVEMBER) == CALL
    await store.close()


async def test_a_reader_that_never_ends_stops_the_log_and_not_the_bound(path: Path, clock: FakeClock) -> None:
    store = SqliteStore(path, clock, ROOM)
    await store.put(key(0), b"value", 1000)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM entries").fetchone()
        with pytest.raises(StoreFailed, match=r"state\.db: its log is full"):
            for first in range(1, 200, 5):
                await put_many(store, range(first, first + 5), 20_000)
                assert taken(path) <= ROOM
        assert taken(path) <= ROOM
        assert await store.get(key(0)) == Kept(b"value", 0.0)
        other.execute("ROLLBACK")
    await store.put(key(1), b"value", 1000)
    assert await store.get(key(1)) == Kept(b"value", 0.0)
    await store.close()
