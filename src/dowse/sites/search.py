"""The open APIs as one member of the keyless pool: those that fit the query are asked at once, and fused."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dowse.core import urls
from dowse.core.errors import (
    Blocked,
    Busy,
    KeyRejected,
    Misconfigured,
    NotCovered,
    ProviderError,
    RateLimited,
    Skipped,
    TimedOut,
    Transient,
)
from dowse.core.models import Category, Clock, Deadline, Found, Hit, Query
from dowse.core.protocols import Limiter
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import Limits, fit
from dowse.sites.answer import Answer, OpenApi
from dowse.sites.fuse import fused
from dowse.sites.language import language_of
from dowse.sites.shape import choose

LIMITS = Limits(
    max_results=50,
    filters=frozenset({"language", "time_range", "start_date", "end_date", "include_domains", "exclude_domains"}),
    categories=frozenset({Category.GENERAL, Category.IT, Category.SCIENCE}),
)
# Some are dropped as unrelated, and some are found twice.
_LEAST_PER_API = 10
# What one of them may take of the time; the rest is for putting the answers together.
_SHARE = 0.9
# Once somebody has found something, the others are waited for no longer than this.
_GRACE_S = 1.5
_UNSAID_PAUSE_S, _LONGEST_PAUSE_S = 60.0, 24 * 3600.0

Outcomes = Mapping[str, Answer | ProviderError]


class OpenApis:
    """Implements `protocols.SearchProvider`. An API that asks for a pause is not asked before it is over.

    Nor is one that was asked as often as it allows: the others answer, and need not wait for it.
    """

    name = "open"
    categories = LIMITS.categories

    def __init__(
        self,
        apis: Sequence[OpenApi],
        disclosure: Disclosure,
        limiter: Limiter | None = None,
        *,
        timeout_s: float,
        grace_s: float = _GRACE_S,
    ) -> None:
        self.timeout_s = timeout_s
        self._apis = {api.name: api for api in apis}
        self._disclosure = disclosure
        self._limiter = limiter
        self._grace_s = grace_s
        self._paused_until: dict[str, float] = {}

    async def search(self, query: Query, deadline: Deadline) -> Found:
        fitted, warnings = fit(self.name, query, LIMITS)
        apis = self._chosen(fitted, deadline.clock)
        asked = replace(fitted, num_results=max(fitted.num_results, _LEAST_PER_API), language=language_of(fitted))
        outcomes = await self._outcomes(apis, asked, deadline)
        answers = [outcome for outcome in outcomes.values() if isinstance(outcome, Answer)]
        errors = [outcome for outcome in outcomes.values() if isinstance(outcome, ProviderError)]
        if not answers:
            raise _failure(errors)
        hits = fused(fitted.text, [_wanted(answer.hits, fitted) for answer in answers], fitted.num_results)
        if not hits:
            raise NotCovered(self.name, _looked(outcomes))
        # Any other failure says nothing that somebody with an answer could do something about.
        told = tuple(f"{error}; it was left out." for error in errors if isinstance(error, KeyRejected))
        return Found(tuple(hits[query.earlier :]), warnings=warnings + told)

    def _chosen(self, query: Query, clock: Clock) -> list[OpenApi]:
        names = choose(query, self._apis)
        if not names:
            raise NotCovered(self.name, "none of the APIs in DOWSE_OPEN_APIS fits the query")
        ready = [self._apis[name] for name in names if self._paused_until.get(name, 0.0) <= clock.now()]
        if not ready:
            raise Skipped(self.name, f"{', '.join(names)} asked for a pause that is not over")
        return ready

    async def _outcomes(self, apis: Sequence[OpenApi], query: Query, deadline: Deadline) -> Outcomes:
        """What became of each of them; one that is still silent when the others are done is left behind."""
        share = deadline.capped(_SHARE * min(self.timeout_s, deadline.remaining_s()))
        tasks = {asyncio.create_task(self._ask(api, query, share)): api.name for api in apis}
        pending, has_found = set(tasks), False
        try:
            while pending:
                done, pending = await asyncio.wait(
                    pending,
                    timeout=self._grace_s if has_found else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not done:
                    break
                has_found = has_found or any(_has_hits(task.result()) for task in done)
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)
        return {
            name: TimedOut(name, "the others were quicker") if task in pending else task.result()
            for task, name in tasks.items()
        }

    async def _ask(self, api: OpenApi, query: Query, deadline: Deadline) -> Answer | ProviderError:
        if busy := await self._busy(api):
            return busy
        self._disclosure.tell(party(api.title, api.address(query)), self.name)
        try:
            answer = await api.search(query, deadline)
        except (RateLimited, Blocked) as error:
            self._pause(api.name, error.retry_after_s or _UNSAID_PAUSE_S, deadline.clock)
            return error
        except ProviderError as error:
            return error
        self._pause(api.name, answer.pause_s, deadline.clock)
        return answer

    async def _busy(self, api: OpenApi) -> Busy | None:
        """Why it is not asked now, if it was asked as often as it allows."""
        if self._limiter is None or api.rate is None:
            return None
        wait_s = (await self._limiter.admit(f"open:{api.name}", api.rate)).wait_s
        return Busy(api.name, f"it takes {api.rate.in_words()}", retry_after_s=wait_s) if wait_s else None

    def _pause(self, name: str, seconds: float, clock: Clock) -> None:
        until = clock.now() + min(seconds, _LONGEST_PAUSE_S)
        self._paused_until[name] = max(until, self._paused_until.get(name, 0.0))


def _has_hits(outcome: Answer | ProviderError) -> bool:
    return isinstance(outcome, Answer) and bool(outcome.hits)


def _wanted(hits: Sequence[Hit], query: Query) -> list[Hit]:
    """Those at the domains that were asked for."""
    hosts = [(hit, parsed.name) for hit in hits if (parsed := urls.parse(hit.url))]
    return [
        hit
        for hit, host in hosts
        if (not query.include_domains or urls.is_below(host, *query.include_domains))
        and not urls.is_below(host, *query.exclude_domains)
    ]


def _looked(outcomes: Outcomes) -> str:
    silent = [name for name, outcome in outcomes.items() if not isinstance(outcome, Answer)]
    looked = f"looked in {', '.join(name for name in outcomes if name not in silent)}"
    return looked + (f"; {', '.join(silent)} did not answer" if silent else "")


def _failure(errors: Sequence[ProviderError]) -> ProviderError:
    """The first failure as one of the member: a mistake in a request to one of them must not keep others from trying.

    Rather of one that was asked than of one that was busy. Unless all were busy, it has no time to come back: the pause
    of one is not a pause of all.
    """
    transient = [error for error in errors if isinstance(error, Transient)]
    first = next((error for error in transient if error.was_asked), (transient or errors)[0])
    kind = type(first) if isinstance(first, Transient) else Misconfigured
    others = [f"{error.provider}: {error.code}" for error in errors if error is not first]
    detail = "; ".join([f"{first.provider}: {first.logged_detail or first.code}", *others])
    waits_s = [error.retry_after_s for error in errors if isinstance(error, Busy) and error.retry_after_s]
    retry_after_s = min(waits_s) if len(waits_s) == len(errors) else None
    return kind(OpenApis.name, detail, retry_after_s=retry_after_s, http_status=first.http_status)
