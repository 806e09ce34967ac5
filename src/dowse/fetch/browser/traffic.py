"""The requests of a page that are under way, as its browser tells: when none is, the page has what it wanted."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from dowse.fetch.browser.cdp import Params, Session
from dowse.net.proxy.leash import Leash

# Open for as long as the page is, or of no use to it.
_NOT_AWAITED = frozenset({"WebSocket", "EventSource", "Ping", "Prefetch", "CSPViolationReport", "Manifest"})
UNWANTED = ("Image", "Font", "Media")
"""Types of requests that are refused inside the browser; no text comes of them."""


class Traffic:
    """Counts requests, and tells the leash of those that its proxy cannot see."""

    def __init__(self, session: Session, leash: Leash) -> None:
        self._leash = leash
        self._in_flight: set[str] = set()
        # By the ids of requests: whether they go through a tunnel, and who has left before that was told.
        self._is_tunnelled: dict[str, bool] = {}
        self._left_early: set[str] = set()
        self._started = asyncio.Event()
        self._idle = asyncio.Event()
        self._rest()
        self.count = 0
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.requestWillBeSentExtraInfo", self._left)
        session.on("Network.loadingFinished", self._ended)
        session.on("Network.loadingFailed", self._ended)

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
        kind, request = params.get("type"), params["requestId"]
        if kind in UNWANTED:
            return
        self._is_tunnelled[request] = str(params["request"]["url"]).startswith("https:")
        if request in self._left_early:
            self._left_early.remove(request)
            self._left(params)
        if kind in _NOT_AWAITED:
            return
        self.count += 1
        self._in_flight.add(request)
        self._idle.clear()
        self._started.set()

    def _left(self, params: Params) -> None:
        """A request went out. Those that only wait in the browser, for a connection, say, cost nothing yet."""
        request = params["requestId"]
        if request not in self._is_tunnelled:
            self._left_early.add(request)
        elif self._is_tunnelled[request]:
            self._leash.count()

    def _ended(self, params: Params) -> None:
        if params["requestId"] not in self._in_flight:
            return
        self._in_flight.remove(params["requestId"])
        if not self._in_flight:
            self._rest()

    def _rest(self) -> None:
        self._idle_since = asyncio.get_running_loop().time()
        self._idle.set()
