"""Settling and snapshot of a page: wait for a quiet network and DOM, answer consent, scroll, then read the text."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass

from dowse.core.errors import PageUnreadable
from dowse.core.models import Status
from dowse.core.runtime import first_of
from dowse.fetch.browser.cdp import CommandFailed, Params
from dowse.fetch.browser.page import BrowserPage, PageDocument

# Statuses of interstitial checks that solve themselves and then load the page.
_CHECKS = (403, 429, 503)
_FIRST_ERROR = 400


@dataclass(frozen=True, slots=True)
class SettlePatience:
    """Waiting times in seconds, and thresholds of the text."""

    network_quiet_s: float = 0.2
    """No request for so long: the page has loaded its data."""
    dom_quiet_s: float = 0.1
    stalled_s: float = 1.0
    """The text does not grow any more, although the DOM changes."""
    busy_s: float = 2.5
    """The same while requests are in flight: an answer may be slow, but long polls never end.

    A page with next to no text waits longest for its answers."""
    for_text_s: float = 3.0
    """For a page with next to no text, which may be drawn by a timer."""
    for_check_s: float = 4.0
    """For the page behind an interstitial check."""
    for_more_s: float = 0.15
    """For the first sign of more content further down."""
    longest_s: float = 8.0
    snapshot_s: float = 1.5
    """Reserved for reading the text."""
    few_chars: int = 200
    """A page with less, besides links and the like, has next to no text."""
    many_chars: int = 50_000
    """A page with so much text is not scrolled."""
    scrolls: int = 3


@dataclass(frozen=True, slots=True)
class PageState:
    """State of a settled page."""

    chars: int
    is_bare: bool
    is_tall: bool
    has_scripts: bool


async def settle(page: BrowserPage, patience: SettlePatience, end: float) -> bool:
    """Wait for the page to settle, answering consent and scrolling; false if `end` came first."""
    latest = asyncio.get_running_loop().time() + patience.longest_s
    try:
        async with asyncio.timeout_at(min(end, latest)):
            await _Settling(page, patience).run()
    except TimeoutError:
        return False
    return True


class _Settling:
    """Progress of settling one page."""

    def __init__(self, page: BrowserPage, patience: SettlePatience) -> None:
        self._page = page
        self._patience = patience
        self._has_consented = False
        self._bare_until = math.inf

    async def run(self) -> None:
        """Repeat for each document that replaces the previous one."""
        is_over = False
        while not is_over:
            document = self._page.document
            try:
                is_over = await self._advance(document)
            except CommandFailed:
                # A replaced document does not answer any more; the next one does.
                is_over = not await self._page.is_replaced(document)
            if self._page.document is not document:
                self._bare_until = math.inf

    async def _advance(self, document: PageDocument) -> bool:
        """Do the next step; returns whether the page has settled."""
        page, patience = self._page, self._patience
        await page.world.evaluate("ready")
        await _wait_still(page, patience)
        if not self._has_consented and await page.world.evaluate("answerConsent"):
            self._has_consented = True
            return False
        if document.error or (document.status >= _FIRST_ERROR and document.status not in _CHECKS):
            return True
        look = await _look(page, patience)
        if look.is_bare and await self._changes():
            return False
        if document.status in _CHECKS and look.has_scripts:
            return not await page.is_replaced(document, patience.for_check_s)
        await _reveal(page, look, patience)
        return True

    async def _changes(self) -> bool:
        """Whether a page with next to no text changes within the time for that."""
        now = asyncio.get_running_loop().time()
        self._bare_until = min(self._bare_until, now + self._patience.for_text_s)
        if await self._page.world.evaluate("changes", _ms(self._bare_until - now)):
            return True
        if self._page.traffic.is_idle:
            return False
        # Its text may be in the response in flight.
        await first_of(
            self._page.traffic.wait_quiet(self._patience.network_quiet_s),
            self._page.world.evaluate("changes", _ms(self._patience.longest_s)),
        )
        return True


async def _wait_still(page: BrowserPage, patience: SettlePatience) -> None:
    """Wait until there are neither requests nor changes, or the text stops growing although there are."""
    await first_of(_wait_quiet(page, patience), _wait_stalled(page, patience.busy_s))


async def _wait_quiet(page: BrowserPage, patience: SettlePatience) -> None:
    while True:
        await page.traffic.wait_quiet(patience.network_quiet_s)
        requests = page.traffic.count
        await page.world.evaluate("still", _ms(patience.dom_quiet_s), _ms(patience.stalled_s))
        if page.traffic.count == requests:
            return


async def _wait_stalled(page: BrowserPage, seconds: float) -> None:
    await page.world.evaluate("still", _ms(seconds), _ms(seconds))


async def _reveal(page: BrowserPage, look: PageState, patience: SettlePatience) -> None:
    """Scroll down while that brings more text, and back to the beginning."""
    has_changed = False
    for _ in range(patience.scrolls):
        if not look.is_tall or look.chars > patience.many_chars:
            break
        requests = page.traffic.count
        if not await page.world.evaluate("scrollOn", _ms(patience.for_more_s)) and page.traffic.count == requests:
            break
        has_changed = True
        await _wait_still(page, patience)
        before, look = look.chars, await _look(page, patience)
        if look.chars <= before:
            break
    # A virtual list holds only the rows in view, and its beginning is worth more than its end.
    if has_changed and await page.world.evaluate("scrollBack", _ms(patience.for_more_s)):
        await _wait_still(page, patience)


async def _look(page: BrowserPage, patience: SettlePatience) -> PageState:
    seen = await page.world.evaluate("look", patience.few_chars)
    return PageState(int(seen["chars"]), bool(seen["isBare"]), bool(seen["isTall"]), bool(seen["hasScripts"]))


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))


LARGER = "the page is larger than the limit"
"""Reason for a page above the size limit."""
_MOST_CLOSED = 50
# A function of alternating hosts and roots.
_OPEN = "function(...pairs) { for (let i = 0; i < pairs.length; i += 2) dowse.dom.opened.set(pairs[i], pairs[i + 1]); }"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Serialised page with its URL; `chars` is the number of visible characters."""

    url: str
    content: bytes
    chars: int


