"""What one page may do: where its requests go, how many and how large they are, and what was refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dowse.core import urls
from dowse.core.errors import WireDenied, WireError, WireTimeout, WireTooLarge
from dowse.core.urls import Url
from dowse.net.addresses import Address
from dowse.net.guard import Guard

# Why a request was refused is asked about pages, and those come first.
_REMEMBERED_REFUSALS = 512


class Exhausted(WireTooLarge):
    """The page has used up its requests or its bytes."""

    def __init__(self) -> None:
        super().__init__("the page wanted more requests or bytes than the limit")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long each step may take."""

    head_s: float = 10.0
    look_up_s: float = 6.0
    dial_s: float = 3.0
    idle_s: float = 30.0
    # How long it took to refuse a host is a multiple of this.
    refusal_step_s: float = 0.1


_PATIENCE = Patience()


@dataclass(slots=True)
class _Place:
    """What the guard said about a host and port; asked once, however many requests wait for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    addresses: list[Address] | None = None
    refusal: WireError | None = None


class PageBudget:
    """The rules and the budget of one page. Judging and counting take no time; only `resolve` waits."""

    def __init__(
        self,
        guard: Guard,
        *,
        max_requests: int = 200,
        max_bytes: int = 25_000_000,
        patience: Patience = _PATIENCE,
    ) -> None:
        self.patience = patience
        self.bytes = 0
        self.is_exhausted = False
        self._guard = guard
        # Until it is known where the page is, it is a stranger to everything inside.
        self._rules = guard.stranger
        self._max_requests, self._max_bytes = max_requests, max_bytes
        self._plain = self._tunnels = self._told = 0
        self._own_tracker = ""
        self._places: dict[str, _Place] = {}
        self._refusals: dict[str, WireError] = {}
        self._transfers: set[Callable[[], object]] = set()

    def moves_to(self, url: str) -> None:
        """The main frame goes to this URL: it was asked for, or what was asked for redirects there.

        A page on a pair that the operator opened may use all such pairs. Any other page may use none: what it leads
        to is judged as if nothing were opened, and what was open for the page before it is cut.
        """
        page = urls.parse(url)
        is_opened = page is not None and self._guard.opens(page)
        self._own_tracker = tracker(page.host) if page is not None else ""
        rules = self._guard if is_opened else self._guard.stranger
        if rules is self._rules:
            return
        self._rules = rules
        self._places.clear()
        if not is_opened:
            self._cut()

    @property
    def requests(self) -> int:
        """A tunnel is at least one request; more are in it if the browser says so."""
        return self._plain + max(self._tunnels, self._told)

    def count(self, requests: int = 1) -> None:
        """Requests inside tunnels, which only the browser can tell."""
        self._told += requests
        self._check()

    def spend(self, size: int) -> None:
        """So many bytes came, from either side; raises `Exhausted` instead of letting the last ones pass."""
        self.bytes += size
        self._check()
        if self.is_exhausted:
            raise Exhausted

    def judge(self, url: str) -> Url:
        """The URL of one more request, if it may be made; raises `WireError`. A tunnel is an `https` URL."""
        target = self._rules.judge(url)
        watcher = tracker(target.host)
        # Whoever wants to read a tracker's own site has asked for it.
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
        """The checked addresses to dial, the same for all requests of the page; raises `WireError`."""
        place = self._places.setdefault(_place(target), _Place())
        async with place.lock:
            if place.addresses is None and place.refusal is None:
                await self._look_up(target, place)
        if place.refusal is not None:
            raise place.refusal.with_traceback(None)
        return place.addresses or []

    @contextmanager
    def transfer(self, cut: Callable[[], object]) -> Iterator[None]:
        """Something is open while inside; `cut` is called if it may not stay so."""
        self._transfers.add(cut)
        try:
            yield
        finally:
            self._transfers.discard(cut)

    def refused(self, url: str, reason: WireError) -> None:
        """Remember why a request was not served; the page itself is never told."""
        target = urls.parse(url)
        if target is not None and len(self._refusals) < _REMEMBERED_REFUSALS:
            self._refusals[_place(target)] = reason

    def served(self, target: Url) -> None:
        """The host answers after all."""
        self._refusals.pop(_place(target), None)

    def refusal(self, url: str) -> WireError | None:
        """Why the last request to the host and port of this URL was not served; `None` if it was, or none was made."""
        target = urls.parse(url)
        return self._refusals.get(_place(target)) if target is not None else None

    def _check(self) -> None:
        is_over = self.requests > self._max_requests or self.bytes > self._max_bytes
        if is_over and not self.is_exhausted:
            self.is_exhausted = True
            self._cut()

    def _cut(self) -> None:
        for cut in tuple(self._transfers):
            cut()

    async def _look_up(self, target: Url, place: _Place) -> None:
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.patience.look_up_s):
                place.addresses = await self._rules.resolve(target)
        except WireError as error:
            place.refusal = error
        except TimeoutError:
            place.refusal = WireTimeout("no answer in time")
        else:
            return
        # By its own clock, too, a page must not tell a name that leads inside from one that does not exist.
        took = asyncio.get_running_loop().time() - started
        await asyncio.sleep(-took % self.patience.refusal_step_s)


def _place(url: Url) -> str:
    return f"{url.name}:{url.port}"


# Where consent, comments, pay walls or errors are handled, a page may wait for the answer: none of those is here.
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
# They put the lists of the others together.
_BROKERS = (
    "agkn.com", "bluekai.com", "crwdcntrl.net", "everesttech.net", "exelator.com", "eyeota.net", "id5-sync.com",
    "krxd.net", "liadm.com", "mathtag.com", "permutive.com", "rlcdn.com", "tapad.com",
)  # fmt: skip

DOMAINS = frozenset(_ANALYTICS + _RECORDERS + _PIXELS + _ADVERTISING + _BROKERS)


def tracker(host: str) -> str:
    """The domain of the list that a host belongs to; empty for all others."""
    labels = host.rstrip(".").lower().split(".")
    endings = (".".join(labels[start:]) for start in range(len(labels) - 1))
    return next((ending for ending in endings if ending in DOMAINS), "")
