"""Single-flight: identical calls share one task in a process, and one lease between processes."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable
from contextlib import asynccontextmanager, suppress
from contextvars import Context, copy_context
from typing import Any, Generic, TypeVar

from dowse.cache.entries import CacheEntries
from dowse.core.errors import DowseError, Stopping
from dowse.core.models import Deadline
from dowse.core.protocols import Progress
from dowse.core.runtime import Background, Sharers, no_progress, share_key, sharing
from dowse.telemetry.log import LOGGER

T = TypeVar("T")

# Work ends at its deadline with an error of its own; the grace period stops work that ignores it.
_GRACE_S = 0.25
# For storing a value that has landed. Work that never ends must not hand out the same value for ever.
_KEEPING_S = 10.0
# How long shutdown waits for it.
_LAST_S = 3.0
# Deadlines of calls that come together differ by moments, which makes none of them more patient.
_MORE_TIME_S = 1.0
# Time to report the last progress once the outcome is known: enough for a healthy listener.
_LAST_STEPS_S = 0.05
# Revalidation leaves room for calls that wait; a value that is not refreshed now is so at its next use.
_MAX_REFRESHES = 2
# How long a process that was killed holds up the others.
LEASE_S = 3.0
_RENEWALS = 3
_POLL_S = (0.04, 0.06)
# The share of the deadline to wait for another process; the rest is for producing the value here.
_WAITING_SHARE = 0.5
# How long shutdown waits for leases to be released. They expire by themselves, too.
_RELEASE_S = 2.0


class Flight(Generic[T]):
    """Work in flight, which belongs to no single caller and goes on as long as one of them waits.

    It runs in a copy of the context of the call that began it, so its spans are children of that call's span. While it
    waits for a slot of a `FairSemaphore`, it does so within the share of each of its callers.
    """

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self._waiters: set[_Waiter[T]] = set()
        self._sharers = Sharers()
        self._is_wanted = False  # whether it goes on without a waiter
        self._outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._limit = asyncio.timeout(deadline.remaining_s() + _GRACE_S)

    async def progress(self, step: str) -> None:
        """Report a step to all waiters, each at its own pace."""
        for waiter in self._waiters:
            if waiter.listens:
                waiter.news.put_nowait(step)

    def land(self, value: T) -> None:
        """Give the value to all waiters, and to calls that come until the work has ended."""
        self._outcome.set_result(value)
        self._is_wanted = True
        self._wake(self._waiters)
        self._limit.reschedule(asyncio.get_running_loop().time() + _KEEPING_S)

    async def _run(self, work: Work[T]) -> None:
        async with self._limit:
            with sharing(self._sharers):
                await work(self)
        if not self._outcome.done():
            raise RuntimeError("shared work ended without a result")

    def _board(self, waiter: _Waiter[T]) -> None:
        waiter.flight = self
        self._waiters.add(waiter)
        self._sharers.add(waiter.caller)
        if self._outcome.done():
            waiter.wake()

    def _discharge(self, waiter: _Waiter[T]) -> None:
        if waiter in self._waiters:
            self._waiters.discard(waiter)
            self._sharers.remove(waiter.caller)

    def _fail(self, error: BaseException) -> None:
        """Give the failure to all waiters."""
        self._outcome.set_exception(error)
        self._outcome.exception()  # seen: a waiter that leaves at this moment would leave it unseen
        self._wake(self._waiters)

    def _release_patient(self) -> list[_Waiter[T]]:
        """Release the waiters that have more time than this flight had."""
        patient = [
            waiter
            for waiter in self._waiters
            if waiter.deadline.at > self.deadline.at + _MORE_TIME_S and not waiter.deadline.passed
        ]
        for waiter in patient:
            self._discharge(waiter)
        return patient

    @staticmethod
    def _wake(waiters: Iterable[_Waiter[T]]) -> None:
        for waiter in waiters:
            waiter.wake()


Work = Callable[[Flight[T]], Awaitable[None]]
"""Lands a value, then stores it, by the deadline of the flight, which need not be that of the first call."""


class _Waiter(Generic[T]):
    """A call that waits for a flight, with its deadline and the progress it has not reported yet.

    Its work and its context are for the flight that it begins if this one fails.
    """

    flight: Flight[T]

    def __init__(self, work: Work[T], deadline: Deadline, progress: Progress) -> None:
        self.work = work
        self.context = copy_context()
        self.caller = share_key()
        self.deadline = deadline
        self.listens = progress is not no_progress  # most do not, and need not be woken
        self.news: asyncio.Queue[str | None] = asyncio.Queue()
        self._progress = progress
        self._limit: asyncio.Timeout | None = None  # while it waits

    async def arrival(self) -> T:
        """The result of the flight. Progress is reported here, so that a slow listener delays only itself."""
        try:
            async with asyncio.timeout(self.deadline.remaining_s() + _GRACE_S) as self._limit:
                await self._tell_steps()
        except TimeoutError:
            # A listener may have been busy with a step when the flight came to its end.
            if not self.flight._outcome.done():
                raise
        return self.flight._outcome.result()

    def wake(self) -> None:
        """The flight has ended: the rest of the progress has a moment, and is dropped after that."""
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
                LOGGER.debug("progress is no longer reported: the listener failed", exc_info=True)
                progress = no_progress


_AnyFlight = Flight[Any]  # the tables hold flights of every kind of value, by key


class Flights:
    """All flights by key. Nothing here awaits between looking and acting: it needs no lock."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _AnyFlight] = {}
        self._tasks: dict[_AnyFlight, asyncio.Task[None]] = {}
        self._refreshes: set[_AnyFlight] = set()
        self._is_closed = False

    async def share(self, key: Hashable, work: Work[T], deadline: Deadline, progress: Progress = no_progress) -> T:
        """The result of the flight under this key; if there is none, it begins now.

        Raises as the work did, or `TimeoutError` at the caller's own deadline. Callers with more time than the work had
        do not get its failure, which may be due to a shorter deadline: for them it begins anew.
        """
        flight: Flight[T] = self._in_hand(key) or self._begin(key, work, deadline)
        waiter: _Waiter[T] = _Waiter(work, deadline, progress)
        flight._board(waiter)
        try:
            return await waiter.arrival()
        finally:
            self._leave(key, waiter)

    def begin(self, key: Hashable, work: Work[T], deadline: Deadline) -> None:
        """Begin revalidation in the background, unless it or enough of its kind is in flight already."""
        if self._in_hand(key) is None and len(self._refreshes) < _MAX_REFRESHES and not self._is_closed:
            flight = self._begin(key, work, deadline)
            flight._is_wanted = True
            self._refreshes.add(flight)

    async def close(self) -> None:
        """Let landed values be stored, cancel all other work, and wait for its end; none begins after this."""
        self._is_closed = True
        for flight, task in self._tasks.items():
            if not flight._outcome.done():
                _cancel(task)
        if self._tasks:
            _, late = await asyncio.wait(list(self._tasks.values()), timeout=_LAST_S)
            for task in late:
                _cancel(task)
            await asyncio.gather(*late, return_exceptions=True)

    def _in_hand(self, key: Hashable) -> _AnyFlight | None:
        """The flight under this key, unless it has just ended."""
        flight = self._flights.get(key)
        return None if flight is None or self._tasks[flight].done() else flight

    def _begin(self, key: Hashable, work: Work[T], deadline: Deadline, context: Context | None = None) -> Flight[T]:
        if self._is_closed:
            raise Stopping
        flight: Flight[T] = Flight(deadline)
        self._flights[key] = flight
        self._tasks[flight] = asyncio.create_task(flight._run(work), context=context)
        self._tasks[flight].add_done_callback(lambda _: self._finish(key, flight))
        return flight

    def _leave(self, key: Hashable, waiter: _Waiter[T]) -> None:
        flight = waiter.flight
        flight._discharge(waiter)
        if not flight._waiters and not flight._is_wanted and flight in self._tasks:
            self._tasks[flight].cancel()
            self._forget(key, flight)

    def _forget(self, key: Hashable, flight: Flight[T]) -> None:
        """Calls that come from now on begin anew."""
        if self._flights.get(key) is flight:
            del self._flights[key]

    def _cancellation(self) -> Exception:
        """A flight is cancelled only at shutdown."""
        return Stopping() if self._is_closed else RuntimeError("shared work was cancelled")

    def _finish(self, key: Hashable, flight: Flight[T]) -> None:
        task = self._tasks.pop(flight)
        self._refreshes.discard(flight)
        self._forget(key, flight)
        error = self._cancellation() if task.cancelled() else task.exception()
        if error is None:
            return
        if flight._waiters and not flight._outcome.done():
            self._hand_over(key, flight)
            flight._fail(error)
        elif not task.cancelled() and not isinstance(error, DowseError | TimeoutError):
            # No caller is left to report it to.
            LOGGER.error("shared work crashed", exc_info=error)

    def _hand_over(self, key: Hashable, flight: Flight[T]) -> None:
        """After a failure, the waiter with the most time begins one new flight for all patient ones."""
        patient = [] if self._is_closed else flight._release_patient()
        if patient:
            latest = max(patient, key=lambda waiter: waiter.deadline.at)
            anew = self._in_hand(key) or self._begin(key, latest.work, latest.deadline, latest.context)
            for waiter in patient:
                anew._board(waiter)


