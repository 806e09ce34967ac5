"""Processes that take turns at one store: who makes an entry, and who goes on when that one is gone."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable

import pytest

from dowse.cache import flights
from dowse.core.errors import StoreFailed
from dowse.stores import fail_soft
from dowse.stores.memory import MemoryStore
from dowse.stores.store import Key
from tests.fakes import FakeClock
from tests.support.leases import CLOCK, ENTRY, Process

SOON_S = 30.0
ROOM_BYTES = 1_000_000


class SharedStore(MemoryStore):
    """A store as several processes see it; a test may say what happens around each claim."""

    is_shared = True

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock, ROOM_BYTES)
        self.claims: asyncio.Queue[bool] = asyncio.Queue()
        self.before_claim: Callable[[], Awaitable[None]] | None = None
        self.after_claim: Callable[[], Awaitable[None]] | None = None
        self.on_release: Callable[[], Awaitable[None]] | None = None

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        if self.before_claim:
            await self.before_claim()
        is_owners = await super().claim(key, owner, for_s)
        self.claims.put_nowait(is_owners)
        if self.after_claim:
            await self.after_claim()
        return is_owners

    async def release(self, key: Key, owner: str) -> None:
        if self.on_release:
            await self.on_release()
        await super().release(key, owner)


@pytest.fixture
def store(clock: FakeClock) -> SharedStore:
    return SharedStore(clock)


async def in_its_turn(process: Process) -> asyncio.Task[bytes]:
    """The process at work."""
    task = asyncio.create_task(process.answer())
    await asyncio.wait_for(process.has_turn.wait(), SOON_S)
    return task


async def waiting(process: Process, store: SharedStore) -> asyncio.Task[bytes]:
    """The process after it has been refused the lease."""
    task = asyncio.create_task(process.answer())
    while await asyncio.wait_for(store.claims.get(), SOON_S):
        pass
    return task


async def test_a_store_of_one_process_is_not_asked_for_a_lease() -> None:
    class Private(MemoryStore):
        async def claim(self, *_args: object) -> bool:
            raise AssertionError("asked for a lease")

    process = Process(Private(CLOCK, ROOM_BYTES))
    process.is_made.set_result(b"made")
    assert await process.answer() == b"made"


async def test_the_others_wait_for_what_one_of_them_makes(store: SharedStore) -> None:
    first, second = Process(store), Process(store)
    making = await in_its_turn(first)
    taking = await waiting(second, store)
    first.is_made.set_result(b"made")
    assert await asyncio.wait_for(asyncio.gather(making, taking), SOON_S) == [b"made", b"made"]
    assert not second.has_turn.is_set()
    await first.leases.close()
    assert await first.may_claim()


async def test_what_has_been_made_is_taken_although_its_maker_is_still_busy(store: SharedStore) -> None:
    first, second = Process(store), Process(store)
    making = await in_its_turn(first)
    taking = await waiting(second, store)
    await first.cache.put(*ENTRY, b"made", 60.0)
    assert await asyncio.wait_for(taking, SOON_S) == b"made"
    assert not await second.may_claim()
    first.is_made.set_result(b"made")
    await making


async def test_what_was_made_between_a_look_and_the_lease_is_not_made_again(store: SharedStore) -> None:
    process = Process(store)

    async def another_is_done() -> None:
        await process.cache.put(*ENTRY, b"made", 60.0)

    store.before_claim = another_is_done
    assert await process.answer() == b"made"
    assert not process.has_turn.is_set()
    store.before_claim = None
    await process.leases.close()
    assert await process.may_claim()


@pytest.mark.parametrize("end", [lambda task, _: task.cancel(), lambda _, made: made.set_exception(ConnectionError())])
async def test_when_one_leaves_without_having_made_it_the_next_has_its_turn(
    store: SharedStore, end: Callable[[asyncio.Task[bytes], asyncio.Future[bytes]], None]
) -> None:
    first, second = Process(store), Process(store)
    making = await in_its_turn(first)
    taking = await waiting(second, store)
    end(making, first.is_made)
    second.is_made.set_result(b"made by the second")
    assert await asyncio.wait_for(taking, SOON_S) == b"made by the second"
    await asyncio.gather(making, return_exceptions=True)


async def test_who_has_waited_for_half_of_its_time_makes_it_without_a_lease(store: SharedStore) -> None:
    first, second = Process(store), Process(store)
    making = await in_its_turn(first)
    began = CLOCK.now()
    remaking = asyncio.create_task(second.answer(deadline_s=0.4))
    await asyncio.wait_for(second.has_turn.wait(), SOON_S)
    assert CLOCK.now() - began >= 0.19
    second.is_made.set_result(b"made by the second")
    assert await remaking == b"made by the second"
    await second.leases.close()
    assert not await second.may_claim(), "the lease is the first one's all the time"
    first.is_made.set_result(b"made")
    assert await making == b"made"
    await first.leases.close()
    assert await first.may_claim()


async def test_several_that_fail_one_after_the_other_cost_no_more_than_one_that_is_slow(store: SharedStore) -> None:
    """The time that is waited does not begin anew with the next who has the lease."""
    process = Process(store)
    owners = itertools.count()

    async def another_is_first() -> None:
        owner = next(owners)
        store.before_claim = None
        await process.cache.release(*ENTRY, f"process {owner - 1}")
        await process.cache.claim(*ENTRY, f"process {owner}", 3.0)
        store.before_claim = another_is_first

    store.before_claim = another_is_first
    answering = asyncio.create_task(process.answer(deadline_s=0.4))
    await asyncio.wait_for(process.has_turn.wait(), SOON_S)
    process.is_made.set_result(b"made")
    assert await answering == b"made"


async def test_time_that_ends_in_the_work_is_not_taken_for_that_of_waiting(store: SharedStore) -> None:
    process = Process(store)
    process.is_made.set_exception(TimeoutError())
    with pytest.raises(TimeoutError):
        await process.answer()


@pytest.mark.parametrize("error", [None, ConnectionError()])
async def test_no_call_waits_for_a_lease_to_be_given_back_only_the_end_of_the_application(
    store: SharedStore, error: Exception | None
) -> None:
    process, is_slow = Process(store), asyncio.Event()

    async def slow() -> None:
        await is_slow.wait()

    making = await in_its_turn(process)
    store.on_release = slow
    if error:
        process.is_made.set_exception(error)
    else:
        process.is_made.set_result(b"made")
    [end] = await asyncio.wait_for(asyncio.gather(making, return_exceptions=True), SOON_S)
    assert end == (error or b"made")

    closing = asyncio.create_task(process.leases.close())
    for _ in range(5):
        await asyncio.sleep(0)
    assert not closing.done()
    store.on_release = None
    is_slow.set()
    await asyncio.wait_for(closing, SOON_S)
    assert await process.may_claim()


async def test_the_end_of_the_application_does_not_wait_for_ever(
    store: SharedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flights, "_LAST_S", 0.01)
    monkeypatch.setattr(fail_soft, "PATIENCE_S", 60.0)
    process = Process(store)
    store.on_release = asyncio.Event().wait
    process.is_made.set_result(b"made")
    assert await asyncio.wait_for(process.answer(), SOON_S) == b"made"
    await asyncio.wait_for(process.leases.close(), SOON_S)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_lease_is_renewed_for_as_long_as_it_is_held(store: SharedStore, clock: FakeClock) -> None:
    process = Process(store, lease_s=0.06)
    making = await in_its_turn(process)
    for _ in range(5):
        clock.advance(0.04)
        assert await asyncio.wait_for(store.claims.get(), SOON_S)
    assert not await process.may_claim()
    process.is_made.set_result(b"made")
    await making
    await process.leases.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_lease_that_is_lost_costs_nothing_and_is_not_taken_from_its_new_owner(
    store: SharedStore, clock: FakeClock
) -> None:
    process, another = Process(store, lease_s=0.06), Process(store)
    making = await in_its_turn(process)
    clock.advance(1)
    assert await another.cache.claim(*ENTRY, "another", 60.0)
    async with asyncio.timeout(SOON_S):
        while await store.claims.get():
            pass
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task(), making}, "nobody tries to win it back"
    process.is_made.set_result(b"made")
    assert await making == b"made"
    await process.leases.close()
    assert not await another.may_claim()


async def test_a_lease_is_given_back_although_its_claim_was_not_heard(store: SharedStore) -> None:
    process = Process(store)
    store.after_claim = asyncio.Event().wait
    claiming = asyncio.create_task(process.answer())
    assert await asyncio.wait_for(store.claims.get(), SOON_S)
    claiming.cancel()
    await asyncio.wait([claiming])
    store.after_claim = None
    await process.leases.close()
    assert await process.may_claim()


async def test_a_lease_is_given_back_by_a_call_that_is_cancelled(store: SharedStore) -> None:
    process = Process(store)
    making = await in_its_turn(process)
    making.cancel()
    await asyncio.wait([making])
    await process.leases.close()
    assert await process.may_claim()


async def test_every_process_has_a_turn_while_the_store_is_down(store: SharedStore) -> None:
    async def down() -> None:
        raise StoreFailed("down")

    store.before_claim = down
    for process in (Process(store), Process(store)):
        making = await in_its_turn(process)
        process.is_made.set_result(b"made")
        assert await making == b"made"
        await MemoryStore.clear(store)
