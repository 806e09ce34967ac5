"""The last use of tokens: known to other processes, and written rarely."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from dowse.auth.authenticator import WRITE_EVERY_S, BearerAuthenticator, LastUses, TokenBook, read_last_use
from dowse.auth.tokens import TokenEntry, digest
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Key
from tests.fakes import FakeClock

pytestmark = pytest.mark.promise("token-last-use")

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
ALICE = TokenEntry("alice", digest("token-of-alice"))


class CountingStore(MemoryStore):
    """Counts how often it is written."""

    writes = 0

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        self.writes += 1
        await super().put(key, value, kept_s)


class Bench:
    """An authenticator of one token, with its store."""

    def __init__(self, clock: FakeClock) -> None:
        self.store = CountingStore(clock)
        self.uses = LastUses(FailSoftStore(self.store, Outage(clock)), clock)
        book = TokenBook({"alice": SecretStr("token-of-alice")}, None, clock)
        self.authenticator = BearerAuthenticator(book, uses=self.uses)

    async def use(self, token: str = "token-of-alice") -> None:
        await self.authenticator.authenticate(token)
        await self.uses._writes.finish()

    async def last_use(self) -> datetime | None:
        return await read_last_use(self.store, ALICE)


async def test_a_token_that_was_used_has_a_last_use(clock: FakeClock) -> None:
    bench = Bench(clock)
    await bench.use("a-wrong-token")
    assert await bench.last_use() is None
    await bench.use()
    assert await bench.last_use() == NOON


async def test_a_busy_token_is_written_once_a_minute_and_at_the_end(clock: FakeClock) -> None:
    bench = Bench(clock)
    for _ in range(100):
        await bench.use()
    assert bench.store.writes == 1
    clock.advance(WRITE_EVERY_S - 1)
    await bench.use()
    assert (bench.store.writes, await bench.last_use()) == (1, NOON)
    await bench.uses.close()
    await bench.uses.close()
    assert (bench.store.writes, await bench.last_use()) == (2, NOON.replace(second=59))
    clock.advance(WRITE_EVERY_S)
    await bench.use()
    assert bench.store.writes == 3


async def test_a_rotated_token_and_another_of_the_same_hash_have_not_been_used(clock: FakeClock) -> None:
    bench = Bench(clock)
    await bench.use()
    for other in (TokenEntry("alice", digest("rotated")), TokenEntry("bob", ALICE.digest)):
        assert await read_last_use(bench.store, other) is None


async def test_a_value_that_is_no_time_is_no_last_use(clock: FakeClock) -> None:
    bench = Bench(clock)
    await bench.use()
    (key,) = bench.store._entries
    await bench.store.put(key, b"never", 60)
    assert await bench.last_use() is None
