"""Reads one page within a deadline, through the cache. A failure is a status of the page."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from dowse.cache.entries import Codec, PageLifetimes
from dowse.cache.fetch import CACHE, Cache, CacheKey, Kind, NegativeCaching, recall_attempt
from dowse.core import urls
from dowse.core.errors import AllProvidersFailed, NoBrowser, Offline, PageUnreadable, Skipped, TimedOut, Unread
from dowse.core.models import (
    LIVE,
    LOCAL,
    OK,
    Attempt,
    CacheState,
    Clock,
    Deadline,
    Freshness,
    Onward,
    Page,
    Principal,
    Routed,
    Status,
    Text,
)
from dowse.core.protocols import Observer, PageReader, Progress, Secrecy
from dowse.core.reasons import FailureReason
from dowse.core.runtime import FairSemaphore, calling, reserve_of, share_key
from dowse.flows.readers import ReadChain
from dowse.telemetry.log import LOGGER, span

_QUEUED = "other pages were being read until the time was up; DOWSE_MAX_CONCURRENT_FETCHES lets more at a time"
_HASH_BYTES = 16
# Failures that are decided here without a request, or cached elsewhere.
_NOT_CACHED = (Status.DENIED, Status.ROBOTS)
# With less, a page may have failed for want of time only, and the next caller may have more.
_ENOUGH_S = 20.0
_BEGUN = "text"
# A text takes up to 8 MB, two million characters of four bytes each. A text gets one part in four of the free memory.
_HELD_BYTES = 32 * 1024 * 1024
_TEXTS_AHEAD = 4
# More than a page among twenty can show.
_LEAST_CHARS = 10_000

RobotsMode = Literal["search", "all", "off"]


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failure to read a page, as it is cached."""

    status: Status
    engine: str
    onward: Onward
    reason: FailureReason | None = None
    http_status: int | None = None


class _FailedBefore(AllProvidersFailed):
    """A cached failure, raised again without a request."""

    def __init__(self, failure: _Failure, age_s: float) -> None:
        page = PageUnreadable(
            failure.status, onward=failure.onward, reason=failure.reason, http_status=failure.http_status
        )
        error = Unread(failure.engine, page)
        attempt = Attempt(CACHE, "recall", error.code, 0, f"tried {int(age_s)} s ago")
        self.freshness = Freshness(CacheState.HIT, age_s)
        super().__init__((error,), (attempt,))


class _Queued(AllProvidersFailed):
    """The time was up before the page had its turn among others."""

    def __init__(self) -> None:
        super().__init__((Skipped("", "no time was left"),), (), (_QUEUED,))


@dataclass(frozen=True, slots=True)
class _BegunText:
    """A text that is read in parts, as it is kept for the next part."""

    provider: str
    text: Text


Hold = Callable[[Page], Awaitable[Page]]
"""Takes a page into the memory of a call; returns it, cut if it takes too much."""


class HeldTexts:
    """Memory of the texts that calls hold while they wait for other pages and for passages.

    Each text gets a part of the memory that is left to its caller, and is cut to it: however many large pages calls
    ask for, the memory is bounded, and no call waits for it. The rule between callers is that of `admits`.
    """

    def __init__(self, capacity: int = _HELD_BYTES) -> None:
        self._capacity = capacity
        self._held: Counter[str] = Counter()

    @contextmanager
    def of_call(self, caller: str) -> Iterator[Hold]:
        """Hold pages for a call until it has shown them."""
        held = 0

        async def hold(page: Page) -> Page:
            nonlocal held
            size, chars = sys.getsizeof(page.text), len(page.text)
            most_chars = max(_LEAST_CHARS, int(chars * self._room(caller) / size))
            taken = size * min(chars, most_chars) // max(1, chars)
            held += taken
            self._held[caller] += taken
            return page if chars <= most_chars else await asyncio.to_thread(_cut, page, most_chars)

        try:
            yield hold
        finally:
            self._held[caller] -= held
            if not self._held[caller]:
                del self._held[caller]

    def _room(self, caller: str) -> float:
        """The memory for one more text of a caller."""
        in_use, share = self._held.total(), self._capacity / len(self._held.keys() | {caller})
        reserved = min(share - self._held[caller], self._capacity + reserve_of(self._capacity) - in_use)
        return max(0.0, self._capacity - in_use, reserved) / _TEXTS_AHEAD


