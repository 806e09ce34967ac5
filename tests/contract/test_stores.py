"""What every store promises, in one body: memory, SQLite and a real Valkey."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from dowse.stores import open_store
from dowse.stores.ledger import CallCount, Days, Ledger, LedgerEntry, Tally
from dowse.stores.store import Kept, Key, Store
from tests.fakes import FakeClock
from tests.support.eventually import eventually

KEY = Key("page", "00ff")
OTHER = Key("page", "ff00")

NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 15))
CALL = Tally(1, 300)
THREE_CALLS = Tally(3, 10**12)


@pytest.fixture(params=["memory", "sqlite", "valkey"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "valkey":
        url: str = request.getfixturevalue("valkey_url")
        return url
    return {"memory": "memory:", "sqlite": f"sqlite:///{tmp_path}/state.db"}[request.param]


@pytest_asyncio.fixture(loop_scope="module")
async def store(address: str, clock: FakeClock) -> AsyncIterator[Store]:
    store = open_store(address, clock)
    yield store
    await store.close()


async def test_what_was_put_is_there_with_its_age_until_it_expires(store: Store, clock: FakeClock) -> None:
    assert await store.get(KEY) is None
    await store.put(KEY, b"value", 60)
    assert await store.get(KEY) == Kept(b"value", 0.0)
    clock.advance(59.5)
    assert await store.get(KEY) == Kept(b"value", 59.5)
    clock.advance(0.5)
    assert await store.get(KEY) is None


async def test_a_new_value_takes_the_place_of_an_earlier_one_with_its_age_and_its_time(
    store: Store, clock: FakeClock
) -> None:
    await store.put(KEY, b"first", 1000)
    clock.advance(10)
    await store.put(KEY, b"second", 30)
    clock.advance(20)
    assert await store.get(KEY) == Kept(b"second", 20.0)
    clock.advance(10)
    assert await store.get(KEY) is None, "nor is the first one back"


async def test_dropping_deletes_one_entry_and_nothing_else(store: Store) -> None:
    same_digest = Key("search", KEY.digest)
    for key in (KEY, OTHER, same_digest):
        await store.put(key, b"value", 60)
    await store.claim(KEY, "a", 60)
    await store.drop(KEY)
    assert await store.get(KEY) is None
    assert await store.get(OTHER) == await store.get(same_digest) == Kept(b"value", 0.0)
    assert dict((await store.usage()).entries) == {"page": 1, "search": 1}
    assert not await store.claim(KEY, "b", 60), "leases are no entries"
    await store.drop(KEY)
    await store.put(KEY, b"again", 60)
    assert await store.get(KEY) == Kept(b"again", 0.0)


async def test_kinds_and_digests_are_kept_apart(store: Store) -> None:
    keys = [Key(kind, digest) for kind in ("search", "page", "robots") for digest in ("00ff", "ff00")]
    for key in keys:
        await store.put(key, f"{key.kind} {key.digest}".encode(), 60)
    assert [await store.get(key) for key in keys] == [Kept(f"{key.kind} {key.digest}".encode(), 0.0) for key in keys]
    assert await store.get(Key("failure", "00ff")) is None


@pytest.mark.parametrize("value", [b"", b"\0", b"a\0b\r\n$-1\r\n", bytes(range(256)), "日本語".encode()])
async def test_any_bytes_come_back_as_they_were(store: Store, value: bytes) -> None:
    await store.put(KEY, value, 60)
    assert await store.get(KEY) == Kept(value, 0.0)


async def test_a_megabyte_comes_back_as_it_was(store: Store) -> None:
    value = random.Random(6).randbytes(1_000_000)
    await store.put(KEY, value, 60)
    assert await store.get(KEY) == Kept(value, 0.0)


async def test_an_entry_from_before_the_clock_was_set_back_is_a_miss(store: Store, clock: FakeClock) -> None:
    await store.put(KEY, b"value", 10**6)
    clock.advance(-59)
    assert await store.get(KEY) == Kept(b"value", 0.0), "clocks differ a little"
    clock.advance(-2)
    assert await store.get(KEY) is None
    await store.put(KEY, b"new", 60)
    assert await store.get(KEY) == Kept(b"new", 0.0)


async def test_a_store_says_what_it_holds(store: Store) -> None:
    await store.put(KEY, b"12345", 60)
    await store.put(OTHER, b"1234567890", 60)
    await store.put(Key("search", "00ff"), b"123", 60)
    await store.claim(KEY, "a", 60)
    await store.add("serper", NOVEMBER, CALL)
    usage = await store.usage()
    assert dict(usage.entries) == {"page": 2, "search": 1}
    assert dict(usage.value_bytes) == {"page": 15, "search": 3}
    assert usage.size_bytes >= 18
    assert usage.max_bytes is None or usage.max_bytes > usage.size_bytes


async def test_an_empty_store_holds_nothing(store: Store) -> None:
    usage = await store.usage()
    assert (dict(usage.entries), dict(usage.value_bytes)) == ({}, {})


async def test_sweeping_leaves_what_has_not_expired(store: Store, clock: FakeClock) -> None:
    await store.put(KEY, b"short", 0.001)
    await store.put(OTHER, b"long", 1000)
    clock.advance(10)
    await store.sweep()
    assert await store.get(KEY) is None
    assert await store.get(OTHER) == Kept(b"long", 10.0)


async def test_clearing_deletes_all_entries_and_nothing_else(store: Store) -> None:
    await store.put(KEY, b"value", 60)
    await store.put(Key("search", "00ff"), b"value", 60)
    await store.claim(KEY, "a", 60)
    await spend(store, 2)
    assert await store.clear() == 2
    assert await store.get(KEY) is None
    assert dict((await store.usage()).entries) == {}
    assert await store.total("serper", NOVEMBER) == Tally(2, 600)
    assert not await store.claim(KEY, "b", 60)
    assert await store.clear() == 0
    await store.put(KEY, b"again", 60)
    assert await store.get(KEY) == Kept(b"again", 0.0)


async def test_a_lease_is_for_one_owner_who_may_lengthen_it(store: Store) -> None:
    assert await store.claim(KEY, "a", 60)
    assert not await store.claim(KEY, "b", 60)
    assert await store.claim(KEY, "a", 60)
    assert not await store.claim(KEY, "b", 60)
    assert await store.claim(OTHER, "b", 60), "another key is another lease"
    assert await store.get(KEY) is None, "leases are no entries"


async def test_only_the_owner_gives_a_lease_back(store: Store) -> None:
    await store.claim(KEY, "a", 60)
    await store.release(KEY, "b")
    assert not await store.claim(KEY, "b", 60)
    await store.release(KEY, "a")
    assert await store.claim(KEY, "b", 60)
    await store.release(OTHER, "a")


async def test_a_lease_ends_by_itself(store: Store, clock: FakeClock) -> None:
    assert await store.claim(KEY, "a", 0.05)
    clock.advance(0.05)
    # Redis goes by its own clock.
    await eventually(lambda: store.claim(KEY, "b", 60))
    assert not await store.claim(KEY, "a", 60)
    await store.release(KEY, "a")
    assert not await store.claim(KEY, "a", 60), "it is not the former owner's to give back"


async def test_of_many_who_claim_at_the_same_moment_one_succeeds(store: Store) -> None:
    owners = [f"owner {number}" for number in range(20)]
    assert sum(await asyncio.gather(*[store.claim(KEY, owner, 60) for owner in owners])) == 1


async def test_who_reads_while_others_write_finds_whole_values(store: Store) -> None:
    keys = [Key("page", f"{number:04x}") for number in range(5)]
    values = {bytes([number]) * 5000 for number in range(20)}

    async def read(key: Key) -> None:
        kept = await store.get(key)
        assert kept is None or kept.value in values

    writes = [store.put(key, value, 60) for value in values for key in keys]
    reads = [read(key) for key in keys for _ in range(20)]
    work = [*writes, *reads]
    random.Random(6).shuffle(work)
    await asyncio.gather(*work)
    assert all([await store.get(key) for key in keys])


async def test_a_call_that_leaves_costs_the_others_nothing(store: Store) -> None:
    tasks = [asyncio.create_task(store.put(KEY, b"value", 60)) for _ in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert [task.cancelled() for task in tasks[1::2]] == [False] * 10
    await store.put(OTHER, b"other", 60)
    assert await store.get(OTHER) == Kept(b"other", 0.0)
    assert await store.get(KEY) == Kept(b"value", 0.0)


async def test_what_one_opens_others_see_where_it_says_so(address: str, store: Store, clock: FakeClock) -> None:
    other = open_store(address, clock)
    await store.put(KEY, b"value", 60)
    await store.claim(KEY, "a", 60)
    await spend(store, 2)
    assert store.is_shared == ("memory" not in address)
    assert (await other.get(KEY) == Kept(b"value", 0.0)) is store.is_shared
    assert (not await other.claim(KEY, "b", 60)) is store.is_shared
    assert (await other.total("serper", NOVEMBER) == Tally(2, 600)) is store.is_shared
    await other.close()
    assert await store.get(KEY) == Kept(b"value", 0.0)


async def test_closing_twice_or_before_any_use_is_fine(address: str, clock: FakeClock) -> None:
    store = open_store(address, clock)
    await store.close()
    await store.close()


async def spend(ledger: Ledger, times: int, days: Days = NOVEMBER, cap: Tally = THREE_CALLS) -> list[LedgerEntry]:
    return [await ledger.add("serper", days, CALL, cap) for _ in range(times)]


async def test_what_is_added_stays_within_the_cap(store: Store) -> None:
    entries = await spend(store, 5)
    assert entries == [
        LedgerEntry(Tally(1, 300), admitted=True),
        LedgerEntry(Tally(2, 600), admitted=True),
        LedgerEntry(Tally(3, 900), admitted=True),
        LedgerEntry(Tally(3, 900), admitted=False),
        LedgerEntry(Tally(3, 900), admitted=False),
    ]
    assert await store.total("serper", NOVEMBER) == Tally(3, 900)


async def test_money_is_capped_like_calls_and_may_be_spent_to_the_last_bit(store: Store) -> None:
    cap = Tally(10**12, 899)
    assert [entry.admitted for entry in await spend(store, 3, cap=cap)] == [True, True, False]
    assert (await spend(store, 1, cap=Tally(10**12, 900)))[0].admitted


async def test_without_a_cap_everything_is_admitted(store: Store) -> None:
    cost = Tally(1, 10**12)
    assert [(await store.add("serper", NOVEMBER, cost)).admitted for _ in range(3)] == [True] * 3
    assert await store.total("serper", NOVEMBER) == Tally(3, 3 * 10**12)


async def test_a_cost_that_is_given_back_makes_room_within_the_cap(store: Store) -> None:
    await spend(store, 3)
    today = Days(NOVEMBER.today, NOVEMBER.today)
    assert await store.add("serper", today, Tally() - CALL) == LedgerEntry(Tally(2, 600), admitted=True)
    assert [entry.admitted for entry in await spend(store, 2)] == [True, False]


async def test_calls_are_counted_by_day_provider_and_caller(store: Store) -> None:
    first, second = date(2026, 11, 1), date(2026, 11, 15)
    counts = [
        CallCount(first, "serper", "alice", CALL),
        CallCount(second, "serper", "alice", CALL),
        CallCount(second, "exa", "a caller with blanks", Tally(2)),
    ]
    await store.count_calls(counts)
    await store.count_calls(counts[1:2])
    assert sorted(await store.call_counts(NOVEMBER), key=str) == [
        CallCount(first, "serper", "alice", CALL),
        CallCount(second, "exa", "a caller with blanks", Tally(2)),
        CallCount(second, "serper", "alice", CALL + CALL),
    ]
    assert await store.call_counts(Days(first, first)) == counts[:1]
    assert await store.clear() == 0, "they are no entries"
    assert len(await store.call_counts(NOVEMBER)) == 3


async def test_calls_of_past_months_are_not_kept_with_those_of_the_new_one(store: Store) -> None:
    await store.count_calls([CallCount(date(2026, 11, 30), "serper", "alice", CALL)])
    december = CallCount(date(2026, 12, 1), "serper", "alice", CALL)
    await store.count_calls([december])
    assert await store.call_counts(Days(date(2026, 12, 1), date(2026, 12, 1))) == [december]


async def test_providers_have_accounts_of_their_own(store: Store) -> None:
    await spend(store, 3)
    assert await store.total("exa", NOVEMBER) == Tally()
    assert (await store.add("exa", NOVEMBER, CALL, THREE_CALLS)).admitted


async def test_the_total_is_that_of_the_days_asked_for(store: Store) -> None:
    for day in (1, 14, 15):
        await spend(store, 1, Days(date(2026, 11, 1), date(2026, 11, day)))
    assert await store.total("serper", NOVEMBER) == Tally(3, 900)
    assert await store.total("serper", Days(date(2026, 11, 15), date(2026, 11, 15))) == Tally(1, 300)
    assert await store.total("serper", Days(date(2026, 11, 1), date(2026, 11, 14))) == Tally(2, 600)


async def test_a_new_month_begins_with_nothing(store: Store) -> None:
    await spend(store, 3, replace(NOVEMBER, today=date(2026, 11, 30)))
    december = Days(date(2026, 12, 1), date(2026, 12, 1))
    assert [entry.admitted for entry in await spend(store, 4, december)] == [True, True, True, False]


async def test_what_is_handed_in_for_a_day_that_has_passed_counts(store: Store) -> None:
    yesterday = NOVEMBER.today - timedelta(days=1)
    await spend(store, 1)
    await spend(store, 1, Days(yesterday, yesterday))
    assert await store.total("serper", NOVEMBER) == Tally(2, 600)


async def test_two_who_spend_at_the_same_moment_do_not_exceed_the_cap(
    address: str, store: Store, clock: FakeClock
) -> None:
    stores = [store, open_store(address, clock) if store.is_shared else store]
    entries = await asyncio.gather(*[spend(each, 20, cap=Tally(25, 10**12)) for each in stores])
    admitted = [entry.total.calls for batch in entries for entry in batch if entry.admitted]
    assert sorted(admitted) == list(range(1, 26))
    await stores[1].close()
