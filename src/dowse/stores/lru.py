"""What was just put or found: asked for again within a moment, it costs no way to the store and back."""

from __future__ import annotations

from collections import OrderedDict

from dowse.core.models import Clock
from dowse.stores.store import Kept, Key

# Short, because a store may be cleared, and others write to it too.
KEPT_S = 10.0
_MAX_BYTES = 4_000_000
_OVERHEAD_BYTES = 500  # of an entry beside its value


class RecentEntries:
    """A few values in memory, of which those go first that were put there first."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: OrderedDict[Key, tuple[Kept, float]] = OrderedDict()
        self._size_bytes = 0

    def get(self, key: Key) -> Kept | None:
        """The value as old as it is by now."""
        kept, seen_at = self._seen.get(key, (None, 0.0))
        if kept is None:
            return None
        since_s = self._clock.now() - seen_at
        if since_s >= KEPT_S:
            self.forget(key)
            return None
        return Kept(kept.value, kept.age_s + since_s)

    def add(self, key: Key, kept: Kept) -> None:
        self.forget(key)
        self._seen[key] = (kept, self._clock.now())
        self._size_bytes += _size_bytes(kept)
        while self._size_bytes > _MAX_BYTES or self._oldest_s() >= KEPT_S:
            self.forget(next(iter(self._seen)))

    def forget(self, key: Key) -> None:
        if key in self._seen:
            self._size_bytes -= _size_bytes(self._seen.pop(key)[0])

    def _oldest_s(self) -> float:
        """How long ago the first one was put here."""
        return self._clock.now() - next(iter(self._seen.values()))[1]


def _size_bytes(kept: Kept) -> int:
    return len(kept.value) + _OVERHEAD_BYTES
