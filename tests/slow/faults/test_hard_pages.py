"""Megabytes that are hard to convert give their words within the time that a page has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dowse.worker.pool import WorkerPool
from tests.faults.test_hard_pages import body, pathological

pytestmark = pytest.mark.asyncio(loop_scope="module")

ENOUGH_S = 10.0
PATHOLOGICAL = pathological(100)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size=2)
    yield pool
    await pool.close()


@pytest.mark.parametrize("name", PATHOLOGICAL)
async def test_pathological_page_still_gives_its_words_in_time(pool: WorkerPool, name: str) -> None:
    async with asyncio.timeout(ENOUGH_S):
        text = await pool.extract(body(PATHOLOGICAL[name].encode()), timeout_s=ENOUGH_S - 1)

    assert "lorem ipsum" in text.markdown
