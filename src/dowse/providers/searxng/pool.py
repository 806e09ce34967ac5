"""Pool of SearXNG instances: listed, healthy ones in rotation, with health checks in the background."""

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
from dowse.core.protocols import Progress
from dowse.core.runtime import no_progress
from dowse.providers.searxng.directory import Directory, Excluded, FixedDirectory
from dowse.providers.searxng.instance import (
    HealthRules,
    Instance,
    block,
    record_failure,
    record_healthy,
    record_success,
)
from dowse.providers.searxng.table import InstanceRecords, InstanceTable

T = TypeVar("T")

MOST_PER_QUERY = 2
"""A query is sent to at most so many instances."""
_CHECKS_AT_ONCE = 8
_JITTER = 0.2


class Prober(Protocol):
    """Requests that a health check makes. They raise `ProviderError`."""

    async def ping(self, url: str) -> None:
        """Request the cheapest page; nothing is searched for."""
        ...

    async def probe(self, url: str) -> bool:
        """Search for something harmless; returns whether the answer was JSON."""
        ...


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Outcome of checking one instance: `json`, `html`, or the code of an error with its detail."""

    url: str
    outcome: str
    ms: int
    detail: str = ""

    @property
    def is_well(self) -> bool:
        return self.outcome in ("json", "html")


class InstancePool:
    """All instances of one provider. Callers report the outcome of each request."""

    def __init__(
        self,
        provider: str,
        directory: Directory,
        prober: Prober,
        cache: CacheEntries,
        clock: Clock,
        *,
        rotation: Rotation,
        rules: HealthRules | None = None,
        interval_s: float = 300.0,
        watches: bool = False,
        rng: Random | None = None,
    ) -> None:
        """`watches` is for long-lived processes: instances in use are checked in the background."""
        self.provider = provider
        self._directory = directory
        self._prober = prober
        self._clock = clock
        self._rotation = rotation
        self._rules = rules or HealthRules()
        self._interval_s = interval_s
        self._records = InstanceRecords(provider, cache)
        self._table = InstanceTable(self._records, clock)
        self._watch = HealthWatch(self.check_silent, clock, interval_s if watches else 0.0, rng or Random())
        self._looking = asyncio.Lock()
        self._has_turn: set[str] = set()

    @classmethod
    def from_addresses(
        cls,
        urls: Sequence[str],
        prober: Prober,
        cache: CacheEntries,
        clock: Clock,
        *,
        rules: HealthRules | None = None,
        interval_s: float = 300.0,
        watches: bool = False,
    ) -> InstancePool:
        """The user's own instances, in turn from the first on. They are trusted, hence never blocked."""
        return cls(
            "searxng",
            FixedDirectory(urls),
            prober,
            cache,
            clock,
            rotation=RoundRobin(),
            rules=replace(rules or HealthRules(), blocks=False),
            interval_s=interval_s,
            watches=watches,
        )

    async def choose(self, most: int = MOST_PER_QUERY) -> list[Instance]:
        """The instance to ask, then substitutes; empty while all rest. Raises `NoInstance` without a list."""
        await self.load()
        self._watch.note_use()
        most = min(most, MOST_PER_QUERY)
        async with self._looking:
            if not self._table.ready():
                # Instances that are out may have recovered since their last check.
                out = sorted(self._table.awake(), key=lambda each: each.last_checked)
                await run_concurrently(self._ping, [each.url for each in out[:most]])
        chosen = choose(self._table.ready(), self._rotation, most)
        self._has_turn.update(each.url for each in chosen[:1])
        return chosen

    async def report_request(self, url: str) -> None:
        """Report a request without consequences for the health of the instance."""
        self._end_turn(url)

    async def report_success(self, url: str, ms: int) -> None:
        self._end_turn(url)
        self._table.update(url, lambda each, now: record_success(each, now, ms))

    async def report_failure(self, url: str, error: ProviderError) -> None:
        """Report a failure. A bad certificate and a redirect to another host are misbehaviour."""
        self._end_turn(url)
        self._table.update(url, lambda each, now: record_failure(each, now, error, self._rules))

    async def report_misbehaviour(self, url: str, reason: str) -> None:
        self._end_turn(url)
        self._table.update(url, lambda each, now: block(each, now, reason, self._rules))

    async def report_format(self, url: str, *, json: bool) -> None:
        """Report whether the instance answers in JSON."""
        self._table.update(url, lambda each, _now: replace(each, json=json))

    async def load(self) -> None:
        """Read the stored health and the list. Raises `NoInstance`."""
        await self._table.recall()
        self._table.take(await self._directory.edition())

    async def refresh(self) -> None:
        """Fetch the list anew. Raises `NoInstance`, and then changes nothing."""
        await self._table.recall()
        self._table.take(await self._directory.fetch())

    async def check_silent(self) -> None:
        """Ping instances without recent news, and instances that are out."""
        await run_concurrently(self._ping, [each.url for each in self._table.silent(self._interval_s / 2)])

    async def check(self, urls: Sequence[str] | None = None, progress: Progress = no_progress) -> list[CheckResult]:
        """Ping and search each instance that may be asked, or these."""
        try:
            await self.load()
        except NoInstance:
            # Named instances can be asked without a list.
            if not urls:
                raise
        asked = list(urls or (each.url for each in self._table.awake()))
        done = itertools.count(1)

        async def check(url: str) -> CheckResult:
            result = await self._check(url)
            await progress(f"{next(done)} of {len(asked)} instances called")
            return result

        return await run_concurrently(check, asked)

    def table(self) -> list[Instance]:
        """Every instance on the list, the best grade first."""
        return self._table.rows

    def exclusions(self) -> tuple[Excluded, ...]:
        """Listed instances that are not good enough, with the reasons."""
        return self._table.excluded

    def warnings(self) -> tuple[str, ...]:
        """Warnings about the list, for the user."""
        return self._directory.warnings()

    def retry_after_s(self) -> float | None:
        """When the first instance may be asked again, if none may be asked now."""
        return self._table.retry_after_s()

    def none_ready(self) -> NoInstance:
        """The error of a search for which no instance could be asked."""
        known = len(self._table.rows)
        detail = f"of {known} instances none is ready ({self._table.summarise()})"
        if not known:
            detail = f"none of the {len(self._table.excluded)} instances on the list is accepted"
        return NoInstance(
            self.provider, f"{detail}; {self._directory.advice}", retry_after_s=self._table.retry_after_s()
        )

    async def close(self) -> None:
        """End the background work; health records are written."""
        await self._watch.close()
        await self._directory.close()
        await self._records.finish()

    async def _ping(self, url: str) -> None:
        try:
            await self._prober.ping(url)
        except ProviderError as error:
            failure = error
            self._table.update(url, lambda each, now: record_failure(each, now, failure, self._rules))
        else:
            self._table.update(url, record_healthy)

    async def _check(self, url: str) -> CheckResult:
        started = self._clock.now()
        try:
            await self._prober.ping(url)
            is_json = await self._prober.probe(url)
        except ProviderError as error:
            await self.report_failure(url, error)
            return CheckResult(url, error.code, self._ms_since(started), error.detail)
        ms = self._ms_since(started)
        await self.report_success(url, ms)
        await self.report_format(url, json=is_json)
        return CheckResult(url, "json" if is_json else "html", ms)

    def _end_turn(self, url: str) -> None:
        """An instance asked in place of a failed one has had its turn too."""
        if url in self._has_turn:
            self._has_turn.discard(url)
        else:
            self._rotation.mark(url)

    def _ms_since(self, started: float) -> int:
        return round(1000 * (self._clock.now() - started))


