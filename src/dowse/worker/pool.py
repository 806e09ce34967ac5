"""The extractor the rest of dowse uses: a few worker processes, each of which may be killed at any time.

Nothing here imports a parser; pages are touched in the workers only.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace

from dowse.core import listings
from dowse.core.digests import Digest, Source
from dowse.core.errors import PageUnreadable
from dowse.core.listings import Listing
from dowse.core.models import NO_READABLE_CONTENT, Body, Onward, Status, Text
from dowse.extract.explanation import Explanation, decoded
from dowse.worker import digests, protocol
from dowse.worker.process import Worker, WorkerFailed

_LONGEST_JOB_S = 8.0
# With less there is no point in beginning: a healthy worker would be killed for being late.
_SHORTEST_JOB_S = 0.05
# Half of it is what 5 MB of nothing but tags take, start of the process included.
_STRIP_S = 2.0
# Kept back from an HTML job, so that the stripper still fits into the caller's time.
_RESERVED_SHARE = 0.3
_FAILED = "could not be converted"
_TOO_LATE = "no time left to convert it"


@dataclass(slots=True)
class _Slot:
    """Room for one worker; it is started when a job comes, and again after it was killed."""

    worker: Worker | None = None


class WorkerPool:
    """Implements `protocols.Extractor` and `protocols.ListingReader` with at most `size` processes."""

    def __init__(
        self,
        size: int = 2,
        *,
        pdf_max_pages: int = 100,
        with_images: bool = False,
        is_semantic: bool = False,
    ) -> None:
        self._pdf_max_pages = pdf_max_pages
        self._with_images = with_images
        self._is_semantic = is_semantic
        self._all = [_Slot() for _ in range(size)]
        # Last in, first out: a second process is started only when the first is busy.
        self._idle: asyncio.LifoQueue[_Slot] = asyncio.LifoQueue()
        for slot in reversed(self._all):
            self._idle.put_nowait(slot)
        self._reaping: set[asyncio.Task[None]] = set()
        self._closed = False
        self._jobs = 0
        self._full_s, self._full_since = 0.0, 0.0

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that are running now."""
        return tuple(slot.worker.pid for slot in self._all if slot.worker is not None)

    @property
    def full_s(self) -> float:
        """For how long, in all, there was at least one job for every worker."""
        return self._full_s + (_now() - self._full_since if self._is_full else 0.0)

    @property
    def _is_full(self) -> bool:
        return self._jobs >= len(self._all)

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        """The Markdown of a body; for HTML that cannot be converted, at least its words.

        What only stands for the page, such as a challenge or a login form, is `PageUnreadable` with its status.
        """
        end = _now() + timeout_s
        async with self._free_slot(end) as slot:
            text = await self._text(slot, body, end)
        if not text.markdown.strip():
            raise PageUnreadable(Status.ERROR, NO_READABLE_CONTENT, Onward.ANYBODY)
        return text

    async def render(
        self, fragments: Sequence[str], *, url: str, timeout_s: float, without: Sequence[str] = ()
    ) -> list[str]:
        """Each piece of HTML as Markdown, in one job."""
        job = json.dumps({"fragments": list(fragments), "without": list(without)}).encode()
        header = self._header(protocol.FRAGMENTS, Body(url, job, "application/json"))
        answer = await self._only(header, job, timeout_s)
        return [str(piece) for piece in json.loads(answer.markdown)]

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float
    ) -> tuple[Digest, ...]:
        """What each of the pages has to say to a question, found in one job."""
        pages, data = digests.to_job(sources, max_tokens)
        header: protocol.Header = {
            "mode": protocol.DIGEST,
            "question": question,
            "max_tokens": max_tokens,
            "is_semantic": self._is_semantic,
            "pages": pages,
        }
        answer = await self._only(header, data, timeout_s)
        try:
            return digests.from_answer(answer.markdown, sources)
        except ValueError:
            raise PageUnreadable(Status.ERROR, _FAILED) from None

    async def explain(self, body: Body, *, timeout_s: float) -> Explanation | None:
        """Which parts of a page were taken and why; `None` for what is no HTML, where nothing is chosen."""
        answer = await self._only(self._header(protocol.EXPLAIN, body), body.data, timeout_s)
        try:
            return decoded(answer.markdown) if answer.markdown else None
        except ValueError:
            raise PageUnreadable(Status.ERROR, _FAILED) from None

    async def listing(self, engine: str, body: Body, query: str, *, timeout_s: float) -> Listing:
        """What the page of a search engine says; what stands in place of results is an outcome, not an error."""
        header = {**self._header(protocol.LISTING, body), "engine": engine, "query": query}
        answer = await self._only(header, body.data, timeout_s)
        try:
            return listings.decode(answer.markdown)
        except ValueError:
            raise PageUnreadable(Status.ERROR, _FAILED) from None

    async def close(self) -> None:
        """Kill every worker and wait until none is left; jobs under way fail."""
        self._closed = True
        for slot in self._all:
            self._discard(slot)
        while self._reaping:
            await asyncio.wait(self._reaping)

    @asynccontextmanager
    async def _free_slot(self, end: float) -> AsyncIterator[_Slot]:
        if _now() + _SHORTEST_JOB_S > end:
            raise PageUnreadable(Status.TIMEOUT, _TOO_LATE)
        with self._counted():
            try:
                async with asyncio.timeout_at(end - _SHORTEST_JOB_S):
                    slot = await self._idle.get()
            except TimeoutError:
                # It is our own workers that are busy: nobody is paid to read the page instead.
                raise PageUnreadable(Status.TIMEOUT, "no worker was free in time", Onward.NOBODY) from None
            try:
                yield slot
            finally:
                self._idle.put_nowait(slot)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Around a job, from the moment it waits for a worker."""
        was_full = self._is_full
        self._jobs += 1
        if not was_full and self._is_full:
            self._full_since = _now()
        try:
            yield
        finally:
            full_s = self.full_s
            self._jobs -= 1
            if not self._is_full:
                self._full_s = full_s

    async def _text(self, slot: _Slot, body: Body, end: float) -> Text:
        left_s = end - _now()
        is_markup = _is_markup(body.media_type)
        reserved_s = min(_STRIP_S, _RESERVED_SHARE * left_s) if is_markup else 0.0
        try:
            limit_s = max(left_s - reserved_s, min(left_s, _SHORTEST_JOB_S))
            return await self._job(slot, self._header(protocol.CONVERT, body), body.data, limit_s)
        except WorkerFailed:
            if not is_markup:
                raise PageUnreadable(Status.ERROR, _FAILED) from None
        try:
            header = self._header(protocol.STRIP, body)
            text = await self._job(slot, header, body.data, min(_STRIP_S, end - _now()))
            # Somebody with more time will get a better one.
            return replace(text, may_be_kept=False)
        except WorkerFailed:
            raise PageUnreadable(Status.ERROR, _FAILED) from None

    async def _only(self, header: protocol.Header, data: bytes, timeout_s: float) -> Text:
        """One job that has no second attempt."""
        end = _now() + timeout_s
        async with self._free_slot(end) as slot:
            try:
                return await self._job(slot, header, data, end - _now())
            except WorkerFailed:
                raise PageUnreadable(Status.ERROR, _FAILED) from None

    def _header(self, mode: str, body: Body) -> protocol.Header:
        return {
            "mode": mode,
            "url": body.url,
            "media_type": body.media_type,
            "charset": body.charset,
            "pdf_pages": self._pdf_max_pages,
            "with_images": self._with_images,
        }

    async def _job(self, slot: _Slot, header: protocol.Header, data: bytes, limit_s: float) -> Text:
        """One job in this slot's worker, which does not outlive a failure or a cancellation."""
        if limit_s < _SHORTEST_JOB_S:
            raise PageUnreadable(Status.TIMEOUT, _TOO_LATE)
        limit_s = min(limit_s, _LONGEST_JOB_S)
        worker = self._worker(slot)
        done = False
        try:
            async with asyncio.timeout(limit_s):
                answer, markdown = await worker.run({**header, "limit_s": limit_s}, data)
            if not answer.get("ok"):
                raise WorkerFailed(str(answer.get("error")))
            verdict = protocol.verdict(answer)
            done = True
        except TimeoutError:
            raise WorkerFailed("took too long") from None
        except protocol.BrokenFrame as error:
            raise WorkerFailed(str(error)) from error
        finally:
            if not done:
                self._discard(slot)
        if verdict is not None:
            raise verdict
        words = answer.get("word_count")
        return Text(
            markdown.decode("utf-8", "replace"),
            str(answer.get("title", "")),
            words if isinstance(words, int) else 0,
            is_cut=answer.get("is_cut") is True,
            is_thin=answer.get("is_thin") is True,
            facts=protocol.facts(answer),
        )

    def _worker(self, slot: _Slot) -> Worker:
        if self._closed:
            raise WorkerFailed("the pool is closed")
        if slot.worker is not None and not slot.worker.is_alive:
            self._discard(slot)
        if slot.worker is None:
            slot.worker = Worker.spawn()
        return slot.worker

    def _discard(self, slot: _Slot) -> None:
        """Kill now, wait in the background: the caller may be on its way out."""
        worker, slot.worker = slot.worker, None
        if worker is None:
            return
        worker.kill()
        task = asyncio.get_running_loop().create_task(worker.reap())
        self._reaping.add(task)
        task.add_done_callback(self._reaping.discard)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _is_markup(media_type: str) -> bool:
    """Whether tags could be taken out of it; the names of office files speak of XML too."""
    name = media_type.partition(";")[0].strip().lower()
    return not name or "html" in name or name.endswith(("/xml", "+xml"))
