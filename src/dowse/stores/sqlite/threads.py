"""The two threads of a store: reads do not wait for writes, and the event loop waits for neither."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from dowse.core.errors import StoreFailed
from dowse.stores.sqlite.connection import FAILURES, writing
from dowse.stores.sqlite.file import SetAside, StateFile
from dowse.stores.sqlite.promise import Promise, attempted
from dowse.stores.sqlite.room import Room, empty

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

CLOSE_S = 2.0  # for what still waits; a disk that hangs may take for ever
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
        ends_at = asyncio.get_running_loop().time() + CLOSE_S
        # The writer last: whoever closes a file last copies the log into it. A reader that is stuck leaves it time.
        await self.reader.close(ends_at - CLOSE_S / 2)
        await self.writer.close(ends_at)


class Worker:
    """A thread with a connection of its own, which does what it is given one after the other."""

    def __init__(self, name: str, file: StateFile) -> None:
        self._file = file
        self._steps: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._owed: set[Promise[Any]] = set()
        self._is_closed = False
        # A daemon: the process ends all the same if the thread is stuck.
        Thread(target=self._do_steps, name=name, daemon=True).start()

    async def run(self, work: Work[T]) -> T:
        promise = Promise[T]()

        def step() -> None:
            if promise.is_awaited:
                promise.keep(lambda: self._worked(work))

        return await self._handed_over(promise, step)

    async def close(self, ends_at: float) -> None:
        """Do what waits, and end. A thread that is stuck by then is left alone, and whoever waits for it is told."""
        self._is_closed = True
        closed = Promise[None]()
        self._steps.put(lambda: closed.keep(self._file.close))
        self._steps.put(None)
        await asyncio.wait([closed.result], timeout=max(0.0, ends_at - asyncio.get_running_loop().time()))
        if not closed.is_awaited:
            await closed.result
            return
        for promise in self._owed:
            promise.fail(StoreFailed(f"{self._file.path}: closed before it answered"))

    def _do_steps(self) -> None:
        while (step := self._steps.get()) is not None:
            step()
            del step  # holds a value, and the next one may be long in coming

    async def _handed_over(self, promise: Promise[T], step: Callable[[], None]) -> T:
        """Have the thread take a step that keeps the promise."""
        if self._is_closed:
            raise StoreFailed(f"{self._file.path}: used after it was closed")
        self._owed.add(promise)
        self._steps.put(step)
        try:
            return await promise.result
        finally:
            self._owed.discard(promise)

    def _worked(self, work: Work[T]) -> T:
        try:
            return self._tried(work)
        except SetAside:
            return self._tried(work)

    def _tried(self, work: Work[T]) -> T:
        try:
            return work(self._file.connection())
        except FAILURES as error:
            raise self._file.given_up(error) from error


class _Job(Promise[T]):
    """Something to write, and who waits for it."""

    def __init__(self, work: Work[T], size_bytes: int) -> None:
        super().__init__()
        self.work = work
        self.room_bytes = size_bytes + _BESIDE_BYTES


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
        return await self._handed_over(job, self._write_batch)

    def _write_batch(self) -> None:
        batch = self._next_batch()
        if not batch:  # an earlier one has taken it along, or nobody waits for it any more
            return
        outcome = attempted(lambda: self._worked(lambda connection: self._written(connection, batch)))
        if isinstance(outcome, Exception):
            is_told = isinstance(outcome, StoreFailed)
            error = outcome if is_told else StoreFailed(f"{self._file.path}: not written")  # by a bug of ours
            for job in batch:
                job.fail(error)
        else:
            for job, result in zip(batch, outcome, strict=True):
                job.fulfil(result)

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
            if job.is_awaited:
                batch.append(job)
                left -= job.room_bytes
        return batch


def _only_reads(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only = ON")
