"""Tabs for everybody who reads a page: one browser, started on first need, replaced when it is worn out."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from dowse.fetch.browser.browser import Browser, Launch
from dowse.fetch.browser.cdp import BrowserGone, CdpError
from dowse.fetch.browser.failures import BrowserBusy, BrowserUnavailable
from dowse.fetch.browser.tab import Tab, close_tab, open_tab
from dowse.models import Clock
from dowse.telemetry.log import event

_PAGES_PER_BROWSER = 200
_MOST_MEMORY_BYTES = 1_500_000_000
# Asking takes some milliseconds.
_PAGES_BETWEEN_MEMORY_CHECKS = 10
_LONGEST_IDLE_S = 300.0
_MOST_WAITING = 64
# A browser that takes longer to open an empty tab, or to close one, is ill.
_OPEN_S = 15.0
_CLOSE_S = 5.0
_FAILURE_REMEMBERED_S = 30.0


class _Visit:
    """One page's way through the browser: its tab is opened, used, and closed when the visitor has left."""

    def __init__(self) -> None:
        self.tab: asyncio.Future[Tab] = asyncio.get_running_loop().create_future()
        self.is_over = asyncio.Event()


@dataclass(slots=True, eq=False)
class _Home:
    """A running browser and its visits. A retired one takes no more, and ends with the last."""

    browser: Browser
    visits: set[_Visit] = field(default_factory=set)
    past_visits: int = 0
    is_retired: bool = False
    idle: asyncio.Task[None] | None = None

    @property
    def takes_visits(self) -> bool:
        return not self.is_retired and not self.browser.connection.is_gone

    def end(self) -> None:
        """End it now; what is open in it fails."""
        self.is_retired = True
        self.browser.kill()

    def stays_awake(self) -> None:
        if self.idle is not None:
            self.idle.cancel()
            self.idle = None


