"""Which instances are asked: those on the list that are well, in turn, and none that rests or misbehaves."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby
from random import Random
from typing import Protocol, TypeVar

from dowse.cache.entries import CacheEntries
from dowse.core.errors import NoInstance, ProviderError
from dowse.core.models import Clock
from dowse.core.protocols import Progress, no_progress
from dowse.providers.searxng import instance as transitions
from dowse.providers.searxng.directory import Directory, Excluded, FixedDirectory
from dowse.providers.searxng.instance import Instance, Rules
from dowse.providers.searxng.table import Records, Table

MOST_PER_QUERY = 2
"""Nobody's query is sent to more instances than this."""


class Instances:
    """All instances of one provider. Whoever asks one reports what came of it."""

    def __init__(
        self,
        provider: str,
        directory: Directory,
        asker: Asker,
        cache: CacheEntries,
        clock: Clock,
        *,
        turns: Turns,
        rules: Rules | None = None,
        interval_s: float = 300.0,
        watches: bool = False,
        rng: Random | None = None,
    ) -> None:
        """`watches` for a process that lives on: instances in use are checked behind everybody's back."""
        self.provider = provider
        self._directory = directory
        self._asker = asker
        self._clock = clock
        self._turns = turns
        self._rules = rules or Rules()
        self._interval_s = interval_s
        self._records = Records(provider, cache)
        self._table = Table(self._records, clock)
        self._watch = Watch(self.check_silent, clock, interval_s if watches else 0.0, rng or Random())
        self._looking = asyncio.Lock()
        self._has_turn: set[str] = set()

    @classmethod
    def fixed(
        cls,
        urls: Sequence[str],
        asker: Asker,
        cache: CacheEntries,
        clock: Clock,
        *,
        provider: str = "searxng",
        rules: Rules | None = None,
        interval_s: float = 300.0,
        watches: bool = False,
    ) -> Instances:
        """The user's own, in turn from the first on. They are trusted: nothing they do puts them on the block-list."""
        return cls(
            provider,
            FixedDirectory(urls),
            asker,
            cache,
            clock,
            turns=RoundRobin(),
            rules=replace(rules or Rules(), blocks=False),
            interval_s=interval_s,
            watches=watches,
        )

    async def choose(self, count: int = MOST_PER_QUERY) -> list[Instance]:
        """The one to ask, and others in case it fails; none where all rest. `NoInstance` if there is no list at all."""
        await self.load()
        self._watch.used()
        count = min(count, MOST_PER_QUERY)
        async with self._looking:
            if not self._table.ready():
                # Some that are out may be well again, and nobody has looked since.
                out = sorted(self._table.awake(), key=lambda each: each.last_checked)
                await side_by_side(self._check, [each.url for each in out[:count]])
        chosen = choose(self._table.ready(), self._turns, count)
        self._has_turn.update(each.url for each in chosen[:1])
        return chosen

    async def asked(self, url: str) -> None:
        """It was asked, and what came of it says nothing about its health."""
        self._had_turn(url)

    async def succeeded(self, url: str, ms: int) -> None:
        """It answered a search."""
        self._had_turn(url)
        self._table.update(url, lambda each, now: transitions.succeeded(each, now, ms))

    async def failed(self, url: str, error: ProviderError) -> None:
        """It did not, and why. A bad certificate and a redirect to another host are misbehaviour."""
        self._had_turn(url)
        self._table.update(url, lambda each, now: transitions.failed(each, now, error, self._rules))

    async def misbehaved(self, url: str, reason: str) -> None:
        """It did something that no honest server does."""
        self._had_turn(url)
        self._table.update(url, lambda each, now: transitions.misbehaved(each, now, reason, self._rules))

    async def speaks(self, url: str, *, json: bool) -> None:
        """Whether it answers in JSON."""
        self._table.update(url, lambda each, _now: replace(each, json=json))

    async def load(self) -> None:
        """Learn what is known, and the list. Raises `NoInstance`."""
        await self._table.recall()
        self._table.take(await self._directory.edition())

    async def refresh(self) -> None:
        """Fetch the list anew. Raises `NoInstance`; then everything stays as it was."""
        await self._table.recall()
        self._table.take(await self._directory.fetch())

    async def check_silent(self) -> None:
        """See whether those are well that nobody has heard of lately, and whether those that are out are back."""
        await side_by_side(self._check, [each.url for each in self._table.silent(self._interval_s / 2)])

    async def check(self, urls: Sequence[str] | None = None, progress: Progress = no_progress) -> list[Checked]:
        """Ask each instance that may be asked, or these, for its health and for one search; what came of it."""
        try:
            await self.load()
        except NoInstance:
            # Named ones can be asked without a list.
            if not urls:
                raise
        asked = list(urls or (each.url for each in self._table.awake()))
        done = itertools.count(1)

        async def tested(url: str) -> Checked:
            found = await self._tested(url)
            await progress(f"{next(done)} of {len(asked)} instances asked")
            return found

        return await side_by_side(tested, asked)

    def table(self) -> list[Instance]:
        """Every instance on the list, the best grade first."""
        return self._table.rows

    def excluded(self) -> tuple[Excluded, ...]:
        """Who is on the list but not good enough, and why."""
        return self._table.excluded

    def warnings(self) -> tuple[str, ...]:
        """What users should know of the list at hand."""
        return self._directory.warnings()

    def retry_after_s(self) -> float | None:
        """When somebody may be asked again, if nobody may now."""
        return self._table.retry_after_s()

    def nobody(self) -> NoInstance:
        """The error for a search for which nobody could be asked."""
        known = len(self._table.rows)
        detail = f"of {known} instances none is ready ({self._table.summary()})"
        if not known:
            detail = f"none of the {len(self._table.excluded)} instances on the list is good enough"
        return NoInstance(
            self.provider, f"{detail}; {self._directory.advice}", retry_after_s=self._table.retry_after_s()
        )

    async def close(self) -> None:
        """End what goes on in the background; what was learnt is kept."""
        await self._watch.close()
        await self._directory.close()
        await self._records.finish()

    async def _check(self, url: str) -> None:
        try:
            await self._asker.ping(url)
        except ProviderError as error:
            failure = error
            self._table.update(url, lambda each, now: transitions.failed(each, now, failure, self._rules))
        else:
            self._table.update(url, transitions.found_well)

    async def _tested(self, url: str) -> Checked:
        started = self._clock.now()
        try:
            await self._asker.ping(url)
            is_json = await self._asker.probe(url)
        except ProviderError as error:
            await self.failed(url, error)
            return Checked(url, error.code, self._ms_since(started), error.detail)
        ms = self._ms_since(started)
        await self.succeeded(url, ms)
        await self.speaks(url, json=is_json)
        return Checked(url, "json" if is_json else "html", ms)

    def _had_turn(self, url: str) -> None:
        """Who was asked instead of another has had a turn too."""
        if url in self._has_turn:
            self._has_turn.discard(url)
        else:
            self._turns.took(url)

    def _ms_since(self, started: float) -> int:
        return round(1000 * (self._clock.now() - started))


