"""Policy of one browser page: SSRF guard, tracker blocking, request and byte budget, and refusals."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dowse.core import urls
from dowse.core.urls import Url
from dowse.core.wire_errors import WireDenied, WireError, WireTimeout, WireTooLarge
from dowse.net.guard import Address, Guard
from dowse.net.upstream import UpstreamProxy

# Only refusals of documents are asked about, and those come first.
_REMEMBERED_REFUSALS = 512


class Exhausted(WireTooLarge):
    """The page has used up its requests or its bytes."""

    def __init__(self) -> None:
        super().__init__("the page wanted more requests or bytes than the limit")


@dataclass(frozen=True, slots=True)
class ProxyTimeouts:
    """Time limits of the steps of one request."""

    head_s: float = 10.0
    look_up_s: float = 6.0
    dial_s: float = 3.0
    idle_s: float = 30.0
    # Refusals take a multiple of this, so that their duration reveals nothing.
    refusal_step_s: float = 0.1


_PATIENCE = ProxyTimeouts()


@dataclass(slots=True)
class _Place:
    """Verdict of the guard on a host and port, asked once for all requests that wait for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    addresses: list[Address] | None = None
    refusal: WireError | None = None


class PageBudget:
    """Rules and budget of one page. Judging and counting are immediate; only `resolve` waits."""

    def __init__(
        self,
        guard: Guard,
        *,
        max_requests: int = 200,
        max_bytes: int = 25_000_000,
        timeouts: ProxyTimeouts = _PATIENCE,
        upstream: UpstreamProxy | None = None,
    ) -> None:
        self.timeouts = timeouts
        self.upstream = upstream
        self.bytes = 0
        self.is_exhausted = False
        self._guard = guard
        # Until the page's own address is known, no private address is open to it.
        self._rules = guard.stranger
        self._max_requests, self._max_bytes = max_requests, max_bytes
        self._plain = self._tunnels = self._in_tunnels = 0
        self._own_tracker = ""
        self._places: dict[str, _Place] = {}
        self._refusals: dict[str, WireError] = {}
        self._transfers: set[Callable[[], object]] = set()

    def move_to(self, url: str) -> None:
        """Record that the main frame navigates to this URL, as requested or by a redirect.

        A page on a host and port that the operator allowed may use all allowed pairs. Any other page may use none: its
        requests are judged as if nothing were allowed, and open transfers of the previous page are cut.
        """
        page = urls.parse(url)
        is_opened = page is not None and self._guard.opens(page)
        self._own_tracker = find_tracker(page.host) if page is not None else ""
        rules = self._guard if is_opened else self._guard.stranger
        if rules is self._rules:
            return
        self._rules = rules
        self._places.clear()
        if not is_opened:
            self._cut_transfers()

    @property
    def requests(self) -> int:
        """Requests so far. A tunnel counts as one, or as many as the browser reported in tunnels."""
        return self._plain + max(self._tunnels, self._in_tunnels)

    def count(self, requests: int = 1) -> None:
        """Count requests inside tunnels, which only the browser knows."""
        self._in_tunnels += requests
        self._check()

    def spend(self, size: int) -> None:
        """Count bytes of either side; raises `Exhausted` instead of letting the last ones pass."""
        self.bytes += size
        self._check()
        if self.is_exhausted:
            raise Exhausted

    def judge(self, url: str) -> Url:
        """Parse and admit the URL of one more request; raises `WireError`. A tunnel is an `https` URL."""
        target = self._rules.judge(url)
        watcher = find_tracker(target.host)
        # A tracker's own site may be read.
        if watcher and watcher != self._own_tracker:
            raise WireDenied
        if target.scheme == "https":
            self._tunnels += 1
        else:
            self._plain += 1
        self._check()
        if self.is_exhausted:
            raise Exhausted
        return target

    async def resolve(self, target: Url) -> list[Address]:
        """The checked addresses to dial (address pinning), the same for all requests; raises `WireError`."""
        place = self._places.setdefault(_place(target), _Place())
        async with place.lock:
            if place.addresses is None and place.refusal is None:
                await self._look_up(target, place)
        if place.refusal is not None:
            raise place.refusal.with_traceback(None)
        return place.addresses or []

    @contextmanager
    def transfer(self, cut: Callable[[], object]) -> Iterator[None]:
        """Register an open transfer while inside; `cut` is called if it must end."""
        self._transfers.add(cut)
        try:
            yield
        finally:
            self._transfers.discard(cut)

    def record_refusal(self, url: str, reason: WireError) -> None:
        """Record why a request was not served; the page itself never learns it."""
        target = urls.parse(url)
        if target is not None and len(self._refusals) < _REMEMBERED_REFUSALS:
            self._refusals[_place(target)] = reason

    def clear_refusal(self, target: Url) -> None:
        """Forget the refusal of a host that answers after all."""
        self._refusals.pop(_place(target), None)

    def refusal(self, url: str) -> WireError | None:
        """The refusal of the last request to this host and port; `None` if it was served, or none was made."""
        target = urls.parse(url)
        return self._refusals.get(_place(target)) if target is not None else None

    def _check(self) -> None:
        is_over = self.requests > self._max_requests or self.bytes > self._max_bytes
        if is_over and not self.is_exhausted:
            self.is_exhausted = True
            self._cut_transfers()

    def _cut_transfers(self) -> None:
        for cut in tuple(self._transfers):
            cut()

    async def _look_up(self, target: Url, place: _Place) -> None:
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.timeouts.look_up_s):
                place.addresses = await self._rules.resolve(target)
        except WireError as error:
            place.refusal = error
        except TimeoutError:
            place.refusal = WireTimeout("no answer in time")
        else:
            return
        # Nor by timing may a page tell a name with a private address from one that does not exist.
        took = asyncio.get_running_loop().time() - started
        await asyncio.sleep(-took % self.timeouts.refusal_step_s)


