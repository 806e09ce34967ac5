"""Identical calls at the same time: the work is done once, and everybody who waits gets what it brings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable
from typing import Any, Generic, TypeVar

from dowse.core.errors import DowseError, Stopping
from dowse.core.models import Deadline
from dowse.core.protocols import Progress, no_progress
from dowse.telemetry.log import LOGGER

T = TypeVar("T")

# Work is told when to end, and can say best what it was doing then; this is for work that does not.
_GRACE_S = 0.25
# Keeping what has landed takes a moment. Work that never ends must not hand out the same value for ever.
_KEEPING_S = 10.0
# How long the end of the application waits for it.
_LAST_S = 3.0
# Calls that come together have deadlines that differ by moments. That does not make one hastier than the other.
_MORE_TIME_S = 1.0
# Time for the last steps to be told once the outcome is known: enough for a listener that is well.
_LAST_STEPS_S = 0.05
# Work that nobody waits for leaves room for what people wait for. What is not refreshed now is so when asked for again.
_MAX_REFRESHES = 2


class Flight(Generic[T]):
    """Work in hand. It belongs to none of those who wait for it, and goes on as long as one of them does.

    It runs in a copy of the context of the call that began it, so its spans are children of that call's span.
    """

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self._waiters: set[_Waiter[T]] = set()
        self._is_wanted = False  # whether it goes on without anybody who waits
        self._outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._limit = asyncio.timeout(deadline.remaining_s() + _GRACE_S)

    async def progress(self, step: str) -> None:
        """Tell everybody who waits; each of them listens at its own pace."""
        for waiter in self._waiters:
            if waiter.listens:
                waiter.news.put_nowait(step)

    def land(self, value: T) -> None:
        """Give the value to everybody who waits, and to whoever comes until the work has ended."""
        self._outcome.set_result(value)
        self._is_wanted = True
        self._wake(self._waiters)
        self._limit.reschedule(asyncio.get_running_loop().time() + _KEEPING_S)

    async def _run(self, work: Work[T]) -> None:
        async with self._limit:
            await work(self)
        if not self._outcome.done():
            raise RuntimeError("shared work ended without a result")

    def _board(self, waiter: _Waiter[T]) -> None:
        waiter.flight = self
        self._waiters.add(waiter)
        if self._outcome.done():
            waiter.wake()

    def _fail(self, error: BaseException) -> None:
        """Give the failure to everybody who waits."""
        self._outcome.set_exception(error)
        self._outcome.exception()  # seen: a waiter that leaves at this moment would leave it unseen
        self._wake(self._waiters)

    def _release_patient(self) -> list[_Waiter[T]]:
        """Let those go who have more time than this flight had."""
        patient = [
            waiter
            for waiter in self._waiters
            if waiter.deadline.at > self.deadline.at + _MORE_TIME_S and not waiter.deadline.passed
        ]
        self._waiters.difference_update(patient)
        return patient

    @staticmethod
    def _wake(waiters: Iterable[_Waiter[T]]) -> None:
        for waiter in waiters:
            waiter.wake()


Work = Callable[[Flight[T]], Awaitable[None]]
"""Lands a value, then keeps it. Its time is the flight's deadline, not that of the call which brought it."""


class _Waiter(Generic[T]):
    """A call that waits for a flight: until when, and the steps it has not heard of yet."""

    flight: Flight[T]

    def __init__(self, deadline: Deadline, progress: Progress) -> None:
        self.deadline = deadline
        self.listens = progress is not no_progress  # most do not, and need not be woken for nothing
        self.news: asyncio.Queue[str | None] = asyncio.Queue()
        self._progress = progress
        self._limit: asyncio.Timeout | None = None  # while it waits

    async def arrival(self) -> T:
        """What the flight brings. Steps are told here, so that a listener who is slow holds up nobody else."""
        try:
            async with asyncio.timeout(self.deadline.remaining_s() + _GRACE_S) as self._limit:
                await self._tell_steps()
        except TimeoutError:
            # A listener may have been busy with a step when the flight came to its end.
            if not self.flight._outcome.done():
                raise
        return self.flight._outcome.result()

    def wake(self) -> None:
        """The flight has come to its end: what is left to be told has a moment, and is dropped after that."""
        self.news.put_nowait(None)
        if self._limit is not None and not self._limit.expired():
            soon = asyncio.get_running_loop().time() + _LAST_STEPS_S
            self._limit.reschedule(min(soon, self._limit.when() or soon))

    async def _tell_steps(self) -> None:
        progress = self._progress
        while (step := await self.news.get()) is not None:
            try:
                await progress(step)
            except Exception:
                # A boundary: a listener that has gone must not cost the answer.
                progress = no_progress


