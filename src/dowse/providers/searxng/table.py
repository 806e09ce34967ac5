"""All instances of the list, each with its history: who may be asked now, who has to be looked after."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from dowse.cache.entries import CacheEntries, Codec
from dowse.core import urls
from dowse.core.models import Clock
from dowse.core.tasks import Background
from dowse.providers.searxng import instance as transitions
from dowse.providers.searxng.directory import Edition, Excluded, Listed
from dowse.providers.searxng.instance import KIND, Instance, State, joined, name_of
from dowse.telemetry.log import event

# So long others may go on asking an instance that has just asked one process for a pause.
LOOK_AGAIN_S = 10.0


class Table:
    """Instances by address. Every change is written down; what is known of one outlives a list without it."""

    def __init__(self, records: Records, clock: Clock) -> None:
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
        """Learn what was known before this process began; and every so often what others have found out since."""
        is_due = self._records.is_shared and self._clock.now() >= self._look_at
        if self._known is not None and not is_due:
            return
        self._look_at = self._clock.now() + LOOK_AGAIN_S
        known = await self._records.read()
        self._known = {**(self._known or {}), **known}
        for url, row in self._rows.items():
            other = known.get(name_of(url), Instance(url))
            heard = transitions.joined(row, other)
            self._rows[url] = replace(heard, url=url, grade=row.grade, uptime=row.uptime)
            if transitions.knows_more(row, other):
                # Two processes that write at the same time do not hear of each other.
                self._records.write(self._rows[url])

    def take(self, edition: Edition) -> None:
        """Make the rows anew where the list has changed."""
        if edition is self._edition:
            return
        known = {**(self._known or {}), **{name_of(url): each for url, each in self._rows.items()}}
        listed_at = self._now() - (self._clock.now() - edition.made_at)
        self._rows = {each.url: _row(each, known.get(name_of(each.url)), listed_at) for each in edition.entries.usable}
        self._known, self._edition = known, edition

    def update(self, url: str, change: Callable[[Instance, float], Instance]) -> None:
        """Change one, given the time; nothing happens if a newer list is without it."""
        before = self._rows.get(url)
        if before is None:
            return
        after = change(before, self._now())
        if after == before:
            return
        self._rows[url] = after
        self._records.write(after)
        if after.blocked_until > before.blocked_until:
            address = urls.parse(url)
            event(logging.WARNING, "instance blocked", host=address.host if address else "", detail=after.reason)

    def ready(self) -> list[Instance]:
        """Who may be asked a query."""
        now = self._now()
        return [each for each in self._rows.values() if each.state(now) is State.READY]

    def awake(self) -> list[Instance]:
        """Who may be asked whether it is well: also those that are out, once their rest is over."""
        now = self._now()
        return [each for each in self.rows if not each.until(now)]

    def silent(self, for_s: float) -> list[Instance]:
        """Those of whom nobody has heard for so long, and those that are out."""
        heard_of = self._now() - for_s
        return [each for each in self.awake() if each.is_out or each.last_checked <= heard_of]

    def retry_after_s(self) -> float | None:
        """When somebody may be asked again, if nobody may now."""
        now = self._now()
        waits = [each.until(now) - now for each in self._rows.values()]
        return min(waits) if waits and all(each.until(now) for each in self._rows.values()) else None

    def summary(self) -> str:
        """How many are in which state, such as `2 resting, 1 blocked`."""
        states = [each.state(self._now()) for each in self._rows.values()]
        return ", ".join(f"{states.count(state)} {state}" for state in State if state in states)

    def _now(self) -> float:
        return self._clock.utc().timestamp()


def _row(listed: Listed, known: Instance | None, listed_at: float) -> Instance:
    """An instance as the list has it, with its own history."""
    before = known or Instance(listed.url)
    if before.last_checked < listed_at:
        before = transitions.readmitted(before)
    response_ms = listed.response_ms if before.response_ms is None else before.response_ms
    return replace(before, url=listed.url, grade=listed.grade, uptime=listed.uptime, response_ms=response_ms)


_KEPT_S = 30 * 86_400.0
# Lists change: of those that are on none any more, the ones that were asked last stay known.
_MOST = 1000


@dataclass(frozen=True, slots=True)
class _Page:
    """All instances of a provider, as they are kept."""

    instances: tuple[Instance, ...]


class Records:
    """What is known of each instance. What a store cannot tell, or somebody has damaged, is not known."""

    def __init__(self, provider: str, cache: CacheEntries) -> None:
        self._name = f"state of {provider}"
        self._cache = cache
        self._codec = Codec(_Page)
        self._changed: dict[str, Instance] = {}
        self._is_writing = False
        self._background = Background()

    @property
    def is_shared(self) -> bool:
        """Whether other processes may write here."""
        return self._cache.is_shared

    async def read(self) -> dict[str, Instance]:
        """The state by address; addresses are without a password that the settings may have in them."""
        kept = await self._cache.look(KIND, self._name)
        page = self._codec.decode(kept.value) if kept else None
        return {instance.url: instance for instance in page.instances} if page else {}

    def write(self, instance: Instance) -> None:
        """Keep a change. Nobody waits for it; changes that come while another is being written go together."""
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
                # Other processes write here too: only what changed in this one is replaced, and their news stays.
                known = await self.read()
                known |= {name: joined(each, known.get(name, each)) for name, each in changed.items()}
                newest = sorted(known.values(), key=lambda instance: instance.last_checked)[-_MOST:]
                if data := self._codec.encode(_Page(tuple(newest))):
                    await self._cache.put(KIND, self._name, data, _KEPT_S)
        finally:
            self._is_writing = False
