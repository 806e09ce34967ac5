"""Many pages of which some end badly, in the browser of the real application."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from dowse.app import App
from dowse.core.errors import NoBrowser, PageUnreadable
from dowse.core.protocols import Fetcher
from dowse.settings.sources import load
from tests.doubles import PocketWeb
from tests.processes import Process, chromiums, descriptors

# Of the processes that are killed, how many are whole browsers.
BROWSER_SHARE = 0.25
# The last words of the article, which a script has put together.
MARK = b"Corrections for today"

LOOPING = "<div id=root></div><script>while (true) {}</script>"
WAITING = "<div id=root></div><script>fetch('/never')</script>"


def app_for(web: PocketWeb) -> App:
    return App(load({}, web.environment() | {"DOWSE_STATE": "memory:", "DOWSE_BROWSER": "auto"}).settings)


class Soak:
    """The ways in which a page can end, and how often each did."""

    def __init__(self, browser: Fetcher, web: PocketWeb) -> None:
        self._browser = browser
        self._web = web
        self.ends: Counter[str] = Counter()
        self._random = random.Random(23)

    async def well(self) -> None:
        """A page that is crashed twice by others is lost; the next call for it gets it."""
        for _ in range(2):
            try:
                body = await self._browser.fetch(self._web.page("/app"), timeout_s=60)
            except PageUnreadable as error:
                assert error.detail == "the browser crashed"
                continue
            assert MARK in body.data
            self.ends["read"] += 1
            return

    async def too_late(self) -> None:
        await self._fails("/looping", self._random.uniform(0.2, 1.5))

    async def cancelled(self) -> None:
        task = asyncio.create_task(self._fails("/waiting", 60))
        done, _ = await asyncio.wait([task], timeout=self._random.uniform(0.0, 1.0))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self.ends["cancelled"] += not done

    async def crashed(self) -> None:
        """A process of its own or of another page is killed from outside."""
        task = asyncio.create_task(self._fails("/waiting", 20))
        await asyncio.wait([task], timeout=self._random.uniform(0.2, 1.0))
        whole_browser = self._random.random() < BROWSER_SHARE
        victims = [each for each in chromiums() if (each.is_browser if whole_browser else each.is_renderer)]
        if victims:
            os.kill(self._random.choice(victims).pid, signal.SIGKILL)
            self.ends["browsers"] += whole_browser
        await task

    async def _fails(self, path: str, timeout_s: float) -> None:
        try:
            await self._browser.fetch(self._web.page(path), timeout_s=timeout_s)
            self.ends["empty"] += 1
        except PageUnreadable as error:
            self.ends[error.status] += 1
        except NoBrowser:
            # Whole browsers are killed, and the next one may take longer to start than this page has.
            self.ends["no browser"] += 1


async def leaves_nothing_behind(web: PocketWeb, renders: int, *, bad_one_in: int) -> None:
    """Render pages, four at a time, of which one in so many ends badly and all others are read; nothing is left."""
    web.pages.serves("/looping", LOOPING).serves("/waiting", WAITING).fails("/never", "hang")
    before = Counter(descriptors())
    async with app_for(web) as app:
        assert app.browser is not None
        soak = Soak(app.browser, web)
        badly: list[Callable[[], Awaitable[None]]] = [soak.too_late, soak.cancelled, soak.crashed]
        # Those that share a browser with one that is killed are read again.
        ends = itertools.cycle(badly)
        jobs = [soak.well if number % bad_one_in else next(ends) for number in range(1, renders + 1)]
        slots = asyncio.Semaphore(4)

        async def run(job: Callable[[], Awaitable[None]]) -> None:
            async with slots:
                await job()

        await asyncio.gather(*map(run, jobs))
        running = chromiums()
    assert soak.ends["read"] == sum(job == soak.well for job in jobs), soak.ends
    assert sum(process.is_renderer for process in running) < 12, "pages were left open"
    assert not chromiums()
    assert _profiles(running) and not any(path.exists() for path in _profiles(running))
    assert Counter(descriptors()) - before == Counter()


async def all_are_read(web: PocketWeb, pages: int) -> None:
    """So many pages at once, which wait for each other."""
    async with app_for(web) as app:
        assert app.browser is not None
        fetches = [app.browser.fetch(web.page(f"/app?page={number}"), timeout_s=60) for number in range(pages)]
        bodies = await asyncio.gather(*fetches)
    assert all(MARK in body.data for body in bodies)


def _profiles(processes: Sequence[Process]) -> set[Path]:
    """The directories that these browsers were told to live in."""
    flag = "--user-data-dir="
    words = [word for process in processes for word in process.command.split() if word.startswith(flag)]
    return {Path(word.removeprefix(flag)) for word in words}