def _cancel(task: asyncio.Task[None]) -> None:
    if not task.cancelling():  # being cancelled once more would disturb it while it clears up
        task.cancel()


class Leases:
    """Leases on producing an entry of the cache, each held by one process at a time."""

    def __init__(self, cache: CacheEntries, *, lease_s: float = LEASE_S) -> None:
        self._cache = cache
        self._lease_s = lease_s
        self._returns = Background()

    @asynccontextmanager
    async def in_turn(
        self, kind: str, name: str, look: Callable[[], Awaitable[T | None]], deadline: Deadline
    ) -> AsyncIterator[T | None]:
        """The value that another process has produced meanwhile, as `look` finds it; `None` to produce it here.

        That is with the lease, or after half of the deadline without it: then the value is perhaps produced twice.
        A store that no other process has open is not asked.
        """
        if not self._cache.needs_lease:
            yield None
            return
        lease = _Lease(self._cache, kind, name, self._lease_s)
        made: T | None = None
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(deadline.remaining_s() * _WAITING_SHARE):
                    made = await _await_turn(lease, look)
            yield made
        finally:
            self._give_back(lease)

    async def close(self) -> None:
        """Wait until all leases are released, but not for long."""
        await self._returns.finish(_RELEASE_S)

    def _give_back(self, lease: _Lease) -> None:
        """Release the lease in the background, where no cancellation reaches it."""
        lease.stop_renewing()
        if lease.may_be_ours:
            self._returns.start(lease.give_back())


