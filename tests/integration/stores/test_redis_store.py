"""What a store in a Redis adds to the contract of stores: foreign values, and commands that go wrong."""

import asyncio
import struct
from collections.abc import AsyncIterator
from datetime import date

import pytest

from dowse.core.errors import StoreFailed
from dowse.stores.ledger import UNLIMITED, Days, LedgerEntry, Tally
from dowse.stores.redis import RedisStore
from dowse.stores.store import Kept, Key, Usage
from tests.fakes import FakeClock
from tests.valkey import Valkey, relay, started

KEY = Key("search", "ab" * 32)
ENTRY = f"dowse:1:search:{KEY.digest}"
LEASE = f"dowse:1:lease:search:{KEY.digest}"
NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 15))

pytestmark = pytest.mark.usefixtures("patient_redis")


@pytest.fixture
async def store(valkey_url: str, clock: FakeClock) -> AsyncIterator[RedisStore]:
    opened = RedisStore(valkey_url, clock)
    yield opened
    await opened.close()


async def test_the_server_forgets_an_entry_by_itself(store: RedisStore, valkey: Valkey) -> None:
    await store.put(KEY, b"text", 90.0)
    assert valkey.ask("EXISTS", ENTRY) == ":1"
    assert 50_000 < int(valkey.ask("PTTL", ENTRY).removeprefix(":")) <= 90_000


@pytest.mark.parametrize("kept_s", [0.0, 0.0001, 1e9])
async def test_any_time_to_keep_is_one_the_server_takes(store: RedisStore, kept_s: float) -> None:
    await store.put(KEY, b"text", kept_s)


@pytest.mark.parametrize(
    "forged",
    [
        b"",
        b"dws1",
        b"text",
        struct.pack(">4sdd", b"dws2", 0.0, 1e12) + b"text",
        struct.pack(">4sdd", b"dws1", float("nan"), 1e12) + b"text",
        struct.pack(">4sdd", b"dws1", float("-inf"), 1e12) + b"text",
        struct.pack(">4sdd", b"dws1", 1e12, 2e12) + b"text",
        struct.pack(">4sdd", b"dws1", 0.0, float("nan")) + b"text",
        struct.pack(">4sdd", b"dws1", 0.0, 1.0) + b"text",
    ],
)
async def test_a_forged_value_is_a_miss(store: RedisStore, valkey_url: str, forged: bytes) -> None:
    from redis.asyncio import Redis

    async with Redis.from_url(valkey_url) as other:
        await other.set(ENTRY, forged)
    assert await store.get(KEY) is None


async def test_what_is_no_string_is_a_miss_and_can_be_replaced(store: RedisStore, valkey: Valkey) -> None:
    valkey.ask("RPUSH", ENTRY, "text")
    assert await store.get(KEY) is None
    assert await store.usage() == Usage()
    await store.put(KEY, b"text", 60.0)
    assert await store.get(KEY) == Kept(b"text", 0.0)


@pytest.mark.parametrize(
    "command", [("SET", LEASE, "somebody"), ("RPUSH", LEASE, "somebody"), ("HSET", LEASE, "a", "b")]
)
async def test_a_lease_that_would_never_end_delays_no_call(
    store: RedisStore, valkey: Valkey, command: tuple[str, ...]
) -> None:
    valkey.ask(*command)
    await store.release(KEY, "ours")
    assert await store.claim(KEY, "ours", 60.0)
    assert not await store.claim(KEY, "theirs", 60.0)


async def test_a_lease_runs_on_the_time_of_the_server(store: RedisStore, valkey: Valkey, clock: FakeClock) -> None:
    assert await store.claim(KEY, "ours", 60.0)
    clock.advance(3600)
    assert not await store.claim(KEY, "theirs", 60.0)
    assert 30_000 < int(valkey.ask("PTTL", LEASE).removeprefix(":")) <= 60_000


