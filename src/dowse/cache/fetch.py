"""Cached calls: TTL, single-flight, leases, stale-while-revalidate, stale-if-error and negative caching."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from dowse.cache.entries import GRACE, CacheEntries, Codec, LifetimePolicy
from dowse.cache.flights import Flight, Flights, Leases
from dowse.core.errors import AllProvidersFailed
from dowse.core.models import OK, Attempt, CacheState, Clock, Deadline, Freshness, Routed
from dowse.core.protocols import Observer, Progress
from dowse.core.runtime import Background, no_progress
from dowse.stores.store import Kept

T = TypeVar("T")
F = TypeVar("F")

_REFRESH_S = 30.0
CACHE = "cache"
"""The provider's name in an attempt that was answered from the cache."""
_FAILURE = "failure"

Produce = Callable[[T | None, Deadline, Progress], Awaitable[Routed[T]]]
"""Makes a value, given the previous one if there is any (for a conditional request). Raises `AllProvidersFailed`."""


@dataclass(frozen=True, slots=True)
class NegativeCaching(Generic[F]):
    """How failures are cached: for how long, in which form, and how one is raised again.

    `keep` is given the failure and the seconds that the call had; it returns `None` if the failure is not cached.
    """

    ttl_s: float
    form: type[F]
    keep: Callable[[AllProvidersFailed, float], F | None]
    replay: Callable[[F, float], AllProvidersFailed]


AnyNegativeCaching = NegativeCaching[Any]  # its form of a failure concerns the kind of values alone


class Kind(Generic[T]):
    """A kind of cached values. A stale value stands in for a failure that `is_outage`, and ends with any other."""

    def __init__(
        self,
        name: str,
        values: type[T],
        is_outage: Callable[[AllProvidersFailed], bool],
        negative: AnyNegativeCaching | None = None,
    ) -> None:
        self.name = name
        self.is_outage = is_outage
        self.negative = negative
        form = negative.form if negative else str
        self.codec: Codec[_Entry[T, object]] = Codec(_Entry[values, form])  # type: ignore[valid-type]  # the types are values here

    @property
    def failure_s(self) -> float:
        return self.negative.ttl_s if self.negative else 0.0


@dataclass(frozen=True, slots=True)
class CacheKey(Generic[T]):
    """The cache key of a value. Calls of another `variant` share the value, but not the work in flight."""

    kind: Kind[T]
    name: str
    variant: str = ""


Turn = Callable[[Deadline], AbstractAsyncContextManager[None]]
"""Waits until a value may be produced. Other processes are not kept from it meanwhile: the lease comes after."""


async def _accept(_value: object) -> bool:
    return True


def _no_turn(_until: Deadline) -> AbstractAsyncContextManager[None]:
    return nullcontext()


