"""One Chromium for all tests of a file, and a pocket web of its own for it."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Onward, Status
from dowse.core.runtime import SystemClock
from dowse.fetch.browser.fetcher import BrowserFetcher
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from dowse.fetch.browser.settle import SettlePatience
from dowse.net.guard import Guard
from tests import realparts
from tests.doubles import PocketWeb, Site

USER_AGENT = "dowse/test (+https://dowse.example)"
TIMEOUT_S = 60.0
# For a page that has no text at first: it is read as soon as there is some.
UNTIL_TEXT = {"for_text_s": 30.0, "longest_s": 40.0}


@dataclass(frozen=True, slots=True)
class Reading:
    """Pages, and the browser that reads them."""

    web: PocketWeb
    pool: BrowserPool
    guard: Guard

    @property
    def pages(self) -> Site:
        return self.web.pages

    async def read(
        self, path: str, *, timeout_s: float = TIMEOUT_S, max_bytes: int = 5_000_000, **patience: float
    ) -> Body:
        """Read a page of the pocket web; what is impatient about it says how."""
        fetcher = BrowserFetcher(
            self.pool,
            self.guard,
            user_agent=USER_AGENT,
            max_bytes=max_bytes,
            patience=SettlePatience(**patience),  # type: ignore[arg-type]
        )
        return await fetcher.fetch(self.web.page(path), timeout_s=timeout_s)

    async def text(self, path: str, **patience: float) -> str:
        return (await self.read(path, **patience)).data.decode()

    async def asked_for(self, path: str, times: int = 1) -> None:
        """Wait until the browser has asked for something so often."""
        while [seen.path for seen in self.pages.requests].count(path) < times:
            await self.pages.arrived(len(self.pages.requests) + 1)

    async def failure(self, path: str, **options: float) -> tuple[Status, Onward, str]:
        with pytest.raises(PageUnreadable) as caught:
            await self.read(path, **options)  # type: ignore[arg-type]
        return caught.value.status, caught.value.onward, caught.value.detail


def side_by_side(rows: Iterable[Any]) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., Awaitable[None]]]:
    """Run a test for all rows of a table at once, each with a path of its own for its page; all failures are told.

    The test takes `reading`, the path, and a row, or its parts if the rows are tuples.
    """
    table = [row if isinstance(row, tuple) else (row,) for row in rows]

    def decorate(test: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        @functools.wraps(test)
        async def run(reading: Reading) -> None:
            async def one(number: int, row: tuple[Any, ...]) -> BaseException | None:
                try:
                    await test(reading, f"/page/{number}", *row)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"row: {row!r}")
                    return error
                return None

            ends = await asyncio.gather(*(one(number, row) for number, row in enumerate(table)))
            if failures := [end for end in ends if end is not None]:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} rows failed", failures)

        run.__signature__ = inspect.signature(run, follow_wrapped=False)  # type: ignore[attr-defined]
        return run

    return decorate


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def started() -> AsyncIterator[Reading]:
    realparts.require("chromium")
    async with PocketWeb() as web:
        clock = SystemClock()
        pool = BrowserPool(Launcher(clock), clock)
        yield Reading(web, pool, Guard((f"127.0.0.1:{web.port}",)))
        await pool.close()


@pytest.fixture
def reading(started: Reading) -> Reading:
    started.web.reset()
    return started
