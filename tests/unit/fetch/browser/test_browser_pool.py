"""Tabs for everybody: who waits, who is refused, and what a browser's end costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from dowse.core.models import Principal
from dowse.core.runtime import calling
from dowse.fetch.browser import pool as pooling
from dowse.fetch.browser.cdp import BrowserBusy, BrowserGone, BrowserUnavailable, PageCrashed
from dowse.fetch.browser.pool import BrowserPool
from tests.fakes.browser import RESULTS, FakeBrowser, PatientClock, until

PROXY = "127.0.0.1:4711"


class Launches:
    """Gives browsers out, or fails, as often as it is asked."""

    def __init__(self) -> None:
        self.browsers: list[FakeBrowser] = []
        self.count = 0
        self.failure = ""
        self.gate = asyncio.Event()
        self.gate.set()
        self.make: Callable[[], FakeBrowser] = FakeBrowser
        self.cancelled = 0

    async def __call__(self) -> FakeBrowser:
        self.count += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.failure:
            raise BrowserUnavailable(self.failure)
        self.browsers.append(self.make())
        return self.browsers[-1]


@pytest.fixture
def clock() -> PatientClock:
    return PatientClock()


@pytest.fixture
async def launch() -> Launches:
    return Launches()


@pytest.fixture
async def pool(launch: Launches, clock: PatientClock) -> AsyncIterator[BrowserPool]:
    pool = BrowserPool(launch, clock, max_pages=2)
    yield pool
    await pool.close()


async def visit(pool: BrowserPool) -> None:
    async with pool.tab(PROXY, 20):
        pass


async def test_nothing_is_started_before_the_first_page(pool: BrowserPool, launch: Launches) -> None:
    assert launch.count == 0
    await visit(pool)
    assert launch.count == 1


async def test_a_tab_has_a_context_with_the_proxy_of_its_page(pool: BrowserPool, launch: Launches) -> None:
    async with pool.tab(PROXY, 20) as tab:
        assert (tab.target_id, tab.user_agent, tab.is_remote) == ("target", "Fake/1.0", False)
    (context,) = launch.browsers[0].heard("Target.createBrowserContext")
    assert context == {
        "disposeOnDetach": True,
        "proxyServer": "http://cage.invalid:4711",
        "proxyBypassList": "<-loopback>",
    }
    (target,) = launch.browsers[0].heard("Target.createTarget")
    assert target == {"url": "about:blank", "browserContextId": "context"}


async def test_a_browser_elsewhere_is_told_no_proxy(pool: BrowserPool, launch: Launches) -> None:
    launch.make = lambda: FakeBrowser(is_remote=True)
    async with pool.tab(PROXY, 20) as tab:
        assert tab.is_remote
    assert launch.browsers[0].heard("Target.createBrowserContext") == [{"disposeOnDetach": True}]


async def test_a_tab_is_closed_before_its_context(pool: BrowserPool, launch: Launches) -> None:
    await visit(pool)
    (browser,) = launch.browsers
    await until(lambda: browser.heard("Target.disposeBrowserContext"))
    assert [name for name, _ in browser.said][-2:] == ["Target.closeTarget", "Target.disposeBrowserContext"]


async def test_the_context_goes_even_if_the_tab_has_crashed(pool: BrowserPool, launch: Launches) -> None:
    async with pool.tab(PROXY, 20):
        launch.browsers[0].refuses.add("Target.closeTarget")
    await until(lambda: launch.browsers[0].heard("Target.disposeBrowserContext"))
    await visit(pool)
    assert launch.count == 1


async def test_first_pages_share_one_start(pool: BrowserPool, launch: Launches) -> None:
    launch.gate.clear()
    visits = [asyncio.create_task(visit(pool)) for _ in range(2)]
    await until(lambda: launch.count)
    launch.gate.set()
    await asyncio.gather(*visits)
    assert launch.count == 1


async def test_a_caller_that_leaves_does_not_stop_the_start(pool: BrowserPool, launch: Launches) -> None:
    launch.gate.clear()
    first = asyncio.create_task(visit(pool))
    await until(lambda: launch.count)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    with pytest.raises(BrowserUnavailable):
        async with pool.tab(PROXY, 0.01):
            pass
    launch.gate.set()
    await visit(pool)
    assert (launch.count, launch.cancelled) == (1, 0)


async def test_who_waits_for_a_start_hears_of_it_before_his_own_time_is_up(
    pool: BrowserPool, launch: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    now_s = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now_s)
    launch.gate.clear()
    waiting = asyncio.create_task(visit(pool))
    await until(lambda: launch.count)
    # Of the 20 seconds of a visit.
    now_s += 19
    with pytest.raises(BrowserUnavailable, match=r"has not answered yet.*DOWSE_BROWSER_READY_TIMEOUT"):
        await waiting


async def test_no_more_pages_are_open_than_allowed(pool: BrowserPool, launch: Launches) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(pool.tab(PROXY, 20))
        with pytest.raises(BrowserBusy, match="no turn in the browser came in time"):
            await stack.enter_async_context(pool.tab(PROXY, 0.01))
        third = asyncio.create_task(visit(pool))
        await asyncio.sleep(0)
        assert not third.done()
    await third


async def test_a_turn_counts_until_the_tab_is_closed(pool: BrowserPool, launch: Launches) -> None:
    """Otherwise a page that does not let itself be closed would be one too many."""
    await visit(pool)
    (browser,) = launch.browsers
    await until(lambda: browser.heard("Target.disposeBrowserContext"))
    browser.ignores.add("Target.closeTarget")
    for _ in range(2):
        await visit(pool)
    with pytest.raises(BrowserBusy):
        async with pool.tab(PROXY, 0.01):
            pass


async def test_a_call_that_cannot_be_served_in_time_is_refused_at_once(
    pool: BrowserPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooling, "_MOST_WAITING", 3)
    async with pool.tab(PROXY, 20), pool.tab(PROXY, 20):
        waiting = [asyncio.create_task(visit(pool)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(BrowserBusy, match="too many pages wait"):
            await visit(pool)
        with calling(Principal("ben")):
            await visit(pool)
    await asyncio.gather(*waiting)


@pytest.mark.promise("fair-at-once")
async def test_a_caller_with_all_tabs_does_not_keep_another_waiting(pool: BrowserPool) -> None:
    async with pool.tab(PROXY, 20), pool.tab(PROXY, 20):
        own = asyncio.create_task(visit(pool))
        with calling(Principal("ben")):
            for _ in range(3):
                await visit(pool)
        assert not own.done()
    await own


@pytest.mark.promise("fair-no-loss")
async def test_every_tab_is_given_back_by_the_caller_that_had_it(pool: BrowserPool) -> None:
    for name in ("ana", "ben") * 4:
        with calling(Principal(name)):
            await visit(pool)
            cancelled = asyncio.create_task(visit(pool))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await asyncio.wait_for(stack.enter_async_context(pool.tab(PROXY, 20)), 30)


async def test_a_cancelled_page_leaves_no_tab_open(pool: BrowserPool, launch: Launches) -> None:
    """Whichever of the commands it was waiting for: the browser may have carried it out all the same."""
    await visit(pool)
    (browser,) = launch.browsers
    for steps in range(12):
        task = asyncio.create_task(visit(pool))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert len(browser.heard("Target.createBrowserContext")) > 1
    await until(lambda: len(browser.heard("Target.createBrowserContext")) == disposed(browser))


def disposed(browser: FakeBrowser) -> int:
    return len(browser.heard("Target.disposeBrowserContext"))


async def test_a_crash_costs_the_open_pages_and_not_the_next_one(pool: BrowserPool, launch: Launches) -> None:
    async with pool.tab(PROXY, 20) as tab:
        launch.browsers[0].crash()
        with pytest.raises(BrowserGone):
            await tab.session.call("Page.enable")
    await visit(pool)
    assert launch.count == 2
    await launch.browsers[0].reaped.wait()


async def test_a_crash_between_pages_is_cleaned_up_and_unnoticed(pool: BrowserPool, launch: Launches) -> None:
    await visit(pool)
    launch.browsers[0].crash()
    await launch.browsers[0].reaped.wait()
    await visit(pool)
    assert launch.count == 2


async def test_a_browser_that_does_not_close_a_tab_is_killed(
    pool: BrowserPool, launch: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooling, "_CLOSE_S", 0.01)
    async with pool.tab(PROXY, 20):
        launch.browsers[0].ignores.add("Target.closeTarget")
    await launch.browsers[0].reaped.wait()
    await visit(pool)
    assert launch.count == 2


async def test_a_browser_that_opens_no_tab_is_replaced(pool: BrowserPool, launch: Launches) -> None:
    await visit(pool)
    launch.browsers[0].refuses.add("Target.attachToTarget")
    with pytest.raises(BrowserGone):
        await visit(pool)
    await launch.browsers[0].reaped.wait()
    await visit(pool)
    assert launch.count == 2


@pytest.mark.parametrize("command", ["Target.createBrowserContext", "Target.createTarget", "Target.attachToTarget"])
async def test_what_answers_without_saying_anything_is_replaced(
    pool: BrowserPool, launch: Launches, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    await visit(pool)
    with monkeypatch.context() as patch:
        patch.delitem(RESULTS, command)
        with pytest.raises(BrowserGone):
            await visit(pool)
    async with asyncio.timeout(30):
        await launch.browsers[0].reaped.wait()
    await visit(pool)
    assert launch.count == 2


async def crash(pool: BrowserPool) -> None:
    with pytest.raises(PageCrashed):
        async with pool.tab(PROXY, 20):
            raise PageCrashed


async def test_a_browser_in_which_one_page_after_the_other_crashes_is_replaced(
    pool: BrowserPool, launch: Launches
) -> None:
    for _ in range(3):
        await crash(pool)
    await visit(pool)
    assert launch.count == 2
    await launch.browsers[0].reaped.wait()
    assert not launch.browsers[1].connection.is_gone


async def test_a_browser_that_shows_other_pages_is_kept_when_some_crash(pool: BrowserPool, launch: Launches) -> None:
    for _ in range(3):
        await crash(pool)
        await crash(pool)
        await visit(pool)
    assert launch.count == 1


async def test_a_failed_start_is_remembered_for_half_a_minute(
    pool: BrowserPool, launch: Launches, clock: PatientClock
) -> None:
    launch.failure = "no Chromium was found: install one"
    for _ in range(3):
        with pytest.raises(BrowserUnavailable, match="install one"):
            await visit(pool)
    assert launch.count == 1
    clock.advance(29)
    with pytest.raises(BrowserUnavailable):
        await visit(pool)
    launch.failure = ""
    clock.advance(2)
    await visit(pool)
    assert launch.count == 2


async def test_a_start_that_fails_unexpectedly_is_reported_and_logged(
    pool: BrowserPool, launch: Launches, logged: pytest.LogCaptureFixture
) -> None:
    def make() -> FakeBrowser:
        raise AttributeError("canary-7f3a")

    launch.make = make
    for _ in range(2):
        with pytest.raises(BrowserUnavailable, match="unexpected error; see the log"):
            await visit(pool)
    assert launch.count == 1
    (record,) = [record for record in logged.records if record.getMessage() == "browser start crashed"]
    assert "canary-7f3a" in str(record.exc_info)


async def test_a_start_that_fails_when_no_call_waits_any_more_is_remembered_in_silence(
    pool: BrowserPool, launch: Launches
) -> None:
    """The fixture `quiet` hears what asyncio says."""
    launch.gate.clear()
    with pytest.raises(BrowserUnavailable):
        async with pool.tab(PROXY, 0.01):
            pass
    launch.failure = "no Chromium was found: install one"
    launch.gate.set()
    await until(lambda: pool._starting is None)
    with pytest.raises(BrowserUnavailable, match="install one"):
        await visit(pool)


async def test_a_tab_that_fails_when_no_call_waits_any_more_fails_in_silence(
    pool: BrowserPool, launch: Launches
) -> None:
    await visit(pool)
    launch.browsers[0].ignores.add("Target.createTarget")
    with pytest.raises(TimeoutError):
        async with pool.tab(PROXY, 0.01):
            pass
    launch.browsers[0].crash()
    await launch.browsers[0].reaped.wait()


async def test_closing_is_silent_about_a_start_that_no_call_waits_for(launch: Launches, clock: PatientClock) -> None:
    # Not the fixture, which is still there when `quiet` looks for what was forgotten.
    pool = BrowserPool(launch, clock, max_pages=2)
    launch.gate.clear()
    with pytest.raises(BrowserUnavailable):
        async with pool.tab(PROXY, 0.01):
            pass
    await pool.close()
    assert launch.cancelled == 1


async def test_a_worn_out_browser_is_replaced_while_it_finishes_its_pages(
    pool: BrowserPool, launch: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pooling, "_PAGES_PER_BROWSER", 3)
    async with pool.tab(PROXY, 20) as tab:
        for _ in range(3):
            await visit(pool)
        await until(lambda: len(launch.browsers[0].heard("Target.disposeBrowserContext")) == 3)
        await visit(pool)
        assert launch.count == 2
        assert await tab.session.call("Page.enable") == {}
    await launch.browsers[0].reaped.wait()
    assert not launch.browsers[1].connection.is_gone


async def test_a_browser_that_has_grown_too_large_is_replaced(pool: BrowserPool, launch: Launches) -> None:
    launch.make = lambda: FakeBrowser(memory=1_500_000_001)
    for _ in range(10):
        await visit(pool)
    await launch.browsers[0].reaped.wait()
    await visit(pool)
    assert launch.count == 2


async def test_a_browser_of_the_usual_size_is_kept(pool: BrowserPool, launch: Launches) -> None:
    launch.make = lambda: FakeBrowser(memory=400_000_000)
    for _ in range(30):
        await visit(pool)
    assert launch.count == 1


async def test_a_page_that_takes_all_memory_costs_the_open_ones_and_not_the_next(
    pool: BrowserPool, launch: Launches, clock: PatientClock, logged: pytest.LogCaptureFixture
) -> None:
    async with pool.tab(PROXY, 20) as guilty, pool.tab(PROXY, 20) as other:
        (browser,) = launch.browsers
        browser.memory = 3_000_000_000
        await until(lambda: clock.slept.count(1) == 1)
        clock.advance(1)
        await until(lambda: clock.slept.count(1) == 2)
        assert not browser.connection.is_gone
        browser.memory += 1
        clock.advance(1)
        async with asyncio.timeout(30):
            await browser.reaped.wait()
        for tab in (guilty, other):
            with pytest.raises(BrowserGone):
                await tab.session.call("Page.enable")
    await visit(pool)
    assert launch.count == 2
    (record,) = [record for record in logged.records if "too much memory" in record.getMessage()]
    assert record.__dict__["dowse_fields"] == {"bytes": 3_000_000_001, "open_pages": 2}


async def test_the_memory_of_an_idle_browser_is_not_measured(
    pool: BrowserPool, launch: Launches, clock: PatientClock
) -> None:
    async with pool.tab(PROXY, 20):
        await until(lambda: clock.slept[-1] == 1)
    await until(lambda: clock.slept[-1] == 300)
    clock.advance(100)
    async with pool.tab(PROXY, 20):
        await until(lambda: clock.slept[-1] == 1)
    await until(lambda: clock.slept[-1] == 300)
    clock.advance(100)
    for _ in range(10):
        await asyncio.sleep(0)
    assert clock.slept.count(1) == 2


async def test_an_unused_browser_is_ended(pool: BrowserPool, launch: Launches, clock: PatientClock) -> None:
    def rests() -> int:
        return clock.slept.count(300)

    await visit(pool)
    await until(lambda: rests() == 2)
    clock.advance(299)
    async with pool.tab(PROXY, 20):
        clock.advance(1000)
    await until(lambda: rests() == 3)
    clock.advance(299)
    await visit(pool)
    assert launch.count == 1
    await until(lambda: rests() == 4)
    clock.advance(301)
    await launch.browsers[0].reaped.wait()
    await visit(pool)
    assert launch.count == 2


async def test_closing_ends_everything_at_once(pool: BrowserPool, launch: Launches) -> None:
    async with pool.tab(PROXY, 20) as tab:
        await pool.close()
        assert launch.browsers[0].reaped.is_set()
        with pytest.raises(BrowserGone):
            await tab.session.call("Page.enable")
    with pytest.raises(BrowserGone):
        await visit(pool)
    assert launch.count == 1


async def test_closing_ends_a_start_and_the_calls_that_wait_for_it(pool: BrowserPool, launch: Launches) -> None:
    launch.gate.clear()
    waiting = asyncio.create_task(visit(pool))
    await until(lambda: launch.count)
    await pool.close()
    with pytest.raises(BrowserGone):
        await waiting
    assert launch.cancelled == 1


async def test_closing_before_a_start_has_begun_lets_no_call_wait(pool: BrowserPool, launch: Launches) -> None:
    waiting = asyncio.create_task(visit(pool))
    await asyncio.sleep(0)
    await pool.close()
    async with asyncio.timeout(30):
        with pytest.raises(BrowserGone):
            await waiting
    assert launch.count == 0
