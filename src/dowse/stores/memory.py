"""In-memory store of one process."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from dowse.core.models import Clock
from dowse.stores.ledger import CallCount, Days, MemoryLedger, Tally
from dowse.stores.store import Kept, Key, Usage, age_s

MAX_BYTES = 64_000_000
_OVERHEAD_BYTES = 200  # of an entry beside its value: the key, and its places in a dict and a heap
_LARGEST_SHARE = 8  # one value takes at most an eighth of the room
_SPARE_PLACES = 100


@dataclass(frozen=True, slots=True)
class _Entry:
    value: bytes
    made_at: float
    until: float

    @property
    def size_bytes(self) -> int:
        return len(self.value) + _OVERHEAD_BYTES

    def is_expired(self, now: float) -> bool:
        return self.until <= now or age_s(self.made_at, now) is None


class MemoryStore(MemoryLedger):
    """Entries and leases in dictionaries, evicted by expiry. Nothing awaits, so every method is atomic on its loop."""

    is_shared = False
    is_exclusive = False

    def __init__(self, clock: Clock, max_bytes: int | None = None) -> None:
        super().__init__()
        self._clock = clock
        self._max_bytes = max_bytes or MAX_BYTES
        self._size_bytes = 0
        self._entries: dict[Key, _Entry] = {}
        # A heap by expiry. Places of dropped entries stay until they are popped.
        self._queue: list[tuple[float, int, Key]] = []
        self._number = itertools.count()
        self._leases: dict[Key, tuple[str, float]] = {}
        self._calls: dict[tuple[date, str, str], Tally] = {}

    async def get(self, key: Key) -> Kept | None:
        now, entry = self._now(), self._entries.get(key)
        if entry is None:
            return None
        age = age_s(entry.made_at, now)
        return None if age is None or entry.until <= now else Kept(entry.value, age)

    async def put(self, key: Key, value: bytes, kept_s: float) -> None:
        now = self._now()
        self._drop(key)
        entry = _Entry(value, now, now + kept_s)
        if entry.size_bytes > self._max_bytes // _LARGEST_SHARE:
            return
        self._make_room(entry.size_bytes)
        self._entries[key] = entry
        self._size_bytes += entry.size_bytes
        heapq.heappush(self._queue, (entry.until, next(self._number), key))

    async def drop(self, key: Key) -> None:
        self._drop(key)

    async def claim(self, key: Key, owner: str, for_s: float) -> bool:
        now = self._now()
        self._leases = {held: lease for held, lease in self._leases.items() if lease[1] > now}
        holder, _ = self._leases.get(key, (owner, 0.0))
        if holder != owner:
            return False
        self._leases[key] = (owner, now + for_s)
        return True

    async def release(self, key: Key, owner: str) -> None:
        if key in self._leases and self._leases[key][0] == owner:
            del self._leases[key]

    async def count_calls(self, counts: Sequence[CallCount]) -> None:
        for count in counts:
            key = (count.day, count.provider, count.caller)
            self._calls[key] = self._calls.get(key, Tally()) + count.tally
        kept_from = max(count.day for count in counts).replace(day=1)
        self._calls = {key: tally for key, tally in self._calls.items() if key[0] >= kept_from}

    async def call_counts(self, days: Days) -> list[CallCount]:
        return [CallCount(*key, tally) for key, tally in self._calls.items() if days.first <= key[0] <= days.today]

    async def usage(self) -> Usage:
        entries, value_bytes = Counter[str](), Counter[str]()
        for key, entry in self._entries.items():
            entries[key.kind] += 1
            value_bytes[key.kind] += len(entry.value)
        return Usage(dict(entries), dict(value_bytes), self._size_bytes, self._max_bytes)

    async def sweep(self) -> int:
        now = self._now()
        expired = [key for key, entry in self._entries.items() if entry.is_expired(now)]
        for key in expired:
            self._drop(key)
        return len(expired)

    async def clear(self) -> int:
        count = len(self._entries)
        self._entries.clear()
        self._queue.clear()
        self._size_bytes = 0
        return count

    def _now(self) -> float:
        return self._clock.utc().timestamp()

    def _drop(self, key: Key) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size_bytes -= entry.size_bytes

    def _make_room(self, size_bytes: int) -> None:
        while self._size_bytes + size_bytes > self._max_bytes:
            until, _, key = heapq.heappop(self._queue)
            if key in self._entries and self._entries[key].until == until:
                self._drop(key)
        if len(self._queue) > 2 * len(self._entries) + _SPARE_PLACES:
            self._queue = [(entry.until, next(self._number), key) for key, entry in self._entries.items()]
            heapq.heapify(self._queue)
