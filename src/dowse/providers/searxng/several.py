"""Several SearXNG instances of your own: asked in turn, at most two for a query, and none that is unwell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from dowse.core.errors import (
    BadAnswer,
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
from dowse.providers.searxng.instance import Instance, Misbehaviour, name_of
from dowse.providers.searxng.pool import MOST_PER_QUERY, Instances

_PROBE = Query("weather", num_results=1)


class OwnAsker:
    """Talks to one's own instances, with a `SearXNG` for each address. Implements `instances.health.Asker`."""

    def __init__(self, make: Callable[[str], SearXNG], addresses: Sequence[str], clock: Clock) -> None:
        self._own = {name_of(url.rstrip("/")): make(url) for url in addresses}
        self._clock = clock

    def at(self, url: str) -> SearXNG:
        """The same for the same address: it remembers what it learnt. Raises `Skipped` for a stranger's."""
        found = self._own.get(name_of(url))
        if found is None:
            # Headers and passwords of the settings are for those that the settings name.
            raise Skipped(SearXNG.name, "it is not one of those in SEARXNG_URL")
        return found

    async def ping(self, url: str) -> None:
        searxng = self.at(url)
        await searxng.ping(Deadline.after(self._clock, searxng.timeout_s))

    async def probe(self, url: str) -> bool:
        searxng = self.at(url)
        await searxng.search(_PROBE, Deadline.after(self._clock, searxng.timeout_s))
        return searxng.asks_for_json


class SearXNGs:
    """Answers under the name that one instance has."""

    name = SearXNG.name
    categories = LIMITS.categories

    def __init__(self, asker: OwnAsker, instances: Instances, *, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.instances = instances
        self._asker = asker

    async def search(self, query: Query, deadline: Deadline) -> Found:
        async def ask(instance: Instance, deadline: Deadline) -> Found:
            return await self._asker.at(instance.url).search(query, deadline)

        return await ask_in_turn(self.instances, ask, deadline, self._failure)

    def _failure(self, failures: Failures) -> ProviderError:
        """What went wrong, if it was the same everywhere: then it says what to do about it."""
        asked, errors = tuple(failures), list(failures.values())
        if len({type(error) for error in errors}) == 1:
            errors[0].instances = asked
            return errors[0]
        wait_s = self.instances.retry_after_s()
        return NoInstance(self.name, told(failures), retry_after_s=wait_s, instances=asked)


Ask = Callable[[Instance, Deadline], Awaitable[Found]]
Failures = Mapping[str, ProviderError]
"""Why each of those that were asked gave nothing, by address, in the order in which they were asked."""

# Somebody in a hurry may leave an instance less time than it needs; that says nothing about its health.
_FAIR_TIME_S = 3.0
_REASON_CHARS = 60


class Misbehaved(BadAnswer):
    """It did something that no honest server does."""

    summary = "misbehaves"

    def __init__(self, provider: str, reason: Misbehaviour) -> None:
        super().__init__(provider, reason)
        self.reason = reason


async def ask_in_turn(
    instances: Instances, ask: Ask, deadline: Deadline, failure: Callable[[Failures], ProviderError]
) -> Found:
    """The first answer. Raises what `failure` makes of everybody's, and `NoInstance` where nobody could be asked."""
    chosen = await instances.choose(MOST_PER_QUERY)
    if not chosen:
        raise instances.nobody()
    failures: dict[str, ProviderError] = {}
    doubtful: list[tuple[Instance, ProviderError]] = []
    for place, instance in enumerate(chosen):
        given_s, started = deadline.remaining_s() / (len(chosen) - place), deadline.clock.now()
        try:
            found = await ask(instance, deadline.capped(given_s))
        except ProviderError as error:
            failures[name_of(instance.url)] = error
            if _may_be_the_querys_fault(error):
                doubtful.append((instance, error))
            await _report(instances, instance, error, given_s)
            if isinstance(error, Refused):
                # The next one would be asked in vain, or without the user knowing.
                break
        else:
            for other, doubt in doubtful if found.hits else ():
                await instances.failed(other.url, doubt)
            await instances.succeeded(instance.url, round(1000 * (deadline.clock.now() - started)))
            return replace(found, instances=(*failures, name_of(instance.url)))
    raise failure(failures)


def told(failures: Failures) -> str:
    """Who was asked and what came of it, in a line."""
    reasons = {_shown(url): error.logged_detail or error.summary for url, error in failures.items()}
    return "; ".join(f"{who}: {one_line(reason, _REASON_CHARS)}" for who, reason in reasons.items())


def _shown(url: str) -> str:
    """An address as people say it."""
    return one_line(url.partition("://")[2].rstrip("/"), _REASON_CHARS)


def _was_hurried(error: ProviderError, given_s: float) -> bool:
    return isinstance(error, TimedOut) and given_s < _FAIR_TIME_S


def _may_be_the_querys_fault(error: ProviderError) -> bool:
    """Whether only the answer of another one shows whose fault it was; a query for nonsense would tire them all."""
    return isinstance(error, EnginesFailed | Irrelevant) or error.http_status == 400


async def _report(instances: Instances, instance: Instance, error: ProviderError, given_s: float) -> None:
    if isinstance(error, Misbehaved):
        await instances.misbehaved(instance.url, error.reason)
    elif isinstance(error, Refused) or _may_be_the_querys_fault(error) or _was_hurried(error, given_s):
        await instances.asked(instance.url)
    else:
        await instances.failed(instance.url, error)
