"""Navigation policy and request tracking of one page."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from dowse.core import urls
from dowse.fetch.browser.cdp import CdpSession, Params
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget

# Sites lead on by script for consent, language or login; more than this is a loop.
_MOST_NAVIGATIONS = 5
# As many as Chromium itself follows.
_MOST_HOPS = 20
# They are part of the page that made them.
_OWN_FRAMES = ("data:", "blob:", "about:")


class TooFar(Exception):
    """The page has led on often enough; it stays where it is."""


class Journey:
    """The navigations of one page, each told before its request leaves the browser.

    What was asked for, and its redirects, may be on pairs that the operator opened. What a script leads to may be so
    only if the page of the script is. `is_remote` is for a browser behind no proxy of ours: addresses are looked up
    here, which guards less, since that browser looks them up again.
    """

    def __init__(self, guard: Guard, budget: PageBudget, *, is_remote: bool = False) -> None:
        self._guard = guard
        self._budget = budget
        self._is_remote = is_remote
        self._navigation = ""
        self._navigations = self._hops = 0
        self._is_opened = False

    async def goes_to(self, url: str, navigation: str) -> None:
        """One more request of the main frame; redirects have their navigation's id. Raises `WireError` or `TooFar`."""
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
            # What was asked for is looked up by then. What it leads to is denied here, before the proxy has to.
            await rules.resolve(target)
        if self._guard.opens(target) and not may_enter:
            # The leash stays as it is: its proxy serves the page only if it is a public one in spite of the list.
            return
        self._is_opened = self._guard.opens(target)
        self._budget.move_to(url)

    def may_frame(self, url: str) -> bool:
        """Whether the page may show this in a frame. A public page there would use what is open to this one."""
        if not self._is_opened or url.startswith(_OWN_FRAMES):
            return True
        target = urls.parse(url)
        return target is not None and self._guard.opens(target)


# No page needs so many, counting pictures and what else stays inside the browser. Each that it tells of is work for us.
_MOST_REQUESTS = 5000
# Open for as long as the page is, or of no use to it.
_NOT_AWAITED = frozenset(
    {"WebSocket", "EventSource", "Ping", "Prefetch", "CSPViolationReport", "Manifest", "Font", "Media"}
)
UNWANTED = ("Image", "Font", "Media")
"""Types of requests that end inside the browser; no text comes of them."""
# They are there at once.
_INSIDE = ("data:", "blob:")
# Plain requests to a proxy have it, those in a tunnel do not, and no page can set it.
_PLAIN = "Proxy-Connection"


class RequestTracker:
    """Counts requests, and tells the leash of those that its proxy cannot see."""

    def __init__(self, session: CdpSession, budget: PageBudget) -> None:
        self._budget = budget
        self._in_flight: set[str] = set()
        self._started = asyncio.Event()
        self._idle = asyncio.Event()
        self._rest()
        self._told = 0
        self.count = 0
        self.flooded = asyncio.Event()
        """Set once nobody can listen to all its requests any more: the page has used them up, and counts as quiet."""
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.requestWillBeSentExtraInfo", self._left)
        session.on("Network.loadingFinished", self._ended)
        session.on("Network.loadingFailed", self._ended)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way."""
        return self._idle.is_set()

    async def quiet(self, seconds: float) -> None:
        """Return when nothing has been under way for so long."""
        now = asyncio.get_running_loop().time
        while not self._idle.is_set() or now() < self._idle_since + seconds:
            await self._idle.wait()
            self._started.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._idle_since + seconds):
                    await self._started.wait()

    def _asked(self, params: Params) -> None:
        if self.flooded.is_set():
            return
        self._told += 1
        if self._told > _MOST_REQUESTS:
            self._give_up()
        elif _is_awaited(params):
            # Pictures are answered at once, and bring nothing but the end of the page's loading.
            self.count += params.get("type") != "Image"
            self._in_flight.add(params["requestId"])
            self._idle.clear()
            self._started.set()

    def _left(self, params: Params) -> None:
        """A request went out. Those that only wait in the browser, for a connection, say, cost nothing yet."""
        if _PLAIN not in params["headers"]:
            self._budget.count()

    def _give_up(self) -> None:
        self.flooded.set()
        self._budget.count(_MOST_REQUESTS)
        self._in_flight.clear()
        self._rest()

    def _ended(self, params: Params) -> None:
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
    # The scripts of workers belong to no document here; only the worker would hear that they have come.
    return bool(params["loaderId"]) and not params["request"]["url"].startswith(_INSIDE)
