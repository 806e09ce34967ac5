"""Maps a site: the addresses of its pages from robots.txt, sitemaps, llms.txt and the links of the start page."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from dowse.core import urls
from dowse.core.errors import Offline, PageUnreadable
from dowse.core.models import Deadline, Status
from dowse.core.protocols import Fetcher, Robots
from dowse.core.reasons import FailureReason
from dowse.core.urls import Url
from dowse.core.wire_errors import WireError
from dowse.document.sitemaps import (
    MAX_BYTES,
    PageLink,
    Sitemap,
    find_sitemaps,
    read_anchors,
    read_llms_txt,
    read_sitemap,
    unpack,
)
from dowse.fetch.direct import check_status, unreadable
from dowse.net.clients import UntrustedClient
from dowse.secrets.requests import SecretUrls
from dowse.settings import Settings

MOST_LINKS = 5000
_MOST_SITEMAPS = 30
# Requests to one site at a time.
_AT_ONCE = 2
_FILE_S = 10.0
# Of the time, for ranking and answering.
_RESERVE_S = 0.3
_ACCEPT = "application/xml,text/xml,text/plain,application/gzip,*/*;q=0.1"


class SitemapUse(StrEnum):
    INCLUDE = "include"
    SKIP = "skip"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class MapRequest:
    """A site to map from an address; `search` are words that wanted pages are about."""

    url: str
    limit: int = MOST_LINKS
    search: str = ""
    sitemap: SitemapUse = SitemapUse.INCLUDE
    with_subdomains: bool = False
    with_queries: bool = True


@dataclass(frozen=True, slots=True)
class SiteMap:
    """Pages of a site, the best first; warnings name the sources that failed."""

    site: str
    links: tuple[PageLink, ...]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Found:
    """Links as they are found, each once and within the site."""

    site: Url
    request: MapRequest
    links: dict[str, PageLink] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        # With words to search for, the best of all pages are wanted, not the first.
        return len(self.links) >= (MOST_LINKS if self.request.search else self.request.limit)

    def add(self, links: Iterable[PageLink]) -> None:
        for link in links:
            if self.is_full:
                return
            parsed = urls.parse_web(link.url)
            if parsed and self._is_wanted(parsed):
                self._keep(parsed.href if self.request.with_queries else parsed.href.partition("?")[0], link)

    def _keep(self, url: str, link: PageLink) -> None:
        known = self.links.get(url)
        if known is None or (link.title and not known.title):
            self.links[url] = PageLink(url, link.title, link.description)

    def _is_wanted(self, parsed: Url) -> bool:
        own = self.site.name.removeprefix("www.")
        if parsed.port != self.site.port and not (parsed.is_page and self.site.is_page):
            return False
        return (
            urls.is_below(parsed.name, own) if self.request.with_subdomains else parsed.name.removeprefix("www.") == own
        )


@dataclass(slots=True)
class _Queue:
    """Sitemaps that wait to be read; each is read once, and only so many."""

    waiting: deque[str]
    seen: set[str] = field(default_factory=set)

    def take(self, most: int) -> list[str]:
        taken = list[str]()
        while self.waiting and len(taken) < most and len(self.seen) < _MOST_SITEMAPS:
            url = self.waiting.popleft()
            if url and url not in self.seen:
                self.seen.add(url)
                taken.append(url)
        return taken


class MapFlow:
    """Maps sites through the untrusted client: the SSRF guard judges every request, and all of them are bounded."""

    def __init__(self, client: UntrustedClient, fetcher: Fetcher, robots: Robots, settings: Settings) -> None:
        self._client = client
        self._fetcher = fetcher
        self._robots = robots
        self._secrecy = SecretUrls(settings.secrets(), allowed=settings.allow_secret_urls)
        self._obeys_robots = settings.respect_robots != "off"
        self._offline = settings.offline

    async def map(self, request: MapRequest, deadline: Deadline) -> SiteMap:
        """Raises `Offline`, and `PageUnreadable` if no page of the site is found and its start page cannot be read."""
        if self._offline:
            raise Offline("map")
        site = urls.parse_web(request.url)
        if site is None:
            raise PageUnreadable(Status.DENIED, reason=FailureReason.ADDRESS_NOT_ALLOWED)
        if objection := self._secrecy.objection(request.url):
            raise PageUnreadable(Status.DENIED, objection)
        found, until = _Found(site, request), deadline.cap(max(0.0, deadline.remaining_s() - _RESERVE_S))
        failure: PageUnreadable | None = None
        if request.sitemap is not SitemapUse.ONLY:
            failure = await self._read_start(found, until)
        if request.sitemap is not SitemapUse.SKIP:
            await self._read_sitemaps(found, until)
        if failure and not found.links:
            raise failure
        ranked = _rank(list(found.links.values()), request.search)
        return SiteMap(site.href, tuple(ranked[: request.limit]), tuple(found.warnings))

    async def _read_start(self, found: _Found, until: Deadline) -> PageUnreadable | None:
        """Add the start page and its links; returns why it could not be read."""
        url = found.site.href
        if self._obeys_robots and not await self._robots.allows(url):
            return self._note(found, PageUnreadable(Status.ROBOTS))
        try:
            body = await self._fetcher.fetch(url, timeout_s=min(_FILE_S, until.remaining_s()))
        except PageUnreadable as failure:
            return self._note(found, failure)
        markup = body.data.decode("utf-8", "replace")
        anchors = await asyncio.to_thread(lambda: list(read_anchors(markup, body.url)))
        found.add([PageLink(url), *anchors])
        return None

    def _note(self, found: _Found, failure: PageUnreadable) -> PageUnreadable:
        found.warnings.append(f"the start page could not be read: {failure.reason or failure.status}")
        return failure

    async def _read_sitemaps(self, found: _Found, until: Deadline) -> None:
        """Add the pages of llms.txt and of all sitemaps, as far as there is time."""
        origin = f"{found.site.scheme}://{found.site.host}" + ("" if found.site.is_page else f":{found.site.port}")
        robots, llms = await asyncio.gather(
            self._get(f"{origin}/robots.txt", found, until), self._get(f"{origin}/llms.txt", found, until)
        )
        found.add(read_llms_txt(llms, origin))
        named = find_sitemaps(robots) or (f"{origin}/sitemap.xml",)
        await self._read_all(_Queue(deque(urls.link(each, origin) for each in named)), found, until)

    async def _read_all(self, queue: _Queue, found: _Found, until: Deadline) -> None:
        """Read sitemaps and the further sitemaps that these name, until the map is full."""
        while not found.is_full and not until.passed and (batch := queue.take(_AT_ONCE)):
            for file in await asyncio.gather(*(self._sitemap(each, found, until) for each in batch)):
                found.add(file.pages)
                queue.waiting.extend(file.sitemaps)
        if queue.waiting and not found.is_full:
            found.warnings.append(f"{len(queue.waiting)} sitemaps were not read")

    async def _sitemap(self, url: str, found: _Found, until: Deadline) -> Sitemap:
        text = await self._get(url, found, until)
        return await asyncio.to_thread(read_sitemap, text, url, MOST_LINKS) if text else Sitemap()

    async def _get(self, url: str, found: _Found, until: Deadline) -> str:
        """The text of a file; empty if there is none. Failures other than a missing file are warnings."""
        if until.passed:
            return ""
        timeout_s = min(_FILE_S, until.remaining_s())
        try:
            fetched = await self._client.get(url, timeout_s=timeout_s, max_bytes=MAX_BYTES, accept=_ACCEPT)
            check_status(fetched.status)
        except WireError as error:
            failure = unreadable(error)
        except PageUnreadable as error:
            failure = error
        else:
            return await asyncio.to_thread(unpack, fetched.body)
        if failure.status is not Status.NOT_FOUND:
            name = urls.parse(url)
            found.warnings.append(f"{name.path if name else url}: {failure.reason or failure.status}")
        return ""


def _rank(links: Sequence[PageLink], search: str) -> list[PageLink]:
    """In order; with words to search for, the links with the most of these words first."""
    words = {word for word in search.casefold().split() if word}
    return sorted(links, key=lambda link: _count_words(link, words), reverse=True) if words else list(links)


def _count_words(link: PageLink, words: Collection[str]) -> int:
    text = f"{link.url} {link.title} {link.description}".casefold()
    return sum(word in text for word in words)
