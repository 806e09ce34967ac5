"""Runtime of the process: the system clock, background tasks, fair sharing between callers, the context of a call."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, KeysView, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Generic, Protocol, TypeVar

from dowse.core.models import LOCAL, Principal
from dowse.core.protocols import Progress


class SystemClock:
    """Implements `models.Clock`."""

    def now(self) -> float:
        return time.monotonic()

    def utc(self) -> datetime:
        return datetime.now(UTC)

    def today(self) -> date:
        return self.utc().date()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Background:
    """Background tasks, awaited or cancelled at shutdown."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def finish(self, timeout_s: float | None = None) -> None:
        """Wait for all tasks, and cancel the late ones."""
        if self.tasks:
            _, late = await asyncio.wait(self.tasks, timeout=timeout_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


async def first_of(*work: Coroutine[None, None, None]) -> None:
    """Run coroutines concurrently until the first one ends; cancel the others, and raise its error if it failed."""
    tasks = list(map(asyncio.ensure_future, work))
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


class _OfCaller(Protocol):
    @property
    def caller(self) -> str: ...


W = TypeVar("W", bound=_OfCaller)


class FairQueue(Generic[W]):
    """Round robin between callers: twenty calls of one caller delay a call of another by one turn, not twenty.

    A new caller is queued behind all others, so that no caller starves. Waiters are compared by identity.
    """

    def __init__(self) -> None:
        # By caller, in the order of their next turns; the inner dict is an ordered set.
        self._waiting: dict[str, dict[W, None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    @property
    def callers(self) -> KeysView[str]:
        """The callers that have waiters."""
        return self._waiting.keys()

    def count(self, caller: str) -> int:
        """The number of waiters of a caller."""
        return len(self._waiting.get(caller, ()))

    def add(self, waiter: W) -> None:
        self._waiting.setdefault(waiter.caller, {})[waiter] = None

    def first(self, held: Mapping[str, int] | None = None) -> W | None:
        """The head of the queue: of the callers that hold the fewest slots, the one whose turn it is."""
        if not self._waiting:
            return None
        counts = held or {}
        caller = min(self._waiting, key=lambda name: counts.get(name, 0))
        return next(iter(self._waiting[caller]))

    def of_longest(self) -> list[W]:
        """The waiters of the caller that has the most, in order of arrival."""
        return max(map(list, self._waiting.values()), key=len, default=[])

    def heads(self) -> list[W]:
        """The first waiter of each caller."""
        return [next(iter(waiting)) for waiting in self._waiting.values()]

    def serve(self, waiter: W) -> None:
        """Remove a waiter that has its turn; its caller moves to the end."""
        self.drop(waiter)
        if waiter.caller in self._waiting:
            self._waiting[waiter.caller] = self._waiting.pop(waiter.caller)

    def drop(self, waiter: W) -> None:
        """Remove a waiter; the others of its caller keep their place."""
        waiting = self._waiting.get(waiter.caller, {})
        waiting.pop(waiter, None)
        if not waiting:
            self._waiting.pop(waiter.caller, None)

    def late(self, fits: Callable[[W, int], bool]) -> list[tuple[W, int]]:
        """The waiters that would be served too late, each with the number of calls ahead of it.

        `fits` says whether a waiter can be served in time behind so many others. The next of its caller moves up.
        """
        rounds = deque(deque(waiting) for waiting in self._waiting.values())
        late, ahead = [], 0
        while rounds:
            waiting = rounds.popleft()
            while waiting:
                waiter = waiting.popleft()
                if fits(waiter, ahead):
                    ahead += 1
                    break
                late.append((waiter, ahead))
            if waiting:
                rounds.append(waiting)
        return late


def reserve_of(capacity: float) -> int:
    """The slots beyond a capacity that are for callers below their share: half as many again."""
    return math.ceil(capacity / 2)


def admits(capacity: float, reserve: int, in_use: int, held: int, callers: int) -> bool:
    """Whether a caller that holds so many slots gets another one, next to so many active callers, itself included.

    A caller alone may use the whole capacity, and for long. A caller below its fair share does not wait for that: the
    reserve is for such callers.
    """
    return in_use < capacity or (held < capacity / callers and in_use < capacity + reserve)


@dataclass(eq=False, slots=True)
class _SlotWaiter:
    """Place of a caller in the queue; `granted` becomes the caller that has got the slot."""

    caller: str
    granted: asyncio.Future[str]


class Sharers:
    """Callers that share a piece of work, which waits for a slot in the queue of each and takes the first."""

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()
        self._waits: set[_SlotWait] = set()

    def add(self, caller: str) -> None:
        """Add a call of a caller."""
        self._calls[caller] += 1
        for wait in self._waits:
            wait.join(caller)

    def remove(self, caller: str) -> None:
        """Remove a call of a caller."""
        self._calls[caller] -= 1
        if not self._calls[caller]:
            del self._calls[caller]
            for wait in self._waits:
                wait.leave(caller)

    async def acquire(self, slots: FairSemaphore, caller: str) -> str:
        """Wait for a slot within the share of each sharer, or else of the caller; returns the owner of the slot."""
        wait = _SlotWait(slots)
        self._waits.add(wait)
        try:
            return await wait.first(self._calls.keys() or (caller,))
        finally:
            self._waits.discard(wait)


_sharers: ContextVar[Sharers | None] = ContextVar("sharers", default=None)


@contextmanager
def sharing(sharers: Sharers) -> Iterator[None]:
    """Name the sharers of the work in this context."""
    outside = _sharers.set(sharers)
    try:
        yield
    finally:
        _sharers.reset(outside)


class FairSemaphore:
    """Semaphore with slots that are shared between callers, by the rule of `admits`.

    A released slot goes to the waiting caller that holds the fewest.
    """

    def __init__(self, capacity: int, reserve: int | None = None) -> None:
        """`reserve` slots are for callers below their share; half as many as the others by default."""
        self.capacity = capacity
        self._reserve = reserve_of(capacity) if reserve is None else reserve
        self._held: Counter[str] = Counter()
        self._in_use = 0
        self._queue: FairQueue[_SlotWaiter] = FairQueue()

    @property
    def in_use(self) -> int:
        return self._in_use

    def waiting(self, caller: str) -> int:
        """The number of waiters of a caller."""
        return self._queue.count(caller)

    @asynccontextmanager
    async def slot(self, caller: str) -> AsyncIterator[None]:
        """Wait for a slot and hold it."""
        owner = await self.acquire(caller)
        try:
            yield
        finally:
            self.release(owner)

    def try_acquire(self, caller: str) -> bool:
        """Take a slot if there is one now; behind the waiters of the same caller there is none."""
        if caller in self._queue.callers or not self._admits(caller):
            return False
        self._take(caller)
        return True

    async def acquire(self, caller: str) -> str:
        """Wait for a slot; returns its owner, which differs from the caller only where work is shared."""
        sharers = _sharers.get()
        return await (sharers.acquire(self, caller) if sharers else _SlotWait(self).first((caller,)))

    def release(self, caller: str) -> None:
        self._in_use -= 1
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]
        self._grant()

    def _admits(self, caller: str) -> bool:
        active = self._held.keys() | self._queue.callers | {caller}
        return admits(self.capacity, self._reserve, self._in_use, self._held[caller], len(active))

    def _take(self, caller: str) -> None:
        self._in_use += 1
        self._held[caller] += 1

    def _queue_up(self, waiter: _SlotWaiter) -> None:
        if self.try_acquire(waiter.caller):
            waiter.granted.set_result(waiter.caller)
        else:
            self._queue.add(waiter)

    def _drop(self, waiters: Iterable[_SlotWaiter]) -> None:
        for waiter in waiters:
            self._queue.drop(waiter)
        # With fewer active callers, the share of the others is larger.
        self._grant()

    def _grant(self) -> None:
        while (first := self._queue.first(self._held)) and self._admits(first.caller):
            self._queue.serve(first)
            # A waiter that was cancelled, or granted a slot of another caller, a moment ago may still be queued.
            if not first.granted.done():
                self._take(first.caller)
                first.granted.set_result(first.caller)


class _SlotWait:
    """One wait for a slot, with a place in the queue of each of its callers."""

    def __init__(self, slots: FairSemaphore) -> None:
        self._slots = slots
        self._granted: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiters: dict[str, _SlotWaiter] = {}

    def join(self, caller: str) -> None:
        if caller not in self._waiters and not self._granted.done():
            self._waiters[caller] = _SlotWaiter(caller, self._granted)
            self._slots._queue_up(self._waiters[caller])

    def leave(self, caller: str) -> None:
        """Give up the place of a caller, but not the last place: a refresh waits without callers."""
        if caller in self._waiters and len(self._waiters) > 1:
            self._slots._drop([self._waiters.pop(caller)])

    async def first(self, callers: Iterable[str]) -> str:
        """Wait for the first slot; returns its owner."""
        for caller in callers:
            self.join(caller)
        try:
            return await self._granted
        except asyncio.CancelledError:
            if not self._granted.cancelled():
                # Granted and cancelled at the same moment.
                self._slots.release(self._granted.result())
            raise
        finally:
            self._slots._drop(self._waiters.values())


async def no_progress(step: str) -> None:
    """The default for callers without progress reports."""


@dataclass(slots=True)
class Sending:
    """Record of whether an attempt has sent anything to its provider."""

    is_begun: bool = False


_sending: ContextVar[Sending | None] = ContextVar("sending", default=None)


@contextmanager
def watch_sending() -> Iterator[Sending]:
    """Watch the requests of this context and of the tasks that it starts."""
    sending = Sending()
    outside = _sending.set(sending)
    try:
        yield sending
    finally:
        _sending.reset(outside)


def record_sending() -> None:
    """Record that a request has got its connection, on which it is written at once."""
    if sending := _sending.get():
        sending.is_begun = True


ANONYMOUS = Principal(LOCAL.name)
"""Any caller of an HTTP server without tokens: accounted as the owner of the process, without its rights."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """One tool call: its caller, its arrival on the monotonic clock (`None` for now), and its progress reports."""

    caller: Principal = LOCAL
    started_at: float | None = None
    progress: Progress = no_progress


_caller: ContextVar[Principal] = ContextVar("caller", default=LOCAL)


@contextmanager
def calling(caller: Principal) -> Iterator[None]:
    """Name the caller of this context and of the tasks that it starts, for the pools at their lower end.

    Not a parameter: every adapter, loader and fetcher between would pass it on without use for it.
    """
    outside = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(outside)


def share_key(caller: Principal | None = None) -> str:
    """The key under which shared resources are divided: the name of a caller, or its address if it has no token."""
    known = caller or _caller.get()
    return known.client or known.name
