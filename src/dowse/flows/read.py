"""Reads one page within the deadline: by the scrape APIs if they come first, else by itself. A failure is a status."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from dowse import urls
from dowse.errors import Offline, PageUnreadable
from dowse.flows.scrape import ScrapeChain, Scraped
from dowse.interfaces import Extractor, Fetcher, Observer
from dowse.models import OK, Attempt, Clock, Deadline, Page, Status, Text
from dowse.telemetry.log import LOGGER
from dowse.telemetry.traces import span


class ReadFlow:
    """The only way to a page's text, for `get_content` and for every search result."""

    def __init__(
        self,
        fetcher: Fetcher,
        extractor: Extractor,
        *,
        clock: Clock,
        observer: Observer,
        page_timeout_s: float,
        max_concurrent: int,
        scrape_first: ScrapeChain | None = None,
        offline: bool = False,
    ) -> None:
        self._fetcher = fetcher
        self._extractor = extractor
        self._clock = clock
        self._observer = observer
        self._page_timeout_s = page_timeout_s
        self._slots = asyncio.Semaphore(max_concurrent)
        self._scrape_first = scrape_first
        self._offline = offline

    async def read(self, url: str, deadline: Deadline, *, offline: bool = False) -> Page:
        """The page behind a URL; raises only when offline, which is decided before anything else."""
        if offline or self._offline:
            raise Offline("scrape")
        parsed = urls.parse(url)
        with span("page", host=parsed.host if parsed else "") as current:
            page = await self._read(url, deadline)
            current.finished(OK if page.status.readable else page.status.value, engine=page.engine)
        self._observer.page_finished(page.engine, page.status)
        return page

    async def _read(self, url: str, deadline: Deadline) -> Page:
        started = since = self._clock.now()
        scraped = Scraped()
        try:
            async with asyncio.timeout(deadline.remaining_s()), self._slots:
                if self._scrape_first:
                    scraped = await self._scrape_first.read(url, deadline, kept_s=self._page_timeout_s)
                    since = self._clock.now()
                page = _page(url, scraped.text) if scraped.text else await self._direct(url, deadline)
        except TimeoutError:
            page = Page(url, Status.TIMEOUT)
        except PageUnreadable as error:
            page = Page(url, error.status, reason=error.detail)
        except Exception:
            # A boundary: whatever goes wrong with one page must not cost the others their answer.
            LOGGER.exception("reading a page crashed")
            page = Page(url, Status.ERROR)
        page = replace(page, fetch_ms=self._ms(started), warnings=scraped.warnings)
        return self._told(page, scraped, self._ms(since))

    async def _direct(self, url: str, deadline: Deadline) -> Page:
        deadline = deadline.capped(self._page_timeout_s)
        async with asyncio.timeout(deadline.remaining_s()):
            body = await self._fetcher.fetch(url, timeout_s=deadline.remaining_s())
            text = await self._extractor.extract(body, timeout_s=deadline.remaining_s())
        return _page(url, text, body.url)

    def _told(self, page: Page, scraped: Scraped, direct_ms: int) -> Page:
        """The page with everybody who tried; the observer hears how it ended."""
        engine, attempts = scraped.engine, scraped.attempts
        if not scraped.text:
            outcome = OK if page.status.readable else page.status.value
            engine, attempt = self._fetcher.name, Attempt(self._fetcher.name, "read", outcome, direct_ms, page.reason)
            attempts = (*attempts, attempt)
            if page.status.readable:
                self._observer.attempt_succeeded(attempt)
            else:
                self._observer.attempt_failed(attempt, url=page.url)
        if page.status.readable:
            self._observer.fetch_completed(engine, page.url, page.status, page.fetch_ms)
        return replace(page, engine=engine, attempts=attempts, final_url=page.final_url or page.url)

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


def _page(url: str, text: Text, final_url: str = "") -> Page:
    status = Status.TRUNCATED if text.is_cut else Status.OK
    return Page(url, status, text.markdown, text.title, final_url, word_count=text.word_count, plain=text.plain)
