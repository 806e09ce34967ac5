"""Why a part of a page was kept or not, over the worker's pipe."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status
from dowse.extract.explain import explain
from dowse.worker.pool import WorkerPool

URL = "https://pages.example/a"
ENOUGH_S = 60.0
PROSE = "The otter swims in rivers and in the sea, and it eats fish, crabs and whatever else it finds there."
PAGE = f"<nav><a href=/>Home</a></nav><main><h1>Otters</h1><p>{PROSE}</p><p>{PROSE}</p></main>"


def body(data: str = PAGE, media_type: str = "text/html") -> Body:
    return Body(URL, data.encode(), media_type)


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size=1)
    yield pool
    await pool.close()


async def test_a_worker_explains_a_page_and_has_nothing_to_say_about_a_text(pool: WorkerPool) -> None:
    assert await pool.explain(body(), timeout_s=ENOUGH_S) == explain(PAGE, URL)
    assert await pool.explain(body("words", "text/plain"), timeout_s=ENOUGH_S) is None


async def test_a_worker_that_hangs_over_an_explanation_is_killed(pool: WorkerPool) -> None:
    await pool.explain(body(), timeout_s=ENOUGH_S)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGSTOP)

    with pytest.raises(PageUnreadable) as raised:
        await pool.explain(body(), timeout_s=0.5)

    assert raised.value.status is Status.ERROR
    assert pid not in pool.pids
