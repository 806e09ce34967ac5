"""Fetch of a page with a browser, and the verdict on its outcome."""

from __future__ import annotations

import asyncio

from dowse.core.errors import NoBrowser, PageUnreadable
from dowse.core.media_types import HTML
from dowse.core.models import Body, Onward, Status, Text
from dowse.core.reasons import FailureReason
from dowse.core.wire_errors import HostNotFound, WireError, WireFailed, WireTimeout
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
from dowse.fetch.browser.navigation import NavigationPolicy, RequestTracker
from dowse.fetch.browser.page import DOWNLOAD, BrowserPage, PageDocument
from dowse.fetch.browser.pool import BrowserPool
from dowse.fetch.browser.settle import LARGER, SettlePatience, Snapshot, settle, snapshot
from dowse.fetch.direct import check_status, unreadable
from dowse.fetch.media import MediaType
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import Exhausted, PageBudget
from dowse.net.proxy.server import serve
from dowse.net.upstream import UpstreamProxy

_WEB = ("http://", "https://")
# Share of the remaining time that is reserved for reading the text.
_SNAPSHOT_SHARE = 0.25
_LONGEST_URL = 2048


class BrowserFetcher:
    """Fetcher for pages that are rendered by script."""

    name = NAME

    def __init__(
        self,
        pool: BrowserPool,
        guard: Guard,
        *,
        user_agent: str,
        max_bytes: int,
        patience: SettlePatience = SettlePatience(),  # noqa: B008 - a frozen value may be shared
        upstream: UpstreamProxy | None = None,
    ) -> None:
        self._pool = pool
        self._guard = guard
        self._user_agent = user_agent
        self._max_bytes = max_bytes
        self._patience = patience
        self._upstream = upstream

    async def fetch(self, url: str, *, timeout_s: float, known: Text | None = None) -> Body:  # noqa: ARG002 - the signature is the protocol's
        """The page as HTML after its scripts have settled."""
        try:
            async with asyncio.timeout(timeout_s):
                # No browser is started for a denied address.
                await self._guard.resolve(self._guard.judge(url))
                return await self._read_with_retry(url, timeout_s)
        except WireError as error:
            raise unreadable(error) from error
        except TimeoutError as error:
            raise PageUnreadable(Status.TIMEOUT, "no answer in time", Onward.SCRAPE_APIS) from error
        except BrowserUnavailable as error:
            raise NoBrowser(self.name, str(error)) from error
        except BrowserBusy as error:
            raise PageUnreadable(Status.ERROR, str(error), Onward.SCRAPE_APIS) from error
        except CommandFailed as error:
            raise PageUnreadable(Status.ERROR, "the browser lost the page", Onward.SCRAPE_APIS) from error
        except Oversized as error:
            raise PageUnreadable(Status.TOO_LARGE, LARGER) from error
        except CdpError as error:
            raise PageUnreadable(Status.ERROR, "the browser crashed", Onward.SCRAPE_APIS) from error
        except OSError as error:
            raise PageUnreadable(Status.ERROR, "no way out could be opened for the page", Onward.SCRAPE_APIS) from error

    async def _read_with_retry(self, url: str, timeout_s: float) -> Body:
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
        budget = PageBudget(self._guard, upstream=self._upstream)
        async with serve(budget) as address, self._pool.tab(address, left_s) as tab:
            navigation = NavigationPolicy(self._guard, budget, is_remote=tab.is_remote)
            page = BrowserPage(tab.session, tab.target_id, navigation, RequestTracker(tab.session, budget))
            try:
                return await page.run(self._follow(page, url, self._name(tab), budget, end))
            finally:
                await page.close()

    async def _follow(self, page: BrowserPage, url: str, user_agent: str, budget: PageBudget, end: float) -> Body:
        """Open the page, let it settle, and read its text."""
        await page.open(url, user_agent)
        check_arrival(page.document, budget)
        left_s = end - asyncio.get_running_loop().time()
        kept_s = min(self._patience.snapshot_s, left_s * _SNAPSHOT_SHARE)
        while True:
            is_at_rest = await settle(page, self._patience, end - kept_s)
            if not is_at_rest:
                page.stay()
            document = page.document
            check_arrival(document, budget)
            check_answer(document)
            try:
                shot = await snapshot(page, is_html=is_html(document), max_bytes=self._max_bytes, within_s=kept_s)
            except CommandFailed:
                if await page.is_replaced(document):
                    continue
                raise
            # The text must be of the checked document; a page that navigated meanwhile is followed.
            if page.document is document:
                break
        if not is_at_rest and not shot.chars:
            raise TimeoutError
        return _body(document, shot)

    def _name(self, tab: Tab) -> str:
        """The browser's user agent with that of dowse appended, so that sites can identify it."""
        return f"{tab.user_agent.replace('HeadlessChrome', 'Chrome')} {self._user_agent}"


