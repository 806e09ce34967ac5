"""Results for a query: of the first provider that answers, or of several at once. What is known is not asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from dowse.cache.fetch import Known, Lifetime, Memory, Recalled, Shelf, Wanted
from dowse.core.errors import AllProvidersFailed, ProviderError, TimedOut, Transient
from dowse.core.models import Attempt, Category, Clock, Deadline, Depth, Found, Freshness, Query, Routed, TimeRange
from dowse.core.protocols import Progress, SearchProvider, no_progress
from dowse.routing.router import Router

# Agreement of more than these says nothing new, and each of them costs.
_WIDEST = 4
# Whoever has not answered when the first one did gets as long again, and this on top.
_PATIENCE_S = 2.0


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long the results of a search are good, by what was asked for and by what came."""

    usual_s: float
    news_s: float
    empty_s: float
    stale_s: float

    def of(self, query: Query, found: Found | None = None) -> Lifetime:
        is_news = query.category is Category.NEWS or query.time_range is TimeRange.DAY
        fresh_s = self.news_s if is_news else self.usual_s
        if found is not None and not found.hits:
            # Nothing may be somebody's hiccup, and is of no use to anybody later.
            return Lifetime(min(fresh_s, self.empty_s))
        return Lifetime(fresh_s, self.stale_s)


@dataclass(frozen=True, slots=True)
class Findings:
    """What providers answered, each under its name, in the order in which they are preferred; at least one did."""

    answers: tuple[tuple[str, Found], ...]
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    freshness: Freshness

    @property
    def providers(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.answers)


class _These:
    """Implements `routing.router.Route`: these providers are asked, one after another."""

    url = ""

    def __init__(self, providers: Sequence[SearchProvider]) -> None:
        self._providers = providers

    async def start(self) -> Sequence[SearchProvider]:
        return self._providers

    async def after(self, _error: ProviderError, waiting: Sequence[SearchProvider]) -> Sequence[SearchProvider]:
        return waiting

    def turns(self, waiting: Sequence[SearchProvider]) -> Sequence[SearchProvider]:
        return waiting


class Finder:
    """Asks providers for results; raises `AllProvidersFailed`. Volunteers are those that nobody has chosen."""

    def __init__(
        self,
        router: Router[SearchProvider],
        memory: Memory,
        lifetimes: Lifetimes,
        *,
        clock: Clock,
        volunteers: frozenset[str] = frozenset(),
    ) -> None:
        self._router = router
        self._shelf = Shelf("search", Found, memory, self._is_outage)
        self._lifetimes = lifetimes
        self._clock = clock
        self._chosen = tuple(provider for provider in router.providers if provider.name not in volunteers)
        self._volunteers = tuple(provider for provider in router.providers if provider.name in volunteers)

    @property
    def providers(self) -> tuple[SearchProvider, ...]:
        return self._router.providers

    @property
    def has_only_volunteers(self) -> bool:
        return not self._chosen

    async def find(self, query: Query, depth: Depth, deadline: Deadline, progress: Progress) -> Findings:
        if depth is Depth.NORMAL:
            return _findings([await self._recalled(query, deadline, progress)])
        # Volunteers step in for others, or are all there is; they are no second opinion.
        asked = _by_category(self._chosen or self._volunteers, query)[:_WIDEST]
        if len(asked) == 1:
            alone = asked[0].name
            remark = f"depth wide asks several providers at once, and only {alone} is configured"
            return _findings([await self._recalled(query, deadline, progress)], warnings=(remark,))
        try:
            return await self._everywhere(asked, query, deadline, progress)
        except AllProvidersFailed as failed:
            others = [provider for provider in self._in_turn(query) if provider not in asked]
            if not others or not self._is_outage(failed):
                raise
            return await self._instead(failed, others, query, deadline, progress)

    async def _everywhere(
        self, asked: Sequence[SearchProvider], query: Query, deadline: Deadline, progress: Progress
    ) -> Findings:
        """What several providers have, without waiting long for those that are much slower than the first."""
        await progress(f"search: asking {', '.join(provider.name for provider in asked)}")
        started = self._clock.now()
        # Several at once would talk over each other: their steps are not told.
        tasks = [asyncio.create_task(self._recalled(query, deadline, no_progress, (provider,))) for provider in asked]
        try:
            await _first_success(tasks)
            patience_s = min(deadline.remaining_s(), self._clock.now() - started + _PATIENCE_S)
            await asyncio.wait(tasks, timeout=patience_s)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        waited_s = self._clock.now() - started
        return _joined([_outcome(task, provider.name, waited_s) for task, provider in zip(tasks, asked, strict=True)])

    async def _instead(
        self,
        failed: AllProvidersFailed,
        others: Sequence[SearchProvider],
        query: Query,
        deadline: Deadline,
        progress: Progress,
    ) -> Findings:
        """The answer of one of the others, where all that were asked at once have failed."""
        outcome: Recalled[Found] | AllProvidersFailed
        try:
            outcome = await self._recalled(query, deadline, progress, others)
        except AllProvidersFailed as failed_too:
            outcome = failed_too
        return _joined([failed, outcome])

    async def _recalled(
        self, query: Query, deadline: Deadline, progress: Progress, only: Sequence[SearchProvider] = ()
    ) -> Recalled[Found]:
        """One answer: of whoever comes first, of all or only of these."""

        async def ask(provider: SearchProvider, until: Deadline) -> Found:
            return await provider.search(query, until)

        async def make(_known: Known[Found] | None, until: Deadline, tell: Progress) -> Routed[Found]:
            route = _These(only or self._in_turn(query))
            return await self._router.first_answer(ask, until, tell, route=route, may_retry=not only)

        given_s = deadline.remaining_s()
        wanted = Wanted(
            " ".join([repr(query), *(provider.name for provider in only)]),
            make,
            lambda found: self._lifetimes.of(query, found),
            is_remembered=self._lifetimes.of(query).fresh_s > 0,
        )
        try:
            return await self._shelf.answer(wanted, deadline, progress)
        except TimeoutError:
            # Somebody else was at it already, and is slower than this caller can wait.
            raise _late((only or self.providers)[0].name, given_s) from None

    def _in_turn(self, query: Query) -> tuple[SearchProvider, ...]:
        """Everybody; whoever was chosen is asked first, whatever the others know."""
        return (*_by_category(self._chosen, query), *_by_category(self._volunteers, query))

    def _is_outage(self, failed: AllProvidersFailed) -> bool:
        """Whether an older answer is better than this failure, or one of somebody else.

        A rejected key is for the user to hear of; but volunteers have none.
        """
        named = {provider.name for provider in self._volunteers}
        return all(isinstance(error, Transient) or error.provider in named for error in failed.errors)


