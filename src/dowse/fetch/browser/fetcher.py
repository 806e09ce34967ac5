"""Reads a page as a browser shows it, and says what became of it when it cannot."""

from __future__ import annotations

import asyncio

from dowse.core.errors import NoBrowser, PageUnreadable, WireError, WireFailed, WireTimeout
from dowse.core.media_types import HTML
from dowse.core.models import Body, Onward, Status, Text
from dowse.fetch.browser import NAME
from dowse.fetch.browser.browser import Tab
from dowse.fetch.browser.cdp import (
    BrowserBusy,
    BrowserGone,
    BrowserUnavailable,
    CdpError,
    CommandFailed,
    Oversized,
    PageCrashed,
)
from dowse.fetch.browser.navigation import Journey, RequestTracker
from dowse.fetch.browser.page import DOWNLOAD, BrowserPage, PageDocument
from dowse.fetch.browser.pool import BrowserPool
from dowse.fetch.browser.settle import LARGER, SettlePatience, Snapshot, settle, snapshot
from dowse.fetch.direct import check_status, unreadable
from dowse.fetch.media import MediaType
from dowse.net.guard import Guard, HostNotFound
from dowse.net.proxy.page_policy import Exhausted, PageBudget
from dowse.net.proxy.server import serve

_WEB = ("http://", "https://")
# Of the time that is left, for the text itself: a page in a hurry gets little of it.
_SNAPSHOT_SHARE = 0.25
_LONGEST_URL = 2048


class BrowserFetcher:
    """The reader for pages that are made by script."""

    name = NAME

    def __init__(
        self,
        pool: BrowserPool,
        guard: Guard,
        *,
        user_agent: str,
        max_bytes: int,
        patience: SettlePatience = SettlePatience(),  # noqa: B008 - frozen
    ) -> None:
        self._pool = pool
        self._guard = guard
        self._user_agent = user_agent
        self._max_bytes = max_bytes
        self._patience = patience

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:  # noqa: ARG002 - the seam
        """The page as HTML, as it is when its scripts have come to rest."""
        try:
            async with asyncio.timeout(timeout_s):
                # Nothing is started for an address that is denied.
                await self._guard.resolve(self._guard.judge(url))
                return await self._read_again_after_a_crash(url, timeout_s)
        except WireError as error:
            raise unreadable(error) from error
        except TimeoutError as error:
            raise PageUnreadable(Status.TIMEOUT, "no answer in time", Onward.APIS) from error
        except BrowserUnavailable as error:
            raise NoBrowser(self.name, str(error)) from error
        except BrowserBusy as error:
            raise PageUnreadable(Status.ERROR, str(error), Onward.APIS) from error
        except CommandFailed as error:
            raise PageUnreadable(Status.ERROR, "the browser lost the page", Onward.APIS) from error
        except Oversized as error:
            raise PageUnreadable(Status.TOO_LARGE, LARGER) from error
        except CdpError as error:
            raise PageUnreadable(Status.ERROR, "the browser crashed", Onward.APIS) from error
        except OSError as error:
            raise PageUnreadable(Status.ERROR, "no way out could be opened for the page", Onward.APIS) from error

    async def _read_again_after_a_crash(self, url: str, timeout_s: float) -> Body:
        now = asyncio.get_running_loop().time
        start = now()
        end = start + timeout_s
        try:
            return await self._read(url, end)
        except (PageCrashed, BrowserGone):
            if now() - start > timeout_s / 2:
                raise
        return await self._read(url, end)

    async def _read(self, url: str, end: float) -> Body:
        left_s = end - asyncio.get_running_loop().time()
        budget = PageBudget(self._guard)
        async with serve(budget) as address, self._pool.tab(address, left_s) as tab:
            journey = Journey(self._guard, budget, is_remote=tab.is_remote)
            page = BrowserPage(tab.session, tab.target_id, journey, RequestTracker(tab.session, budget))
            try:
                return await page.unless_ended(self._follow(page, url, self._name(tab), budget, end))
            finally:
                await page.close()

    async def _follow(self, page: BrowserPage, url: str, user_agent: str, budget: PageBudget, end: float) -> Body:
        """From the address to the text."""
        await page.open(url, user_agent)
        check_arrived(page.document, budget)
        left_s = end - asyncio.get_running_loop().time()
        kept_s = min(self._patience.snapshot_s, left_s * _SNAPSHOT_SHARE)
        while True:
            is_at_rest = await settle(page, self._patience, end - kept_s)
            if not is_at_rest:
                page.stay()
            document = page.document
            check_arrived(document, budget)
            check_answer(document)
            try:
                shot = await snapshot(page, is_html=is_html(document), max_bytes=self._max_bytes, within_s=kept_s)
            except CommandFailed:
                if await page.is_replaced(document):
                    continue
                raise
            # What was read must be what was checked; a page that has led on meanwhile is followed.
            if page.document is document:
                break
        if not is_at_rest and not shot.chars:
            raise TimeoutError
        return _body(document, shot)

    def _name(self, tab: Tab) -> str:
        """The browser by its own name, and ours: a site may know who reads it."""
        return f"{tab.user_agent.replace('HeadlessChrome', 'Chrome')} {self._user_agent}"