class Flights:
    """All work in hand, by what was asked for. Nothing here awaits between looking and acting: it needs no lock."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, Flight[Any]] = {}
        self._tasks: dict[Flight[Any], asyncio.Task[None]] = {}
        self._refreshes: set[Flight[Any]] = set()
        self._is_closed = False

    async def share(self, key: Hashable, work: Work[T], deadline: Deadline, progress: Progress = no_progress) -> T:
        """What the work in hand under this key brings; if there is none, it begins now.

        Raises what the work raised, or `TimeoutError` at the caller's own deadline. Callers with more time than the
        work had do not get its failure, which may be due to another's haste: for them it begins anew.
        """
        flight: Flight[T] = self._in_hand(key) or self._begin(key, work, deadline)
        waiter: _Waiter[T] = _Waiter(deadline, progress)
        flight._board(waiter)
        try:
            return await waiter.arrival()
        finally:
            self._leave(key, waiter)

    def begin(self, key: Hashable, work: Work[T], deadline: Deadline) -> None:
        """Have the work done although nobody waits for it, unless it or enough of its like is in hand already."""
        if self._in_hand(key) is None and len(self._refreshes) < _MAX_REFRESHES and not self._is_closed:
            flight = self._begin(key, work, deadline)
            flight._is_wanted = True
            self._refreshes.add(flight)

    async def close(self) -> None:
        """Let what has landed be kept, cancel all other work, and wait for its end; none begins after this."""
        self._is_closed = True
        for flight, task in self._tasks.items():
            if not flight._outcome.done():
                _cancel(task)
        if self._tasks:
            _, late = await asyncio.wait(list(self._tasks.values()), timeout=_LAST_S)
            for task in late:
                _cancel(task)
            await asyncio.gather(*late, return_exceptions=True)

    def _in_hand(self, key: Hashable) -> Flight[Any] | None:
        """The flight under this key; not one that has just ended, which newcomers are too late for."""
        flight = self._flights.get(key)
        return None if flight is None or self._tasks[flight].done() else flight

    def _begin(self, key: Hashable, work: Work[T], deadline: Deadline) -> Flight[T]:
        if self._is_closed:
            raise Stopping
        flight: Flight[T] = Flight(deadline)
        self._flights[key] = flight
        self._tasks[flight] = asyncio.create_task(flight._run(work))
        self._tasks[flight].add_done_callback(lambda _: self._ended(key, flight, work))
        return flight

    def _leave(self, key: Hashable, waiter: _Waiter[T]) -> None:
        flight = waiter.flight
        flight._waiters.discard(waiter)
        if not flight._waiters and not flight._is_wanted and flight in self._tasks:
            self._tasks[flight].cancel()
            self._forget(key, flight)

    def _forget(self, key: Hashable, flight: Flight[T]) -> None:
        """Whoever comes from now on begins anew."""
        if self._flights.get(key) is flight:
            del self._flights[key]

    def _cancellation(self) -> Exception:
        """Nobody cancels what belongs to nobody, except at the end."""
        return Stopping() if self._is_closed else RuntimeError("shared work was cancelled")

    def _ended(self, key: Hashable, flight: Flight[T], work: Work[T]) -> None:
        task = self._tasks.pop(flight)
        self._refreshes.discard(flight)
        self._forget(key, flight)
        error = self._cancellation() if task.cancelled() else task.exception()
        if error is None:
            return
        if flight._waiters and not flight._outcome.done():
            self._hand_over(key, flight, work)
            flight._fail(error)
        elif not task.cancelled() and not isinstance(error, DowseError | TimeoutError):
            # Nobody else hears of it.
            LOGGER.error("shared work crashed", exc_info=error)

    def _hand_over(self, key: Hashable, flight: Flight[T], work: Work[T]) -> None:
        """The flight has failed: begin anew for those with more time, once for all of them."""
        patient = [] if self._is_closed else flight._release_patient()
        if patient:
            latest = max((waiter.deadline for waiter in patient), key=lambda deadline: deadline.at)
            anew = self._in_hand(key) or self._begin(key, work, latest)
            for waiter in patient:
                anew._board(waiter)


def _cancel(task: asyncio.Task[None]) -> None:
    if not task.cancelling():  # being cancelled once more would disturb it while it clears up
        task.cancel()