def _cut(page: Page, most_chars: int) -> Page:
    from dowse.document.clean import beginning

    return replace(page, text=beginning(page.text, most_chars), status=Status.TRUNCATED)


class ReadFlow:
    """The only way to the text of a page, for `get_content` and for every search result."""

    def __init__(
        self,
        chain: ReadChain,
        secrecy: Secrecy,
        cache: Cache,
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
        self._cache = cache
        self._lifetimes = lifetimes
        failures = NegativeCaching(lifetimes.failure_s, _Failure, _failure_to_cache, _FailedBefore)
        self._pages = Kind("page", Text, _is_outage, failures)
        self._private_pages = Kind("private page", Text, _is_outage)
        self._texts = Codec(_BegunText)
        self._clock = clock
        self._observer = observer
        self._slots = FairSemaphore(max_concurrent)
        self._texts_held = HeldTexts()
        self._robots = robots
        self._offline = offline

    async def read(
        self,
        url: str,
        deadline: Deadline,
        *,
        offline: bool = False,
        for_search: bool = False,
        max_age_s: float | None = None,
        caller: Principal = LOCAL,
    ) -> Page:
        """The page behind a URL; raises only when offline, which is decided before anything else.

        A copy from the cache is at most `max_age_s` old, unless it stands in for a site that is down.
        """
        self._check_online(offline=offline)
        obeys_robots = self._robots == "all" or (self._robots == "search" and for_search)
        # Not for a search: its answer is cached for all callers.
        only = None if for_search else self._chain.private_reader(url, caller)
        lifetimes = self._lifetimes.within(max_age_s)
        return await self._observe(
            url, lambda: self._fetch(url, deadline, caller, only, lifetimes, obeys_robots=obeys_robots)
        )

    async def _fetch(
        self,
        url: str,
        deadline: Deadline,
        caller: Principal,
        only: PageReader | None,
        lifetimes: PageLifetimes,
        *,
        obeys_robots: bool,
    ) -> Page:
        async def produce(known: Text | None, until: Deadline, _tell: Progress) -> Routed[Text]:
            return await self._chain.read(url, until, obeys_robots=obeys_robots, known=known, caller=caller, only=only)

        async def accepts(text: Text) -> bool:
            return text.is_allowed_by_robots or not obeys_robots or await self._chain.permits(url)

        key = CacheKey(self._pages, url, "obeying robots.txt" if obeys_robots else "")
        if only:
            # Shared with no other caller, not even in flight.
            key = CacheKey(self._private_pages, repr((caller.name, url)))
        try:
            with calling(caller):
                fetching = self._cache.fetch(key, produce, lifetimes, deadline, turn=self._slot, accepts=accepts)
                return _page(url, await fetching)
        except AllProvidersFailed as error:
            return _unread(url, error)
        except TimeoutError:
            return Page(url, Status.TIMEOUT)
        except Exception:
            # A boundary: a bug that hits one page must not cost the others of a search their answer.
            LOGGER.exception("finding a reader for a page crashed")
            return Page(url, Status.ERROR)

    def holding(self, caller: Principal) -> AbstractContextManager[Hold]:
        """The bounded memory of a call for the pages that it holds at the same time."""
        return self._texts_held.of_call(share_key(caller))

    async def keep(self, page: Page) -> str:
        """Keep a text that is read in parts, so that the next part fits even if the page changes; its content hash."""
        digest, entries = content_hash(page.text), self._cache.entries
        name = f"{digest} {page.url}"
        is_new = page.freshness.state is CacheState.MISS
        if page.may_be_kept and (is_new or await entries.get(_BEGUN, name) is None):
            is_cut = page.status is Status.TRUNCATED
            text = Text(page.text, page.title, page.word_count, is_cut, url=page.final_url, facts=page.facts)
            data = self._texts.encode(_BegunText(page.engine, text))
            kept_s = self._lifetimes.of().kept_s if data is not None else 0.0
            await entries.put(_BEGUN, name, data or b"", kept_s, age_s=page.freshness.age_s)
        return digest

    async def recall(self, url: str, digest: str, *, offline: bool = False) -> Page | None:
        """The text of this URL with this content hash, without a look at the page; `None` if it is not kept."""
        self._check_online(offline=offline)
        kept = await self._cache.entries.get(_BEGUN, f"{digest} {url}")
        begun = self._texts.decode(kept.value) if kept else None
        lifetime = self._lifetimes.of()
        if kept is None or begun is None or kept.age_s >= lifetime.kept_s:
            return None
        if content_hash(begun.text.markdown) != digest:
            return None
        state = CacheState.HIT if kept.age_s < lifetime.fresh_s else CacheState.STALE
        self._observer.cache_asked(_BEGUN, state)
        attempt, freshness = recall_attempt(state, kept.age_s), Freshness(state, kept.age_s)
        page = _page(url, Routed(begun.text, begun.provider, (attempt,), freshness=freshness))

        async def serve() -> Page:
            return page

        return await self._observe(url, serve)

    async def _observe(self, url: str, find: Callable[[], Awaitable[Page]]) -> Page:
        """A page with its span, its time and its line in the log, wherever it comes from."""
        started, parsed = self._clock.now(), urls.parse(url)
        with span("page", host=parsed.host if parsed else "") as current:
            objection = self._secrecy.objection(url)
            page = Page(url, Status.DENIED, warnings=(objection,)) if objection else await find()
            current.finish(OK if page.status.readable else page.status.value, engine=page.engine)
        fetch_ms = round((self._clock.now() - started) * 1000)
        page = replace(page, fetch_ms=fetch_ms, final_url=page.final_url or url)
        if page.status.readable:
            self._observer.fetch_completed(page.engine, url, page.status, page.fetch_ms, cache=page.freshness.state)
        self._observer.page_finished(page.engine, page.status)
        return page

    @asynccontextmanager
    async def _slot(self, until: Deadline) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(until.remaining_s()):
                owner = await self._slots.acquire(share_key())
        except TimeoutError:
            raise _Queued from None
        try:
            # Readers end in time by themselves, and report the attempts until then.
            yield
        finally:
            self._slots.release(owner)

    def _check_online(self, *, offline: bool) -> None:
        if offline or self._offline:
            raise Offline("scrape")


def content_hash(text: str) -> str:
    """A short hash of a text, in characters that fit into any address."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _failure_to_cache(failed: AllProvidersFailed, given_s: float) -> _Failure | None:
    """A failure as it is cached, unless it may be due to a lack of time."""
    page = _unread("", failed)
    if isinstance(failed, _Queued) or page.status in _NOT_CACHED:
        return None
    if given_s < _ENOUGH_S and _is_outage(failed):
        return None
    return _Failure(page.status, page.engine, _onward(failed), page.reason, page.http_status)


def _is_outage(failed: AllProvidersFailed) -> bool:
    """Whether a stale text may stand in: not for a page that is gone or refused."""
    status = _unread("", failed).status
    return status in (Status.TIMEOUT, Status.ERROR) or (status is Status.BLOCKED and _onward(failed) != Onward.NONE)


def _onward(failed: AllProvidersFailed) -> Onward:
    """Which readers might have read the page, by the last of dowse's own readers."""
    own = [error for error in failed.errors if isinstance(error, Unread)]
    return own[-1].onward if own else Onward.ANY_READER


def _page(url: str, routed: Routed[Text]) -> Page:
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
        freshness=routed.freshness,
        may_be_kept=text.may_be_kept,
        facts=text.facts,
    )


def _unread(url: str, failed: AllProvidersFailed) -> Page:
    """The failure by the last of dowse's own readers; a scrape API only knows that it did not get the page."""
    own = [error for error in failed.errors if isinstance(error, Unread)]
    if own:
        last = own[-1]
        status, reason, http_status, engine = last.status, last.reason, last.http_status, last.provider
        is_empty = reason is FailureReason.NO_READABLE_CONTENT
        if is_empty and any(isinstance(error, NoBrowser) for error in failed.errors):
            reason = FailureReason.NEEDS_BROWSER
    else:
        other = failed.errors[-1]
        status = Status.TIMEOUT if isinstance(other, TimedOut | Skipped) else Status.ERROR
        # The HTTP status of a scrape API is not the one of the page.
        reason, http_status, engine = None, None, other.provider
    freshness = failed.freshness if isinstance(failed, _FailedBefore) else LIVE
    return Page(
        url,
        status,
        reason=reason,
        http_status=http_status,
        engine=engine,
        attempts=failed.attempts,
        warnings=failed.warnings,
        freshness=freshness,
    )