async def test_of_many_that_claim_at_once_one_gets_the_lease(
    store: RedisStore, valkey_url: str, clock: FakeClock
) -> None:
    other = RedisStore(valkey_url, clock)
    claims = [each.claim(KEY, f"{number}", 60.0) for number in range(50) for each in (store, other)]
    # Both claim under the same names, and one name may claim twice.
    assert sum(await asyncio.gather(*claims)) == 2
    await other.close()


async def test_two_on_one_ledger_never_exceed_the_cap(store: RedisStore, valkey_url: str, clock: FakeClock) -> None:
    other = RedisStore(valkey_url, clock)
    cap = Tally(10, 10**15)
    adding = [each.add("serper", NOVEMBER, Tally(1, 300), cap) for _ in range(20) for each in (store, other)]
    entries = await asyncio.gather(*adding)
    assert sum(entry.admitted for entry in entries) == 10
    assert await store.total("serper", NOVEMBER) == Tally(10, 3000)
    await other.close()


async def test_amounts_are_exact_for_any_real_amount(store: RedisStore) -> None:
    large = Tally(10**9, 10**15)
    assert await store.add("serper", NOVEMBER, large, UNLIMITED) == LedgerEntry(large, admitted=True)
    assert await store.add("serper", NOVEMBER, Tally(1, 1), large + Tally(1, 0)) == LedgerEntry(large, admitted=False)
    assert await store.add("serper", NOVEMBER, Tally(1, 1), large + Tally(1, 1)) == LedgerEntry(
        large + Tally(1, 1), admitted=True
    )


async def test_days_of_an_earlier_month_are_dropped(store: RedisStore, valkey: Valkey) -> None:
    october = Days(date(2026, 10, 31), date(2026, 10, 31))
    await store.add("serper", october, Tally(1, 300))
    assert await store.add("serper", NOVEMBER, Tally(1, 0)) == LedgerEntry(Tally(1, 0), admitted=True)
    assert valkey.ask("HLEN", "dowse:1:spend:serper") == ":1"
    assert await store.total("serper", october) == Tally()


async def test_asking_for_a_total_writes_nothing(store: RedisStore, valkey: Valkey) -> None:
    assert await store.total("serper", NOVEMBER) == Tally()
    assert valkey.ask("EXISTS", "dowse:1:spend:serper") == ":0"


async def test_an_account_of_another_shape_is_a_failure(store: RedisStore, valkey: Valkey) -> None:
    valkey.ask("SET", "dowse:1:spend:serper", "much")
    with pytest.raises(StoreFailed, match=r"^Redis: it answered with the error WRONGTYPE$"):
        await store.add("serper", NOVEMBER, Tally(1, 0))


async def test_clearing_leaves_leases_spending_and_what_belongs_to_others(store: RedisStore, valkey: Valkey) -> None:
    for number in range(1200):
        valkey_key = Key("page", f"{number:064x}")
        await store.put(valkey_key, b"text", 60.0)
    await store.put(KEY, b"more text", 60.0)
    await store.claim(KEY, "ours", 60.0)
    await store.add("serper", NOVEMBER, Tally(1, 0))
    valkey.ask("SET", "theirs", "1")

    usage = await store.usage()
    assert (usage.entries, usage.value_bytes) == ({"page": 1200, "search": 1}, {"page": 4800, "search": 9})
    assert 1201 * 100 < usage.size_bytes < 1201 * 500
    assert usage.max_bytes is None

    assert await store.clear() == 1201
    assert await store.usage() == Usage()
    assert not await store.claim(KEY, "theirs", 60.0)
    assert await store.total("serper", NOVEMBER) == Tally(1, 0)
    assert valkey.ask("EXISTS", "theirs") == ":1"


async def test_more_calls_at_once_than_connections_all_get_their_answer(store: RedisStore) -> None:
    keys = [Key("page", f"{number:064x}") for number in range(300)]
    await asyncio.gather(*(store.put(key, key.digest.encode(), 60.0) for key in keys))
    kept = await asyncio.gather(*(store.get(key) for key in keys))
    assert kept == [Kept(key.digest.encode(), 0.0) for key in keys]


