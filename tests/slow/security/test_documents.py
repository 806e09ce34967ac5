"""Large hostile documents: each ends in a typed failure or in its words within the time that a page has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status, Text
from dowse.worker.pool import WorkerPool
from tests.security.test_documents import LOST, PLAIN, SHEETS, VAST_SHEET_READ, one_line, scattered, vast_sheet

ENOUGH_S = 10.0


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size=1)
    yield pool
    await pool.close()


async def read(pool: WorkerPool, data: bytes, media_type: str = "application/pdf") -> Text:
    async with asyncio.timeout(ENOUGH_S + 1):
        return await pool.extract(Body("https://files.example/a", data, media_type), timeout_s=ENOUGH_S)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: one_line(b"a) Tj (" * 30_000_000), id="200 MB of drawing"),
        *(pytest.param(make, id=name) for name, make in LOST.items()),
    ],
)
async def test_a_broken_document_or_bomb_is_a_typed_failure_in_time(
    pool: WorkerPool, make: Callable[[], bytes]
) -> None:
    with pytest.raises(PageUnreadable) as raised:
        await read(pool, make())
    assert raised.value.status is Status.ERROR
    assert (await read(pool, PLAIN)).markdown == "Some words."


async def test_a_sheet_that_claims_a_million_rows_and_columns_is_read_in_time(pool: WorkerPool) -> None:
    assert (await read(pool, vast_sheet(), SHEETS)).markdown == VAST_SHEET_READ


async def test_a_page_with_sixty_thousand_words_is_bounded(pool: WorkerPool) -> None:
    assert 0 < len((await read(pool, scattered(60_000))).markdown) < 1_000_000
