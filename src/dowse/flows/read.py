"""Reads one page within the deadline, by whoever can, or from memory. A failure is a status."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal

from dowse.cache.entries import Codec
from dowse.cache.fetch import CACHE, Entry, Known, Lifetime, Memory, Recalled, Shelf, Wanted
from dowse.core import urls
from dowse.core.errors import AllProvidersFailed, NoBrowser, Offline, PageUnreadable, Skipped, TimedOut, Unread
from dowse.core.models import (
    LIVE,
    NEEDS_BROWSER,
    NO_READABLE_CONTENT,
    OK,
    Attempt,
    CacheState,
    Clock,
    Deadline,
    Freshness,
    Onward,
    Page,
    Routed,
    Status,
    Text,
)
from dowse.core.protocols import Observer, Progress, Secrecy
from dowse.flows.chain import ReadChain
from dowse.telemetry.log import LOGGER
from dowse.telemetry.traces import span

_QUEUED = "other pages were being read until the time was up; DOWSE_MAX_CONCURRENT_FETCHES lets more at a time"
_HASH_BYTES = 16
# Failures of which it is known at once that they are ones, or that are remembered by somebody else.
_NOT_KEPT = (Status.DENIED, Status.ROBOTS)
# With less, a page may have failed for want of time only, and the next caller may have more.
_ENOUGH_S = 20.0

RobotsMode = Literal["search", "all", "off"]


@dataclass(frozen=True, slots=True)
class PageLifetimes:
    """How long pages are fresh, how long in vain is not tried again, and how long pages are kept in all."""

    fresh_s: float
    failure_s: float
    stale_s: float

    def of(self, text: Text | None = None) -> Lifetime:
        return Lifetime(self.fresh_s if text is None or text.may_be_kept else 0.0, self.stale_s)


@dataclass(frozen=True, slots=True)
class _Failure:
    """A page that could not be read, as it is kept."""

    status: Status
    reason: str
    engine: str
    onward: Onward


class _FailedBefore(AllProvidersFailed):
    """Nobody was asked, because a moment ago everybody was in vain."""

    def __init__(self, failure: _Failure, age_s: float) -> None:
        error = Unread(failure.engine, PageUnreadable(failure.status, failure.reason, failure.onward))
        attempt = Attempt(CACHE, "recall", error.code, 0, f"tried {int(age_s)} s ago")
        self.freshness = Freshness(CacheState.HIT, age_s)
        super().__init__((error,), (attempt,))


class ReadFlow:
    """The only way to a page's text, for `get_content` and for every search result."""

    def __init__(
        self,
        chain: ReadChain,
        secrecy: Secrecy,
        memory: Memory,
        lifetimes: PageLifetimes,
        *,
        clock: Clock,
        observer: Observer,
        max_concurrent: int,
        robots: RobotsMode = "search",
        offline: bool = False,
    ) -> None:
        self._chain = chain
        self._secrecy = secrecy
        self._memory = memory
        self._lifetimes = lifetimes
        self._pages = Shelf("page", Text, memory, _is_outage)
        self._failures = Codec(_Failure)
        self._texts: Codec[Entry[Text]] = Codec(Entry[Text])
        self._clock = clock
        self._observer = observer
        self._slots = asyncio.Semaphore(max_concurrent)
        self._robots = robots
        self._offline = offline

    async def read(self, url: str, deadline: Deadline, *, offline: bool = False, for_search: bool = False) -> Page:
        """The page behind a URL; raises only when offline, which is decided before anything else."""
        self._check(offline=offline)
        heeds_robots = self._heeds_robots(for_search=for_search)
        page = await self._watched(url, lambda: self._found(url, deadline, heeds_robots=heeds_robots))
        # The pages of a search have one answer, which says it for all of them.
        complaints = () if for_search else self._memory.cache.complaints()
        return replace(page, warnings=page.warnings + complaints) if complaints else page

    async def keep(self, page: Page) -> str:
        """Keep a page's text, so that it can be read on from it whatever becomes of the page; its content's hash."""
        digest, cache = content_hash(page.text), self._memory.cache
        name = f"{digest} {page.url}"
        if page.may_be_kept and await cache.get("text", name) is None:
            is_cut = page.status is Status.TRUNCATED
            text = Text(page.text, page.title, page.word_count, is_cut, url=page.final_url, facts=page.facts)
            data = self._texts.encode(Entry(page.engine, text))
            kept_s = self._lifetimes.of().kept_s if data is not None else 0.0
            await cache.put("text", name, data or b"", kept_s, age_s=page.freshness.age_s)
        return digest

    async def kept(self, url: str, digest: str, *, offline: bool = False) -> Page | None:
        """The very text of this URL that has this hash, without a look at the page; `None` if it is forgotten."""
        self._check(offline=offline)
        kept = await self._memory.cache.get("text", f"{digest} {url}")
        entry = self._texts.decode(kept.value) if kept else None
        lifetime = self._lifetimes.of()
        if kept is None or entry is None or kept.age_s >= lifetime.kept_s:
            return None
        if content_hash(entry.answer.markdown) != digest:
            return None
        state = CacheState.HIT if kept.age_s < lifetime.fresh_s else CacheState.STALE
        self._observer.cache_asked("text", state)
        routed = Routed(
            entry.answer, entry.provider, (Attempt(CACHE, "recall", OK, 0, f"{state}, {int(kept.age_s)} s old"),)
        )
        page = _page(url, Recalled(routed, Freshness(state, kept.age_s)))

        async def recalled() -> Page:
            return page

        return await self._watched(url, recalled)

    async def _watched(self, url: str, find: Callable[[], Awaitable[Page]]) -> Page:
        """A page with its span, its time and its line in the log, wherever it comes from."""
        started, parsed = self._clock.now(), urls.parse(url)
        with span("page", host=parsed.host if parsed else "") as current:
            objection = self._secrecy.objection(url)
            page = Page(url, Status.DENIED, warnings=(objection,)) if objection else await find()
            current.finished(OK if page.status.readable else page.status.value, engine=page.engine)
        page = replace(page, fetch_ms=self._ms(started), final_url=page.final_url or url)
        if page.status.readable:
            self._observer.fetch_completed(page.engine, url, page.status, page.fetch_ms, cache=page.freshness.state)
        self._observer.page_finished(page.engine, page.status)
        return page

    async def _found(self, url: str, deadline: Deadline, *, heeds_robots: bool) -> Page:
        async def make(known: Known[Text] | None, until: Deadline, _tell: Progress) -> Routed[Text]:
            return await self._made(url, known, until, heeds_robots=heeds_robots)

        async def suits(text: Text) -> bool:
            return text.heeded_robots or not heeds_robots or await self._chain.permits(url)

        wanted = Wanted(
            url,
            make,
            self._lifetimes.of,
            suits=suits,
            way="heeding robots.txt" if heeds_robots else "",
            is_remembered=self._lifetimes.of().fresh_s > 0,
        )
        try:
            return _page(url, await self._pages.answer(wanted, deadline))
        except AllProvidersFailed as error:
            return _unread(url, error)
        except TimeoutError:
            return Page(url, Status.TIMEOUT)
        except Exception:
            # A boundary: whatever goes wrong with one page must not cost the others of a search their answer.
            LOGGER.exception("finding a reader for a page crashed")
            return Page(url, Status.ERROR)

    async def _made(self, url: str, known: Known[Text] | None, until: Deadline, *, heeds_robots: bool) -> Routed[Text]:
        """What the readers make of the page; raises `AllProvidersFailed`, also for what failed a moment ago."""
        await self._check_failures(url)
        given_s = until.remaining_s()
        async with self._slot(until):
            try:
                return await self._chain.read(
                    url, until, heeds_robots=heeds_robots, known=known.answer if known else None
                )
            except AllProvidersFailed as failed:
                self._remember(url, failed, given_s)
                raise

    @asynccontextmanager
    async def _slot(self, until: Deadline) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(until.remaining_s()):
                await self._slots.acquire()
        except TimeoutError:
            raise AllProvidersFailed((Skipped("", "no time was left"),), (), (_QUEUED,)) from None
        try:
            # Readers end in time by themselves, and whoever was tried by then is told.
            yield
        finally:
            self._slots.release()

    async def _check_failures(self, url: str) -> None:
        kept = await self._memory.cache.get("failure", url) if self._lifetimes.failure_s else None
        failure = self._failures.decode(kept.value) if kept and kept.age_s < self._lifetimes.failure_s else None
        if kept and failure:
            self._observer.cache_asked("failure", CacheState.HIT)
            raise _FailedBefore(failure, kept.age_s)

    def _remember(self, url: str, failed: AllProvidersFailed, given_s: float) -> None:
        """So that nobody tries in vain again right away; unless it was for want of time."""
        page = _unread(url, failed)
        data = self._failures.encode(_Failure(page.status, page.reason, page.engine, _onward(failed)))
        if data is not None and page.status not in _NOT_KEPT and (given_s >= _ENOUGH_S or not _is_outage(failed)):
            self._memory.background.start(self._memory.cache.put("failure", url, data, self._lifetimes.failure_s))

    def _check(self, *, offline: bool) -> None:
        if offline or self._offline:
            raise Offline("scrape")

    def _heeds_robots(self, *, for_search: bool) -> bool:
        return self._robots == "all" or (self._robots == "search" and for_search)

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