def _by_category(providers: Sequence[SearchProvider], query: Query) -> tuple[SearchProvider, ...]:
    """In their order, those first that know the category: the others would have to drop it."""
    return tuple(sorted(providers, key=lambda provider: query.category not in provider.categories))


async def _first_success(tasks: Sequence[asyncio.Task[Recalled[Found]]]) -> None:
    """Until one has answered, or all have failed."""
    for next_done in asyncio.as_completed(tasks):
        try:
            await next_done
        except AllProvidersFailed:
            continue
        return


def _outcome(task: asyncio.Task[Recalled[Found]], name: str, waited_s: float) -> Recalled[Found] | AllProvidersFailed:
    if task.cancelled():
        return _late(name, waited_s)
    error = task.exception()
    if error is not None and not isinstance(error, AllProvidersFailed):
        raise error
    return error or task.result()


def _late(name: str, given_s: float) -> AllProvidersFailed:
    error = TimedOut(name, f"no answer within {given_s:.1f} s")
    return AllProvidersFailed((error,), (Attempt(name, "search", error.code, round(given_s * 1000), error.detail),))


def _joined(outcomes: Sequence[Recalled[Found] | AllProvidersFailed]) -> Findings:
    """Answers and failures together; raises if there are only failures."""
    answers = [outcome for outcome in outcomes if isinstance(outcome, Recalled)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, AllProvidersFailed)]
    attempts = tuple(attempt for failed in failures for attempt in failed.attempts)
    warnings = tuple(warning for failed in failures for warning in failed.warnings)
    errors = tuple(error for failed in failures for error in failed.errors)
    if not answers:
        raise AllProvidersFailed(errors, attempts, warnings)
    # A hiccup is told among the attempts; a rejected key is for the user to mend.
    warnings += tuple(str(error) for error in errors if not isinstance(error, Transient))
    return _findings(answers, attempts, tuple(dict.fromkeys(warnings)))


def _findings(
    answers: Sequence[Recalled[Found]], attempts: tuple[Attempt, ...] = (), warnings: tuple[str, ...] = ()
) -> Findings:
    routed = [recalled.routed for recalled in answers]
    return Findings(
        tuple((each.provider, each.answer) for each in routed),
        tuple(attempt for each in routed for attempt in each.attempts) + attempts,
        warnings + tuple(warning for each in routed for warning in each.warnings + each.answer.warnings),
        reduce(Freshness.joined, [recalled.freshness for recalled in answers]),
    )
