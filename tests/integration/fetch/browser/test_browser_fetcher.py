"""What a page costs that cannot be read, as far as that needs no browser."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dowse.core.errors import NoBrowser, PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.protocols import Fetcher
from dowse.fetch.browser.cdp import BrowserUnavailable
from dowse.fetch.browser.fetcher import BrowserFetcher
from dowse.fetch.browser.pool import BrowserPool
from dowse.net.guard import Guard
from tests.fakes.browser import FakeBrowser, PatientClock

PUBLIC = "http://public.example/"
ADDRESSES = {"public.example": ["93.184.216.34"], "inside.example": ["10.0.0.7"]}


async def look_up(host: str, port: int) -> list[str]:
    return ADDRESSES.get(host, [])


class BrowserLauncher:
    """Fails, or gives browsers that open tabs and either end then or never show a page."""

    def __init__(self) -> None:
        self.count = 0
        self.failure = ""
        self.is_patient = False

    async def __call__(self) -> FakeBrowser:
        self.count += 1
        if self.failure:
            raise BrowserUnavailable(self.failure)
        browser = FakeBrowser()
        browser.ignores = {"Page.navigate"}
        if not self.is_patient:
            browser.crash()
        return browser


@pytest.fixture
def launch() -> BrowserLauncher:
    return BrowserLauncher()


@pytest.fixture
async def fetcher(launch: BrowserLauncher) -> AsyncIterator[Fetcher]:
    pool = BrowserPool(launch, PatientClock(), max_pages=1)
    yield BrowserFetcher(pool, Guard((), look_up), user_agent="dowse/test", max_bytes=1000)
    await pool.close()


async def failure(fetcher: Fetcher, url: str, timeout_s: float = 5) -> tuple[Status, Onward, str]:
    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(url, timeout_s=timeout_s)
    return caught.value.status, caught.value.onward, caught.value.detail


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://inside.example/", "file:///etc/passwd", "chrome://version", "data:text/html,x"]
)
async def test_nothing_is_started_for_an_address_that_is_denied(
    fetcher: Fetcher, launch: BrowserLauncher, url: str
) -> None:
    assert await failure(fetcher, url) == (Status.DENIED, Onward.NONE, "address not allowed")
    assert launch.count == 0


async def test_nothing_is_started_for_a_host_that_is_not_there(fetcher: Fetcher, launch: BrowserLauncher) -> None:
    assert await failure(fetcher, "http://nowhere.example/") == (Status.ERROR, Onward.NONE, "host not found")
    assert launch.count == 0


async def test_a_missing_browser_is_told_with_what_to_do(fetcher: Fetcher, launch: BrowserLauncher) -> None:
    launch.failure = "no Chromium was found: install one"
    with pytest.raises(NoBrowser, match="install one"):
        await fetcher.fetch(PUBLIC, timeout_s=5)


async def test_a_browser_that_ends_is_tried_once_more(fetcher: Fetcher, launch: BrowserLauncher) -> None:
    assert await failure(fetcher, PUBLIC) == (Status.ERROR, Onward.SCRAPE_APIS, "the browser crashed")
    assert launch.count == 2


async def test_a_browser_that_does_not_answer_is_too_slow(fetcher: Fetcher, launch: BrowserLauncher) -> None:
    launch.is_patient = True
    assert await failure(fetcher, PUBLIC, timeout_s=0.2) == (Status.TIMEOUT, Onward.SCRAPE_APIS, "no answer in time")
