"""Browser pool: tabs of one browser, which is started on first need and replaced when it is worn out."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from dowse.core.models import Clock
from dowse.core.runtime import FairSemaphore, share_key
from dowse.fetch.browser.browser import Browser, BrowserLauncher, Tab, close_tab, open_tab
from dowse.fetch.browser.cdp import BrowserBusy, BrowserGone, BrowserUnavailable, CdpError, PageCrashed
from dowse.telemetry.log import LOGGER, event

T = TypeVar("T")

_PAGES_PER_BROWSER = 200
_MOST_MEMORY_BYTES = 1_500_000_000
# Measuring takes some milliseconds.
_PAGES_BETWEEN_MEMORY_CHECKS = 10
# Above this a browser is killed together with its open pages.
_FAR_TOO_MUCH_MEMORY_BYTES = 2 * _MOST_MEMORY_BYTES
_MEMORY_CHECK_S = 1.0
# After so many crashes in a row the browser is at fault: it cannot start processes any more.
_CRASHES_IN_A_ROW = 3
_LONGEST_IDLE_S = 300.0
# For each caller.
_MOST_WAITING = 64
# A browser that takes longer to open or close a tab does not respond.
_OPEN_S = 15.0
_CLOSE_S = 5.0
_FAILURE_REMEMBERED_S = 30.0
# Share of a page's time for the start; the rest is for its text, or for the reason to reach the caller.
_START_SHARE = 0.9
_STILL_STARTING = (
    "the browser was started and has not answered yet: try again in a minute, raise DOWSE_BROWSER_READY_TIMEOUT, or "
    "set DOWSE_BROWSER_PATH to another browser"
)
_CRASHED_START = "starting the browser failed with an unexpected error; see the log"


class _TabLease:
    """Lease of a tab: opened, used, and closed when its user is done."""

    def __init__(self, caller: str) -> None:
        self.caller = caller
        self.tab: asyncio.Future[Tab] = asyncio.get_running_loop().create_future()
        self.is_over = asyncio.Event()


@dataclass(slots=True, eq=False)
class _RunningBrowser:
    """A running browser and its leases. A retired one takes no more, and ends with the last."""

    browser: Browser
    leases: set[_TabLease] = field(default_factory=set)
    past_leases: int = 0
    crashes_in_a_row: int = 0
    is_retired: bool = False
    idle: asyncio.Task[None] | None = None
    memory_limit: asyncio.Task[None] | None = None

    @property
    def takes_leases(self) -> bool:
        return not self.is_retired and not self.browser.connection.is_gone

    def end(self) -> None:
        """Kill it; open pages fail."""
        self.is_retired = True
        self.browser.kill()

    def cancel_idle_timer(self) -> None:
        if self.idle is not None:
            self.idle.cancel()
            self.idle = None

    def stop_memory_checks(self) -> None:
        """Without an open page its memory does not grow."""
        if self.memory_limit is not None:
            self.memory_limit.cancel()
            self.memory_limit = None

    def record_crash(self) -> None:
        self.crashes_in_a_row += 1
        if self.crashes_in_a_row >= _CRASHES_IN_A_ROW and not self.is_retired:
            event(logging.WARNING, "browser is replaced after repeated page crashes", open_pages=len(self.leases))
            self.is_retired = True


class BrowserPool:
    """Leases tabs. A crash costs the open pages, never the next one."""

    def __init__(self, launch: BrowserLauncher, clock: Clock, *, max_pages: int = 0) -> None:
        """`max_pages` tabs are open at a time, twice the processors if 0; more only while callers compete."""
        self._launch = launch
        self._clock = clock
        self._turns = FairSemaphore(max_pages or 2 * (os.cpu_count() or 1))
        self._current: _RunningBrowser | None = None
        self._starting: asyncio.Future[_RunningBrowser] | None = None
        self._failure: tuple[float, str] | None = None
        self._browsers: set[_RunningBrowser] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._start: asyncio.Task[None] | None = None
        self._is_closed = False

    @asynccontextmanager
    async def tab(self, proxy_address: str, timeout_s: float) -> AsyncIterator[Tab]:
        """An empty tab that can reach nothing but the proxy; it is closed in the background.

        Raises `BrowserUnavailable`, `BrowserBusy`, `BrowserGone`, or `TimeoutError` if there is none in time.
        """
        now = asyncio.get_running_loop().time()
        end = now + timeout_s
        caller = await self._take_turn(share_key(), end)
        lease = None
        try:
            running = await self._find_browser(now + timeout_s * _START_SHARE)
            lease = self._begin(running, proxy_address, caller)
            async with asyncio.timeout_at(end):
                tab = await asyncio.shield(lease.tab)
            try:
                yield tab
            except PageCrashed:
                running.record_crash()
                raise
            running.crashes_in_a_row = 0
        finally:
            if lease is None:
                self._turns.release(caller)
            else:
                lease.is_over.set()

    async def close(self) -> None:
        """Kill every browser and wait for its end; open pages fail."""
        self._is_closed = True
        if self._start is not None:
            self._start.cancel()
        # The start may not even have begun: then its waiters would hang.
        if self._starting is not None and not self._starting.done():
            _fail(self._starting, BrowserGone())
        for running in self._browsers:
            running.end()
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _take_turn(self, caller: str, end: float) -> str:
        if self._turns.waiting(caller) >= _MOST_WAITING:
            raise BrowserBusy("too many pages wait for the browser already")
        try:
            async with asyncio.timeout_at(end):
                return await self._turns.acquire(caller)
        except TimeoutError:
            raise BrowserBusy("no turn in the browser came in time") from None

    async def _find_browser(self, end: float) -> _RunningBrowser:
        """The browser for the next page (single-flight start). A caller that leaves does not stop the start."""
        if self._is_closed:
            raise BrowserGone
        if self._current is not None and self._current.takes_leases:
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

    async def _start_for(self, waiting: asyncio.Future[_RunningBrowser]) -> None:
        try:
            running = _RunningBrowser(await self._launch())
            self._current, self._failure = running, None
            self._browsers.add(running)
            self._in_background(self._watch(running))
            self._start_idle_timer(running)
            waiting.set_result(running)
        except BrowserUnavailable as failure:
            self._record_start_failure(waiting, failure)
        except Exception:
            # A bug in a background task: its waiters must fail, and the log must show it.
            LOGGER.exception("browser start crashed")
            self._record_start_failure(waiting, BrowserUnavailable(_CRASHED_START))
        finally:
            self._starting = None
            if not waiting.done():
                _fail(waiting, BrowserGone())

    def _record_start_failure(self, waiting: asyncio.Future[_RunningBrowser], failure: BrowserUnavailable) -> None:
        self._failure = (self._clock.now() + _FAILURE_REMEMBERED_S, str(failure))
        _fail(waiting, failure)

    async def _watch(self, running: _RunningBrowser) -> None:
        """Clean up after a browser, however it ends."""
        await running.browser.connection.wait_gone()
        if not running.is_retired:
            event(logging.WARNING, "browser exited unexpectedly", open_pages=len(running.leases))
        running.end()
        running.cancel_idle_timer()
        running.stop_memory_checks()
        for lease in running.leases:
            lease.is_over.set()
        await running.browser.reap()
        self._browsers.discard(running)

    def _begin(self, running: _RunningBrowser, proxy_address: str, caller: str) -> _TabLease:
        """Hand the turn over to a lease. Nothing awaits in here, so that the turn cannot get lost."""
        running.cancel_idle_timer()
        lease = _TabLease(caller)
        running.leases.add(lease)
        if running.memory_limit is None:
            running.memory_limit = self._in_background(self._limit_memory(running))
        self._in_background(self._serve_lease(lease, running, proxy_address))
        return lease

    async def _serve_lease(self, lease: _TabLease, running: _RunningBrowser, proxy_address: str) -> None:
        """The whole life of a tab, in a task of its own: a cancelled user leaves nothing open."""
        try:
            async with asyncio.timeout(_OPEN_S):
                tab = await open_tab(running.browser, proxy_address)
            lease.tab.set_result(tab)
            await lease.is_over.wait()
            async with asyncio.timeout(_CLOSE_S):
                await close_tab(running.browser, tab)
        except TimeoutError:
            event(logging.WARNING, "browser does not answer and is stopped", open_pages=len(running.leases))
            running.end()
        except CdpError:
            # Gone or broken: pages may still be open in it.
            running.is_retired = True
        finally:
            if not lease.tab.done():
                _fail(lease.tab, BrowserGone())
            running.leases.discard(lease)
            running.past_leases += 1
            self._turns.release(lease.caller)
        await self._after_lease(running)

    async def _after_lease(self, running: _RunningBrowser) -> None:
        if running.takes_leases and await self._is_worn_out(running):
            running.is_retired = True
        if not running.leases:
            running.stop_memory_checks()
            if running.is_retired:
                running.end()
            else:
                self._start_idle_timer(running)

    async def _is_worn_out(self, running: _RunningBrowser) -> bool:
        if running.past_leases >= _PAGES_PER_BROWSER:
            return True
        if running.past_leases % _PAGES_BETWEEN_MEMORY_CHECKS:
            return False
        return await asyncio.to_thread(running.browser.memory_bytes) > _MOST_MEMORY_BYTES

    async def _limit_memory(self, running: _RunningBrowser) -> None:
        """Kill a browser with pages that take too much memory."""
        while True:
            await self._clock.sleep(_MEMORY_CHECK_S)
            held = await asyncio.to_thread(running.browser.memory_bytes)
            if held > _FAR_TOO_MUCH_MEMORY_BYTES:
                event(
                    logging.WARNING,
                    "browser uses too much memory and is stopped",
                    bytes=held,
                    open_pages=len(running.leases),
                )
                running.end()
                return

    def _start_idle_timer(self, running: _RunningBrowser) -> None:
        running.cancel_idle_timer()
        running.idle = self._in_background(self._end_when_idle(running))

    async def _end_when_idle(self, running: _RunningBrowser) -> None:
        """Free the memory of an idle browser."""
        await self._clock.sleep(_LONGEST_IDLE_S)
        event(logging.DEBUG, "idle browser is stopped")
        running.end()

    def _in_background(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _fail(awaited: asyncio.Future[T], reason: Exception) -> None:
    awaited.set_exception(reason)
    # Retrieved here, or asyncio would log it if the waiter has left.
    awaited.exception()
