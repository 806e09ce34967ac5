"""A cold page costs at most two reads and two writes of the default store, leases included."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dowse.core.models import Deadline, Status
from dowse.core.runtime import SystemClock
from dowse.fetch.robots import RobotsFiles
from dowse.net.clients import Fetched
from dowse.stores.sqlite import SqliteStore
from dowse.stores.store import Kept, Key
from tests.fakes import RecordingObserver
from tests.fakes.memory import PAGES, remembering
from tests.fakes.reading import reading
from tests.fakes.scripted import ScriptedFetcher

URL = "https://example.org/a"
CLOCK = SystemClock()
READ, WRITE = "read", "write"


class CountingStore(SqliteStore):
    """The default store, which counts how often it is read and written for a page."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, CLOCK)
        self.calls: Counter[str] = Counter()

    async def get(self, key: Key) -> Kept | None:
        self.calls[READ] += 1
        return await super().get(key)

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        self.calls[WRITE] += 1
        await super().put(key, value, kept_s)

    async def drop(self, key: Key) -> None:
        self.calls[WRITE] += 1
        await super().drop(key)

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        self.calls[WRITE] += 1
        return await super().claim(key, owner, for_s)

    async def release(self, key: Key, owner: str) -> None:
        self.calls[WRITE] += 1
        await super().release(key, owner)


class RobotsClient:
    """A site that allows everything."""

    async def get(self, url: str, **_options: Any) -> Fetched:
        return Fetched(url, 200, {}, b"User-agent: *\nAllow: /\n")


@pytest.mark.parametrize("for_search", [True, False])
@pytest.mark.parametrize("page", ["a text " * 1000, None], ids=["read", "missing"])
async def test_a_cold_page_costs_two_reads_and_two_writes_of_the_store(
    tmp_path: Path, for_search: bool, page: str | None
) -> None:
    store = CountingStore(tmp_path / "state.db")
    cache = remembering(CLOCK, store=store)
    robots = RobotsFiles(RobotsClient(), CLOCK, cache.entries)  # type: ignore[arg-type]
    reader = reading(
        ScriptedFetcher({URL: page} if page else {}),
        clock=CLOCK,
        observer=RecordingObserver(),
        robots=robots,
        memory=cache,
        lifetimes=PAGES,
    )
    read = await reader.read(URL, Deadline.after(CLOCK, 50), for_search=for_search)
    assert read.status is (Status.OK if page else Status.NOT_FOUND)
    if not for_search:
        # As `get_content` does when the text does not fit into one answer.
        await reader.keep(read)
    await robots.close()
    await cache.close()
    await store.close()
    assert store.calls[READ] <= 2
    assert store.calls[WRITE] <= 2


def names_in(folder: Path) -> list[str]:
    return [item.name for item in folder.iterdir()]


async def test_a_second_store_on_the_file_makes_leases_worth_their_cost(tmp_path: Path) -> None:
    first, second = (SqliteStore(tmp_path / "state.db", CLOCK) for _ in range(2))
    assert not first.is_exclusive, "before it is open nothing is known"
    await first.get(Key("page", "a"))
    assert first.is_exclusive
    await second.get(Key("page", "a"))
    assert not first.is_exclusive
    assert not second.is_exclusive
    assert first.is_shared
    await first.close()
    assert second.is_exclusive
    await second.close()
    assert names_in(tmp_path) == ["state.db"]


async def test_a_file_system_without_locks_never_counts_as_exclusive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_handle: int, _operation: int) -> None:
        raise OSError("not supported")

    monkeypatch.setattr("fcntl.flock", refuse)
    store = SqliteStore(tmp_path / "state.db", CLOCK)
    await asyncio.wait_for(store.get(Key("page", "a")), 30)
    assert not store.is_exclusive
    await store.close()
