"""Large hostile documents: each ends in a typed failure or in its words within the time that a page has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from dowse.errors import PageUnreadable
from dowse.extract.pool import WorkerPool
from dowse.models import Body, Status, Text
from tests.security.test_documents import PLAIN, forms, one_line, scattered

ENOUGH_S = 10.0


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size=1)
    yield pool
    await pool.close()


async def read(pool: WorkerPool, data: bytes) -> Text:
    async with asyncio.timeout(ENOUGH_S + 1):
        return await pool.extract(Body("https://files.example/a", data, "application/pdf"), timeout_s=ENOUGH_S)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: one_line(b"a) Tj (" * 30_000_000), id="200 MB of drawing"),
        pytest.param(lambda: forms(40), id="forms that draw forms"),
    ],
)
async def test_a_bomb_is_a_typed_failure_in_time(pool: WorkerPool, make: Callable[[], bytes]) -> None:
    with pytest.raises(PageUnreadable) as raised:
        await read(pool, make())
    assert raised.value.status is Status.ERROR
    assert (await read(pool, PLAIN)).markdown == "Some words."


async def test_a_page_with_sixty_thousand_words_is_bounded(pool: WorkerPool) -> None:
    assert 0 < len((await read(pool, scattered(60_000))).markdown) < 1_000_000
