"""Counters of calls by the minute and the quarter of an hour, for reports: numbers only, no text of a query."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from dowse.core.answers import TokenUsage
from dowse.core.models import Attempt, CacheState, Clock
from dowse.core.protocols import BreakerChange, Charge, Spent, StoreState, ToolCall

Counts = Mapping[str, int]
Slots = dict[int, Counter[str]]

MINUTE_S, QUARTER_S = 60, 900
MINUTES, QUARTERS = 60, 96
"""How many slots are kept: an hour and a day."""
CALL, LATENCY, ATTEMPT, CACHE, COST, PAGE = "call", "ms", "try", "cache", "usd", "page"
"""Kinds of counters: the first part of their names."""
_SEPARATOR = "\t"
_OTHER = "other"
_MOST_CALLERS = 100
# Durations in buckets of a constant ratio: a percentile is true to 5 %.
_RATIO = math.log(1.1)
_MICRO = 1_000_000


def name_of(*parts: str) -> str:
    return _SEPARATOR.join(parts)


def parts_of(name: str) -> list[str]:
    return name.split(_SEPARATOR)


def bucket_of(ms: float) -> int:
    return max(0, math.ceil(math.log(max(ms, 1.0)) / _RATIO))


def percentile(counts: Counts, share: float) -> int:
    """The duration in milliseconds below which a share of the calls ended; 0 without calls."""
    buckets = sorted((int(parts[1]), n) for name, n in counts.items() if (parts := parts_of(name))[0] == LATENCY)
    wanted, seen = share * sum(n for _, n in buckets), 0
    for bucket, n in buckets:
        seen += n
        if seen >= wanted:
            return round(math.exp((bucket - 0.5) * _RATIO))
    return 0


def total(slots: Iterable[Counts]) -> Counter[str]:
    """The counters of several slots together."""
    summed: Counter[str] = Counter()
    for slot in slots:
        summed.update(slot)
    return summed


class CallCounters:
    """Implements `protocols.Observer`: counters in memory. Names are bounded as those of the metrics are."""

    def __init__(self, clock: Clock, *, engines: Collection[str]) -> None:
        self._clock = clock
        self._engines = frozenset(engines)
        self._callers: set[str] = set()
        self.minutes: Slots = {}
        self.quarters: Slots = {}
        self.breakers: dict[str, tuple[str, float]] = {}
        """State and time of the last change of each breaker that has changed, by provider and operation."""
        self.changed = asyncio.Event()
        """Set at every change; whoever waits for it clears it."""

    def attempt_failed(self, attempt: Attempt, *, url: str = "") -> None:
        del url  # Never counted by address.
        self._count_attempt(attempt)

    def attempt_succeeded(self, attempt: Attempt) -> None:
        self._count_attempt(attempt)

    def breaker_changed(self, change: BreakerChange) -> None:
        self.breakers[name_of(self._engine(change.provider), change.operation)] = (change.state, self._now())
        self.changed.set()

    def search_completed(
        self, engine: str, query: str, result_count: int, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        """Counted with the attempt that answered."""

    def fetch_completed(
        self, engine: str, url: str, status: str, ms: int, *, cache: CacheState = CacheState.MISS
    ) -> None:
        """Counted when the page is finished."""

    def page_finished(self, engine: str, status: str) -> None:
        self._count(name_of(PAGE, self._engine(engine), status))

    def tool_called(self, call: ToolCall) -> None:
        self._count(name_of(CALL, call.door.value, call.tool, self._caller(call.caller), call.outcome))
        self._count(name_of(LATENCY, str(bucket_of(call.seconds * 1000))))

    def provider_charged(self, charge: Charge) -> None:
        self._count(name_of(COST, self._engine(charge.provider)), round(charge.usd * _MICRO))

    def budget_charged(self, spent: Spent) -> None:
        """The account is asked."""

    def store_changed(self, state: StoreState) -> None:
        """The doctor is asked."""

    def tokens_used(self, provider: str, usage: TokenUsage) -> None:
        """No part of the reports."""

    def cache_asked(self, kind: str, state: CacheState) -> None:
        self._count(name_of(CACHE, kind, state.value))

    def forget_all(self) -> None:
        self.minutes.clear()
        self.quarters.clear()

    def _count_attempt(self, attempt: Attempt) -> None:
        self._count(name_of(ATTEMPT, self._engine(attempt.provider), attempt.operation, attempt.outcome))

    def _count(self, name: str, n: int = 1) -> None:
        now = self._now()
        for slots, size_s, most in ((self.minutes, MINUTE_S, MINUTES), (self.quarters, QUARTER_S, QUARTERS)):
            number = int(now // size_s)
            if number not in slots:
                forget(slots, number - most)
            slots.setdefault(number, Counter())[name] += n
        self.changed.set()

    def _engine(self, name: str) -> str:
        return name if name in self._engines else _OTHER

    def _caller(self, name: str) -> str:
        if len(self._callers) < _MOST_CALLERS:
            self._callers.add(name)
        return name if name in self._callers else _OTHER

    def _now(self) -> float:
        return self._clock.utc().timestamp()


def forget(slots: Slots, until: int) -> None:
    """Drop the slots up to a number."""
    for number in [number for number in slots if number <= until]:
        del slots[number]
