"""Slots that callers share: a caller alone has them all, the next one has its share at once, and none gets lost."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.runtime import FairSemaphore, Sharers, reserve_of, sharing

CALLERS = "abcd"


class Slots:
    """A semaphore with tasks that take a slot and keep it until they are told to end."""

    def __init__(self, capacity: int) -> None:
        self.semaphore = FairSemaphore(capacity)
        self.held: list[tuple[str, asyncio.Event]] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def arrive(self, *callers: str) -> None:
        self.tasks += [asyncio.create_task(self._hold(caller)) for caller in callers]
        await settled()

    async def end(self, caller: str) -> None:
        """End the oldest work of a caller."""
        next(event for name, event in self.held if name == caller).set()
        await settled()

    async def cancel(self, number: int) -> None:
        self.tasks[number % len(self.tasks)].cancel()
        await settled()

    async def drain(self) -> None:
        while self.held:
            await self.end(self.held[0][0])
        await asyncio.gather(*self.tasks, return_exceptions=True)

    @property
    def counts(self) -> Counter[str]:
        return Counter(caller for caller, _ in self.held)

    async def _hold(self, caller: str) -> None:
        async with self.semaphore.slot(caller):
            entry = (caller, asyncio.Event())
            self.held.append(entry)
            try:
                await entry[1].wait()
            finally:
                self.held.remove(entry)


async def settled() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


@pytest.mark.promise("fair-alone")
async def test_a_caller_alone_uses_all_slots_and_no_more() -> None:
    slots = Slots(4)
    await slots.arrive(*"aaaaaa")
    assert slots.counts == {"a": 4}
    assert slots.semaphore.waiting("a") == 2
    await slots.end("a")
    assert slots.counts == {"a": 4}
    await slots.drain()


@pytest.mark.promise("fair-at-once")
async def test_the_next_caller_gets_its_share_at_once_though_all_slots_are_held() -> None:
    slots = Slots(4)
    await slots.arrive(*"aaaaaaaa", *"bbbb")
    assert slots.counts == {"a": 4, "b": 2}
    await slots.drain()


@pytest.mark.promise("fair-at-once")
async def test_the_first_caller_gets_nothing_more_until_the_reserve_is_free() -> None:
    slots = Slots(4)
    await slots.arrive(*"aaaaaaaa", *"bbbb")
    for left in (3, 2):
        await slots.end("a")
        assert slots.counts == {"a": left, "b": 2}
    await slots.end("a")
    assert slots.counts == {"a": 2, "b": 2}, "both have their share, and all is used"
    await slots.drain()


async def test_without_a_reserve_the_next_caller_would_wait_for_the_first() -> None:
    """Positive control: a plain semaphore serves in order of arrival."""
    plain, served = asyncio.Semaphore(4), []

    async def hold(caller: str) -> None:
        async with plain:
            served.append(caller)
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(hold(caller)) for caller in "aaaaaaaab"]
    await settled()
    assert served == ["a"] * 4
    for task in tasks:
        task.cancel()


@pytest.mark.promise("fair-at-once")
async def test_the_reserve_is_bounded_however_many_callers_come() -> None:
    slots = Slots(4)
    await slots.arrive(*"aaaa", *"bcdefghi")
    assert sum(slots.counts.values()) == 4 + reserve_of(4)
    await slots.drain()


async def test_a_freed_slot_goes_to_the_waiting_caller_that_holds_the_fewest() -> None:
    slots = Slots(2)
    await slots.arrive(*"aaaa", *"bb", "c")
    assert slots.counts == {"a": 2, "b": 1}
    await slots.end("a")
    assert slots.counts == {"a": 1, "b": 1, "c": 1}
    await slots.drain()


async def test_a_slot_that_is_taken_only_if_free_does_not_overtake_a_waiter() -> None:
    slots = Slots(1)
    await slots.arrive("a", "a")
    assert not slots.semaphore.try_acquire("a")
    assert slots.semaphore.try_acquire("b")
    slots.semaphore.release("b")
    await slots.end("a")
    assert slots.counts == {"a": 1}
    await slots.drain()


async def test_a_caller_that_gives_up_leaves_its_share_to_the_others() -> None:
    slots = Slots(4)
    await slots.arrive(*"aaaa", *"bbbb", *"cc")
    assert slots.counts == {"a": 4, "b": 2}
    await slots.end("b")
    assert slots.counts == {"a": 4, "b": 1, "c": 1}
    for number in (8, 9):
        await slots.cancel(number)
    assert slots.counts == {"a": 4, "b": 2}, "its share is a half again"
    await slots.drain()


@pytest.mark.promise("fair-no-loss")
async def test_a_slot_granted_at_the_moment_of_a_cancellation_goes_to_the_next_waiter() -> None:
    semaphore = FairSemaphore(1)
    await semaphore.acquire("a")
    first, second = (asyncio.create_task(semaphore.acquire("a")) for _ in range(2))
    await settled()
    semaphore.release("a")
    first.cancel()
    await settled()
    assert (first.cancelled(), second.done(), semaphore.in_use) == (True, True, 1)


class Shared:
    """Work that callers share, which takes a slot and keeps it."""

    def __init__(self, semaphore: FairSemaphore, *callers: str) -> None:
        self.sharers, self.callers = Sharers(), list(callers)
        for caller in callers:
            self.sharers.add(caller)
        with sharing(self.sharers):
            self.task = asyncio.create_task(semaphore.acquire(callers[0]))


@pytest.mark.promise("fair-flights")
async def test_shared_work_gets_the_slot_of_a_caller_that_joins_and_is_below_its_share() -> None:
    slots = Slots(4)
    await slots.arrive(*"aaaaaa")
    shared = Shared(slots.semaphore, "a")
    await settled()
    assert (shared.task.done(), slots.semaphore.waiting("a")) == (False, 3), "control: behind the others of its caller"
    shared.sharers.add("b")
    await settled()
    assert (shared.task.result(), slots.semaphore.waiting("a")) == ("b", 2)
    slots.semaphore.release("b")
    await slots.drain()


async def test_shared_work_gives_up_the_place_of_a_caller_that_leaves_but_not_the_last() -> None:
    slots = Slots(1)
    await slots.arrive("a", "b")
    shared = Shared(slots.semaphore, "a", "b")
    await settled()
    for caller, left in (("a", (0, 1)), ("b", (0, 1))):
        shared.sharers.remove(caller)
        assert (slots.semaphore.waiting("a"), slots.semaphore.waiting("b")) == left
    shared.task.cancel()
    await settled()
    assert slots.semaphore.waiting("b") == 0
    await slots.drain()


@pytest.mark.promise("fair-no-loss")
@given(
    capacity=st.integers(1, 3), steps=st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abcd+-x")), max_size=40)
)
def test_shared_work_loses_no_slot_whoever_joins_leaves_or_gives_up(
    capacity: int, steps: list[tuple[int, str]]
) -> None:
    async def run() -> None:
        semaphore = FairSemaphore(capacity)
        works = [Shared(semaphore, caller) for caller in "aaabc"]
        for number, step in steps:
            works[number] = _act_shared(semaphore, works[number], step)
            if number % 2:
                await settled()
        await settled()
        held = [work.task.result() for work in works if work.task.done() and not work.task.cancelled()]
        assert semaphore.in_use == len(held)
        assert sum(not work.task.done() for work in works) == 0 or semaphore.in_use >= capacity
        for work in works:
            work.task.cancel()
        await settled()
        for caller in held:
            semaphore.release(caller)
        assert semaphore.in_use == 0
        assert all(semaphore.waiting(caller) == 0 for caller in CALLERS)

    asyncio.run(run())


def _act_shared(semaphore: FairSemaphore, work: Shared, step: str) -> Shared:
    """One step: the work ends or gives up, a caller leaves or joins; the work that there is then."""
    if step == "+" and work.task.done() and not work.task.cancelled():
        semaphore.release(work.task.result())
        return Shared(semaphore, "d")
    if step == "x":
        work.task.cancel()
    elif step == "-" and work.callers:
        work.sharers.remove(work.callers.pop())
    elif step in CALLERS:
        work.callers.append(step)
        work.sharers.add(step)
    return work


_steps = st.one_of(
    st.tuples(st.just("arrive"), st.sampled_from(CALLERS)),
    st.tuples(st.just("end"), st.sampled_from(CALLERS)),
    st.tuples(st.just("cancel"), st.integers(0, 60)),
    st.tuples(st.just("end and cancel"), st.integers(0, 60)),
)


@pytest.mark.promise("fair-no-loss")
@given(capacity=st.integers(1, 5), steps=st.lists(_steps, max_size=60))
def test_whatever_happens_no_slot_is_lost_none_is_idle_and_no_caller_below_its_share_waits(
    capacity: int, steps: list[tuple[str, str | int]]
) -> None:
    async def run() -> None:
        slots = Slots(capacity)
        for action, which in steps:
            await _act(slots, action, which)
            _check(slots, capacity)
        await slots.drain()
        assert slots.semaphore.in_use == 0
        assert all(slots.semaphore.waiting(caller) == 0 for caller in CALLERS)

    asyncio.run(run())


async def _act(slots: Slots, action: str, which: str | int) -> None:
    if isinstance(which, str):
        if action == "arrive":
            await slots.arrive(which)
        elif slots.counts[which]:
            await slots.end(which)
    elif slots.tasks:
        if action != "cancel" and slots.held:
            # Both in one turn of the loop: the cancelled waiter may be the one that is granted the slot.
            slots.held[which % len(slots.held)][1].set()
            await asyncio.sleep(0)
        await slots.cancel(which)


def _check(slots: Slots, capacity: int) -> None:
    counts = slots.counts
    waiting = {caller: slots.semaphore.waiting(caller) for caller in CALLERS}
    in_use, active = sum(counts.values()), sum(bool(counts[caller] or waiting[caller]) for caller in CALLERS)
    assert slots.semaphore.in_use == in_use <= capacity + reserve_of(capacity)
    if not any(waiting.values()):
        return
    assert in_use >= capacity, "a slot is idle"
    if in_use < capacity + reserve_of(capacity):
        assert all(counts[caller] >= capacity / active for caller in CALLERS if waiting[caller])
