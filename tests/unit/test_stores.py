"""One address says which store it is, and nothing is opened before it is used."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dowse.stores import open_store
from dowse.stores.memory import MemoryStore
from dowse.stores.redis import RedisStore
from dowse.stores.sqlite import SqliteStore
from dowse.stores.store import Key
from tests.fakes import FakeClock

KEY = Key("page", "00ff")


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("memory:", MemoryStore),
        ("sqlite:////nowhere/state.db", SqliteStore),
        ("redis://localhost:6379/0", RedisStore),
        ("valkey://host", RedisStore),
    ],
)
def test_the_scheme_says_which_store_it_is(address: str, kind: type, clock: FakeClock) -> None:
    assert isinstance(open_store(address, clock), kind)


@pytest.mark.parametrize("address", ["memory:", "sqlite:////nowhere/state.db", "redis://localhost:6379/0"])
def test_a_store_starts_no_thread_before_its_first_use(address: str, clock: FakeClock) -> None:
    """A Redis needs none at all: an event loop that has used a thread waits for it at its end."""
    before = set(threading.enumerate())
    open_store(address, clock)
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("address", ["memory:", "sqlite:///state.db"])
@pytest.mark.parametrize("max_bytes", [None, 5_000_000])
async def test_stores_are_bounded_whether_or_not_a_bound_is_asked_for(
    address: str, max_bytes: int | None, clock: FakeClock, tmp_path: Path
) -> None:
    store = open_store(address, clock, max_bytes=max_bytes)
    default = 64_000_000 if address == "memory:" else 256_000_000
    assert (await store.usage()).max_bytes == (max_bytes or default)
    await store.close()


async def test_no_file_is_made_before_it_is_used(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "cache" / "dowse" / "state.db"
    store = open_store(f"sqlite:///{path}", clock)
    assert not path.parent.parent.exists()
    await store.put(KEY, b"value", 60)
    await store.close()
    assert path.exists()


async def test_a_home_in_the_address_is_found(tmp_path: Path, clock: FakeClock) -> None:
    store = open_store("sqlite:///~/here.db", clock)
    await store.put(KEY, b"value", 60)
    await store.close()
    assert (tmp_path / "here.db").exists()
