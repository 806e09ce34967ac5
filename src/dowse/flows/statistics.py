"""Counters of all replicas that share a store: each writes a record of its own, and adds up those of the others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from dowse.core.models import Clock
from dowse.stores.fail_soft import FailSoftStore, WriteBehind
from dowse.stores.store import Key
from dowse.telemetry.counters import (
    MINUTE_S,
    MINUTES,
    QUARTER_S,
    QUARTERS,
    CallCounters,
    Slots,
    forget,
)

WRITE_EVERY_S = 3.0
LOOK_EVERY_S = 3.0
"""How long what the other replicas wrote is believed."""
MOST_REPLICAS = 16
# Long, and renewed seldom: an idle server writes nothing else. A crashed one keeps its number as long.
_LEASE_S, _RENEW_S = 3600.0, 1200.0
_KEPT_S = 26 * 3600.0
# Numbers are taken from below: after so many without a record there are no more.
_GAP = 3
_LARGEST_RECORD = 8_000_000


@dataclass(slots=True)
class Record:
    """The counters of one replica, or of several together, and the last changes of breakers."""

    minutes: Slots = field(default_factory=dict)
    quarters: Slots = field(default_factory=dict)
    breakers: dict[str, tuple[str, float]] = field(default_factory=dict)

    def add(self, other: Record) -> None:
        for own, others in ((self.minutes, other.minutes), (self.quarters, other.quarters)):
            for number, counts in others.items():
                own.setdefault(number, Counter()).update(counts)
        for name, change in other.breakers.items():
            if name not in self.breakers or self.breakers[name][1] < change[1]:
                self.breakers[name] = change

    def forget_old(self, now: float) -> None:
        forget(self.minutes, int(now // MINUTE_S) - MINUTES)
        forget(self.quarters, int(now // QUARTER_S) - QUARTERS)


class Statistics:
    """The counters of this replica and of the others, for the last hour and the last day."""

    def __init__(
        self,
        counters: CallCounters,
        store: FailSoftStore,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._counters = counters
        self._store = store
        self._clock = clock
        self._owner = secrets.token_hex(8)
        self._number: int | None = None
        # Counted by an earlier process with this number.
        self._earlier = Record()
        self._others: list[Record] = []
        self._looked_at = float("-inf")
        self._writes = WriteBehind(self._write, sleep)
        self._watching: asyncio.Task[None] | None = None

    async def read(self) -> Record:
        """All counters, as far as the others have written them."""
        await self._take_number()
        now = self._clock.now()
        if now - self._looked_at >= LOOK_EVERY_S:
            self._looked_at = now
            self._others = await self._read_others()
        whole = self._own()
        for other in self._others:
            whole.add(other)
        whole.forget_old(self._now())
        return whole

    def start(self) -> None:
        """Write the counters from now on; to be called within the event loop."""
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Write the rest, and give the number back."""
        if self._watching is None:
            return
        self._watching.cancel()
        await self._writes.close()
        if self._number is not None:
            await self._store.release(_lease(self._number), self._owner)

    async def _watch(self) -> None:
        """Schedule a write after each change, and now and then to renew the lease."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_RENEW_S):
                    await self._counters.changed.wait()
            self._counters.changed.clear()
            self._writes.schedule(WRITE_EVERY_S)

    async def _write(self) -> None:
        if not self._store.is_shared:
            return
        await self._take_number()
        if self._number is not None:
            own = self._own()
            own.forget_old(self._now())
            await self._store.put(_record(self._number), _encode(own), _KEPT_S)

    async def _take_number(self) -> None:
        """Renew the lease of the number, or take the first free one and the counts of its former owner."""
        if not self._store.is_shared:
            return
        if self._number is not None and await self._store.claim(_lease(self._number), self._owner, _LEASE_S):
            return
        if self._number is not None:
            # After a long sleep: the new owner of the number has adopted its record.
            self._number = None
            self._counters.forget_all()
        for number in range(MOST_REPLICAS):
            if await self._store.claim(_lease(number), self._owner, _LEASE_S):
                self._number = number
                self._earlier = await self._load(number) or Record()
                return

    async def _read_others(self) -> list[Record]:
        if not self._store.is_shared:
            return []
        found: list[Record] = []
        missing = 0
        for number in range(MOST_REPLICAS):
            record = await self._load(number) if number != self._number else None
            missing = 0 if record or number == self._number else missing + 1
            found += [record] if record else []
            if missing >= _GAP:
                break
        return found

    async def _load(self, number: int) -> Record | None:
        kept = await self._store.get(_record(number))
        return _decode(kept.value) if kept else None

    def _own(self) -> Record:
        own = Record()
        own.add(self._earlier)
        own.add(Record(self._counters.minutes, self._counters.quarters, self._counters.breakers))
        return own

    def _now(self) -> float:
        return self._clock.utc().timestamp()


def _lease(number: int) -> Key:
    return Key("stats", f"lease-{number}")


def _record(number: int) -> Key:
    return Key("stats", f"record-{number}")


def _encode(record: Record) -> bytes:
    data = {"m": record.minutes, "q": record.quarters, "b": record.breakers}
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 1)


def _decode(value: bytes) -> Record | None:
    """A record as another process wrote it; `None` for anything else."""
    try:
        inflating = zlib.decompressobj()
        data = json.loads(inflating.decompress(value, _LARGEST_RECORD))
        breakers = {str(name): (str(state), float(at)) for name, (state, at) in data["b"].items()}
        return Record(_slots(data["m"].items()), _slots(data["q"].items()), breakers)
    except (zlib.error, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _slots(items: Iterable[tuple[str, dict[str, object]]]) -> Slots:
    return {int(number): Counter({str(name): int(str(n)) for name, n in counts.items()}) for number, counts in items}