class _Lease:
    """A lease on one entry, renewed for as long as it is held."""

    def __init__(self, cache: CacheEntries, kind: str, name: str, lease_s: float) -> None:
        self._cache = cache
        self._entry = (kind, name, secrets.token_hex(16))
        self._lease_s = lease_s
        self.may_be_ours = False
        self._renewing: asyncio.Task[None] | None = None

    async def take(self) -> bool:
        # A claim that is cancelled on the way may have succeeded.
        self.may_be_ours = True
        self.may_be_ours = await self._claim()
        if self.may_be_ours:
            self._renewing = asyncio.create_task(self._renew())
        return self.may_be_ours

    def stop_renewing(self) -> None:
        if self._renewing is not None:
            self._renewing.cancel()

    async def give_back(self) -> None:
        """Release the lease for the next process."""
        await self._cache.release(*self._entry)

    async def _renew(self) -> None:
        """Renew until the lease is lost: another process produces the value too then, which does no harm."""
        is_ours = True
        while is_ours:
            await asyncio.sleep(self._lease_s / _RENEWALS)
            is_ours = await self._claim()

    async def _claim(self) -> bool:
        return await self._cache.claim(*self._entry, self._lease_s)


async def _await_turn(lease: _Lease, look: Callable[[], Awaitable[T | None]]) -> T | None:
    while not await lease.take():
        # Stores have no notifications, and leases run on the time of the store, not on the injected clock.
        await asyncio.sleep(random.uniform(*_POLL_S))
        if (made := await look()) is not None:
            return made
    # The previous holder may have finished between the last look and its release.
    return await look()
