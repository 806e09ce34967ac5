"""Which instances are asked: those on the list that are well, in turn, and none that rests or misbehaves."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from dowse.core.errors import NoInstance, ProviderError
from dowse.core.models import Clock
from dowse.core.protocols import Progress, no_progress
from dowse.providers.instances import instance as transitions
from dowse.providers.instances.directory import Directory, FixedDirectory
from dowse.providers.instances.entries import Excluded
from dowse.providers.instances.health import Asker, Checked, Watch, side_by_side
from dowse.providers.instances.instance import Instance, Rules
from dowse.providers.instances.records import Records
from dowse.providers.instances.rotation import RoundRobin, Turns, choose
from dowse.providers.instances.table import Table
from dowse.stores.cache import Cache

MOST_PER_QUERY = 2
"""Nobody's query is sent to more instances than this."""


class Instances:
    """All instances of one provider. Whoever asks one reports what came of it."""

    def __init__(
        self,
        provider: str,
        directory: Directory,
        asker: Asker,
        cache: Cache,
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
        cache: Cache,
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