async def snapshot(page: BrowserPage, *, is_html: bool, max_bytes: int, within_s: float) -> Snapshot:
    """Serialise the page. A script that never ends is stopped after half of the time."""
    try:
        async with asyncio.timeout(within_s / 2):
            return await _serialise(page, is_html, max_bytes)
    except TimeoutError:
        await page.call("Runtime.terminateExecution")
    return await _serialise(page, is_html, max_bytes)


async def _serialise(page: BrowserPage, is_html: bool, max_bytes: int) -> Snapshot:
    if is_html:
        await _open_shadows(page)
    taken = await page.world.evaluate("serialise", is_html, max_bytes)
    content = str(taken["content"]).encode("utf-8", "replace")
    if taken["isCut"] or len(content) > max_bytes:
        raise PageUnreadable(Status.TOO_LARGE, LARGER)
    return Snapshot(str(taken["url"]), content, int(taken["chars"]))


async def _open_shadows(page: BrowserPage) -> None:
    """Give the page scripts the closed shadow roots of elements that look empty; only the browser can."""
    if not await page.world.evaluate("countHollow"):
        return
    handles = await page.world.reference("hollow", _MOST_CLOSED)
    properties = await page.call("Runtime.getProperties", objectId=handles, ownProperties=True)
    hosts = [host for item in properties["result"] if (host := item.get("value", {}).get("objectId"))]
    described = await asyncio.gather(*(page.call("DOM.describeNode", objectId=host, depth=0) for host in hosts))
    closed = [(host, root) for host, answer in zip(hosts, described, strict=True) if (root := _closed_root(answer))]
    context = page.world.context
    resolved = await asyncio.gather(
        *(page.call("DOM.resolveNode", backendNodeId=root, executionContextId=context) for _, root in closed)
    )
    pairs: list[dict[str, object]] = []
    for (host, _), answer in zip(closed, resolved, strict=True):
        pairs += [{"objectId": host}, {"objectId": answer["object"]["objectId"]}]
    if pairs:
        await page.call(
            "Runtime.callFunctionOn", functionDeclaration=_OPEN, executionContextId=context, arguments=pairs
        )


def _closed_root(answer: Params) -> int:
    roots = answer["node"].get("shadowRoots", [])
    return next((int(root["backendNodeId"]) for root in roots if root.get("shadowRootType") == "closed"), 0)
