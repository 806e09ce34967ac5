"""Cached calls in processes that share a store: a value or a failure that one of them stored serves the others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext

import pytest

from dowse.cache.entries import Lifetime
from dowse.cache.fetch import CacheKey, Kind, NegativeCaching, Produce, Turn
from dowse.core.errors import AllProvidersFailed, Unavailable
from dowse.core.models import LIVE, CacheState, Deadline, Freshness, Routed
from dowse.core.protocols import Progress
from dowse.stores.memory import MemoryStore
from dowse.stores.store import CLOCK_SKEW_S, Key
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import remembering

FRESH_S = 60.0


def failure(reason: str, _age_s: float = 0.0) -> AllProvidersFailed:
    return AllProvidersFailed((Unavailable("engine", reason),), ())


WORDS = CacheKey(
    Kind(
        "words",
        str,
        is_outage=lambda _: True,
        negative=NegativeCaching(FRESH_S, str, keep=lambda failed, _: failed.errors[0].detail, replay=failure),
    ),
    "name",
)


class SharedStore(MemoryStore):
    """A store as several processes see it; `before_claim` happens just before a process gets the next lease."""

    is_shared = True
    before_claim: Callable[[], Awaitable[object]] | None = None

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        if meanwhile := self.before_claim:
            self.before_claim = None
            await meanwhile()
        return await super().claim(key, owner, for_s)


class Process:
    """One of several with the same store."""

    def __init__(self, store: SharedStore, clock: FakeClock) -> None:
        self.observer = RecordingObserver()
        self.cache = remembering(clock, store=store, observer=self.observer)
        self._clock = clock

    async def fetch(self, produce: Produce[str], turn: Turn = lambda _until: nullcontext()) -> Routed[str]:
        deadline = Deadline.after(self._clock, 20.0)
        return await self.cache.fetch(WORDS, produce, Lifetime(FRESH_S), deadline, turn=turn)


@pytest.fixture
def store(clock: FakeClock) -> SharedStore:
    return SharedStore(clock, 1_000_000)


async def make(_previous: str | None, _deadline: Deadline, _progress: Progress) -> Routed[str]:
    return Routed("made", "engine", ())


async def fail(_previous: str | None, _deadline: Deadline, _progress: Progress) -> Routed[str]:
    raise failure("down")


async def make_again(_previous: str | None, _deadline: Deadline, _progress: Progress) -> Routed[str]:
    raise AssertionError("made twice")


async def test_a_value_that_another_process_stored_just_before_the_lease_is_served(
    store: SharedStore, clock: FakeClock
) -> None:
    first, second = Process(store, clock), Process(store, clock)

    async def bring() -> None:
        await first.fetch(make)
        await first.cache.close()

    store.before_claim = bring
    found = await second.fetch(make_again)

    assert (found.answer, found.provider, found.freshness) == ("made", "engine", Freshness(CacheState.HIT, 0.0))
    await second.cache.close()


async def test_a_call_that_waits_for_its_turn_keeps_no_other_process_from_its_own(
    store: SharedStore, clock: FakeClock
) -> None:
    first, second = Process(store, clock), Process(store, clock)
    may_begin = asyncio.Event()

    @asynccontextmanager
    async def turn(_until: Deadline) -> AsyncIterator[None]:
        await may_begin.wait()
        yield

    waiting = asyncio.create_task(first.fetch(make_again, turn))
    for _ in range(20):
        await asyncio.sleep(0)
    found = await second.fetch(make)
    await second.cache.close()

    may_begin.set()
    assert (found.answer, (await waiting).answer) == ("made", "made")
    await first.cache.close()


async def test_a_failure_that_another_process_stored_just_before_the_lease_is_raised(
    store: SharedStore, clock: FakeClock
) -> None:
    first, second = Process(store, clock), Process(store, clock)

    async def bring() -> None:
        with pytest.raises(AllProvidersFailed):
            await first.fetch(fail)
        await first.cache.close()

    store.before_claim = bring
    with pytest.raises(AllProvidersFailed) as raised:
        await second.fetch(make_again)

    assert raised.value.errors[0].detail == "down"
    assert ("failure", "hit") in second.observer.cache
    await second.cache.close()


async def test_a_value_from_the_future_is_not_served(store: SharedStore, clock: FakeClock) -> None:
    """A process with a wrong clock has stored it: its age is unknown."""
    ahead = FakeClock()
    ahead.advance(2 * CLOCK_SKEW_S)
    first, second = Process(store, ahead), Process(store, clock)
    await first.fetch(make)
    await first.cache.close()

    assert (await second.fetch(make)).freshness == LIVE
    await second.cache.close()
