"""What converting costs the server: how late its loop is meanwhile, and what a second worker brings.

Both go through the pool that the server uses. Somebody looks at the clock every five milliseconds while every worker
converts a page of 5 MB. The same ordinary pages go through one worker and through two, in turns, so that a busy machine
slows both; the best round of each counts.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.read import LARGE_BYTES, SHAPES
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body
from dowse.worker.pool import WorkerPool
from tools.extractor.data import samples

LAG_BOUND_MS = 50.0
WORKERS_BOUND = 1.6

ROUNDS = 3
# As many as the server has.
WORKERS = 2
_PAGES_EVERY = 12
_TICK_S = 0.005
# Long enough for a busy machine: what takes how long is measured, not judged by the pool.
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Lag:
    """How late the loop was, in milliseconds: in the worst hundredth of the time, and at the worst moment."""

    p99_ms: float
    most_ms: float


def lags() -> dict[str, Lag]:
    """The lag while a page is converted, by the shape of the page."""
    return {name: _lag(shape.encode()) for name, shape in SHAPES.items()}


def _lag(piece: bytes) -> Lag:
    body = Body("https://example.org/", piece * (LARGE_BYTES // len(piece)), "text/html")
    late = sorted(asyncio.run(_late_while_converting(body)))
    return Lag(late[int(len(late) * 0.99)] * 1000, late[-1] * 1000)


async def _late_while_converting(body: Body) -> list[float]:
    async with _pool(WORKERS) as pool:
        late: list[float] = []
        watching = asyncio.create_task(_keep_time(late))
        texts = await asyncio.gather(*(pool.extract(body, timeout_s=_TIMEOUT_S) for _ in range(WORKERS)))
        watching.cancel()
        # A page that is too much for the converter only has its tags taken out, which is no conversion.
        assert all(text.may_be_kept for text in texts)
        return late


async def _keep_time(late: list[float]) -> None:
    while True:
        started = time.perf_counter()
        await asyncio.sleep(_TICK_S)
        late.append(time.perf_counter() - started - _TICK_S)


def pages(data: Path) -> list[Body]:
    """Pages of all kinds as the server gets them."""
    return [Body(sample.url, sample.html, "text/html") for sample in samples(data, _PAGES_EVERY)]


def gain_of_second_worker(bodies: Sequence[Body], rounds: int = ROUNDS) -> float:
    """How many times as many pages two workers convert in the time of one."""
    return asyncio.run(_gain(bodies, rounds))


async def _gain(bodies: Sequence[Body], rounds: int) -> float:
    async with _pool(1) as one, _pool(WORKERS) as two:
        alone, together = [], []
        for _ in range(rounds + 1):
            alone.append(await _seconds(one, bodies))
            together.append(await _seconds(two, bodies))
        # What is started and loaded with the first round is not part of the price of a page.
        return min(alone[1:]) / min(together[1:])


async def _seconds(pool: WorkerPool, bodies: Sequence[Body]) -> float:
    started = time.perf_counter()
    await asyncio.gather(*(_convert(pool, body) for body in bodies))
    return time.perf_counter() - started


async def _convert(pool: WorkerPool, body: Body) -> None:
    # Some of the pages are login walls and the like, which are work too.
    with contextlib.suppress(PageUnreadable):
        await pool.extract(body, timeout_s=_TIMEOUT_S)


@contextlib.asynccontextmanager
async def _pool(size: int) -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size)
    try:
        yield pool
    finally:
        await pool.close()