def content_hash(text: str) -> str:
    """What a text is known by: a short hash in characters that fit into any address."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _is_outage(failed: AllProvidersFailed) -> bool:
    """Whether it says nothing against what was read before: a page that is gone or refused does."""
    status = _unread("", failed).status
    return status in (Status.TIMEOUT, Status.ERROR) or (status is Status.BLOCKED and _onward(failed) != Onward.NOBODY)


def _onward(failed: AllProvidersFailed) -> Onward:
    """Who might have read it, by the word of the last of our own readers."""
    own = [error for error in failed.errors if isinstance(error, Unread)]
    return own[-1].onward if own else Onward.ANYBODY


def _page(url: str, recalled: Recalled[Text]) -> Page:
    routed = recalled.routed
    text = routed.answer
    return Page(
        url,
        Status.TRUNCATED if text.is_cut else Status.OK,
        text=text.markdown,
        title=text.title,
        final_url=text.url,
        engine=routed.provider,
        word_count=text.word_count,
        plain=text.plain,
        attempts=routed.attempts,
        warnings=routed.warnings + text.warnings,
        freshness=recalled.freshness,
        may_be_kept=text.may_be_kept,
        facts=text.facts,
    )


def _unread(url: str, failed: AllProvidersFailed) -> Page:
    """What dowse itself found out about the page, last; a scrape API only knows that it did not get it."""
    own = [error for error in failed.errors if isinstance(error, Unread)]
    if own:
        status, reason, engine = own[-1].status, own[-1].detail, own[-1].provider
        if reason == NO_READABLE_CONTENT and any(isinstance(error, NoBrowser) for error in failed.errors):
            reason = NEEDS_BROWSER
    else:
        last = failed.errors[-1]
        is_late = isinstance(last, TimedOut | Skipped)
        status, reason, engine = (Status.TIMEOUT if is_late else Status.ERROR), "", last.provider
    freshness = failed.freshness if isinstance(failed, _FailedBefore) else LIVE
    return Page(
        url,
        status,
        reason=reason,
        engine=engine,
        attempts=failed.attempts,
        warnings=failed.warnings,
        freshness=freshness,
    )
