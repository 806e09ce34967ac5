"""One search: ask the providers in order, drop duplicates, read the pages side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from dowse.errors import AllProvidersFailed, NoProvider, Offline, TimedOut, Transient
from dowse.flows.read import ReadFlow
from dowse.flows.shelf import Known, Lifetime, Memory, Recalled, Shelf, Wanted
from dowse.interfaces import Observer, Progress, SearchProvider, no_progress
from dowse.models import (
    Attempt,
    Category,
    Clock,
    Deadline,
    Found,
    Hit,
    Page,
    Query,
    Result,
    SearchOutcome,
    Stats,
    Status,
    TimeRange,
)
from dowse.rank.dedupe import unique
from dowse.routing.router import Routed, Router

# Reading needs what is left when the providers were slow: they never get the whole of the time.
_SEARCH_SHARE = 0.8
NO_PROVIDER = (
    "No search provider is configured. Set SERPER_API_KEY or TAVILY_API_KEY (or EXA_API_KEY, or SEARXNG_URL "
    "for your own SearXNG) in the environment of this server, then restart it."
)


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long the results of a search are good, by what was asked for and by what came."""

    usual_s: float
    news_s: float
    empty_s: float
    stale_s: float

    def of(self, query: Query, found: Found | None = None) -> Lifetime:
        is_news = query.category is Category.NEWS or query.time_range is TimeRange.DAY
        fresh_s = self.news_s if is_news else self.usual_s
        if found is not None and not found.hits:
            # Nothing may be somebody's hiccup, and is of no use to anybody later.
            return Lifetime(min(fresh_s, self.empty_s))
        return Lifetime(fresh_s, self.stale_s)


class SearchFlow:
    """Finds pages and reads them; knows providers only as a router."""

    def __init__(
        self,
        router: Router[SearchProvider],
        reader: ReadFlow,
        memory: Memory,
        lifetimes: Lifetimes,
        *,
        clock: Clock,
        observer: Observer,
        offline: bool = False,
    ) -> None:
        self._router = router
        self._reader = reader
        self._memory = memory
        self._shelf = Shelf("search", Found, memory, _is_outage)
        self._lifetimes = lifetimes
        self._clock = clock
        self._observer = observer
        self._offline = offline

    async def search(
        self,
        query: Query,
        deadline: Deadline,
        *,
        fetch_content: bool = True,
        offline: bool = False,
        progress: Progress = no_progress,
    ) -> SearchOutcome:
        """Raises `Offline`, `NoProvider` or `AllProvidersFailed`; a page that fails is a result."""
        if offline or self._offline:
            raise Offline("search")
        if not self._router.providers:
            raise NoProvider(NO_PROVIDER)
        started = self._clock.now()
        search_deadline = deadline.capped(deadline.remaining_s() * _SEARCH_SHARE) if fetch_content else deadline
        recalled = await self._find(query, search_deadline, progress)
        routed = recalled.routed
        search_ms = self._ms(started)
        hits = unique(routed.answer.hits)
        state = recalled.freshness.state
        self._observer.search_completed(routed.provider, query.text, len(hits), search_ms, cache=state)
        pages = await self._pages(hits, deadline, progress) if fetch_content else _unread(hits)
        return SearchOutcome(
            query=query,
            engine=routed.provider,
            results=_ordered(hits, pages),
            attempts=routed.attempts,
            answers=routed.answer.answers,
            suggestions=routed.answer.suggestions,
            warnings=routed.warnings + routed.answer.warnings + _remarks(pages) + self._memory.cache.complaints(),
            stats=_stats(pages, search_ms, self._ms(started)),
            freshness=recalled.freshness,
        )

    async def _find(self, query: Query, deadline: Deadline, progress: Progress) -> Recalled[Found]:
        async def ask(provider: SearchProvider, until: Deadline) -> Found:
            return await provider.search(query, until)

        async def make(_known: Known[Found] | None, until: Deadline, tell: Progress) -> Routed[Found]:
            return await self._router.first_answer(ask, until, tell)

        given_s = deadline.remaining_s()
        wanted = Wanted(
            repr(query),
            make,
            lambda found: self._lifetimes.of(query, found),
            is_remembered=self._lifetimes.of(query).fresh_s > 0,
        )
        try:
            return await self._shelf.answer(wanted, deadline, progress)
        except TimeoutError:
            # Somebody else was at it already, and is slower than this caller can wait.
            late = TimedOut(self._router.providers[0].name, f"no answer within {given_s:.1f} s")
            attempt = Attempt(late.provider, "search", late.code, round(given_s * 1000), late.detail)
            raise AllProvidersFailed((late,), (attempt,)) from None

    async def _pages(self, hits: Sequence[Hit], deadline: Deadline, progress: Progress) -> list[Page]:
        done = 0

        async def read(hit: Hit) -> Page:
            nonlocal done
            page = await self._reader.read(hit.url, deadline, for_search=True)
            done += 1
            await progress(f"read {done} of {len(hits)} pages")
            return page

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read(hit)) for hit in hits]
        return [task.result() for task in tasks]

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


def _is_outage(failed: AllProvidersFailed) -> bool:
    """Whether an older answer is better than this failure; a rejected key is for the user to hear of."""
    return all(isinstance(error, Transient) for error in failed.errors)


def _remarks(pages: Sequence[Page]) -> tuple[str, ...]:
    """What readers had to say, once: a rejected key fails at every page in the same words."""
    return tuple(dict.fromkeys(f"while reading pages, {warning}" for page in pages for warning in page.warnings))


def _unread(hits: Sequence[Hit]) -> list[Page]:
    return [Page(hit.url, Status.NOT_FETCHED, final_url=hit.url) for hit in hits]


def _ordered(hits: Sequence[Hit], pages: Sequence[Page]) -> tuple[Result, ...]:
    """In the provider's order, except that pages which could not be read come last."""
    pairs = sorted(zip(hits, pages, strict=True), key=lambda pair: _failed(pair[1]))
    return tuple(Result(hit, page, score=round(1 / (1 + 0.1 * rank), 3)) for rank, (hit, page) in enumerate(pairs))


def _failed(page: Page) -> bool:
    return not page.status.readable and page.status is not Status.NOT_FETCHED


def _stats(pages: Sequence[Page], search_ms: int, total_ms: int) -> Stats:
    read, failed = sum(page.status.readable for page in pages), sum(map(_failed, pages))
    return Stats(search_ms=search_ms, total_ms=total_ms, pages_read=read, pages_failed=failed)
