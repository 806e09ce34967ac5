"""Reads one page: bytes, then Markdown, within the deadline; a failure is a page with a status."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from dowse.errors import Offline, PageUnreadable
from dowse.interfaces import Extractor, Fetcher, Observer
from dowse.models import OK, Attempt, Clock, Deadline, Page, Status
from dowse.telemetry.log import LOGGER


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
        offline: bool = False,
    ) -> None:
        self._fetcher = fetcher
        self._extractor = extractor
        self._clock = clock
        self._observer = observer
        self._page_timeout_s = page_timeout_s
        self._slots = asyncio.Semaphore(max_concurrent)
        self._offline = offline

    async def read(self, url: str, deadline: Deadline, *, offline: bool = False) -> Page:
        """The page behind a URL; raises only when offline, which is decided before anything else."""
        if offline or self._offline:
            raise Offline("scrape")
        started = self._clock.now()
        try:
            async with asyncio.timeout(deadline.remaining_s()), self._slots:
                page = await self._read(url, deadline.capped(self._page_timeout_s))
        except TimeoutError:
            page = Page(url, Status.TIMEOUT)
        except PageUnreadable as error:
            page = Page(url, error.status, reason=error.detail)
        except Exception:
            # A boundary: whatever goes wrong with one page must not cost the others their answer.
            LOGGER.exception("reading a page crashed")
            page = Page(url, Status.ERROR)
        return self._finished(page, round((self._clock.now() - started) * 1000))

    async def _read(self, url: str, deadline: Deadline) -> Page:
        async with asyncio.timeout(deadline.remaining_s()):
            body = await self._fetcher.fetch(url, timeout_s=deadline.remaining_s())
            text = await self._extractor.extract(body, timeout_s=deadline.remaining_s())
        return Page(url, Status.OK, text.markdown, text.title, body.url, word_count=text.word_count)

    def _finished(self, page: Page, ms: int) -> Page:
        engine = self._fetcher.name
        outcome = OK if page.status.readable else page.status.value
        attempt = Attempt(engine, "read", outcome, ms, page.reason)
        if page.status.readable:
            self._observer.fetch_completed(engine, page.url, page.status, ms)
        else:
            self._observer.attempt_failed(attempt, url=page.url)
        return replace(page, engine=engine, fetch_ms=ms, attempts=(attempt,), final_url=page.final_url or page.url)
