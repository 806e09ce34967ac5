"""Batches over scripted pages: what another replica sees of a job that runs, has lost its process, or has expired."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest

from dowse.core.errors import Offline, RequestRefused, StoreFailed
from dowse.core.models import Principal, Status
from dowse.flows.batch import CANCELLED, COMPLETED, FAILED, KEPT_S, PAGES_IN_ANSWER, RUNNING, BatchFlow
from dowse.settings.sources import load
from tests.fakes import FakeClock, RecordingObserver
from tests.fakes.memory import remembering
from tests.fakes.reading import reading
from tests.fakes.scripted import HANGS, ScriptedFetcher

ANA, BEN = Principal("ana"), Principal("ben")
URL, SLOW, GONE = (f"https://example.org/{name}" for name in ("page", "slow", "gone"))
LONG = "https://example.org/long"
PAGES = {URL: "# Page\n\nThe text of the page.", SLOW: HANGS, LONG: "A word and others. " * 40_000}


class Replicas:
    """Two replicas with one store."""

    def __init__(self, clock: FakeClock, pages: Mapping[str, str | Exception], **environ: str) -> None:
        cache = remembering(clock)
        settings = load({}, environ).settings
        reader = reading(ScriptedFetcher(pages), clock=clock, observer=RecordingObserver())
        self.one, self.two = (BatchFlow(reader, cache.entries, clock, settings) for _ in range(2))

    async def end(self, job: str) -> str:
        """The status of a job after it has ended."""
        async with asyncio.timeout(30):
            while True:
                state = await self.two.state(job, ANA)
                assert state is not None
                if state.status != RUNNING:
                    return state.status
                await asyncio.sleep(0)


@asynccontextmanager
async def replicas(clock: FakeClock, **environ: str) -> AsyncIterator[Replicas]:
    opened = Replicas(clock, PAGES, **environ)
    try:
        yield opened
    finally:
        await opened.one.close()


async def test_another_replica_tells_the_pages_that_were_read_and_the_ones_that_failed(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        job = await both.one.start([URL, GONE], "markdown", ANA)
        assert await both.end(job) == COMPLETED
        state = await both.two.state(job, ANA)
        foreign = await both.two.state(job, BEN)
    assert state is not None
    assert [page.text for page in state.pages] == [PAGES[URL]]
    assert [(page.url, page.status) for page in state.failures] == [(GONE, Status.NOT_FOUND)]
    assert (state.completed, state.job.options, state.has_more) == (2, "markdown", False)
    assert foreign is None


async def test_a_job_whose_record_is_not_renewed_has_failed(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        job = await both.one.start([SLOW], "", ANA)
        running = await both.two.state(job, ANA)
        clock.advance(61)
        lost = await both.two.state(job, ANA)
    assert running is not None
    assert lost is not None
    assert (running.status, lost.status) == (RUNNING, FAILED)


async def test_a_cancelled_job_reads_no_further_page(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        job = await both.one.start([SLOW] * 9, "", ANA)
        assert not await both.two.cancel(job, BEN)
        assert await both.two.cancel(job, ANA)
        assert await both.end(job) == CANCELLED
    assert not await both.one.cancel("0" * 32, ANA)


async def test_a_job_ends_with_its_process(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        job = await both.one.start([SLOW], "", ANA)
        await asyncio.sleep(0)
        await both.one.close()
        assert await both.end(job) == FAILED


async def test_a_job_expires_with_its_pages(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        job = await both.one.start([URL], "", ANA)
        await both.end(job)
        clock.advance(KEPT_S + 1)
        assert await both.two.state(job, ANA) is None


async def test_a_caller_has_three_running_jobs_at_most_and_other_callers_have_their_own(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        for _ in range(3):
            await both.one.start([SLOW], "", ANA)
        with pytest.raises(RequestRefused, match="At most 3"):
            await both.one.start([SLOW], "", ANA)
        assert await both.one.start([SLOW], "", BEN)


async def test_nothing_is_begun_offline_or_without_a_store(clock: FakeClock) -> None:
    async with replicas(clock, DOWSE_OFFLINE="true") as both:
        with pytest.raises(Offline):
            await both.one.start([URL], "", ANA)
    broken = Replicas(clock, PAGES)

    async def forget(kind: str, name: str) -> None:
        return None

    broken.one._entries.look = forget  # type: ignore[method-assign]  # a store that is down
    with pytest.raises(StoreFailed):
        await broken.one.start([URL], "", ANA)


async def test_pages_of_a_long_job_are_told_in_parts(clock: FakeClock) -> None:
    most = PAGES_IN_ANSWER
    async with replicas(clock) as both:
        job = await both.one.start([URL] * (most + 3), "", ANA)
        await both.end(job)
        parts = [await both.two.state(job, ANA, skip) for skip in (0, most, most + 3)]
    told = [(len(part.pages), part.skip, part.has_more, part.completed) for part in parts if part]
    assert told == [(most, 0, True, most + 3), (3, most, False, most + 3), (0, most + 3, False, most + 3)]


async def test_a_very_long_page_is_kept_in_part_and_says_so(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        job = await both.one.start([LONG], "", ANA)
        await both.end(job)
        state = await both.two.state(job, ANA)
    assert state is not None
    (page,) = state.pages
    assert (page.status, 300_000 < len(page.text) <= 400_000) == (Status.TRUNCATED, True)


async def test_a_finished_job_cannot_be_cancelled_and_makes_room_for_others(clock: FakeClock) -> None:
    async with replicas(clock) as both:
        for _ in range(4):
            job = await both.one.start([URL], "", ANA)
            assert await both.end(job) == COMPLETED
        assert not await both.two.cancel(job, ANA)
