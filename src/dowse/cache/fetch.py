"""What was found out before: fresh it is the answer, a little old it is that too while somebody looks again, and
old it is better than nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from dowse.cache.entries import CacheEntries, Codec
from dowse.cache.flights import Flight, Flights
from dowse.cache.leases import Leases
from dowse.core.errors import AllProvidersFailed
from dowse.core.models import LIVE, OK, Attempt, CacheState, Clock, Deadline, Freshness, Routed
from dowse.core.protocols import Observer, Progress, no_progress
from dowse.core.runtime import Background
from dowse.stores.store import Kept

X = TypeVar("X")

# An answer is served for as long again as it was fresh, while a newer one is fetched behind it.
_GRACE = 2.0
_REFRESH_S = 30.0
CACHE = "cache"
"""Who answered, in an account of attempts, where nobody was asked."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """How long an answer is fresh, and how long it is kept in all, to be better than nothing."""

    fresh_s: float
    stale_s: float = 0.0

    @property
    def kept_s(self) -> float:
        """Not at all where it is never fresh: who switches a cache off wants no copies around."""
        return max(self.fresh_s, self.stale_s) if self.fresh_s else 0.0


@dataclass(frozen=True, slots=True)
class Known(Generic[X]):
    """An answer from before, whose it was, how old it is, and whether whoever asks now may have it."""

    answer: X
    provider: str
    age_s: float
    suits: bool = True


@dataclass(frozen=True, slots=True)
class Recalled(Generic[X]):
    """An answer, and whether it is from before."""

    routed: Routed[X]
    freshness: Freshness = LIVE


@dataclass(frozen=True, slots=True)
class Entry(Generic[X]):
    """An answer as it is kept."""

    provider: str
    answer: X


async def _yes(_answer: object) -> bool:
    return True


Make = Callable[[Known[X] | None, Deadline, Progress], Awaitable[Routed[X]]]
"""How to find the answer out, given the one from before, if there is one."""


class Memory:
    """What all shelves stand on: the cache, and who is at work on what, here and in other processes."""

    def __init__(self, cache: CacheEntries, *, clock: Clock, observer: Observer, refreshes: bool = True) -> None:
        """`refreshes` for a process that lives on after an answer, so that something can be done behind it."""
        self.cache = cache
        self.clock = clock
        self.observer = observer
        self.grace = _GRACE if refreshes else 1.0
        self.flights = Flights()
        self.leases = Leases(cache)
        self.background = Background()

    async def close(self) -> None:
        await self.flights.close()
        await self.leases.close()
        await self.background.finish()


@dataclass(frozen=True, slots=True)
class Wanted(Generic[X]):
    """What is asked for: its name, how to find it out, how old it may be, and which answers of old will do.

    Who asks for the same name in the same `way` at the same time gets what the first of them makes.
    """

    name: str
    make: Make[X]
    lifetime: Callable[[X], Lifetime]
    suits: Callable[[X], Awaitable[bool]] = _yes
    way: str = ""
    is_remembered: bool = True

    def fits(self, known: Known[X] | None, times: float = 1.0) -> bool:
        """Whether an answer from before will do, if it may be so many times as old as a fresh one."""
        return known is not None and known.suits and known.age_s < self.lifetime(known.answer).fresh_s * times


class Shelf(Generic[X]):
    """Answers of one kind by name, each found out once, however many ask for it at the same time."""

    def __init__(
        self, kind: str, answers: type[X], memory: Memory, is_outage: Callable[[AllProvidersFailed], bool]
    ) -> None:
        self._kind = kind
        self._codec: Codec[Entry[X]] = Codec(Entry[answers])  # type: ignore[valid-type]
        self._memory = memory
        self._is_outage = is_outage

    async def answer(self, wanted: Wanted[X], deadline: Deadline, progress: Progress = no_progress) -> Recalled[X]:
        """The answer from before, or a new one. Raises what `make` does, and `TimeoutError` at the deadline."""
        state = CacheState.MISS
        try:
            recalled = await self._recalled(wanted, deadline, progress)
            state = recalled.freshness.state
            return recalled
        finally:
            self._memory.observer.cache_asked(self._kind, state)

    async def _recalled(self, wanted: Wanted[X], deadline: Deadline, progress: Progress) -> Recalled[X]:
        known = await self._known(wanted)
        if known and wanted.fits(known):
            return _from_before(known, CacheState.HIT)

        async def work(flight: Flight[Recalled[X]]) -> None:
            await self._made(wanted, known, flight)

        flights, key = self._memory.flights, (self._kind, wanted.name, wanted.way)
        if known and wanted.fits(known, self._memory.grace):
            flights.begin(key, work, Deadline.after(self._memory.clock, _REFRESH_S))
            return _from_before(known, CacheState.STALE)
        try:
            return await flights.share(key, work, deadline, progress)
        except (AllProvidersFailed, TimeoutError) as failed:
            is_outage = isinstance(failed, TimeoutError) or self._is_outage(failed)
            if known is None or not known.suits or not is_outage:
                raise
            return _from_before(known, CacheState.STALE, failed)

    async def _known(self, wanted: Wanted[X]) -> Known[X] | None:
        """The answer from before, if it is not too old for anything."""
        kept = await self._memory.cache.get(self._kind, wanted.name) if wanted.is_remembered else None
        return await self._read(wanted, kept)

    async def _read(self, wanted: Wanted[X], kept: Kept | None) -> Known[X] | None:
        entry = self._codec.decode(kept.value) if kept else None
        if kept is None or entry is None or kept.age_s >= wanted.lifetime(entry.answer).kept_s:
            return None
        return Known(entry.answer, entry.provider, kept.age_s, await wanted.suits(entry.answer))

    async def _made(self, wanted: Wanted[X], known: Known[X] | None, flight: Flight[Recalled[X]]) -> None:
        """Find it out, unless another process just did; hand it to everybody who waits, then keep it."""

        async def look() -> Known[X] | None:
            newer = await self._read(wanted, await self._memory.cache.look(self._kind, wanted.name))
            return newer if wanted.fits(newer) else None

        if not wanted.is_remembered:
            flight.land(Recalled(await wanted.make(None, flight.deadline, flight.progress)))
            return
        async with self._memory.leases.in_turn(self._kind, wanted.name, look, flight.deadline) as newer:
            if newer:
                flight.land(_from_before(newer, CacheState.HIT))
                return
            try:
                routed = await wanted.make(known, flight.deadline, flight.progress)
            except AllProvidersFailed as failed:
                self._forget(wanted, known, failed)
                raise
            flight.land(Recalled(routed))
            await self._keep(wanted, routed)

    async def _keep(self, wanted: Wanted[X], routed: Routed[X]) -> None:
        data = self._codec.encode(Entry(routed.provider, routed.answer))
        kept_s = wanted.lifetime(routed.answer).kept_s if data is not None else 0.0
        await self._memory.cache.put(self._kind, wanted.name, data or b"", kept_s)

    def _forget(self, wanted: Wanted[X], known: Known[X] | None, failed: AllProvidersFailed) -> None:
        """What is over is over: an older answer must not come back at the next outage."""
        if known and known.suits and not self._is_outage(failed):
            self._memory.background.start(self._memory.cache.drop(self._kind, wanted.name))


def _from_before(known: Known[X], state: CacheState, failed: BaseException | None = None) -> Recalled[X]:
    tried, warnings = (failed.attempts, failed.warnings) if isinstance(failed, AllProvidersFailed) else ((), ())
    attempts = (*tried, Attempt(CACHE, "recall", OK, 0, f"{state}, {int(known.age_s)} s old"))
    return Recalled(Routed(known.answer, known.provider, attempts, warnings), Freshness(state, known.age_s))