class HealthWatch:
    """Periodic check with jitter, which stops after an interval without use."""

    def __init__(self, check: Callable[[], Awaitable[None]], clock: Clock, interval_s: float, rng: Random) -> None:
        """An interval of 0 disables it."""
        self._check = check
        self._clock = clock
        self._interval_s = interval_s
        self._rng = rng
        self._used_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def note_use(self) -> None:
        """Note a use; starts the checks where none are running."""
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


async def run_concurrently(work: Callable[[str], Awaitable[T]], urls: Iterable[str]) -> list[T]:
    """Run the work for each address, a few at a time; results are in the order of the addresses."""
    slots = asyncio.Semaphore(_CHECKS_AT_ONCE)

    async def run(url: str) -> T:
        async with slots:
            return await work(url)

    return await asyncio.gather(*map(run, urls))


class Rotation(Protocol):
    """Order in which instances of one grade are asked."""

    def order(self, urls: Sequence[str]) -> list[str]:
        """The addresses, the next one first."""
        ...

    def mark(self, url: str) -> None:
        """Note that an instance had its turn."""
        ...


class RoundRobin:
    """Least recently used first; those without a turn yet in an order that is shuffled once.

    An order of waiting, not a position in a list: the neighbour of a resting instance would get its share as well.
    """

    def __init__(self, rng: Random | None = None) -> None:
        """Without `rng` nothing is shuffled: the first turns go in the order of the addresses."""
        self._rng = rng
        self._places: dict[str, float] = {}
        self._turns: dict[str, int] = {}
        self._number = count(1)

    def order(self, urls: Sequence[str]) -> list[str]:
        return sorted(urls, key=lambda url: (self._turns.get(url, 0), self._place(url)))

    def mark(self, url: str) -> None:
        self._turns[url] = next(self._number)

    def _place(self, url: str) -> float:
        if self._rng is None:
            return 0.0
        return self._places.setdefault(url, self._rng.random())


class RandomRotation:
    """Random without repeats: no instance is drawn again before all the others were."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._drawn: set[str] = set()
        self._last = ""

    def order(self, urls: Sequence[str]) -> list[str]:
        if self._drawn.issuperset(urls):
            self._drawn.difference_update(urls)
        shuffled = self._rng.sample(urls, len(urls))
        # The last of one round is not the first of the next.
        return sorted(shuffled, key=lambda url: (url in self._drawn, url == self._last))

    def mark(self, url: str) -> None:
        self._drawn.add(url)
        self._last = url


def choose(ready: Sequence[Instance], rotation: Rotation, most: int) -> list[Instance]:
    """The next instances, the best grades first. The first one has had its turn; the others are there if it fails."""
    by_url = {instance.url: instance for instance in ready}
    tiers = groupby(sorted(ready, key=lambda instance: instance.tier), key=lambda instance: instance.tier)
    ordered = [url for _, tier in tiers for url in rotation.order([instance.url for instance in tier])]
    if ordered:
        rotation.mark(ordered[0])
    return [by_url[url] for url in ordered[:most]]
