"""Several configured SearXNG instances in rotation: at most two are asked for a query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from dowse.cache.entries import CacheEntries
from dowse.core.errors import (
    EnginesFailed,
    Irrelevant,
    NoInstance,
    ProviderError,
    Refused,
    Skipped,
    TimedOut,
)
from dowse.core.models import Clock, Deadline, Found, Query
from dowse.core.text import one_line
from dowse.providers.searxng.adapter import LIMITS, SearXNG
from dowse.providers.searxng.instance import HealthRules, Instance, Misbehaved, name_of
from dowse.providers.searxng.pool import MOST_PER_QUERY, InstancePool
from dowse.providers.searxng.protocol import PROBE

Ask = Callable[[Instance, Deadline], Awaitable[Found]]
Failures = Mapping[str, ProviderError]
"""Failures by address, in the order of asking."""

# With less time a timeout says nothing about the health of an instance.
_FAIR_TIME_S = 3.0
_REASON_CHARS = 60


class SearXNGs:
    """Several instances under the name of one. Implements `pool.Prober`."""

    name = SearXNG.name
    categories = LIMITS.categories

    def __init__(
        self,
        make: Callable[[str], SearXNG],
        addresses: Sequence[str],
        cache: CacheEntries,
        clock: Clock,
        *,
        timeout_s: float,
        rules: HealthRules,
        interval_s: float,
        watches: bool,
    ) -> None:
        self.timeout_s = timeout_s
        self.instances = InstancePool.from_addresses(
            addresses, self, cache, clock, rules=rules, interval_s=interval_s, watches=watches
        )
        self._adapters = {name_of(url.rstrip("/")): make(url) for url in addresses}
        self._clock = clock

    async def search(self, query: Query, deadline: Deadline) -> Found:
        async def ask(instance: Instance, deadline: Deadline) -> Found:
            return await self._adapter(instance.url).search(query, deadline)

        return await ask_in_turn(self.instances, ask, deadline, self._failure)

    async def ping(self, url: str) -> None:
        adapter = self._adapter(url)
        await adapter.ping(Deadline.after(self._clock, adapter.timeout_s))

    async def probe(self, url: str) -> bool:
        adapter = self._adapter(url)
        await adapter.search(PROBE, Deadline.after(self._clock, adapter.timeout_s))
        return adapter.asks_for_json

    def _adapter(self, url: str) -> SearXNG:
        """The adapter of a configured address, which remembers whether JSON was refused."""
        found = self._adapters.get(name_of(url))
        if found is None:
            # Headers and passwords of the settings are only for the addresses of the settings.
            raise Skipped(SearXNG.name, "it is not in SEARXNG_URL")
        return found

    def _failure(self, failures: Failures) -> ProviderError:
        """The common failure of all instances if it is one, as it carries advice; else `NoInstance`."""
        asked, errors = tuple(failures), list(failures.values())
        if len(set(map(type, errors))) == 1:
            errors[0].instances = asked
            return errors[0]
        wait_s = self.instances.retry_after_s()
        return NoInstance(self.name, summarise(failures), retry_after_s=wait_s, instances=asked)


async def ask_in_turn(
    instances: InstancePool, ask: Ask, deadline: Deadline, failure: Callable[[Failures], ProviderError]
) -> Found:
    """Return the first answer. Raises `failure` of all attempts, or `NoInstance` where none could be made."""
    chosen = await instances.choose(MOST_PER_QUERY)
    if not chosen:
        raise instances.none_ready()
    failures: dict[str, ProviderError] = {}
    doubtful: list[tuple[Instance, ProviderError]] = []
    for place, instance in enumerate(chosen):
        given_s, started = deadline.remaining_s() / (len(chosen) - place), deadline.clock.now()
        try:
            found = await ask(instance, deadline.cap(given_s))
        except ProviderError as error:
            failures[name_of(instance.url)] = error
            if _may_be_due_to_query(error):
                doubtful.append((instance, error))
            await _report(instances, instance, error, given_s)
            if isinstance(error, Refused):
                # The next instance would refuse too, or be asked without the user's knowledge.
                break
        else:
            for other, doubt in doubtful if found.hits else ():
                await instances.report_failure(other.url, doubt)
            await instances.report_success(instance.url, round(1000 * (deadline.clock.now() - started)))
            return replace(found, instances=(*failures, name_of(instance.url)))
    raise failure(failures)


def summarise(failures: Failures) -> str:
    """One line with each instance and its failure."""
    reasons = {_host_of(url): error.logged_detail or error.summary for url, error in failures.items()}
    return "; ".join(f"{host}: {one_line(reason, _REASON_CHARS)}" for host, reason in reasons.items())


def _host_of(url: str) -> str:
    return one_line(url.partition("://")[2].rstrip("/"), _REASON_CHARS)


def _may_be_due_to_query(error: ProviderError) -> bool:
    """Whether only the answer of another instance tells: a nonsensical query would otherwise rest them all."""
    return isinstance(error, EnginesFailed | Irrelevant) or error.http_status == 400


async def _report(instances: InstancePool, instance: Instance, error: ProviderError, given_s: float) -> None:
    is_rushed = isinstance(error, TimedOut) and given_s < _FAIR_TIME_S
    if isinstance(error, Misbehaved):
        await instances.report_misbehaviour(instance.url, error.reason)
    elif isinstance(error, Refused) or _may_be_due_to_query(error) or is_rushed:
        await instances.report_request(instance.url)
    else:
        await instances.report_failure(instance.url, error)
