"""The two threads of a SQLite store: one reads, one writes in batches, and the event loop waits for neither."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from dowse.core.errors import StoreFailed
from dowse.stores.sqlite.file import FAILURES, Presence, Room, SetAside, StateFile, begin_write, clear

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

CLOSE_S = 2.0  # for waiting work; a disk that hangs may take for ever
_BESIDE_BYTES = 8_192  # a job changes about two pages beside those of its value
_ATTEMPTS = 5


class Threads:
    """A reader and a writer, each with a connection of its own. Only the writer writes."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.room = Room(path, max_bytes)
        self.presence = Presence(path)
        self.reader = SqliteThread("store-reader", StateFile(path, self._settle_reader))
        self.writer = SqliteWriter("store-writer", StateFile(path, self.room.settle), self.room)

    async def clear(self) -> int:
        return await self.writer.run(clear)

    async def close(self) -> None:
        ends_at = asyncio.get_running_loop().time() + CLOSE_S
        # The writer last: the last connection to close copies the log into the file. A stuck reader leaves it time.
        await self.reader.close(ends_at - CLOSE_S / 2)
        await self.writer.close(ends_at)
        self.presence.leave()

    def _settle_reader(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA query_only = ON")
        self.presence.enter()


class SqliteThread:
    """A single-thread executor with one connection.

    Unlike the thread of a `ThreadPoolExecutor`, which is joined at exit, this one is a daemon: a disk that hangs does
    not keep the process alive.
    """

    def __init__(self, name: str, file: StateFile) -> None:
        self._file = file
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._waiters: set[asyncio.Future[Any]] = set()  # only cancelled, whatever they wait for
        self._is_closed = False
        self._is_abandoned = False
        Thread(target=self._run_queue, name=name, daemon=True).start()

    async def run(self, work: Work[T]) -> T:
        future = Future[T]()
        return await self._submit(future, lambda: _resolve(future, lambda: self._use_file(work)))

    async def close(self, ends_at: float) -> None:
        """Finish waiting work and end the thread. If it is stuck by then, it is abandoned and its callers fail."""
        self._is_closed = True
        closed = Future[None]()
        self._queue.put(lambda: _resolve(closed, self._file.close))
        self._queue.put(None)
        waiter = asyncio.wrap_future(closed)
        await asyncio.wait([waiter], timeout=max(0.0, ends_at - asyncio.get_running_loop().time()))
        if waiter.done():
            await waiter
            return
        self._is_abandoned = True
        for each in self._waiters:
            each.cancel()

    def _run_queue(self) -> None:
        while (step := self._queue.get()) is not None:
            step()
            del step  # holds a value, and the next one may be long in coming

    async def _submit(self, future: Future[T], step: Callable[[], None]) -> T:
        """Queue a step of the thread that resolves the future, and wait for it."""
        if self._is_closed:
            raise StoreFailed(f"{self._file.path}: used after it was closed")
        self._queue.put(step)
        waiter = asyncio.wrap_future(future)
        self._waiters.add(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if self._is_abandoned and caller is not None and not caller.cancelling():
                raise StoreFailed(f"{self._file.path}: closed before it answered") from None
            raise
        finally:
            self._waiters.discard(waiter)

    def _use_file(self, work: Work[T]) -> T:
        try:
            return self._attempt(work)
        except SetAside:
            return self._attempt(work)

    def _attempt(self, work: Work[T]) -> T:
        try:
            return work(self._file.connection())
        except FAILURES as error:
            raise self._file.give_up(error) from error


@dataclass(eq=False, slots=True)
class _Job(Generic[T]):
    work: Work[T]
    room_bytes: int
    future: Future[T] = field(default_factory=Future)


_AnyJob = _Job[Any]  # the jobs of a batch have different results, each for its own future


class SqliteWriter(SqliteThread):
    """Writes waiting jobs in one transaction, which costs little more than a single write."""

    def __init__(self, name: str, file: StateFile, room: Room) -> None:
        super().__init__(name, file)
        self._room = room
        self._waiting: deque[_AnyJob] = deque()

    async def write(self, work: Work[T], size_bytes: int = 0) -> T:
        """The result once it is written; `size_bytes` is that of the value, if there is one."""
        job = _Job(work, size_bytes + _BESIDE_BYTES)
        self._waiting.append(job)
        return await self._submit(job.future, self._write_batch)

    def _write_batch(self) -> None:
        batch = self._next_batch()
        if not batch:  # written with an earlier batch, or cancelled
            return
        written = Future[list[object]]()
        _resolve(written, lambda: self._use_file(lambda connection: self._write_jobs(connection, batch)))
        error = written.exception()
        if error is not None and not isinstance(error, StoreFailed):
            error = StoreFailed(f"{self._file.path}: not written")  # a bug
        for number, job in enumerate(batch):
            if error is None:
                job.future.set_result(written.result()[number])
            else:
                job.future.set_exception(error)

    def _write_jobs(self, connection: sqlite3.Connection, batch: list[_AnyJob]) -> list[object]:
        room_bytes = sum(job.room_bytes for job in batch)
        for _ in range(_ATTEMPTS):
            self._room.make(connection, room_bytes)
            with begin_write(connection):
                # Checked again under the write lock: another process may have taken the room meanwhile.
                if self._room.is_there(connection, room_bytes):
                    return [job.work(connection) for job in batch]
        raise StoreFailed(f"{self._file.path}: other programs fill it faster than room is made")

    def _next_batch(self) -> list[_AnyJob]:
        """Jobs in their order, together no larger than the largest value may be alone."""
        batch: list[_AnyJob] = []
        left = self._room.max_value_bytes
        while self._waiting and (not batch or self._waiting[0].room_bytes <= left):
            job = self._waiting.popleft()
            if job.future.set_running_or_notify_cancel():
                batch.append(job)
                left -= job.room_bytes
        return batch


def _resolve(future: Future[T], work: Callable[[], T]) -> None:
    """Run work into a future, unless its caller has left. A bug must not end the thread, or others would hang."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except Exception as error:
        future.set_exception(error)
    else:
        future.set_result(result)
