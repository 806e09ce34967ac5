"""`stats` of the REST API: calls, latency, providers, cache and cost of the last hour and day, once or as a stream."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from dowse.contracts.arguments import read
from dowse.contracts.dispatch import Answer, JsonObject
from dowse.contracts.endpoint import Emit, Event
from dowse.contracts.output import to_json
from dowse.contracts.rest.operations import Operation
from dowse.core.models import LOCAL, OK, CacheState, Clock, Principal, Status
from dowse.core.runtime import CallContext
from dowse.flows.statistics import Record
from dowse.telemetry.counters import (
    ATTEMPT,
    CACHE,
    CALL,
    COST,
    MINUTE_S,
    MINUTES,
    PAGE,
    QUARTER_S,
    QUARTERS,
    Counts,
    Slots,
    parts_of,
    percentile,
    total,
)

_ABOUT = """\
Calls, latency, providers, breakers, cache and cost of the last hour and day, of all servers that share a store.
No text of a query is counted. As `text/event-stream`, `stats` comes with every change."""
_LOOK_EVERY_S = 2.0
# Without a change, so that a lost connection is noticed.
_REPEAT_AFTER = 8
_MICRO = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TriesOutput:
    """Tries at one operation of a provider or reader; `failures` by the code of the error."""

    name: str
    operation: str
    tries: int
    ok: int
    failures: Mapping[str, int]
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsOutput:
    """Calls of one caller, or of one tool by one door."""

    name: str
    tool: str
    calls: int
    errors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotOutput:
    """Calls that ended within a slot, which begins `at` seconds of Unix time; slots without calls are left out."""

    at: int
    calls: int
    errors: int
    p50_ms: int
    p95_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodOutput:
    """The last hour or day. `cache_hits` and `cache_lookups` are those of searches, pages and answers together."""

    since: int
    slot_s: int
    calls: int
    errors: int
    p50_ms: int
    p95_ms: int
    p99_ms: int
    cache_hits: int
    cache_lookups: int
    pages: int
    pages_failed: int
    usd: float
    providers: tuple[TriesOutput, ...]
    callers: tuple[CallsOutput, ...]
    doors: tuple[CallsOutput, ...]
    slots: tuple[SlotOutput, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerOutput:
    """The state of a circuit breaker that has changed, and since when."""

    name: str
    operation: str
    state: str
    since: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsOutput:
    """Statistics of the server; `at` is now, in seconds of Unix time."""

    at: int
    hour: PeriodOutput
    day: PeriodOutput
    breakers: tuple[BreakerOutput, ...]


def build_stats(
    read_statistics: Callable[[], Awaitable[Record]], clock: Clock, *, scopes: tuple[str, ...]
) -> Operation:
    async def look(given: JsonObject, context: CallContext) -> Answer:
        read((), given)
        return Answer("", to_output(await read_statistics(), clock.utc(), context.caller))

    async def watch(given: JsonObject, context: CallContext, emit: Emit) -> Answer:
        shown: dict[str, object] = {}
        unchanged = 0
        while True:
            found = (await look(given, context)).output
            assert isinstance(found, StatsOutput)
            data = to_json(found)
            unchanged = unchanged + 1 if _is_same(data, shown) else 0
            if not unchanged or unchanged >= _REPEAT_AFTER:
                unchanged, shown = 0, data
                await emit(Event("stats", data))
            await asyncio.sleep(_LOOK_EVERY_S)

    return Operation(
        "/stats",
        "stats",
        "Watch the server",
        _ABOUT,
        look,
        StatsOutput,
        methods=("GET",),
        stream=watch,
        scopes=scopes,
        is_monitor=True,
    )


def to_output(record: Record, now: datetime, caller: Principal) -> StatsOutput:
    at = int(now.timestamp())
    return StatsOutput(
        at=at,
        hour=_period(record.minutes, MINUTE_S, at - at % MINUTE_S - (MINUTES - 1) * MINUTE_S, caller),
        day=_period(record.quarters, QUARTER_S, at - at % QUARTER_S - (QUARTERS - 1) * QUARTER_S, caller),
        breakers=tuple(map(_breaker, sorted(record.breakers.items()))),
    )


def _breaker(change: tuple[str, tuple[str, float]]) -> BreakerOutput:
    label, (state, since) = change
    name, operation = parts_of(label)
    return BreakerOutput(name=name, operation=operation, state=state, since=int(since))


def _is_same(data: Mapping[str, object], shown: Mapping[str, object]) -> bool:
    return bool(shown) and {**data, "at": 0} == {**shown, "at": 0}


def _period(slots: Slots, slot_s: int, since: int, caller: Principal) -> PeriodOutput:
    kept = {number: counts for number, counts in slots.items() if number * slot_s >= since}
    counts = total(kept.values())
    calls, errors = _count_calls(counts)
    lookups = _sum_by(counts, CACHE, 1)
    pages = _sum_by(counts, PAGE, 1)
    return PeriodOutput(
        since=since,
        slot_s=slot_s,
        calls=calls,
        errors=errors,
        p50_ms=percentile(counts, 0.5),
        p95_ms=percentile(counts, 0.95),
        p99_ms=percentile(counts, 0.99),
        cache_hits=lookups.total() - lookups[(CacheState.MISS.value,)],
        cache_lookups=lookups.total(),
        pages=pages.total(),
        pages_failed=sum(n for (status,), n in pages.items() if not _is_readable(status)),
        usd=_usd(sum(_sum_by(counts, COST, 0).values())),
        providers=_tries(counts),
        callers=_callers(counts, caller),
        doors=_calls_by(counts, 0, 1),
        slots=tuple(_slot(number * slot_s, each) for number, each in sorted(kept.items())),
    )


def _slot(at: int, counts: Counts) -> SlotOutput:
    calls, errors = _count_calls(counts)
    return SlotOutput(
        at=at, calls=calls, errors=errors, p50_ms=percentile(counts, 0.5), p95_ms=percentile(counts, 0.95)
    )


def _count_calls(counts: Counts) -> tuple[int, int]:
    by_outcome = _sum_by(counts, CALL, 3)
    return by_outcome.total(), by_outcome.total() - by_outcome[(OK,)]


def _tries(counts: Counts) -> tuple[TriesOutput, ...]:
    by_name = _sum_by(counts, ATTEMPT, 0, 1, 2)
    costs = _sum_by(counts, COST, 0)
    found: dict[tuple[str, str], Counter[str]] = {}
    for (name, operation, outcome), n in by_name.items():
        found.setdefault((name, operation), Counter())[outcome] += n
    return tuple(
        TriesOutput(
            name=name,
            operation=operation,
            tries=outcomes.total(),
            ok=outcomes[OK],
            failures={outcome: n for outcome, n in outcomes.most_common() if outcome != OK},
            usd=_usd(costs[(name,)]),
        )
        for (name, operation), outcomes in sorted(found.items(), key=lambda each: -each[1].total())
    )


def _callers(counts: Counts, caller: Principal) -> tuple[CallsOutput, ...]:
    """The calls by caller; to a caller without the scope in its own name, only its own."""
    callers = _calls_by(counts, 2)
    sees_all = "console" in (caller.scopes or ()) or caller.name == LOCAL.name
    return tuple(each for each in callers if sees_all or each.name == caller.name)


def _calls_by(counts: Counts, *places: int) -> tuple[CallsOutput, ...]:
    calls = _sum_by(counts, CALL, *places)
    failed = _sum_by({name: n for name, n in counts.items() if parts_of(name)[-1] != OK}, CALL, *places)
    return tuple(
        CallsOutput(name=names[0], tool="".join(names[1:]), calls=n, errors=failed[names])
        for names, n in calls.most_common()
    )


def _sum_by(counts: Counts, kind: str, *places: int) -> Counter[tuple[str, ...]]:
    """The counters of a kind, by the parts of their names at these places."""
    summed: Counter[tuple[str, ...]] = Counter()
    for name, n in counts.items():
        first, *parts = parts_of(name)
        if first == kind:
            summed[tuple(parts[place] for place in places)] += n
    return summed


def _is_readable(status: str) -> bool:
    return any(status == each.value and each.readable for each in Status)


def _usd(micro_usd: int) -> float:
    return micro_usd / _MICRO
