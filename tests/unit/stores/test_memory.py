"""The store in memory: it stays within its bound, and what is in it goes in the right order."""

from __future__ import annotations

import pytest

from dowse.stores.memory import MemoryStore
from dowse.stores.store import Key
from tests.fakes import FakeClock

ROOM = 10_000
VALUE = b"x" * 800  # 1000 bytes with what an entry takes beside its value


def key(number: int) -> Key:
    return Key("page", f"{number:04x}")


@pytest.fixture
def store(clock: FakeClock) -> MemoryStore:
    return MemoryStore(clock, ROOM)


async def held(store: MemoryStore, count: int) -> list[int]:
    return [number for number in range(count) if await store.get(key(number))]


async def test_what_expires_next_makes_room_for_what_is_new(store: MemoryStore) -> None:
    for number in range(10):
        await store.put(key(number), VALUE, 1000 - number)
    assert await held(store, 10) == list(range(10)), "full, and nothing had to go"
    await store.put(key(10), VALUE, 1)
    assert await held(store, 11) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10], "the new one stays, however soon it expires"
    await store.put(key(11), VALUE, 5000)
    assert await held(store, 12) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 11]


async def test_the_bound_holds_whatever_is_put(store: MemoryStore) -> None:
    for number in range(2000):
        await store.put(key(number % 300), b"x" * (number * 7 % 1000), 60 + number % 13)
        assert (await store.usage()).size_bytes <= ROOM
    usage = await store.usage()
    assert usage.size_bytes == sum(usage.value_bytes.values()) + 200 * sum(usage.entries.values())
    assert usage.size_bytes > ROOM / 2


async def test_an_entry_that_is_replaced_all_the_time_takes_the_room_of_one(store: MemoryStore) -> None:
    for number in range(8):
        await store.put(key(number), VALUE, 1000)
    for _ in range(1000):
        await store.put(key(9), VALUE, 2000)
    assert await held(store, 10) == [0, 1, 2, 3, 4, 5, 6, 7, 9]
    assert len(store._queue) < 300


async def test_a_value_that_would_push_too_much_out_is_not_kept_and_neither_is_its_forerunner(
    store: MemoryStore,
) -> None:
    await store.put(key(0), b"small", 60)
    await store.put(key(0), b"x" * (ROOM // 8), 60)
    assert await store.get(key(0)) is None
    assert (await store.usage()).size_bytes == 0


async def test_sweeping_counts_what_has_expired_and_what_is_from_ahead(store: MemoryStore, clock: FakeClock) -> None:
    for number in range(5):
        await store.put(key(number), VALUE, 10 * (number + 1))
    clock.advance(30)
    assert await store.sweep() == 3
    assert await held(store, 5) == [3, 4]
    clock.advance(-100)
    assert await store.sweep() == 2
    assert (await store.usage()).size_bytes == 0
