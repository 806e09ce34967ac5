"""Checks: a few at a time, every so often, and only while somebody uses what is checked."""

from __future__ import annotations

import asyncio
from random import Random

from dowse.providers.searxng.pool import HealthWatch, run_concurrently
from tests.fakes import FakeClock


class BusyClock(FakeClock):
    """While somebody sleeps, others use what is watched, as often as told."""

    def __init__(self, uses: int) -> None:
        super().__init__()
        self._uses = uses
        self.watch: HealthWatch | None = None

    async def sleep(self, seconds: float) -> None:
        if self._uses and self.watch:
            self._uses -= 1
            self.advance(seconds / 2)
            self.watch.note_use()
            self.advance(-seconds / 2)
        await super().sleep(seconds)


async def watched(uses: int) -> tuple[list[float], int]:
    """How long was slept before each look, and how many checks there were, until the watch ended by itself."""
    clock, checks = BusyClock(uses), 0

    async def check() -> None:
        nonlocal checks
        checks += 1

    watch = clock.watch = HealthWatch(check, clock, 300.0, Random(1))
    watch.note_use()
    assert checks == 0
    assert watch._task is not None
    await asyncio.wait_for(watch._task, 30)
    return clock.slept, checks


async def test_checks_go_on_while_something_is_used_and_end_after_that() -> None:
    slept, checks = await watched(uses=50)
    assert 50 <= checks <= 51
    assert len(slept) == checks + 1


async def test_checks_are_not_on_the_dot() -> None:
    slept, _ = await watched(uses=50)
    assert (min(slept) >= 240, max(slept) <= 360, len(set(slept)) > 40) == (True, True, True)


async def test_a_new_use_begins_anew(clock: FakeClock) -> None:
    async def check() -> None:
        pass

    watch = HealthWatch(check, clock, 300.0, Random(1))
    for rounds in (1, 2):
        watch.note_use()
        assert watch._task is not None
        await asyncio.wait_for(watch._task, 30)
        assert len(clock.slept) >= rounds
    await watch.close()


async def test_closing_ends_the_watch() -> None:
    class StandingClock(FakeClock):
        async def sleep(self, seconds: float) -> None:
            await asyncio.Event().wait()

    async def check() -> None:
        raise AssertionError("nobody slept to the end")

    watch = HealthWatch(check, StandingClock(), 300.0, Random(1))
    watch.note_use()
    await asyncio.wait_for(watch.close(), 30)


async def test_without_an_interval_there_is_no_watch(clock: FakeClock) -> None:
    async def check() -> None:
        raise AssertionError("there is no interval")

    watch = HealthWatch(check, clock, 0.0, Random(1))
    watch.note_use()
    await watch.close()
    assert clock.slept == []


async def test_a_few_are_asked_at_a_time_and_told_in_order() -> None:
    running, most, urls = 0, 0, [str(number) for number in range(50)]

    async def work(url: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return url

    assert await run_concurrently(work, urls) == urls
    assert most == 8