def _place(url: Url) -> str:
    return f"{url.name}:{url.port}"


# Trackers and advertisers: no page needs them to be read, and they would learn that it is read. Hosts for consent,
# comments, pay walls or errors are not listed, since a page may wait for their answer.
_ANALYTICS = (
    "2o7.net", "amplitude.com", "analytics.google.com", "appsflyer.com", "cdn.segment.com", "chartbeat.com",
    "chartbeat.net", "cloudflareinsights.com", "cnzz.com", "counter.yadro.ru", "demdex.net", "gemius.pl",
    "google-analytics.com", "googletagmanager.com", "heapanalytics.com", "hm.baidu.com", "hs-analytics.net",
    "imrworldwide.com", "ioam.de", "kissmetrics.io", "mc.yandex.ru", "mixpanel.com", "mktoresp.com",
    "munchkin.marketo.net", "mxpnl.com", "nr-data.net", "omtrdc.net", "parsely.com", "plausible.io", "quantcount.com",
    "quantserve.com", "scorecardresearch.com", "segment.io", "statcounter.com", "stats.wp.com", "top-fwz1.mail.ru",
    "woopra.com",
)  # fmt: skip
_RECORDERS = (
    "clarity.ms", "contentsquare.net", "crazyegg.com", "decibelinsight.net", "fullstory.com", "hotjar.com", "hotjar.io",
    "inspectlet.com", "logrocket.io", "lr-ingest.io", "luckyorange.com", "luckyorange.net", "mouseflow.com",
    "quantummetric.com", "sessioncam.com", "smartlook.cloud", "smartlook.com",
)  # fmt: skip
_PIXELS = (
    "alb.reddit.com", "analytics.tiktok.com", "analytics.twitter.com", "bat.bing.com", "connect.facebook.net",
    "ct.pinterest.com", "hsadspixel.net", "pixel.wp.com", "px.ads.linkedin.com", "sc-static.net", "snap.licdn.com",
    "static.ads-twitter.com", "tr.snapchat.com",
)  # fmt: skip
_ADVERTISING = (
    "33across.com", "3lift.com", "adform.net", "adnxs.com", "adroll.com", "adsafeprotected.com", "adservice.google.com",
    "adsrvr.org", "amazon-adsystem.com", "an.yandex.ru", "bidswitch.net", "casalemedia.com", "contextweb.com",
    "criteo.com", "criteo.net", "doubleclick.net", "doubleverify.com", "googleadservices.com", "googlesyndication.com",
    "googletagservices.com", "gumgum.com", "indexww.com", "lijit.com", "media.net", "mgid.com", "moatads.com",
    "openx.net", "outbrain.com", "pubmatic.com", "revcontent.com", "rubiconproject.com", "sharethrough.com",
    "smartadserver.com", "spotxchange.com", "taboola.com", "teads.tv", "tremorhub.com", "yieldmo.com", "zedo.com",
)  # fmt: skip
_BROKERS = (
    "agkn.com", "bluekai.com", "crwdcntrl.net", "everesttech.net", "exelator.com", "eyeota.net", "id5-sync.com",
    "krxd.net", "liadm.com", "mathtag.com", "permutive.com", "rlcdn.com", "tapad.com",
)  # fmt: skip

DOMAINS = frozenset(_ANALYTICS + _RECORDERS + _PIXELS + _ADVERTISING + _BROKERS)


def find_tracker(host: str) -> str:
    """The listed domain that a host belongs to; empty for all others."""
    labels = host.rstrip(".").lower().split(".")
    endings = (".".join(labels[start:]) for start in range(len(labels) - 1))
    return next((ending for ending in endings if ending in DOMAINS), "")
