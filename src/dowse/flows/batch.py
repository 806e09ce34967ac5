"""Batches of pages, read in the background: a job that expires, that only its caller sees, and that can be cancelled.

Its record is in the store, so that any replica can tell its state; the replica that took it reads the pages.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dowse.cache.entries import CacheEntries, Codec
from dowse.core.errors import Offline, RequestRefused, StoreFailed
from dowse.core.models import Clock, Deadline, Page, Principal, Status
from dowse.core.runtime import Background, calling, share_key
from dowse.document.clean import beginning
from dowse.flows.read import ReadFlow
from dowse.settings import Settings
from dowse.telemetry.log import LOGGER

MOST_URLS = 200
KEPT_S = 3600.0
"""How long a job and its pages are kept."""
_MOST_JOBS = 3
_TOO_MANY = f"At most {_MOST_JOBS} batches run at a time; wait for one of them, or cancel it."
_AT_ONCE = 4
_LONGEST_S = 1800.0
# Without a renewal of its record for so long, a job has lost its process.
_RENEWED_S, _LOST_S = 5.0, 60.0
_PAGE_CHARS = 400_000
_JOB, _PROGRESS, _CANCELLED, _PAGE = "batch", "batch progress", "batch cancelled", "batch page"
_ID_BYTES = 16
_MARK = b"1"
# Of one answer; more is on the next one.
PAGES_IN_ANSWER = 20

RUNNING, COMPLETED, FAILED, CANCELLED = "scraping", "completed", "failed", "cancelled"


@dataclass(frozen=True, slots=True)
class BatchJob:
    """A job as it was asked for; `options` are those of the caller's wire."""

    urls: tuple[str, ...]
    options: str
    began_at: float


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far a job has come: the numbers of the pages that were read or failed, in this order."""

    status: str = RUNNING
    read: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchState:
    """A job with its status, and some of its pages from `skip` on; `has_more` if there are more of them by now."""

    job: BatchJob
    status: str
    completed: int
    pages: tuple[Page, ...] = ()
    failures: tuple[Page, ...] = ()
    skip: int = 0
    has_more: bool = False


@dataclass(slots=True)
class _Run:
    """A job while this process works on it."""

    name: str
    job: BatchJob
    caller: Principal
    read: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    def progress(self, status: str) -> _Progress:
        return _Progress(status, tuple(self.read), tuple(self.failed))


class BatchFlow:
    """Starts, reports and cancels jobs."""

    def __init__(self, reader: ReadFlow, entries: CacheEntries, clock: Clock, settings: Settings) -> None:
        self._reader = reader
        self._entries = entries
        self._clock = clock
        self._page_s = settings.deadline_s
        self._offline = settings.offline
        self._jobs, self._progress, self._pages = Codec(BatchJob), Codec(_Progress), Codec(Page)
        self._background = Background()
        self._running: Counter[str] = Counter()

    async def start(self, urls: Sequence[str], options: str, caller: Principal) -> str:
        """Begin a job and return its id; raises `Offline`, `RequestRefused` above the limit, and `StoreFailed`."""
        if self._offline:
            raise Offline("scrape")
        owner = share_key(caller)
        if self._running[owner] >= _MOST_JOBS:
            raise RequestRefused(429, _TOO_MANY)
        job_id = secrets.token_hex(_ID_BYTES)
        run = _Run(_name(job_id, caller), BatchJob(tuple(urls), options, self._now()), caller)
        await self._write(_JOB, run.name, self._jobs.encode(run.job))
        await self._write(_PROGRESS, run.name, self._progress.encode(run.progress(RUNNING)))
        if await self._entries.look(_JOB, run.name) is None:
            raise StoreFailed("The store of this server cannot keep a batch now; try again later.")
        self._running[owner] += 1
        self._background.start(self._work(run, owner))
        return job_id

    async def state(self, job_id: str, caller: Principal, skip: int = 0) -> BatchState | None:
        """The state of a caller's job; `None` for a job that does not exist, has expired, or is another caller's."""
        name = _name(job_id, caller)
        kept = await self._entries.look(_JOB, name)
        job = self._jobs.decode(kept.value) if kept else None
        if job is None:
            return None
        progress = await self._look_up(name)
        shown = progress.read[skip : skip + PAGES_IN_ANSWER]
        return BatchState(
            job,
            progress.status,
            len(progress.read) + len(progress.failed),
            await self._pages_of(name, shown),
            await self._pages_of(name, progress.failed),
            skip,
            has_more=skip + len(shown) < len(progress.read),
        )

    async def _look_up(self, name: str) -> _Progress:
        """How far a job has come, whichever replica works on it."""
        told = await self._entries.look(_PROGRESS, name)
        progress = self._progress.decode(told.value) if told else None
        if told is None or progress is None:
            return _Progress(FAILED)
        if progress.status != RUNNING:
            return progress
        if told.age_s > _LOST_S:
            return replace(progress, status=FAILED)
        is_cancelled = await self._entries.look(_CANCELLED, name)
        return replace(progress, status=CANCELLED) if is_cancelled else progress

    async def _pages_of(self, name: str, numbers: Sequence[int]) -> tuple[Page, ...]:
        kept = [await self._entries.look(_PAGE, f"{name} {number}") for number in numbers]
        pages = [self._pages.decode(each.value) for each in kept if each]
        return tuple(page for page in pages if page)

    async def cancel(self, job_id: str, caller: Principal) -> bool:
        """Cancel a caller's running job, whichever replica works on it; returns whether there is one."""
        state = await self.state(job_id, caller)
        if state is None or state.status not in (RUNNING, CANCELLED):
            return False
        await self._write(_CANCELLED, _name(job_id, caller), _MARK)
        return True

    async def close(self) -> None:
        """End the jobs of this process; their records say that they have failed."""
        await self._background.finish(0)

    async def _work(self, run: _Run, owner: str) -> None:
        status = FAILED
        try:
            async with asyncio.timeout(_LONGEST_S):
                with calling(run.caller):
                    status = await self._read_all(run)
        except TimeoutError:
            LOGGER.warning("a batch took too long")
        finally:
            self._running[owner] -= 1
            await asyncio.shield(self._tell(run, status))

    async def _read_all(self, run: _Run) -> str:
        """Read the pages a few at a time; returns the status in the end."""
        waiting, reading = list(enumerate(run.job.urls)), set[asyncio.Task[None]]()
        try:
            while waiting or reading:
                if await self._entries.look(_CANCELLED, run.name):
                    return CANCELLED
                while waiting and len(reading) < _AT_ONCE:
                    reading.add(asyncio.create_task(self._read(run, *waiting.pop(0))))
                done, reading = await asyncio.wait(reading, timeout=_RENEWED_S, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                await self._tell(run, RUNNING)
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(*reading, return_exceptions=True)
        return COMPLETED

    async def _read(self, run: _Run, number: int, url: str) -> None:
        try:
            page = await self._reader.read(url, Deadline.after(self._clock, self._page_s), caller=run.caller)
        except Offline:
            page = Page(url, Status.OFFLINE)
        if len(page.text) > _PAGE_CHARS:
            cut = await asyncio.to_thread(beginning, page.text, _PAGE_CHARS)
            page = replace(page, text=cut, status=Status.TRUNCATED)
        await self._write(_PAGE, f"{run.name} {number}", self._pages.encode(replace(page, attempts=(), plain="")))
        (run.read if page.status.readable else run.failed).append(number)

    async def _tell(self, run: _Run, status: str) -> None:
        await self._write(_PROGRESS, run.name, self._progress.encode(run.progress(status)))

    async def _write(self, kind: str, name: str, value: bytes | None) -> None:
        await self._entries.put(kind, name, value or b"", KEPT_S)

    def _now(self) -> float:
        return self._clock.utc().timestamp()


def _name(job_id: str, caller: Principal) -> str:
    """The name of a job's records: without the caller's name they cannot be found."""
    return repr((share_key(caller), job_id))