async def test_a_call_that_is_given_up_leaves_no_answer_for_the_next(
    valkey: Valkey, valkey_url: str, clock: FakeClock
) -> None:
    keys = [Key("page", f"{number:064x}") for number in range(8)]
    async with relay(valkey) as between:
        store = RedisStore(f"redis://127.0.0.1:{between.port}", clock)
        await asyncio.gather(*(store.put(key, key.digest.encode(), 60.0) for key in keys))

        between.answers.clear()
        between.asked.clear()
        given_up = [asyncio.create_task(store.get(key)) for key in keys]
        await between.asked.wait()
        for task in given_up:
            task.cancel()
        await asyncio.wait(given_up)
        between.answers.set()

        kept = await asyncio.gather(*(store.get(key) for key in reversed(keys)))
        assert kept == [Kept(key.digest.encode(), 0.0) for key in reversed(keys)]
        await store.close()


async def test_an_answer_that_is_late_is_not_waited_for(
    valkey: Valkey, valkey_url: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with relay(valkey) as between:
        store = RedisStore(f"redis://127.0.0.1:{between.port}", clock)
        await store.put(KEY, b"text", 60.0)
        with monkeypatch.context() as patched:
            patched.setattr("dowse.stores.redis.client.ANSWER_S", 0.05)
            between.answers.clear()
            with pytest.raises(StoreFailed, match=r"^Redis: no answer in time$"):
                await store.get(KEY)
        between.answers.set()
        assert await store.get(KEY) == Kept(b"text", 0.0)
        await store.close()


async def test_a_dropped_connection_is_opened_again_but_not_forever(
    valkey: Valkey, valkey_url: str, clock: FakeClock
) -> None:
    async with relay(valkey) as between:
        store = RedisStore(f"redis://127.0.0.1:{between.port}", clock)
        await store.put(KEY, b"text", 60.0)

        between.drops = 1
        assert await store.get(KEY) == Kept(b"text", 0.0)

        before = between.connections
        between.drops = 1000
        with pytest.raises(StoreFailed, match=r"^Redis: it cannot be reached$"):
            await store.get(KEY)
        assert between.connections - before <= 3
        await store.close()


async def test_a_server_that_was_away_meanwhile_costs_no_failure(clock: FakeClock) -> None:
    with started() as server:
        store = RedisStore(server.url, clock)
        await asyncio.gather(*(store.put(KEY, b"text", 60.0) for _ in range(5)))
        server.kill()
        server.start()
        assert await asyncio.gather(*(store.get(KEY) for _ in range(5))) == [None] * 5

        server.kill()
        with pytest.raises(StoreFailed, match=r"^Redis: it cannot be reached$"):
            await store.get(KEY)
        await store.close()


async def test_a_full_or_read_only_server_can_still_be_read(clock: FakeClock) -> None:
    with started() as server:
        store = RedisStore(server.url, clock)
        await store.put(KEY, b"text", 60.0)
        server.ask("CONFIG", "SET", "maxmemory", "1")
        with pytest.raises(StoreFailed, match=r"^Redis: it is full: raise its maxmemory, or set"):
            await store.put(KEY, b"other", 60.0)
        with pytest.raises(StoreFailed, match=r"^Redis: it is full"):
            await store.claim(KEY, "ours", 60.0)
        with pytest.raises(StoreFailed, match=r"^Redis: it is full"):
            await store.add("serper", NOVEMBER, Tally(1, 0))
        assert await store.get(KEY) == Kept(b"text", 0.0)

        server.ask("CONFIG", "SET", "maxmemory", "0")
        server.ask("REPLICAOF", "127.0.0.1", "1")
        with pytest.raises(StoreFailed, match=r"^Redis: it is a replica"):
            await store.put(KEY, b"other", 60.0)
        assert await store.get(KEY) == Kept(b"text", 0.0)
        await store.close()


async def test_a_store_that_was_closed_opens_again(store: RedisStore) -> None:
    await store.put(KEY, b"text", 60.0)
    await store.close()
    await store.close()
    assert await store.get(KEY) == Kept(b"text", 0.0)