def _body(document: PageDocument, shot: Snapshot) -> Body:
    # Content that a script writes into an empty window belongs to the page that opened it.
    is_named = shot.url.startswith(_WEB) and len(shot.url) <= _LONGEST_URL
    url = shot.url if is_named else document.url
    media_type = HTML if is_html(document) else document.media_type
    return Body(url, shot.content, media_type, "utf-8", may_be_kept=document.may_be_kept)


# Status of the proxy for a plain request that it refuses.
_NOT_SERVED = 502
_NET_ERRORS = {
    "ERR_NAME_NOT_RESOLVED": HostNotFound(),
    "ERR_TIMED_OUT": WireTimeout("no answer in time"),
    "ERR_CONNECTION_TIMED_OUT": WireTimeout("no answer in time"),
    "ERR_TOO_MANY_REDIRECTS": WireFailed(reason=FailureReason.TOO_MANY_REDIRECTS),
    "ERR_EMPTY_RESPONSE": WireFailed(reason=FailureReason.BROKEN_RESPONSE),
    "ERR_CONNECTION_REFUSED": WireFailed(reason=FailureReason.NO_CONNECTION),
}
# Errors in place of a response with this status.
_STATUSES_OF_ERRORS = {"ERR_INVALID_AUTH_CREDENTIALS": 401, "ERR_UNEXPECTED_PROXY_AUTH": 407}
_FINE = 200
_HTML = ("text/html", "application/xhtml+xml")


def check_arrival(document: PageDocument, budget: PageBudget) -> None:
    """Raise `PageUnreadable` if no document of a readable type arrived."""
    if document.error or document.status == _NOT_SERVED:
        _check_refusal(document, budget)
    if 200 <= document.status < 300 and not MediaType(document.media_type, "").is_text:
        raise PageUnreadable(Status.UNSUPPORTED, document.media_type)
    if document.error == DOWNLOAD:
        raise PageUnreadable(Status.UNSUPPORTED, f"a download ({document.media_type})")
    if document.error:
        check_answer(document)
        name = document.error.removeprefix("net::")
        check_status(_STATUSES_OF_ERRORS.get(name, _FINE))
        raise _translate(name)


def check_answer(document: PageDocument) -> None:
    """Raise `PageUnreadable` for an error status of the server."""
    # Content written by a script into an empty window has no status.
    if document.status:
        check_status(document.status)


def is_html(document: PageDocument) -> bool:
    return document.media_type in ("", *_HTML)


def _check_refusal(document: PageDocument, budget: PageBudget) -> None:
    if refusal := budget.refusal(document.url):
        raise unreadable(refusal)
    if budget.is_exhausted:
        # From then on the proxy does not even read requests.
        raise unreadable(Exhausted())


def _translate(name: str) -> PageUnreadable:
    known = _NET_ERRORS.get(name)
    return unreadable(known) if known else PageUnreadable(Status.ERROR, f"the browser says {name}", Onward.SCRAPE_APIS)
