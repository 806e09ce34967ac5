"""robots.txt between processes: what a site said to one of them, the next does not ask for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import pytest

from dowse.cache.entries import CacheEntries
from dowse.fetch.robots import RobotsFiles
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from dowse.stores import fail_soft
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Kept, Key, Store
from tests.doubles import PocketWeb
from tests.fakes import FakeClock

HOUR_S = 3600.0
ROOM_BYTES = 10_000_000
CLOSED = "User-agent: *\nDisallow: /private"

Process = Callable[..., RobotsFiles]


def cached(store: Store, clock: FakeClock) -> CacheEntries:
    return CacheEntries(FailSoftStore(store, Outage(clock)), clock)


@pytest.fixture
def cache(clock: FakeClock) -> CacheEntries:
    return cached(MemoryStore(clock, ROOM_BYTES), clock)


@pytest.fixture
async def process(web: PocketWeb, clock: FakeClock, cache: CacheEntries) -> AsyncIterator[Process]:
    """Another process on the same store, in no hurry unless told."""
    client = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test")
    made: list[RobotsFiles] = []

    def start(on: CacheEntries = cache, *, kept_s: float = HOUR_S, patience_s: float = 5.0) -> RobotsFiles:
        made.append(RobotsFiles(client, clock, on, kept_s=kept_s, patience_s=patience_s))
        return made[-1]

    yield start
    for files in made:
        await files.close()
    await client.close()


def says(web: PocketWeb, text: str, status: int = 200) -> None:
    web.pages.serves("/robots.txt", text, content_type="text/plain", status=status)


async def asked_before(web: PocketWeb, process: Process) -> None:
    """By a process that has ended since."""
    files = process()
    await files.allows(web.page("/private"))
    await files.close()


@pytest.mark.parametrize(("status", "allowed"), [(200, False), (404, True)])
async def test_what_a_site_said_is_not_asked_for_again(
    web: PocketWeb, process: Process, status: int, allowed: bool
) -> None:
    says(web, CLOSED, status)
    await asked_before(web, process)

    assert await process().allows(web.page("/private")) is allowed
    assert len(web.pages.robots_requests) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_failure_is_not_kept(web: PocketWeb, process: Process, status: int) -> None:
    says(web, "", status)
    await asked_before(web, process)
    says(web, CLOSED)

    assert not await process().allows(web.page("/private"))


async def test_what_was_said_gets_no_younger_by_being_kept(web: PocketWeb, process: Process, clock: FakeClock) -> None:
    says(web, CLOSED)
    await asked_before(web, process)
    clock.advance(HOUR_S - 10)
    second = process()
    assert not await second.allows(web.page("/private"))
    says(web, "")
    clock.advance(11)

    assert await second.allows(web.page("/private"))
    assert len(web.pages.robots_requests) == 2


async def test_who_wants_it_fresher_asks_again(web: PocketWeb, process: Process, clock: FakeClock) -> None:
    says(web, CLOSED)
    await asked_before(web, process)
    clock.advance(61)
    await process(kept_s=60.0).allows(web.page("/private"))

    assert len(web.pages.robots_requests) == 2


async def test_nothing_is_kept_where_that_is_switched_off(web: PocketWeb, process: Process) -> None:
    says(web, CLOSED)
    for _ in range(2):
        files = process(kept_s=0.0)
        assert not await files.allows(web.page("/private"))
        await files.close()

    assert len(web.pages.robots_requests) == 2


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"{}",
        b'{"rules": 7}',
        b'{"rules": ["User-agent: *"]}',
        json.dumps({"rules": "#" * 512_001}).encode(),
        b"[" * 100_000,
        rb'{"rules": "User-agent: *\nDisallow: /\ud800"}',
    ],
)
async def test_a_kept_entry_of_another_shape_is_not_believed(
    web: PocketWeb, process: Process, cache: CacheEntries, forged: bytes
) -> None:
    says(web, CLOSED)
    site = f"http://127.0.0.1:{web.port}"
    await cache.put("robots", site, forged, HOUR_S)

    assert not await process().allows(web.page("/private"))
    assert len(web.pages.robots_requests) == 1


class Held(MemoryStore):
    """Does nothing until it may."""

    def __init__(self, clock: FakeClock, *, reads: bool = False) -> None:
        super().__init__(clock, ROOM_BYTES)
        self.reads = reads
        self.may_go = asyncio.Event()

    async def get(self, key: Key) -> Kept | None:
        if not self.reads:
            await self.may_go.wait()
        return await super().get(key)

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        await self.may_go.wait()
        await super().put(key, value, kept_s)


async def test_a_slow_store_is_not_waited_for_and_the_site_is_asked(
    web: PocketWeb, process: Process, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fail_soft, "PATIENCE_S", 0.01)
    says(web, CLOSED)
    files = process(cached(Held(clock), clock))

    assert not await files.allows(web.page("/private"))


async def test_an_answer_does_not_wait_until_it_is_kept(web: PocketWeb, process: Process, clock: FakeClock) -> None:
    says(web, CLOSED)
    store = Held(clock, reads=True)
    files = process(cached(store, clock))
    assert not await files.allows(web.page("/private"))
    assert not (await store.usage()).entries

    store.may_go.set()
    await files.close()
    assert (await store.usage()).entries == {"robots": 1}
