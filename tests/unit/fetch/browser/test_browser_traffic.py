"""When the network of a page is quiet, and which requests count."""

from __future__ import annotations

import asyncio

import pytest

from dowse.fetch.browser.cdp import CdpSession, Connection
from dowse.fetch.browser.navigation import RequestTracker
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget

QUIET_S = 10.0


class Tab:
    """The events of a page, on a clock that the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        now, self._passed_s = loop.time, 0.0
        monkeypatch.setattr(loop, "time", lambda: now() + self._passed_s)
        self.budget = PageBudget(Guard(), max_requests=3)
        self._session = CdpSession(Connection(), "session")
        self.traffic = RequestTracker(self._session, self.budget)

    def asks(
        self, request: str, kind: str = "Fetch", url: str = "http://site.example/", document: str = "loader"
    ) -> None:
        params = {"requestId": request, "loaderId": document, "type": kind, "request": {"url": url}}
        self._session._dispatch("Network.requestWillBeSent", params)

    def leaves(self, request: str, *, is_tunnelled: bool = True) -> None:
        headers = {"Connection" if is_tunnelled else "Proxy-Connection": "keep-alive"}
        self._session._dispatch("Network.requestWillBeSentExtraInfo", {"requestId": request, "headers": headers})

    def ends(self, request: str, event: str = "Network.loadingFinished") -> None:
        self._session._dispatch(event, {"requestId": request})

    async def passes(self, seconds: float) -> None:
        """Time, after everything that is ready has been done; and what is ready then is done, too."""
        for passed_s in (seconds, 0.0):
            for _ in range(20):
                await asyncio.sleep(0)
            self._passed_s += passed_s

    async def is_quiet(self) -> bool:
        waiting = asyncio.create_task(self.traffic.wait_quiet(QUIET_S))
        await self.passes(QUIET_S)
        is_quiet = waiting.done()
        waiting.cancel()
        return is_quiet


@pytest.fixture
async def tab(monkeypatch: pytest.MonkeyPatch) -> Tab:
    return Tab(monkeypatch)


async def test_a_page_that_asks_for_nothing_is_quiet(tab: Tab) -> None:
    assert await tab.is_quiet()


@pytest.mark.parametrize("end", ["Network.loadingFinished", "Network.loadingFailed"])
async def test_a_page_is_quiet_when_its_last_request_has_ended(tab: Tab, end: str) -> None:
    tab.asks("1")
    tab.asks("2", "Script")
    tab.ends("1", end)
    assert not await tab.is_quiet()
    tab.ends("2", end)
    assert await tab.is_quiet()


async def test_a_request_that_begins_meanwhile_is_waited_for(tab: Tab) -> None:
    waiting = asyncio.create_task(tab.traffic.wait_quiet(QUIET_S))
    await asyncio.sleep(0)
    tab.asks("1")
    await tab.passes(5 * QUIET_S)
    assert not waiting.done()
    tab.ends("1")
    await tab.passes(QUIET_S)
    assert waiting.done()


async def test_a_redirect_is_the_same_request(tab: Tab) -> None:
    tab.asks("1")
    tab.asks("1")
    tab.ends("1")
    assert await tab.is_quiet()


@pytest.mark.parametrize("kind", ["WebSocket", "EventSource", "Ping", "Prefetch", "Font", "Media"])
async def test_what_never_ends_or_is_not_loaded_is_not_waited_for(tab: Tab, kind: str) -> None:
    tab.asks("1", kind)
    assert await tab.is_quiet()
    assert tab.traffic.count == 0


async def test_a_picture_is_waited_for_and_no_sign_of_more_text(tab: Tab) -> None:
    tab.asks("1", "Image")
    assert not await tab.is_quiet()
    tab.ends("1")
    assert await tab.is_quiet()
    assert tab.traffic.count == 0


async def test_the_end_of_a_request_that_does_not_count_disturbs_nothing(tab: Tab) -> None:
    waiting = asyncio.create_task(tab.traffic.wait_quiet(10 * QUIET_S))
    for _ in range(10):
        tab.ends("image")
        await tab.passes(QUIET_S)
    assert waiting.done()


async def test_who_asks_late_need_not_wait_again(tab: Tab) -> None:
    assert await tab.is_quiet()
    asking = asyncio.create_task(tab.traffic.wait_quiet(QUIET_S))
    await asyncio.sleep(0)
    assert asking.done()


async def test_only_requests_in_tunnels_are_told_to_the_leash(tab: Tab) -> None:
    for number in range(4):
        tab.asks(f"plain {number}")
        tab.leaves(f"plain {number}", is_tunnelled=False)
    assert tab.budget.requests == 0
    for number in range(4):
        tab.asks(f"secret {number}", "Ping", "https://site.example/")
        tab.leaves(f"secret {number}")
    assert (tab.budget.requests, tab.budget.is_exhausted) == (4, True)


async def test_requests_that_wait_in_the_browser_are_not_told_before_they_leave(tab: Tab) -> None:
    for number in range(9):
        tab.asks(str(number), url="https://site.example/")
    assert tab.budget.requests == 0
    tab.leaves("3")
    assert tab.budget.requests == 1


async def test_it_does_not_matter_which_news_of_a_request_comes_first(tab: Tab) -> None:
    tab.leaves("1")
    tab.asks("1", url="https://site.example/")
    tab.asks("1", url="https://site.example/redirected")
    tab.leaves("1")
    assert tab.budget.requests == 2


@pytest.mark.parametrize("url", ["data:,x", "blob:http://site.example/4f1c"])
async def test_what_the_page_makes_itself_is_not_waited_for(tab: Tab, url: str) -> None:
    tab.asks("1", url=url)
    assert await tab.is_quiet()


async def test_the_script_of_a_worker_is_not_waited_for(tab: Tab) -> None:
    """Its end is told to the worker alone."""
    tab.asks("1", "Script", document="")
    assert await tab.is_quiet()


async def test_a_page_of_many_requests_is_listened_to(tab: Tab) -> None:
    for number in range(4999):
        tab.asks(str(number), url="data:,x")
    tab.asks("awaited")
    assert not await tab.is_quiet()
    assert not tab.budget.is_exhausted


async def test_a_page_of_requests_without_end_is_not_listened_to_any_more(tab: Tab) -> None:
    tab.asks("awaited")
    for number in range(6000):
        tab.asks(str(number), url="data:,x")
    assert tab.traffic.flooded.is_set() and tab.budget.is_exhausted
    tab.asks("another")
    assert await tab.is_quiet()