T = TypeVar("T")

_AT_ONCE = 8
_JITTER = 0.2


class Asker(Protocol):
    """Knows how to talk to an instance. Raises `ProviderError`."""

    async def ping(self, url: str) -> None:
        """See whether it is there, by its cheapest page; nothing is searched for."""
        ...

    async def probe(self, url: str) -> bool:
        """Search for something harmless; whether it answered in JSON."""
        ...


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of asking one instance: `json`, `html`, or the code of an error with its detail."""

    url: str
    outcome: str
    ms: int
    detail: str = ""

    @property
    def is_well(self) -> bool:
        return self.outcome in ("json", "html")


async def side_by_side(work: Callable[[str], Awaitable[T]], urls: Iterable[str]) -> list[T]:
    """Do the same for each address, a few at a time; results in the order of the addresses."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def in_turn(url: str) -> T:
        async with turns:
            return await work(url)

    return await asyncio.gather(*map(in_turn, urls))


class Watch:
    """Checks again and again, not on the dot, and stops when nobody has used what it looks after for an interval."""

    def __init__(self, check: Callable[[], Awaitable[None]], clock: Clock, interval_s: float, rng: Random) -> None:
        """With an interval of 0 it never checks."""
        self._check = check
        self._clock = clock
        self._interval_s = interval_s
        self._rng = rng
        self._used_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def used(self) -> None:
        """Somebody did just now."""
        self._used_at = self._clock.now()
        if self._interval_s and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(self._interval_s * self._rng.uniform(1 - _JITTER, 1 + _JITTER))
            if self._clock.now() - self._used_at > self._interval_s:
                return
            await self._check()


class Turns(Protocol):
    """An order in which equals are asked."""

    def ordered(self, urls: Sequence[str]) -> list[str]:
        """These addresses, the one whose turn it is first."""
        ...

    def took(self, url: str) -> None:
        """It had its turn."""
        ...


class RoundRobin:
    """Who has waited longest comes first; those that never had a turn in an order that is shuffled once.

    An order of waiting, and not a place in a list: the neighbour of one that rests would get its share as well.
    """

    def __init__(self, rng: Random | None = None) -> None:
        """Without `rng` nothing is shuffled: the first turns go in the order of the addresses."""
        self._rng = rng
        self._places: dict[str, float] = {}
        self._turns: dict[str, int] = {}
        self._number = count(1)

    def ordered(self, urls: Sequence[str]) -> list[str]:
        return sorted(urls, key=lambda url: (self._turns.get(url, 0), self._place(url)))

    def took(self, url: str) -> None:
        self._turns[url] = next(self._number)

    def _place(self, url: str) -> float:
        if self._rng is None:
            return 0.0
        return self._places.setdefault(url, self._rng.random())


class Deck:
    """At random without repeats: nobody is drawn again before all the others were."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._drawn: set[str] = set()
        self._last = ""

    def ordered(self, urls: Sequence[str]) -> list[str]:
        if self._drawn.issuperset(urls):
            self._drawn.difference_update(urls)
        shuffled = self._rng.sample(urls, len(urls))
        # The last of one round is not the first of the next.
        return sorted(shuffled, key=lambda url: (url in self._drawn, url == self._last))

    def took(self, url: str) -> None:
        self._drawn.add(url)
        self._last = url


def choose(ready: Sequence[Instance], turns: Turns, most: int) -> list[Instance]:
    """The first is asked and has had its turn with that; the others are there in case it fails."""
    by_url = {instance.url: instance for instance in ready}
    tiers = groupby(sorted(ready, key=lambda instance: instance.tier), key=lambda instance: instance.tier)
    ordered = [url for _, tier in tiers for url in turns.ordered([instance.url for instance in tier])]
    if ordered:
        turns.took(ordered[0])
    return [by_url[url] for url in ordered[:most]]