class BrowserPool:
    """Gives out tabs. A crash costs the pages that are open, never the next one."""

    def __init__(self, launch: Launch, clock: Clock, *, max_pages: int = 0) -> None:
        """`max_pages` tabs are open at a time, twice the processors if 0."""
        self._launch = launch
        self._clock = clock
        self._turns = asyncio.Semaphore(max_pages or 2 * (os.cpu_count() or 1))
        self._waiting = 0
        self._current: _Home | None = None
        self._starting: asyncio.Future[_Home] | None = None
        self._failure: tuple[float, str] | None = None
        self._homes: set[_Home] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._start: asyncio.Task[None] | None = None
        self._is_closed = False

    @asynccontextmanager
    async def tab(self, proxy_address: str, timeout_s: float) -> AsyncIterator[Tab]:
        """An empty tab whose only way out is the proxy; it is closed behind the caller's back.

        Raises `BrowserUnavailable`, `BrowserBusy`, `BrowserGone`, or `TimeoutError` if there is none in time.
        """
        end = asyncio.get_running_loop().time() + timeout_s
        await self._take_turn(end)
        visit = None
        try:
            async with asyncio.timeout_at(end):
                home = await self._home()
                visit = self._begin(home, proxy_address)
                tab = await asyncio.shield(visit.tab)
            yield tab
        finally:
            if visit is None:
                self._turns.release()
            else:
                visit.is_over.set()

    async def close(self) -> None:
        """End every browser at once and wait until nothing is left of them; pages under way fail."""
        self._is_closed = True
        if self._start is not None:
            self._start.cancel()
        # The start may not even have begun: then nobody else would tell who waits for it.
        if self._starting is not None and not self._starting.done():
            _fail(self._starting, BrowserGone())
        for home in self._homes:
            home.end()
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _take_turn(self, end: float) -> None:
        if self._turns.locked() and self._waiting >= _MOST_WAITING:
            raise BrowserBusy("too many pages wait for the browser already")
        self._waiting += 1
        try:
            async with asyncio.timeout_at(end):
                await self._turns.acquire()
        except TimeoutError:
            raise BrowserBusy("no turn in the browser came in time") from None
        finally:
            self._waiting -= 1

    async def _home(self) -> _Home:
        """The browser for the next page. Who stops waiting for its start does not stop the start."""
        if self._is_closed:
            raise BrowserGone
        if self._current is not None and self._current.takes_visits:
            return self._current
        if self._starting is None:
            self._raise_remembered_failure()
            self._starting = asyncio.get_running_loop().create_future()
            self._start = self._in_background(self._start_for(self._starting))
        return await asyncio.shield(self._starting)

    def _raise_remembered_failure(self) -> None:
        if self._failure is not None and self._clock.now() < self._failure[0]:
            raise BrowserUnavailable(self._failure[1])

    async def _start_for(self, waiting: asyncio.Future[_Home]) -> None:
        try:
            home = _Home(await self._launch())
            self._current, self._failure = home, None
            self._homes.add(home)
            self._in_background(self._watch(home))
            self._rest(home)
            waiting.set_result(home)
        except BrowserUnavailable as failure:
            self._failure = (self._clock.now() + _FAILURE_REMEMBERED_S, str(failure))
            _fail(waiting, failure)
        finally:
            self._starting = None
            if not waiting.done():
                _fail(waiting, BrowserGone())

    async def _watch(self, home: _Home) -> None:
        """Clean up behind a browser, however it ends."""
        await home.browser.connection.wait_gone()
        if not home.is_retired:
            event(logging.WARNING, "browser ended by itself", open_pages=len(home.visits))
        home.end()
        home.stays_awake()
        for visit in home.visits:
            visit.is_over.set()
        await home.browser.reap()
        self._homes.discard(home)

    def _begin(self, home: _Home, proxy_address: str) -> _Visit:
        """From here on the turn belongs to the visit. Nothing waits in here, so that it cannot get lost."""
        home.stays_awake()
        visit = _Visit()
        home.visits.add(visit)
        self._in_background(self._accompany(visit, home, proxy_address))
        return visit

    async def _accompany(self, visit: _Visit, home: _Home, proxy_address: str) -> None:
        """The whole life of a tab, in a task of its own: a visitor that is cancelled leaves nothing open."""
        try:
            async with asyncio.timeout(_OPEN_S):
                tab = await open_tab(home.browser, proxy_address)
            visit.tab.set_result(tab)
            await visit.is_over.wait()
            async with asyncio.timeout(_CLOSE_S):
                await close_tab(home.browser, tab)
        except TimeoutError:
            event(logging.WARNING, "browser does not answer and is ended", open_pages=len(home.visits))
            home.end()
        except CdpError:
            # Gone, or not well: something may still be open in it.
            home.is_retired = True
        finally:
            if not visit.tab.done():
                _fail(visit.tab, BrowserGone())
            home.visits.discard(visit)
            home.past_visits += 1
            self._turns.release()
        await self._after_visit(home)

    async def _after_visit(self, home: _Home) -> None:
        if home.takes_visits and await self._is_worn_out(home):
            home.is_retired = True
        if not home.visits:
            if home.is_retired:
                home.end()
            else:
                self._rest(home)

    async def _is_worn_out(self, home: _Home) -> bool:
        if home.past_visits >= _PAGES_PER_BROWSER:
            return True
        if home.past_visits % _PAGES_BETWEEN_MEMORY_CHECKS:
            return False
        return await asyncio.to_thread(home.browser.memory_bytes) > _MOST_MEMORY_BYTES

    def _rest(self, home: _Home) -> None:
        home.stays_awake()
        home.idle = self._in_background(self._end_when_idle(home))

    async def _end_when_idle(self, home: _Home) -> None:
        """An idle server does not keep a browser's memory."""
        await self._clock.sleep(_LONGEST_IDLE_S)
        event(logging.DEBUG, "browser is ended, nobody needs it")
        home.end()

    def _in_background(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _fail(awaited: asyncio.Future[Any], reason: Exception) -> None:
    awaited.set_exception(reason)
    # Who waited may have left. What nobody has looked at, asyncio would complain about.
    awaited.exception()
