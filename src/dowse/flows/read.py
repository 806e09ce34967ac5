"""Reads one page within the deadline, by whoever can. A failure is a status."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Literal

from dowse import urls
from dowse.errors import AllProvidersFailed, NoBrowser, Offline, Skipped, TimedOut, Unread
from dowse.flows.chain import ReadChain
from dowse.interfaces import Observer, Secrecy
from dowse.models import NEEDS_BROWSER, NO_READABLE_CONTENT, OK, Clock, Deadline, Page, Status, Text
from dowse.routing.router import Routed
from dowse.telemetry.log import LOGGER
from dowse.telemetry.traces import span

_QUEUED = "other pages were being read until the time was up; DOWSE_MAX_CONCURRENT_FETCHES lets more at a time"

RobotsMode = Literal["search", "all", "off"]


class ReadFlow:
    """The only way to a page's text, for `get_content` and for every search result."""

    def __init__(
        self,
        chain: ReadChain,
        secrecy: Secrecy,
        *,
        clock: Clock,
        observer: Observer,
        max_concurrent: int,
        robots: RobotsMode = "search",
        offline: bool = False,
    ) -> None:
        self._chain = chain
        self._secrecy = secrecy
        self._clock = clock
        self._observer = observer
        self._slots = asyncio.Semaphore(max_concurrent)
        self._robots = robots
        self._offline = offline

    async def read(self, url: str, deadline: Deadline, *, offline: bool = False, for_search: bool = False) -> Page:
        """The page behind a URL; raises only when offline, which is decided before anything else."""
        if offline or self._offline:
            raise Offline("scrape")
        parsed = urls.parse(url)
        with span("page", host=parsed.host if parsed else "") as current:
            page = await self._read(url, deadline, heeds_robots=self._heeds_robots(for_search=for_search))
            current.finished(OK if page.status.readable else page.status.value, engine=page.engine)
        self._observer.page_finished(page.engine, page.status)
        return page

    async def _read(self, url: str, deadline: Deadline, *, heeds_robots: bool) -> Page:
        started = self._clock.now()
        if objection := self._secrecy.objection(url):
            page = Page(url, Status.DENIED, warnings=(objection,))
        else:
            page = await self._chained(url, deadline, heeds_robots=heeds_robots)
        page = replace(page, fetch_ms=self._ms(started), final_url=page.final_url or url)
        if page.status.readable:
            self._observer.fetch_completed(page.engine, url, page.status, page.fetch_ms)
        return page

    async def _chained(self, url: str, deadline: Deadline, *, heeds_robots: bool) -> Page:
        try:
            async with asyncio.timeout(deadline.remaining_s()):
                await self._slots.acquire()
        except TimeoutError:
            return Page(url, Status.TIMEOUT, warnings=(_QUEUED,))
        try:
            # Readers end in time by themselves, and whoever was tried by then is told.
            return _page(url, await self._chain.read(url, deadline, heeds_robots=heeds_robots))
        except AllProvidersFailed as error:
            return _unread(url, error)
        except Exception:
            # A boundary: whatever goes wrong with one page must not cost the others of a search their answer.
            LOGGER.exception("finding a reader for a page crashed")
            return Page(url, Status.ERROR)
        finally:
            self._slots.release()

    def _heeds_robots(self, *, for_search: bool) -> bool:
        return self._robots == "all" or (self._robots == "search" and for_search)

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


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
        validators=text.validators,
        attempts=routed.attempts,
        warnings=routed.warnings + text.warnings,
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
    return Page(url, status, reason=reason, engine=engine, attempts=failed.attempts, warnings=failed.warnings)
