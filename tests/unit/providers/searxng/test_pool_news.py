"""What one process learns of an instance while it runs, others that share its store hear of."""

from __future__ import annotations

import pytest

from dowse.core.errors import ProviderError, RateLimited, Redirected
from dowse.providers.searxng.directory import ListedInstance
from dowse.providers.searxng.instance import Instance, InstanceState
from dowse.providers.searxng.pool import InstancePool
from dowse.providers.searxng.table import LOOK_AGAIN_S, InstanceRecords
from dowse.stores.memory import MemoryStore
from tests.fakes import FakeClock
from tests.unit.providers.searxng.given import ALDER, PROVIDER, ScriptedDirectory, cache_over, managed
from tests.unit.providers.searxng.test_pool import DOWN, named, states, three


class OfSeveral(MemoryStore):
    """A store that other processes use too."""

    is_shared = True


def two_processes(clock: FakeClock) -> tuple[InstancePool, InstancePool]:
    store = OfSeveral(clock)
    one, other = (managed(clock, three(clock), cache=cache_over(store, clock)) for _ in range(2))
    return one, other


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (RateLimited(PROVIDER, retry_after_s=600), InstanceState.RATE_LIMITED),
        (Redirected(PROVIDER), InstanceState.BLOCKED),
        (DOWN, InstanceState.RESTING),
    ],
)
async def test_what_happens_to_one_process_is_heard_of_by_the_others(
    clock: FakeClock, error: ProviderError, state: InstanceState
) -> None:
    one, other = two_processes(clock)
    await one.choose()
    await other.choose()
    clock.advance(LOOK_AGAIN_S - 1)
    await one.report_failure(ALDER, error)
    await one.close()
    assert await named(other, 1) != await named(other, 1), "it has not looked yet"
    clock.advance(1)
    assert ALDER not in await named(other)
    assert states(other, clock)[ALDER] is state


async def test_others_are_not_listened_to_all_the_time(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = [], InstanceRecords.read

    async def counting(self: InstanceRecords) -> dict[str, Instance]:
        reads.append(clock.now())
        return await read(self)

    monkeypatch.setattr(InstanceRecords, "read", counting)
    _, instances = two_processes(clock)
    for _ in range(100):
        await instances.choose()
        clock.advance(1)
    assert len(reads) == 10


async def test_a_store_of_one_process_is_read_once(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = [], InstanceRecords.read

    async def counting(self: InstanceRecords) -> dict[str, Instance]:
        reads.append(clock.now())
        return await read(self)

    monkeypatch.setattr(InstanceRecords, "read", counting)
    instances = managed(clock, three(clock))
    for _ in range(10):
        await instances.choose()
        clock.advance(LOOK_AGAIN_S)
    assert len(reads) == 1


async def test_what_a_process_found_out_later_itself_is_not_undone_by_old_news(clock: FakeClock) -> None:
    one, other = two_processes(clock)
    await one.choose()
    await other.choose()
    await one.report_failure(ALDER, DOWN)
    await one.close()
    clock.advance(LOOK_AGAIN_S)
    await other.report_success(ALDER, 200)
    await other.choose()
    assert states(other, clock)[ALDER] is InstanceState.READY


async def test_a_success_that_comes_later_does_not_hide_the_wish_for_a_pause_from_other_processes(
    clock: FakeClock,
) -> None:
    """It had been asked before the limiter spoke to another process, and its news is the newest."""
    one, other = two_processes(clock)
    await one.choose()
    await other.choose()
    await one.report_failure(ALDER, RateLimited(PROVIDER, retry_after_s=600))
    await one.close()
    clock.advance(1)
    await other.report_success(ALDER, 200)
    await other.close()
    clock.advance(LOOK_AGAIN_S)
    await one.choose()
    await other.choose()
    assert [states(each, clock)[ALDER] for each in (one, other)] == [InstanceState.RATE_LIMITED] * 2


async def test_news_that_another_process_has_written_over_are_told_again(clock: FakeClock) -> None:
    store = OfSeveral(clock)
    one, other = (managed(clock, three(clock), cache=cache_over(store, clock)) for _ in range(2))
    await one.choose()
    await one.report_failure(ALDER, RateLimited(PROVIDER, retry_after_s=600))
    await one.close()
    await store.clear()
    clock.advance(LOOK_AGAIN_S)
    await one.choose()
    await one.close()
    await other.choose()
    assert states(other, clock)[ALDER] is InstanceState.RATE_LIMITED


async def test_the_list_of_each_process_is_its_own(clock: FakeClock) -> None:
    """What another process knows of an instance comes with the grade that it had there."""
    store = OfSeveral(clock)
    one = managed(clock, three(clock), cache=cache_over(store, clock))
    other = managed(clock, ScriptedDirectory(clock, ListedInstance(ALDER, "B", 80.0)), cache=cache_over(store, clock))
    await one.choose()
    await other.choose()
    clock.advance(LOOK_AGAIN_S)
    await one.report_failure(ALDER, DOWN)
    await one.close()
    await other.choose()
    (row,) = other.table()
    assert (row.grade, row.uptime, row.consecutive_failures) == ("B", 80.0, 1)
