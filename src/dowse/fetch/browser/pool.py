"""Tabs for everybody who reads a page: one browser, started on first need, replaced when it is worn out."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from dowse.core.models import Clock
from dowse.fetch.browser.browser import Browser, BrowserLauncher, Tab, close_tab, open_tab
from dowse.fetch.browser.cdp import BrowserBusy, BrowserGone, BrowserUnavailable, CdpError, PageCrashed
from dowse.telemetry.log import LOGGER, event

_PAGES_PER_BROWSER = 200
_MOST_MEMORY_BYTES = 1_500_000_000
# Asking takes some milliseconds.
_PAGES_BETWEEN_MEMORY_CHECKS = 10
# With this much, a browser is ended under its open pages: one of them takes all there is.
_FAR_TOO_MUCH_MEMORY_BYTES = 2 * _MOST_MEMORY_BYTES
_MEMORY_CHECK_S = 1.0
# Pages crash; where no other one comes between, it is the browser that cannot start processes any more.
_CRASHES_IN_A_ROW = 3
_LONGEST_IDLE_S = 300.0
_MOST_WAITING = 64
# A browser that takes longer to open an empty tab, or to close one, is ill.
_OPEN_S = 15.0
_CLOSE_S = 5.0
_FAILURE_REMEMBERED_S = 30.0
# Of a page's time. With less left nothing could be read, and whoever waits is to hear why before he gives up.
_START_SHARE = 0.9
_STILL_STARTING = (
    "the browser was started and has not answered yet: ask again in a minute; if that does not help, give it more time "
    "with DOWSE_BROWSER_READY_TIMEOUT, or set DOWSE_BROWSER_PATH to another one"
)
_CRASHED_START = "starting the browser failed in a way that nobody thought of: the log tells more"


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
    crashes_in_a_row: int = 0
    is_retired: bool = False
    idle: asyncio.Task[None] | None = None
    memory_limit: asyncio.Task[None] | None = None

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

    def may_grow(self) -> None:
        """Nobody looks at its memory any more, as there is no page that could take it."""
        if self.memory_limit is not None:
            self.memory_limit.cancel()
            self.memory_limit = None

    def page_crashed(self) -> None:
        self.crashes_in_a_row += 1
        if self.crashes_in_a_row >= _CRASHES_IN_A_ROW and not self.is_retired:
            event(logging.WARNING, "browser is replaced, one page after the other crashes", open_pages=len(self.visits))
            self.is_retired = True


class BrowserPool:
    """Gives out tabs. A crash costs the pages that are open, never the next one."""

    def __init__(self, launch: BrowserLauncher, clock: Clock, *, max_pages: int = 0) -> None:
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
        now = asyncio.get_running_loop().time()
        end = now + timeout_s
        await self._take_turn(end)
        visit = None
        try:
            home = await self._home(now + timeout_s * _START_SHARE)
            visit = self._begin(home, proxy_address)
            async with asyncio.timeout_at(end):
                tab = await asyncio.shield(visit.tab)
            try:
                yield tab
            except PageCrashed:
                home.page_crashed()
                raise
            home.crashes_in_a_row = 0
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

    async def _home(self, end: float) -> _Home:
        """The browser for the next page. Who stops waiting for its start does not stop the start."""
        if self._is_closed:
            raise BrowserGone
        if self._current is not None and self._current.takes_visits:
            return self._current
        if self._starting is None:
            self._raise_remembered_failure()
            self._starting = asyncio.get_running_loop().create_future()
            self._start = self._in_background(self._start_for(self._starting))
        try:
            async with asyncio.timeout_at(end):
                return await asyncio.shield(self._starting)
        except TimeoutError:
            raise BrowserUnavailable(_STILL_STARTING) from None

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
            self._start_failed(waiting, failure)
        except Exception:
            # A bug, in a task that nobody asks how it ended: whoever waits for it must hear of it, and so must the log.
            LOGGER.exception("browser start crashed")
            self._start_failed(waiting, BrowserUnavailable(_CRASHED_START))
        finally:
            self._starting = None
            if not waiting.done():
                _fail(waiting, BrowserGone())

    def _start_failed(self, waiting: asyncio.Future[_Home], failure: BrowserUnavailable) -> None:
        self._failure = (self._clock.now() + _FAILURE_REMEMBERED_S, str(failure))
        _fail(waiting, failure)

    async def _watch(self, home: _Home) -> None:
        """Clean up behind a browser, however it ends."""
        await home.browser.connection.wait_gone()
        if not home.is_retired:
            event(logging.WARNING, "browser ended by itself", open_pages=len(home.visits))
        home.end()
        home.stays_awake()
        home.may_grow()
        for visit in home.visits:
            visit.is_over.set()
        await home.browser.reap()
        self._homes.discard(home)

    def _begin(self, home: _Home, proxy_address: str) -> _Visit:
        """From here on the turn belongs to the visit. Nothing waits in here, so that it cannot get lost."""
        home.stays_awake()
        visit = _Visit()
        home.visits.add(visit)
        if home.memory_limit is None:
            home.memory_limit = self._in_background(self._limit_memory(home))
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
            home.may_grow()
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

    async def _limit_memory(self, home: _Home) -> None:
        """No page may take the machine's memory, however long it is given."""
        while True:
            await self._clock.sleep(_MEMORY_CHECK_S)
            held = await asyncio.to_thread(home.browser.memory_bytes)
            if held > _FAR_TOO_MUCH_MEMORY_BYTES:
                event(
                    logging.WARNING,
                    "browser takes too much memory and is ended",
                    bytes=held,
                    open_pages=len(home.visits),
                )
                home.end()
                return

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
