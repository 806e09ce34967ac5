"""All listed instances with their health: in memory, and in the store that processes share."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from dowse.cache.entries import CacheEntries, Codec
from dowse.core import urls
from dowse.core.models import Clock
from dowse.core.runtime import Background
from dowse.providers.searxng.directory import Edition, Excluded, ListedInstance
from dowse.providers.searxng.instance import KIND, Instance, InstanceState, is_ahead, merge, name_of, readmit
from dowse.telemetry.log import event

# For so long other processes may go on asking an instance that has just asked one process for a pause.
LOOK_AGAIN_S = 10.0
_KEPT_S = 30 * 86_400.0
# Of instances on no list any more, the most recently asked stay known.
_MOST_KEPT = 1000


class InstanceTable:
    """Instances by address. Every change is stored; the history of an instance outlives a list without it."""

    def __init__(self, records: InstanceRecords, clock: Clock) -> None:
        self._records = records
        self._clock = clock
        self._known: dict[str, Instance] | None = None
        self._edition: Edition | None = None
        self._rows: dict[str, Instance] = {}
        self._look_at = 0.0

    @property
    def rows(self) -> list[Instance]:
        """The best grade first, and otherwise in the order of the list."""
        return sorted(self._rows.values(), key=lambda each: each.tier)

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        return self._edition.entries.excluded if self._edition else ()

    async def recall(self) -> None:
        """Read the stored health: once, and every so often where other processes write too."""
        is_due = self._records.is_shared and self._clock.now() >= self._look_at
        if self._known is not None and not is_due:
            return
        self._look_at = self._clock.now() + LOOK_AGAIN_S
        stored = await self._records.read()
        self._known = {**(self._known or {}), **stored}
        for url, row in self._rows.items():
            other = stored.get(name_of(url), Instance(url))
            self._rows[url] = replace(merge(row, other), url=url, grade=row.grade, uptime=row.uptime)
            if is_ahead(row, other):
                # Two processes that write at the same time overwrite each other.
                self._records.write(self._rows[url])

    def take(self, edition: Edition) -> None:
        """Rebuild the rows if the list has changed."""
        if edition is self._edition:
            return
        known = {**(self._known or {}), **{name_of(url): each for url, each in self._rows.items()}}
        listed_at = self._now() - (self._clock.now() - edition.made_at)
        self._rows = {each.url: _row(each, known.get(name_of(each.url)), listed_at) for each in edition.entries.usable}
        self._known, self._edition = known, edition

    def update(self, url: str, change: Callable[[Instance, float], Instance]) -> None:
        """Change one instance, given the time; no effect if a newer list is without it."""
        before = self._rows.get(url)
        if before is None:
            return
        after = change(before, self._now())
        if after == before:
            return
        self._rows[url] = after
        self._records.write(after)
        if after.blocked_until > before.blocked_until:
            event(logging.WARNING, "instance blocked", host=urls.host_of(url), detail=after.reason)

    def ready(self) -> list[Instance]:
        """Instances that may be asked a query."""
        now = self._now()
        return [each for each in self._rows.values() if each.state(now) is InstanceState.READY]

    def awake(self) -> list[Instance]:
        """Instances that may be checked: also ones out of rotation, once their back-off is over."""
        now = self._now()
        return [each for each in self.rows if not each.until(now)]

    def silent(self, for_s: float) -> list[Instance]:
        """Instances without news for so long, and ones out of rotation."""
        heard_of = self._now() - for_s
        return [each for each in self.awake() if each.is_out or each.last_checked <= heard_of]

    def retry_after_s(self) -> float | None:
        """When the first instance may be asked again, if none may be asked now."""
        now = self._now()
        waits = [each.until(now) - now for each in self._rows.values()]
        return min(waits) if waits and min(waits) > 0 else None

    def summarise(self) -> str:
        """Number of instances in each state, such as `2 resting, 1 blocked`."""
        states = [each.state(self._now()) for each in self._rows.values()]
        return ", ".join(f"{states.count(state)} {state}" for state in InstanceState if state in states)

    def _now(self) -> float:
        return self._clock.utc().timestamp()


class InstanceRecords:
    """Health of instances in the store: written after changes, unknown where the store is down or damaged."""

    def __init__(self, provider: str, cache: CacheEntries) -> None:
        self._name = f"state of {provider}"
        self._cache = cache
        self._codec = Codec(_Stored)
        self._changed: dict[str, Instance] = {}
        self._is_writing = False
        self._background = Background()

    @property
    def is_shared(self) -> bool:
        """Whether other processes may write here."""
        return self._cache.is_shared

    async def read(self) -> dict[str, Instance]:
        """The stored health by address, which is without credentials."""
        kept = await self._cache.look(KIND, self._name)
        stored = self._codec.decode(kept.value) if kept else None
        return {instance.url: instance for instance in stored.instances} if stored else {}

    def write(self, instance: Instance) -> None:
        """Store a change in the background; changes during another write go together."""
        address = name_of(instance.url)
        self._changed[address] = replace(instance, url=address)
        if not self._is_writing:
            self._is_writing = True
            self._background.start(self._write())

    async def finish(self) -> None:
        """Wait until all is written."""
        await self._background.finish()

    async def _write(self) -> None:
        try:
            while self._changed:
                changed, self._changed = self._changed, {}
                # Other processes write here too: only the changes of this one replace stored records.
                known = await self.read()
                known |= {name: merge(each, known.get(name, each)) for name, each in changed.items()}
                newest = sorted(known.values(), key=lambda instance: instance.last_checked)[-_MOST_KEPT:]
                if data := self._codec.encode(_Stored(tuple(newest))):
                    await self._cache.put(KIND, self._name, data, _KEPT_S)
        finally:
            self._is_writing = False


@dataclass(frozen=True, slots=True)
class _Stored:
    instances: tuple[Instance, ...]


def _row(listed: ListedInstance, known: Instance | None, listed_at: float) -> Instance:
    """A listed instance with its own history."""
    before = known or Instance(listed.url)
    if before.last_checked < listed_at:
        before = readmit(before)
    response_ms = listed.response_ms if before.response_ms is None else before.response_ms
    return replace(before, url=listed.url, grade=listed.grade, uptime=listed.uptime, response_ms=response_ms)
