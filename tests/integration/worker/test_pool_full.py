"""How the pool knows that it has no worker to spare, which is what overload is judged by."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest

from dowse.core.models import Body, Principal
from dowse.core.runtime import calling
from dowse.worker.pool import WorkerPool

PAGE = Body("https://example.org/", b"<p>" + b"some words " * 50, "text/html")


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(2)
    yield pool
    await pool.close()


async def test_a_pool_with_a_free_worker_is_never_full(pool: WorkerPool) -> None:
    for _ in range(3):
        await pool.extract(PAGE, timeout_s=10)
    assert pool.full_s == 0


async def test_a_pool_is_full_from_the_first_moment_to_the_last_in_which_every_worker_has_a_job(
    pool: WorkerPool,
) -> None:
    loop = asyncio.get_running_loop()
    started = loop.time()
    jobs = [asyncio.create_task(pool.extract(PAGE, timeout_s=10)) for _ in range(6)]
    await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
    full_s = pool.full_s
    assert 0 < full_s <= loop.time() - started
    await asyncio.gather(*jobs)
    assert full_s < pool.full_s <= loop.time() - started
    full_s = pool.full_s
    await pool.extract(PAGE, timeout_s=10)
    assert pool.full_s == full_s


async def test_jobs_that_could_not_wait_leave_no_trace(pool: WorkerPool) -> None:
    jobs = [asyncio.create_task(pool.extract(PAGE, timeout_s=10)) for _ in range(6)]
    await asyncio.sleep(0)
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
    full_s = pool.full_s
    await pool.extract(PAGE, timeout_s=10)
    assert pool.full_s == full_s


@pytest.mark.promise("fair-at-once")
async def test_a_caller_with_all_workers_does_not_keep_another_waiting(pool: WorkerPool) -> None:
    await asyncio.gather(*(pool.extract(PAGE, timeout_s=60) for _ in range(2)))
    # A process that stands still, as with a page that is very hard to convert.
    for pid in pool.pids:
        os.kill(pid, signal.SIGSTOP)
    jobs = [asyncio.create_task(pool.extract(PAGE, timeout_s=60)) for _ in range(6)]
    await asyncio.sleep(0)
    with calling(Principal("ben")):
        for _ in range(3):
            await pool.extract(PAGE, timeout_s=60)
    assert not any(job.done() for job in jobs)
    assert len(pool.pids) == 3, "one more than the size"
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)


@pytest.mark.promise("fair-alone")
async def test_a_caller_alone_starts_no_more_workers_than_the_size(pool: WorkerPool) -> None:
    await asyncio.gather(*(pool.extract(PAGE, timeout_s=10) for _ in range(8)))
    assert len(pool.pids) <= 2
