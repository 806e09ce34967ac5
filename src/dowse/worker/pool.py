"""Pool of worker processes for hostile pages: each worker may be killed at any time and is replaced.

It does three jobs: extract (a body to Markdown), render (pieces of HTML to Markdown) and digest (pages to passages for
a question); three more serve single features: explain, listing and score. Nothing here imports a parser.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import astuple, dataclass, replace
from typing import TypeVar

from dowse.core import listings
from dowse.core.digests import Digest, Source
from dowse.core.errors import PageUnreadable
from dowse.core.listings import Listing
from dowse.core.models import Body, Onward, Status, Text
from dowse.core.reasons import FailureReason
from dowse.core.runtime import FairSemaphore, share_key
from dowse.extract.explain import Explanation, decode_explanation
from dowse.settings.sources import subprocess_environment
from dowse.worker import protocol
from dowse.worker.process import MemoryPlan, WorkerFailed, WorkerProcess, container_memory

_LONGEST_JOB_S = 8.0
# With less time left a job is not started: a healthy worker would be killed for being late.
_SHORTEST_JOB_S = 0.05
# Twice the time for 5 MB of nothing but tags, the start of the process included.
_STRIP_S = 2.0
# The share of an HTML job's time that is reserved for stripping, should the conversion fail.
_RESERVED_SHARE = 0.3
_FAILED = "could not be converted"
_TOO_LATE = "no time left to convert it"
# Digests of the last questions: a pure function of its input, and dearer than the rest of a cached call.
_KEPT_DIGESTS = 64
# -P: no module is ever imported from the current directory.
_COMMAND = (sys.executable, "-P", "-m", "dowse.worker.jobs")

Decoded = TypeVar("Decoded")


class WorkerPool:
    """Implements `protocols.Extractor`, `ListingReader` and `DocumentScorer` with `size` processes and one in reserve.

    They share `memory_bytes`, by default the memory of the container; where it is small, there are fewer of them.
    """

    def __init__(
        self,
        size: int = 2,
        *,
        pdf_max_pages: int = 100,
        with_images: bool = False,
        memory_bytes: int | None = None,
    ) -> None:
        self._environment = subprocess_environment()
        self._pdf_max_pages = pdf_max_pages
        self._with_images = with_images
        # One process more than asked for, in reserve for the next caller while another one uses all.
        self._memory = MemoryPlan.divide(memory_bytes or container_memory(), size + 1)
        capacity = max(1, self._memory.workers - 1)
        self._turns = FairSemaphore(capacity, reserve=self._memory.workers - capacity)
        self._all = [_Slot() for _ in range(self._memory.workers)]
        # Last in, first out: a second process is started only when the first is busy.
        self._idle = self._all[::-1]
        self._reaping: set[asyncio.Task[None]] = set()
        self._digests: dict[bytes, tuple[Digest, ...]] = {}
        self._closed = False
        self._jobs = 0
        self._full_s, self._full_since = 0.0, 0.0

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that are running now."""
        return tuple(slot.worker.pid for slot in self._all if slot.worker is not None)

    @property
    def full_s(self) -> float:
        """The total time during which all workers had a job."""
        return self._full_s + (_now() - self._full_since if self._is_full else 0.0)

    @property
    def _is_full(self) -> bool:
        return self._jobs >= self._turns.capacity

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        """Convert a body to Markdown; of HTML that cannot be converted, at least the words.

        Raises `PageUnreadable` with its status for a challenge, a login form and the like in place of the page.
        """
        end = _now() + timeout_s
        async with self._free_slot(end) as slot:
            text = await self._extract(slot, body, end)
        if not text.markdown.strip():
            raise PageUnreadable(Status.ERROR, onward=Onward.ANY_READER, reason=FailureReason.NO_READABLE_CONTENT)
        return text

    async def render(
        self, fragments: Sequence[str], *, url: str, timeout_s: float, without: Sequence[str] = ()
    ) -> list[str]:
        """Convert pieces of HTML to Markdown, in one job."""
        job = json.dumps({"fragments": list(fragments), "without": list(without)}).encode()
        header = self._header(protocol.FRAGMENTS, Body(url, job, "application/json"))
        return await self._run(header, job, timeout_s, lambda text: [str(piece) for piece in json.loads(text)])

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float, share: float = 1.0
    ) -> tuple[Digest, ...]:
        """Digest pages for a question, in one job; the last digests are cached."""
        key = _hash_digest(question, sources, max_tokens, share)
        if (known := self._digests.pop(key, None)) is None:
            known = await self._digest(question, sources, max_tokens, timeout_s, share)
        self._digests[key] = known
        if len(self._digests) > _KEPT_DIGESTS:
            self._digests.pop(next(iter(self._digests)))
        return known

    async def _digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, timeout_s: float, share: float
    ) -> tuple[Digest, ...]:
        pages, data = protocol.encode_sources(sources, max_tokens)
        header: protocol.Header = {
            "mode": protocol.DIGEST,
            "question": question,
            "max_tokens": max_tokens,
            "share": share,
            "pages": pages,
        }
        return await self._run(header, data, timeout_s, lambda text: protocol.decode_digests(text, sources))

    async def explain(self, body: Body, *, timeout_s: float) -> Explanation | None:
        """Explain the extraction of a page; `None` for a body other than HTML, where nothing is selected."""
        header = self._header(protocol.EXPLAIN, body)
        return await self._run(header, body.data, timeout_s, lambda text: decode_explanation(text) if text else None)

    async def listing(self, engine: str, body: Body, query: str, *, timeout_s: float) -> Listing:
        """Read a search result page; a page without results is an outcome, not an error."""
        header = {**self._header(protocol.LISTING, body), "engine": engine, "query": query}
        return await self._run(header, body.data, timeout_s, listings.decode)

    async def score(self, query: str, documents: Sequence[str], *, timeout_s: float) -> tuple[float, ...]:
        """The relevance of each document to a query."""
        sizes, data = protocol.encode_texts(documents)
        header = {"mode": protocol.SCORES, "question": query, "sizes": sizes}
        return await self._run(header, data, timeout_s, lambda text: protocol.decode_scores(text, len(documents)))

    async def close(self) -> None:
        """Kill all workers and wait for their end; running jobs fail."""
        self._closed = True
        for slot in self._all:
            self._discard(slot)
        while self._reaping:
            await asyncio.wait(self._reaping)

    @asynccontextmanager
    async def _free_slot(self, end: float) -> AsyncIterator[_Slot]:
        if _now() + _SHORTEST_JOB_S > end:
            raise PageUnreadable(Status.TIMEOUT, _TOO_LATE)
        with self._count_job():
            try:
                async with asyncio.timeout_at(end - _SHORTEST_JOB_S):
                    owner = await self._turns.acquire(share_key())
            except TimeoutError:
                # Our own workers are busy: no paid API is asked instead.
                raise PageUnreadable(Status.TIMEOUT, "no worker was free in time", Onward.NONE) from None
            slot = self._idle.pop()
            try:
                yield slot
            finally:
                self._idle.append(slot)
                self._turns.release(owner)

    @contextmanager
    def _count_job(self) -> Iterator[None]:
        """Count a job from the moment when it waits for a worker."""
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

    async def _extract(self, slot: _Slot, body: Body, end: float) -> Text:
        left_s = end - _now()
        is_markup = _is_markup(body.media_type)
        sizes, payload = protocol.encode_body(body)
        reserved_s = min(_STRIP_S, _RESERVED_SHARE * left_s) if is_markup else 0.0
        try:
            limit_s = max(left_s - reserved_s, min(left_s, _SHORTEST_JOB_S))
            header = {**self._header(protocol.CONVERT, body), "sheets": sizes}
            return await self._job(slot, header, payload, limit_s)
        except WorkerFailed:
            if not is_markup:
                raise PageUnreadable(Status.ERROR, _FAILED) from None
        try:
            stripping = self._header(protocol.STRIP, body)
            text = await self._job(slot, stripping, body.data, min(_STRIP_S, end - _now()))
            # Not cached: a caller with more time gets a better text.
            return replace(text, may_be_kept=False)
        except WorkerFailed:
            raise PageUnreadable(Status.ERROR, _FAILED) from None

    async def _run(
        self, header: protocol.Header, data: bytes, timeout_s: float, decode: Callable[[str], Decoded]
    ) -> Decoded:
        """One job without a second attempt, and its decoded answer."""
        end = _now() + timeout_s
        try:
            async with self._free_slot(end) as slot:
                answer = await self._job(slot, header, data, end - _now())
            return decode(answer.markdown)
        except (WorkerFailed, ValueError):
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
        """One job in the worker of a slot, which is killed after a failure or a cancellation."""
        if limit_s < _SHORTEST_JOB_S:
            raise PageUnreadable(Status.TIMEOUT, _TOO_LATE)
        limit_s = min(limit_s, _LONGEST_JOB_S)
        worker = self._worker(slot)
        done = False
        try:
            async with asyncio.timeout(limit_s):
                limits = {"limit_s": limit_s, "memory_bytes": self._memory.bytes_each}
                answer, markdown = await worker.run({**header, **limits}, data)
            if not answer.get("ok"):
                raise WorkerFailed(str(answer.get("error")))
            verdict = protocol.decode_verdict(answer)
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
            facts=protocol.decode_facts(answer),
            sheets=protocol.decode_texts(answer, "sheets"),
            warnings=protocol.decode_texts(answer, "warnings"),
        )

    def _worker(self, slot: _Slot) -> WorkerProcess:
        if self._closed:
            raise WorkerFailed("the pool is closed")
        if slot.worker is not None and not slot.worker.is_fit(self._memory.bytes_each):
            self._discard(slot)
        if slot.worker is None:
            slot.worker = WorkerProcess.spawn(_COMMAND, self._environment)
        return slot.worker

    def _discard(self, slot: _Slot) -> None:
        """Kill now and wait in the background: the caller may be cancelled."""
        worker, slot.worker = slot.worker, None
        if worker is None:
            return
        worker.kill()
        task = asyncio.get_running_loop().create_task(worker.reap())
        self._reaping.add(task)
        task.add_done_callback(self._reaping.discard)


@dataclass(slots=True)
class _Slot:
    """Room for one worker, which is started by the next job."""

    worker: WorkerProcess | None = None


def _hash_digest(question: str, sources: Sequence[Source], max_tokens: int, share: float) -> bytes:
    hashed = hashlib.blake2b(digest_size=16)
    for part in (question, f"{max_tokens} {share}", *(field for source in sources for field in astuple(source))):
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8, "big") + encoded)
    return hashed.digest()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _is_markup(media_type: str) -> bool:
    """Whether it is a text with tags; the media types of office files name XML too."""
    name = media_type.partition(";")[0].strip().lower()
    return not name or "html" in name or name.endswith(("/xml", "+xml"))
