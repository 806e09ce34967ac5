"""What was just asked for is asked for again without the store, for a moment."""

from dowse.cache.entries import RECENT_S, CacheEntries, RecentEntries
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Kept, Key
from tests.fakes import FakeClock


class Counting(MemoryStore):
    gets = 0

    async def get(self, key: Key) -> Kept | None:
        self.gets += 1
        return await super().get(key)


async def test_what_was_just_put_or_found_is_not_looked_up_again(clock: FakeClock) -> None:
    store = Counting(clock, 1_000_000)
    cache, other = (CacheEntries(FailSoftStore(store, Outage(clock)), clock) for _ in range(2))
    await cache.put("page", "a", b"text", 60)
    clock.advance(3)
    assert await cache.get("page", "a") == Kept(b"text", 3)
    assert store.gets == 0
    assert await other.get("page", "a") == Kept(b"text", 3)
    clock.advance(2)
    assert await other.get("page", "a") == Kept(b"text", 5)
    assert store.gets == 1


async def test_after_a_moment_the_store_is_believed_again(clock: FakeClock) -> None:
    store = Counting(clock, 1_000_000)
    cache = CacheEntries(FailSoftStore(store, Outage(clock)), clock)
    await cache.put("page", "a", b"text", 60)
    await store.clear()
    assert await cache.look("page", "a") is None, "who wants to know it exactly goes to the store"
    clock.advance(RECENT_S)
    assert await cache.get("page", "a") is None


def test_the_first_ones_make_room_for_the_last(clock: FakeClock) -> None:
    recent = RecentEntries(clock)
    for number in range(100):
        recent.add(Key("page", str(number)), Kept(b"x" * 99_500, 0))
    found = [number for number in range(100) if recent.get(Key("page", str(number)))]
    assert found == list(range(60, 100))
    recent.add(Key("page", "99"), Kept(b"y", 0))
    assert recent.get(Key("page", "99")) == Kept(b"y", 0)


def test_small_ones_take_room_as_well_and_old_ones_none(clock: FakeClock) -> None:
    recent = RecentEntries(clock)
    for number in range(10_000):
        recent.add(Key("page", str(number)), Kept(b"", 0))
    assert len(recent._seen) == 8000
    clock.advance(RECENT_S)
    recent.add(Key("page", "last"), Kept(b"", 0))
    assert len(recent._seen) == 1
