"""Search results for a query, through the cache: of the first provider that answers, or of several at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain
from typing import TypeVar

from dowse.cache.entries import SearchLifetimes
from dowse.cache.fetch import Cache, CacheKey, Kind
from dowse.core.errors import AllProvidersFailed, ProviderError, TimedOut, Transient
from dowse.core.models import (
    LOCAL,
    Attempt,
    Category,
    Clock,
    Deadline,
    Depth,
    Found,
    Freshness,
    Principal,
    Query,
    Routed,
)
from dowse.core.protocols import Progress, SearchProvider
from dowse.core.runtime import no_progress
from dowse.core.text import ArgumentName, Sentence
from dowse.routing.router import Router

T = TypeVar("T")

# Agreement of more providers says nothing new, and each of them costs.
_WIDEST = 4
# Providers that have not answered when the first one did get as long again, and this on top.
_PATIENCE_S = 2.0


@dataclass(frozen=True, slots=True)
class Findings:
    """Answers by provider, at least one, in order of preference."""

    answers: tuple[tuple[str, Found], ...]
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    freshness: Freshness

    @property
    def providers(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.answers)


_Fetch = Callable[..., Coroutine[None, None, Routed[Found]]]


class Finder:
    """Asks search providers; raises `AllProvidersFailed`. Keyless providers follow the configured ones."""

    def __init__(
        self,
        router: Router[SearchProvider],
        providers: Sequence[SearchProvider],
        cache: Cache,
        lifetimes: SearchLifetimes,
        *,
        clock: Clock,
        keyless: frozenset[str] = frozenset(),
        specialists_first: bool = False,
    ) -> None:
        """`specialists_first`: providers of one category only come before the others for it."""
        self._specialists_first = specialists_first
        self.providers = tuple(providers)
        self._router = router
        self._cache = cache
        self._kind = Kind("search", Found, self._is_outage)
        self._lifetimes = lifetimes
        self._clock = clock
        self._configured = tuple(provider for provider in providers if provider.name not in keyless)
        self._keyless = tuple(provider for provider in providers if provider.name in keyless)

    @property
    def has_only_keyless(self) -> bool:
        return not self._configured

    async def find(
        self, query: Query, depth: Depth, deadline: Deadline, progress: Progress, caller: Principal = LOCAL
    ) -> Findings:
        fetch = partial(self._fetch, query, deadline, caller=caller)
        if depth is Depth.NORMAL:
            return _findings([await fetch(progress)])
        # Keyless providers step in for failures, or are all there is; they are no second opinion.
        asked = self._by_category(self._configured or self._keyless, query)[:_WIDEST]
        if len(asked) == 1:
            why = f" wide queries several providers at once, and only {asked[0].name} is configured"
            remark = Sentence(ArgumentName("depth"), why)
            return _findings([await fetch(progress)], warnings=(remark,))
        try:
            return await self._find_everywhere(fetch, asked, deadline, progress)
        except AllProvidersFailed as failed:
            others = [provider for provider in self._candidates(query) if provider not in asked]
            if not others or not self._is_outage(failed):
                raise
            return await _find_instead(fetch, failed, others, progress)

    async def _find_everywhere(
        self, fetch: _Fetch, asked: Sequence[SearchProvider], deadline: Deadline, progress: Progress
    ) -> Findings:
        """Results of several providers at once, without a long wait for providers slower than the first."""
        await progress(f"search: asking {', '.join(provider.name for provider in asked)}")
        started = self._clock.now()
        # Progress of several at once would be interleaved: it is not reported.
        tasks = [asyncio.create_task(fetch(no_progress, (provider,))) for provider in asked]
        try:
            await _first_success(tasks)
            patience_s = min(deadline.remaining_s(), self._clock.now() - started + _PATIENCE_S)
            await asyncio.wait(tasks, timeout=patience_s)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        waited_s = self._clock.now() - started
        return _join([_outcome(task, provider.name, waited_s) for task, provider in zip(tasks, asked, strict=True)])

    async def _fetch(
        self,
        query: Query,
        deadline: Deadline,
        progress: Progress,
        only: Sequence[SearchProvider] = (),
        *,
        caller: Principal,
    ) -> Routed[Found]:
        """One answer, cached or new: of the first provider that answers, of all or of some."""

        async def call(provider: SearchProvider, until: Deadline) -> Found:
            return await provider.search(query, until)

        async def produce(_known: Found | None, until: Deadline, tell: Progress) -> Routed[Found]:
            candidates = only or self._candidates(query)
            return await self._router.first(candidates, call, until, tell, may_retry=not only, caller=caller)

        key = CacheKey(self._kind, " ".join([repr(query), *(provider.name for provider in only)]))
        given_s = deadline.remaining_s()
        try:
            return await self._cache.fetch(key, produce, self._lifetimes.for_query(query), deadline, progress)
        except TimeoutError:
            # The same search was in flight already, and takes longer than this caller can wait.
            raise _late((only or self.providers)[0].name, given_s) from None

    def _candidates(self, query: Query) -> tuple[SearchProvider, ...]:
        """Configured providers first, then keyless ones."""
        return (*self._by_category(self._configured, query), *self._by_category(self._keyless, query))

    def _by_category(self, providers: Sequence[SearchProvider], query: Query) -> tuple[SearchProvider, ...]:
        """In their order, but providers that know the category first: the others would drop it."""
        return tuple(sorted(providers, key=lambda provider: self._place(provider, query.category)))

    def _place(self, provider: SearchProvider, category: Category) -> int:
        if category not in provider.categories:
            return 2
        return 1 if not self._specialists_first or Category.GENERAL in provider.categories else 0

    def _is_outage(self, failed: AllProvidersFailed) -> bool:
        """Whether stale results or other providers may stand in for this failure.

        A rejected key is reported to the user; but keyless providers have none.
        """
        named = {provider.name for provider in self._keyless}
        return all(isinstance(error, Transient) or error.provider in named for error in failed.errors)


async def _find_instead(
    fetch: _Fetch, failed: AllProvidersFailed, others: Sequence[SearchProvider], progress: Progress
) -> Findings:
    """The answer of one of the other providers, after the failure of all providers asked at once."""
    outcome: Routed[Found] | AllProvidersFailed
    try:
        outcome = await fetch(progress, others)
    except AllProvidersFailed as failed_too:
        outcome = failed_too
    return _join([failed, outcome])


async def _first_success(tasks: Sequence[asyncio.Task[Routed[Found]]]) -> None:
    """Wait until one task has answered, or all have failed."""
    for next_done in asyncio.as_completed(tasks):
        try:
            await next_done
        except AllProvidersFailed:
            continue
        return


def _outcome(task: asyncio.Task[Routed[Found]], name: str, waited_s: float) -> Routed[Found] | AllProvidersFailed:
    if task.cancelled():
        return _late(name, waited_s)
    error = task.exception()
    if error is not None and not isinstance(error, AllProvidersFailed):
        raise error
    return error or task.result()


def _late(name: str, given_s: float) -> AllProvidersFailed:
    error = TimedOut(name, f"no answer within {given_s:.1f} s")
    return AllProvidersFailed((error,), (Attempt(name, "search", error.code, round(given_s * 1000), error.detail),))


def _join(outcomes: Sequence[Routed[Found] | AllProvidersFailed]) -> Findings:
    """Answers and failures together; raises if there are only failures."""
    answers = [outcome for outcome in outcomes if isinstance(outcome, Routed)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, AllProvidersFailed)]
    attempts, warnings = _chain(each.attempts for each in failures), _chain(each.warnings for each in failures)
    errors = _chain(each.errors for each in failures)
    if not answers:
        raise AllProvidersFailed(errors, attempts, warnings)
    rejections = _find_rejections(errors)
    told = tuple(dict.fromkeys((*warnings, *map(str, rejections))))
    return _findings(answers, _mark_warned(attempts, rejections), told)


def _find_rejections(errors: Sequence[ProviderError]) -> list[ProviderError]:
    """Errors that the user can fix, such as a rejected key: they are warnings; transient ones are attempts only."""
    return [error for error in errors if not isinstance(error, Transient)]


def _mark_warned(attempts: Sequence[Attempt], rejections: Sequence[ProviderError]) -> tuple[Attempt, ...]:
    """The attempts, those marked whose rejection is told in a warning."""
    told = {(error.provider, error.code) for error in rejections}
    return tuple(
        replace(attempt, has_warning=attempt.has_warning or (attempt.provider, attempt.outcome) in told)
        for attempt in attempts
    )


def _chain(parts: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(parts))


def _findings(
    answers: Sequence[Routed[Found]], attempts: tuple[Attempt, ...] = (), warnings: tuple[str, ...] = ()
) -> Findings:
    return Findings(
        tuple((each.provider, each.answer) for each in answers),
        _chain(each.attempts for each in answers) + attempts,
        warnings + _chain(each.warnings + each.answer.warnings for each in answers),
        reduce(Freshness.combine, [each.freshness for each in answers]),
    )
