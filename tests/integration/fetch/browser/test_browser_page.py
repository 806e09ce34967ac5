"""What a page does to whoever follows it, told by a stand-in for its browser."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.protocols import Fetcher
from dowse.fetch.browser.cdp import OVERSIZED, CdpSession
from dowse.fetch.browser.fetcher import BrowserFetcher
from dowse.fetch.browser.navigation import NavigationPolicy, RequestTracker
from dowse.fetch.browser.page import BrowserPage
from dowse.fetch.browser.pool import BrowserPool
from dowse.fetch.browser.settle import SettlePatience
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget
from tests.fakes.browser import PatientClock, until
from tests.fakes.page import FRAME, URL, ShowingBrowser

INSIDE = "http://wiki.lan:8080/"
TOO_LARGE = (Status.TOO_LARGE, Onward.NONE, "the page is larger than the limit")


async def look_up(host: str, port: int) -> list[str]:
    return ["93.184.216.34"]


@pytest.fixture
async def browser() -> ShowingBrowser:
    return ShowingBrowser()


@pytest.fixture
async def fetcher(browser: ShowingBrowser) -> AsyncIterator[Fetcher]:
    async def launch() -> ShowingBrowser:
        return browser

    pool = BrowserPool(launch, PatientClock(), max_pages=1)
    patience = SettlePatience(network_quiet_s=0.001)
    yield BrowserFetcher(pool, Guard((), look_up), user_agent="dowse/test", max_bytes=1000, patience=patience)
    await pool.close()


@pytest.fixture
async def page(browser: ShowingBrowser) -> AsyncIterator[BrowserPage]:
    """A page at a place that the operator opened."""
    guard = Guard(("wiki.lan:8080",), look_up)
    budget, session = PageBudget(guard), CdpSession(browser.connection, "session")
    journey = NavigationPolicy(guard, budget)
    await journey.admit(INSIDE, "1")
    page = BrowserPage(session, FRAME, journey, RequestTracker(session, budget))
    yield page
    await page.close()


async def failure(fetcher: Fetcher) -> tuple[Status, Onward, str]:
    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(URL, timeout_s=5)
    return caught.value.status, caught.value.onward, caught.value.detail


def pauses(browser: ShowingBrowser, url: str, frame: str = FRAME, **stage: object) -> None:
    request = {"requestId": "job", "request": {"url": url}, "frameId": frame, "resourceType": "Document"}
    browser.tells("Fetch.requestPaused", **request, **stage)


async def test_a_page_is_read(fetcher: Fetcher, browser: ShowingBrowser) -> None:
    body = await fetcher.fetch(URL, timeout_s=5)
    assert (body.url, body.data) == (URL, b"Otters")


@pytest.mark.parametrize(
    ("cache_control", "allowed"), [("max-age=60", True), ("no-store", False), ("max-age=60\nno-store", False)]
)
async def test_a_page_may_ask_for_no_copies(
    fetcher: Fetcher, browser: ShowingBrowser, cache_control: str, allowed: bool
) -> None:
    browser.before["Page.navigate"] = lambda: browser.shows(Cache_Control=cache_control)
    assert (await fetcher.fetch(URL, timeout_s=5)).may_be_kept is allowed


@pytest.mark.parametrize("moment", ["countHollow", "serialise"])
async def test_only_a_document_that_was_checked_is_read(fetcher: Fetcher, browser: ShowingBrowser, moment: str) -> None:
    browser.before[moment] = lambda: browser.shows("Not the page", 404)
    assert await failure(fetcher) == (Status.NOT_FOUND, Onward.NONE, "HTTP 404")


async def test_a_page_that_leads_on_while_it_is_read_is_followed(fetcher: Fetcher, browser: ShowingBrowser) -> None:
    browser.before["serialise"] = lambda: browser.shows("Beavers")
    assert (await fetcher.fetch(URL, timeout_s=5)).data == b"Beavers"


async def test_a_document_that_is_gone_when_it_is_read_is_not_the_last(
    fetcher: Fetcher, browser: ShowingBrowser
) -> None:
    def leads_on() -> None:
        browser.refuses.clear()
        browser.shows("Beavers")

    browser.refuses.add("serialise")
    browser.before["serialise"] = leads_on
    assert (await fetcher.fetch(URL, timeout_s=5)).data == b"Beavers"


async def test_a_crash_on_the_way_is_no_answer_of_the_page(fetcher: Fetcher, browser: ShowingBrowser) -> None:
    """The navigation ends first, and only then is the reason told."""

    def crashes() -> None:
        browser.tells("Inspector.targetCrashed")
        browser.ignores.clear()
        browser.before["Page.navigate"] = browser.shows
        del browser.results["Page.navigate"]

    browser.results["Page.navigate"] = {"errorText": "net::ERR_ABORTED"}
    browser.ignores.add("Runtime.evaluate")
    browser.before = {"Runtime.evaluate": crashes}
    assert (await fetcher.fetch(URL, timeout_s=5)).data == b"Otters"


async def test_a_redirect_is_no_answer_for_what_it_leads_to(fetcher: Fetcher, browser: ShowingBrowser) -> None:
    browser.before["Page.navigate"] = lambda: pauses(browser, URL, networkId="1", responseStatusCode=302)
    browser.results["Page.navigate"] = {"errorText": "net::ERR_CERT_DATE_INVALID"}
    assert await failure(fetcher) == (Status.ERROR, Onward.SCRAPE_APIS, "the browser says ERR_CERT_DATE_INVALID")


async def test_an_answer_above_all_limits_ends_the_page_and_is_not_asked_for_again(
    fetcher: Fetcher, browser: ShowingBrowser
) -> None:
    browser.ignores.add("Page.navigate")
    browser.before["Page.navigate"] = lambda: browser.tells(OVERSIZED)
    assert await failure(fetcher) == TOO_LARGE
    assert len(browser.heard("Page.navigate")) == 1


@pytest.mark.parametrize("url", [URL + "x" * 2048, "about:blank"])
async def test_an_unusable_address_is_not_the_pages(fetcher: Fetcher, browser: ShowingBrowser, url: str) -> None:
    browser.before["Page.navigate"] = lambda: browser.shows(url=url)
    assert (await fetcher.fetch(URL, timeout_s=5)).url == URL


async def test_without_a_way_out_nothing_is_read(fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> socket.socket:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(socket, "create_server", refuse)
    assert (await failure(fetcher))[:2] == (Status.ERROR, Onward.SCRAPE_APIS)


async def test_who_makes_requests_without_end_is_not_listened_to(page: BrowserPage, browser: ShowingBrowser) -> None:
    for number in range(5001):
        request = {"requestId": str(number), "loaderId": "1", "request": {"url": "data:,x"}}
        browser.tells("Network.requestWillBeSent", **request)
    await until(lambda: browser.heard("Network.disable"))


async def test_the_status_of_a_document_is_known_even_then(page: BrowserPage, browser: ShowingBrowser) -> None:
    pauses(browser, INSIDE, networkId="2", responseStatusCode=404)
    browser.tells("Page.frameNavigated", frame={"id": FRAME, "loaderId": "2", "url": INSIDE})
    assert page.document.status == 404


@pytest.mark.parametrize(
    ("url", "reply"),
    [(INSIDE, "Fetch.continueRequest"), (URL, "Fetch.failRequest"), ("http://wiki.lan/", "Fetch.failRequest")],
)
async def test_a_public_page_is_not_framed_by_one_inside(
    page: BrowserPage, browser: ShowingBrowser, url: str, reply: str
) -> None:
    pauses(browser, url, "another frame")
    await until(lambda: browser.said)
    assert [name for name, _ in browser.said] == [reply]


@pytest.mark.parametrize(
    ("kind", "reply"),
    [("Image", "Fetch.fulfillRequest"), ("Font", "Fetch.failRequest"), ("Media", "Fetch.failRequest")],
)
async def test_only_pictures_are_answered_in_place_of_their_server(
    page: BrowserPage, browser: ShowingBrowser, kind: str, reply: str
) -> None:
    browser.tells("Fetch.requestPaused", requestId="job", request={"url": URL}, frameId=FRAME, resourceType=kind)
    await until(lambda: browser.said)
    assert [name for name, _ in browser.said] == [reply]


async def test_a_request_that_failed_is_not_one_more_step_of_the_way(
    page: BrowserPage, browser: ShowingBrowser
) -> None:
    for _ in range(30):
        pauses(browser, INSIDE, responseErrorReason="ConnectionReset")
    await until(lambda: len(browser.said) == 30)
    assert {name for name, _ in browser.said} == {"Fetch.continueRequest"}


async def test_a_page_that_is_closed_is_not_heard_any_more(page: BrowserPage, browser: ShowingBrowser) -> None:
    await page.close()
    pauses(browser, INSIDE, "another frame")
    await browser.connection.call("Browser.getVersion")
    assert [name for name, _ in browser.said] == ["Browser.getVersion"]