def _body(document: PageDocument, shot: Snapshot) -> Body:
    # What a script writes into an empty window belongs to the page that it was opened from.
    is_named = shot.url.startswith(_WEB) and len(shot.url) <= _LONGEST_URL
    url = shot.url if is_named else document.url
    media_type = HTML if is_html(document) else document.media_type
    return Body(url, shot.content, media_type, "utf-8", may_be_kept=document.may_be_kept)


# Our proxy's answer to a plain request that it does not serve.
_NOT_SERVED = 502
_NET_ERRORS = {
    "ERR_NAME_NOT_RESOLVED": HostNotFound(),
    "ERR_TIMED_OUT": WireTimeout("no answer in time"),
    "ERR_CONNECTION_TIMED_OUT": WireTimeout("no answer in time"),
    "ERR_TOO_MANY_REDIRECTS": WireFailed("too many redirects"),
    "ERR_EMPTY_RESPONSE": WireFailed("the answer broke off or was malformed"),
    "ERR_CONNECTION_REFUSED": WireFailed("no connection"),
}
# Said without having shown what the server wrote about it.
_STATUSES_OF_ERRORS = {"ERR_INVALID_AUTH_CREDENTIALS": 401, "ERR_UNEXPECTED_PROXY_AUTH": 407}
_FINE = 200
_HTML = ("text/html", "application/xhtml+xml")


def check_arrived(document: PageDocument, budget: PageBudget) -> None:
    """Raise `PageUnreadable` if nothing came, or nothing that can be read."""
    if document.error or document.status == _NOT_SERVED:
        _check_served(document, budget)
    if 200 <= document.status < 300 and not MediaType(document.media_type, "").is_text:
        raise PageUnreadable(Status.UNSUPPORTED, document.media_type)
    if document.error == DOWNLOAD:
        raise PageUnreadable(Status.UNSUPPORTED, f"a download ({document.media_type})")
    if document.error:
        check_answer(document)
        name = document.error.removeprefix("net::")
        check_status(_STATUSES_OF_ERRORS.get(name, _FINE))
        raise _failed(name)


def check_answer(document: PageDocument) -> None:
    """Raise `PageUnreadable` if the server said that this is not the page."""
    # What a script wrote into an empty window has no status.
    if document.status:
        check_status(document.status)


def is_html(document: PageDocument) -> bool:
    return document.media_type in ("", *_HTML)


def _check_served(document: PageDocument, budget: PageBudget) -> None:
    if refusal := budget.refusal(document.url):
        raise unreadable(refusal)
    if budget.is_exhausted:
        # From then on the proxy does not even listen to what is asked for.
        raise unreadable(Exhausted())


def _failed(name: str) -> PageUnreadable:
    known = _NET_ERRORS.get(name)
    return unreadable(known) if known else PageUnreadable(Status.ERROR, f"the browser says {name}", Onward.APIS)
