"""Asks one of several instances, and another where that one fails; whoever manages them hears how it went."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from dowse.core.errors import BadAnswer, EnginesFailed, Irrelevant, ProviderError, Refused, TimedOut
from dowse.core.models import Deadline, Found
from dowse.core.text import one_line
from dowse.providers.instances.instance import Instance, Misbehaviour
from dowse.providers.instances.manager import MOST_PER_QUERY, Instances
from dowse.providers.instances.records import name_of

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
