"""Navigation policy and request tracking of one page."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from dowse.core import urls
from dowse.fetch.browser.cdp import CdpSession, Params
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget

# Sites navigate by script for consent, language or login; more than this is a loop.
_MOST_NAVIGATIONS = 5
# As many redirect hops as Chromium itself follows.
_MOST_HOPS = 20
# Frames that are part of the page itself.
_OWN_FRAMES = ("data:", "blob:", "about:")


class TooFar(Exception):
    """Too many navigations or redirect hops; the page stays where it is."""


class NavigationPolicy:
    """Policy for the navigations of one page, judged before each request leaves the browser.

    The requested URL and its redirects may be on pairs that the operator allowed. Navigations by script may be so only
    if the page of the script is. `is_remote` is for a browser without the proxy: addresses are looked up here, which
    guards less, since that browser looks them up again (DNS rebinding).
    """

    def __init__(self, guard: Guard, budget: PageBudget, *, is_remote: bool = False) -> None:
        self._guard = guard
        self._budget = budget
        self._is_remote = is_remote
        self._navigation = ""
        self._navigations = self._hops = 0
        self._is_opened = False

    async def admit(self, url: str, navigation: str) -> None:
        """Admit a request of the main frame; redirects share their navigation's id. Raises `WireError` or `TooFar`."""
        self._hops += 1
        if navigation != self._navigation:
            self._navigation = navigation
            self._navigations += 1
        if self._navigations > 1 + _MOST_NAVIGATIONS or self._hops > _MOST_HOPS:
            raise TooFar
        may_enter = self._navigations == 1 or self._is_opened
        rules = self._guard if may_enter else self._guard.stranger
        target = rules.judge(url)
        if self._is_remote or self._hops > 1:
            # The requested URL has been looked up already. Redirects are denied here, before the proxy has to.
            await rules.resolve(target)
        if self._guard.opens(target) and not may_enter:
            # The budget stays as it is: its proxy serves the page only if its address is public.
            return
        self._is_opened = self._guard.opens(target)
        self._budget.move_to(url)

    def may_frame(self, url: str) -> bool:
        """Whether the page may show this in a frame. A public page there would share the access of this one."""
        if not self._is_opened or url.startswith(_OWN_FRAMES):
            return True
        target = urls.parse(url)
        return target is not None and self._guard.opens(target)


# No page needs so many, images included. Each reported request costs time here.
_MOST_REQUESTS = 5000
# Open for as long as the page is, or irrelevant for its text.
_NOT_AWAITED = frozenset(
    {"WebSocket", "EventSource", "Ping", "Prefetch", "CSPViolationReport", "Manifest", "Font", "Media"}
)
UNWANTED = ("Image", "Font", "Media")
"""Types of requests that are answered inside the browser, since they bring no text."""
# Available at once.
_INSIDE = ("data:", "blob:")
# A header of plain requests to a proxy, absent in tunnels; no page can set it.
_PLAIN = "Proxy-Connection"


class RequestTracker:
    """Tracks requests in flight, and reports requests inside tunnels, which the proxy cannot see, to the budget."""

    def __init__(self, session: CdpSession, budget: PageBudget) -> None:
        self._budget = budget
        self._in_flight: set[str] = set()
        self._started = asyncio.Event()
        self._idle = asyncio.Event()
        self._rest()
        self._reported = 0
        self.count = 0
        self.flooded = asyncio.Event()
        """Set once the page has made too many requests to follow; from then on it counts as quiet."""
        session.on("Network.requestWillBeSent", self._add_request)
        session.on("Network.requestWillBeSentExtraInfo", self._count_tunnelled)
        session.on("Network.loadingFinished", self._remove_request)
        session.on("Network.loadingFailed", self._remove_request)

    @property
    def is_idle(self) -> bool:
        """Whether no request is in flight."""
        return self._idle.is_set()

    async def wait_quiet(self, seconds: float) -> None:
        """Return when no request has been in flight for so long."""
        now = asyncio.get_running_loop().time
        while not self._idle.is_set() or now() < self._idle_since + seconds:
            await self._idle.wait()
            self._started.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._idle_since + seconds):
                    await self._started.wait()

    def _add_request(self, params: Params) -> None:
        if self.flooded.is_set():
            return
        self._reported += 1
        if self._reported > _MOST_REQUESTS:
            self._give_up()
        elif _is_awaited(params):
            # Images are answered at once, and only complete the page's loading.
            self.count += params.get("type") != "Image"
            self._in_flight.add(params["requestId"])
            self._idle.clear()
            self._started.set()

    def _count_tunnelled(self, params: Params) -> None:
        """Count a request that was sent; queued requests of the browser cost nothing yet."""
        if _PLAIN not in params["headers"]:
            self._budget.count()

    def _give_up(self) -> None:
        self.flooded.set()
        self._budget.count(_MOST_REQUESTS)
        self._in_flight.clear()
        self._rest()

    def _remove_request(self, params: Params) -> None:
        if params["requestId"] not in self._in_flight:
            return
        self._in_flight.remove(params["requestId"])
        if not self._in_flight:
            self._rest()

    def _rest(self) -> None:
        self._idle_since = asyncio.get_running_loop().time()
        self._idle.set()


def _is_awaited(params: Params) -> bool:
    if params.get("type") in _NOT_AWAITED:
        return False
    # Scripts of workers belong to no document; only the worker is notified of their arrival.
    return bool(params["loaderId"]) and not params["request"]["url"].startswith(_INSIDE)