class Cache:
    """Fetches values through the store, each produced once however many calls ask for it at the same time."""

    def __init__(self, entries: CacheEntries, *, clock: Clock, observer: Observer, refreshes: bool = True) -> None:
        """`refreshes` in a process that outlives the answer, so that a stale value can be revalidated behind it."""
        self.entries = entries
        self._clock = clock
        self._observer = observer
        self._grace = GRACE if refreshes else 1.0
        self._flights = Flights()
        self._leases = Leases(entries)
        self._background = Background()

    async def fetch(
        self,
        key: CacheKey[T],
        produce: Produce[T],
        lifetimes: LifetimePolicy[T],
        deadline: Deadline,
        progress: Progress = no_progress,
        *,
        turn: Turn = _no_turn,
        accepts: Callable[[T], Awaitable[bool]] = _accept,
    ) -> Routed[T]:
        """The cached value or a new one. Raises as `produce` and `turn` do, and `TimeoutError` at the deadline.

        A cached value that this call does not accept is neither served nor dropped.
        """
        state = CacheState.MISS
        try:
            routed = await self._fetch(_Request(key, produce, lifetimes, turn, accepts), deadline, progress)
            state = routed.freshness.state
            return routed
        finally:
            self._observer.cache_asked(key.kind.name, state)

    async def close(self) -> None:
        await self._flights.close()
        await self._leases.close()
        await self._background.finish()

    async def _fetch(self, request: _Request[T], deadline: Deadline, progress: Progress) -> Routed[T]:
        known = await self._recall(request)
        if known.is_fresh():
            return known.serve(CacheState.HIT)

        async def work(flight: Flight[Routed[T]]) -> None:
            await self._produce(request, known, flight)

        flight_key = (request.key.kind.name, request.key.name, request.key.variant)
        if known.is_fresh(self._grace):
            if known.failure is None:
                self._flights.begin(flight_key, work, Deadline.after(self._clock, _REFRESH_S))
            return known.serve(CacheState.STALE)
        try:
            self._raise_cached(known)
            return await self._flights.share(flight_key, work, deadline, progress)
        except (AllProvidersFailed, TimeoutError) as failed:
            is_outage = isinstance(failed, TimeoutError) or request.key.kind.is_outage(failed)
            if not known.is_accepted or not is_outage:
                raise
            return known.serve(CacheState.STALE, failed)

    async def _produce(self, request: _Request[T], known: _Known[T], flight: Flight[Routed[T]]) -> None:
        """Produce the value in its turn and under a lease, unless another process just did; land it, then store it."""
        async with request.turn(flight.deadline):
            await self._produce_in_turn(request, known, flight)

    async def _produce_in_turn(self, request: _Request[T], known: _Known[T], flight: Flight[Routed[T]]) -> None:
        if not request.is_stored or not self.entries.needs_lease:
            await self._produce_here(request, known, flight)
            return

        async def look() -> _Known[T] | None:
            newer = await self._recall(request, past_recent=True)
            return newer if newer.is_fresh() or newer.failure else None

        async with self._leases.in_turn(request.key.kind.name, request.key.name, look, flight.deadline) as newer:
            if newer is None:
                await self._produce_here(request, known, flight)
                return
            self._raise_cached(newer)
            flight.land(newer.serve(CacheState.HIT))

    async def _produce_here(self, request: _Request[T], known: _Known[T], flight: Flight[Routed[T]]) -> None:
        routed = await self._call(request, known, flight)
        flight.land(routed)
        if request.is_stored:
            await self._store(
                request, _Entry(routed.provider, routed.answer), request.lifetimes.of(routed.answer).kept_s
            )

    async def _call(self, request: _Request[T], known: _Known[T], flight: Flight[Routed[T]]) -> Routed[T]:
        given_s = flight.deadline.remaining_s()
        try:
            return await request.produce(known.value, flight.deadline, flight.progress)
        except AllProvidersFailed as failed:
            self._learn_failure(request, known, failed, given_s)
            raise

    def _learn_failure(
        self, request: _Request[T], known: _Known[T], failed: AllProvidersFailed, given_s: float
    ) -> None:
        """Negative caching. After a failure that is no outage, the value must not come back at the next one."""
        negative, kind = request.key.kind.negative, request.key.kind
        failure = negative.keep(failed, given_s) if negative and negative.ttl_s else None
        ends = known.is_accepted and not kind.is_outage(failed)
        if failure is None:
            if ends:
                self._background.start(self.entries.drop(kind.name, request.key.name))
            return
        value, age_s = (None, 0.0) if ends or known.value is None else (known.value, known.age_now_s(self._clock))
        entry = _Entry(known.provider, value, failure, age_s)
        kept_s = max(request.lifetimes.of(value).kept_s if value is not None else 0.0, age_s + kind.failure_s)
        self._background.start(self._store(request, entry, kept_s, age_s))

    def _raise_cached(self, known: _Known[T]) -> None:
        if known.failure is not None:
            self._observer.cache_asked(_FAILURE, CacheState.HIT)
            raise known.failure

    async def _recall(self, request: _Request[T], *, past_recent: bool = False) -> _Known[T]:
        key = request.key
        if not request.is_stored and not key.kind.failure_s:
            return _Known(request)
        read = self.entries.look if past_recent else self.entries.get
        kept = await read(key.kind.name, key.name)
        entry = key.kind.codec.decode(kept.value) if kept else None
        if kept is None or entry is None:
            return _Known(request)
        failure = _replay(key.kind.negative, entry, kept)
        value = entry.answer
        if value is None or kept.age_s >= request.lifetimes.of(value).kept_s:
            return _Known(request, failure=failure)
        is_accepted = await request.accepts(value)
        return _Known(request, value, entry.provider, kept.age_s, self._clock.now(), is_accepted, failure)

    async def _store(self, request: _Request[T], entry: _Entry[T, object], kept_s: float, age_s: float = 0.0) -> None:
        data = request.key.kind.codec.encode(entry)
        await self.entries.put(
            request.key.kind.name, request.key.name, data or b"", kept_s if data else 0.0, age_s=age_s
        )


@dataclass(frozen=True, slots=True)
class _Request(Generic[T]):
    """The arguments of one fetch."""

    key: CacheKey[T]
    produce: Produce[T]
    lifetimes: LifetimePolicy[T]
    turn: Turn
    accepts: Callable[[T], Awaitable[bool]]

    @property
    def is_stored(self) -> bool:
        return self.lifetimes.of(None).kept_s > 0


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T, F]):
    """A value as it is stored, with the last failure to replace it, which came `failed_after_s` after the value."""

    provider: str
    answer: T | None
    failure: F | None = None
    failed_after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Known(Generic[T]):
    """The stored state of a request: a value within its lifetime, a failure within its TTL."""

    request: _Request[T]
    value: T | None = None
    provider: str = ""
    age_s: float = 0.0
    seen_at: float = 0.0
    is_accepted: bool = False
    failure: AllProvidersFailed | None = None

    def is_fresh(self, times: float = 1.0) -> bool:
        """Whether the value can be served, at an age of so many times its TTL."""
        if self.value is None or not self.is_accepted:
            return False
        return self.age_s < self.request.lifetimes.of(self.value).fresh_s * times

    def age_now_s(self, clock: Clock) -> float:
        return self.age_s + clock.now() - self.seen_at

    def serve(self, state: CacheState, failed: BaseException | None = None) -> Routed[T]:
        assert self.value is not None
        tried, warnings = (failed.attempts, failed.warnings) if isinstance(failed, AllProvidersFailed) else ((), ())
        attempts = (*tried, recall_attempt(state, self.age_s))
        return Routed(self.value, self.provider, attempts, warnings, Freshness(state, self.age_s))


def recall_attempt(state: CacheState, age_s: float) -> Attempt:
    """The line of an answer from the cache in the account of attempts."""
    return Attempt(CACHE, "recall", OK, 0, f"{state}, {int(age_s)} s old")


def _replay(negative: AnyNegativeCaching | None, entry: _Entry[T, object], kept: Kept) -> AllProvidersFailed | None:
    """The cached failure, while its TTL lasts."""
    age_s = kept.age_s - entry.failed_after_s
    if negative is None or entry.failure is None or age_s >= negative.ttl_s:
        return None
    return negative.replay(entry.failure, max(0.0, age_s))
