"""The two threads of a store: reads do not wait for writes, and the event loop waits for neither."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from dowse.errors import StoreFailed
from dowse.stores.sqlite.connection import FAILURES, writing
from dowse.stores.sqlite.file import StateFile
from dowse.stores.sqlite.room import Room, empty

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

_BESIDE_BYTES = 8_192  # a job changes about two pages beside those of its value
_TRIES = 5


class Threads:
    """One thread that reads, and one that writes and is the only one here that does."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.room = Room(path, max_bytes)
        self.reader = Worker("store-reader", StateFile(path, _only_reads))
        self.writer = Writer("store-writer", StateFile(path, self.room.settle), self.room)

    async def empty(self) -> int:
        return await self.writer.run(empty)

    async def close(self) -> None:
        # The writer last: whoever closes a file last copies the log into it.
        await self.reader.close()
        await self.writer.close()


class Worker:
    """A thread with a connection of its own, which does what it is given one after the other."""

    def __init__(self, name: str, file: StateFile) -> None:
        self._file = file
        self._thread = ThreadPoolExecutor(1, name)

    async def run(self, work: Work[T]) -> T:
        return await asyncio.wrap_future(self._thread.submit(self._worked, work))

    async def close(self) -> None:
        """Do what waits, and end."""
        closed = self._thread.submit(self._file.close)
        self._thread.shutdown(wait=False)
        await asyncio.wrap_future(closed)

    def _worked(self, work: Work[T]) -> T:
        try:
            return self._tried(work)
        except FAILURES as error:
            raise self._file.given_up(error) from error

    def _tried(self, work: Work[T]) -> T:
        try:
            return work(self._file.connection())
        except FAILURES:
            if not self._file.is_gone():
                raise
        # Somebody else has met with the same damage, told it and set the file aside: there is a new one.
        return work(self._file.connection())


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    work: Work[T]
    size_bytes: int
    done: Future[T] = field(default_factory=Future)

    @property
    def room_bytes(self) -> int:
        return self.size_bytes + _BESIDE_BYTES


class Writer(Worker):
    """What waits at the same moment is written in one transaction, which costs little more than one write."""

    def __init__(self, name: str, file: StateFile, room: Room) -> None:
        super().__init__(name, file)
        self._room = room
        self._waiting: deque[_Job[Any]] = deque()

    async def write(self, work: Work[T], size_bytes: int = 0) -> T:
        """The result once it is written; `size_bytes` is that of the value, if there is one."""
        job = _Job(work, size_bytes)
        self._waiting.append(job)
        self._thread.submit(self._write_batch)
        return await asyncio.wrap_future(job.done)

    def _write_batch(self) -> None:
        batch = self._next_batch()
        if not batch:  # an earlier one has taken it along, or nobody waits for it any more
            return
        try:
            results = self._worked(lambda connection: self._written(connection, batch))
            for job, result in zip(batch, results, strict=True):
                job.done.set_result(result)
        except StoreFailed as error:
            for job in batch:
                job.done.set_exception(error)
        finally:
            for job in batch:
                if not job.done.done():  # a bug of ours, and no reason to wait for ever
                    job.done.set_exception(StoreFailed(f"{self._file.path}: not written"))

    def _written(self, connection: sqlite3.Connection, batch: list[_Job[Any]]) -> list[Any]:
        room_bytes = sum(job.room_bytes for job in batch)
        for _ in range(_TRIES):
            self._room.make(connection, room_bytes)
            with writing(connection):
                # Another process may have taken the room meanwhile. From here on nobody does.
                if self._room.is_there(connection, room_bytes):
                    return [job.work(connection) for job in batch]
        raise StoreFailed(f"{self._file.path}: other programs fill it faster than room is made")

    def _next_batch(self) -> list[_Job[Any]]:
        """Jobs in their order, together no larger than the largest value may be alone."""
        batch: list[_Job[Any]] = []
        left = self._room.max_value_bytes
        while self._waiting and (not batch or self._waiting[0].room_bytes <= left):
            job = self._waiting.popleft()
            if job.done.set_running_or_notify_cancel():
                batch.append(job)
                left -= job.room_bytes
        return batch


def _only_reads(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")
