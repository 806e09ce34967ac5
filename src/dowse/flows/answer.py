"""Answers a question, through the cache: by a provider that writes answers, or else by quoting pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dowse.cache.entries import AnswerLifetimes
from dowse.cache.fetch import Cache, CacheKey, Kind
from dowse.core.answers import EXTRACTIVE, CitedAnswer, Question, code_of
from dowse.core.errors import AllProvidersFailed, DowseError, NoProvider, Offline, ProviderError, TimedOut, Transient
from dowse.core.models import LOCAL, Attempt, Clock, Deadline, Freshness, Principal, Routed
from dowse.core.protocols import AnswerProvider, Observer, Progress, Scrubber
from dowse.core.runtime import no_progress
from dowse.flows.extractive import Extractive
from dowse.routing.router import Router

# Time that providers leave for searching and reading pages, or half of the time if that is less.
_EXTRACTIVE_S = 15.0
# Errors for the caller or the user to fix: a quoted answer would hide them.
_NEVER_FALLS_BACK = frozenset({"AUTH", "VALIDATION"})


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """An answer with its attempts and warnings; `engine` is the provider that gave it, now or before."""

    answer: CitedAnswer
    engine: str
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    freshness: Freshness


class AnswerFlow:
    """Asks the providers of answers in order, or quotes pages. Without providers, pages are all there is."""

    def __init__(
        self,
        router: Router[AnswerProvider],
        providers: Sequence[AnswerProvider],
        extractive: Extractive,
        cache: Cache,
        lifetimes: AnswerLifetimes,
        *,
        clock: Clock,
        observer: Observer,
        scrubber: Scrubber,
        offline: bool = False,
    ) -> None:
        self._router = router
        self._providers = tuple(providers)
        self._extractive = extractive
        self._cache = cache
        self._kind = Kind("answer", CitedAnswer, _is_outage)
        self._lifetimes = lifetimes
        self._clock = clock
        self._observer = observer
        self._scrubber = scrubber
        self._offline = offline

    async def answer(
        self,
        question: Question,
        deadline: Deadline,
        *,
        falls_back: bool,
        offline: bool = False,
        progress: Progress = no_progress,
        caller: Principal = LOCAL,
    ) -> AnswerOutcome:
        """Raises `Offline`, `NoProvider`, `AllProvidersFailed`, or the one error of a provider of answers.

        With `falls_back` the pages are quoted where providers fail, unless a key or the question has to be fixed.
        """
        if offline or self._offline:
            raise Offline("search")
        started = self._clock.now()
        # From here on the question is only used with its secrets masked.
        text, scrubbed = self._scrubber.scrub(question.text)
        question = replace(question, text=text)
        routed = await self._fetch(question, deadline, progress, caller, falls_back=falls_back)
        ms = round((self._clock.now() - started) * 1000)
        sources = {citation.url for citation in routed.answer.citations}
        self._observer.search_completed(routed.provider, text, len(sources), ms, cache=routed.freshness.state)
        warnings = (*scrubbed, *routed.warnings, *routed.answer.warnings)
        distinct = tuple(dict.fromkeys(warnings))
        return AnswerOutcome(routed.answer, routed.provider, routed.attempts, distinct, routed.freshness)

    async def _fetch(
        self, question: Question, deadline: Deadline, progress: Progress, caller: Principal, *, falls_back: bool
    ) -> Routed[CitedAnswer]:
        async def produce(_known: CitedAnswer | None, until: Deadline, tell: Progress) -> Routed[CitedAnswer]:
            if not self._providers:
                return await self._extractive.answer(question, until, tell, caller)
            return await self._ask(question, until, tell, caller, falls_back=falls_back)

        async def accepts(answer: CitedAnswer) -> bool:
            return falls_back or not self._providers or answer.provider != EXTRACTIVE

        key = CacheKey(self._kind, repr(question), "falls back" if falls_back else "")
        lifetimes = self._lifetimes.for_question(question, has_providers=bool(self._providers))
        given_s = deadline.remaining_s()
        try:
            return await self._cache.fetch(key, produce, lifetimes, deadline, progress, accepts=accepts)
        except AllProvidersFailed as failed:
            raise self._reason(failed) from failed
        except TimeoutError:
            # The same question was in flight already, and takes longer than this caller can wait.
            raise TimedOut(self._first_name, f"no answer within {given_s:.1f} s") from None

    async def _ask(
        self, question: Question, deadline: Deadline, progress: Progress, caller: Principal, *, falls_back: bool
    ) -> Routed[CitedAnswer]:
        """The answer of a provider, or quoted pages; raises `AllProvidersFailed` or `NoProvider`."""

        async def call(provider: AnswerProvider, until: Deadline) -> CitedAnswer:
            answer = await provider.answer(question, until)
            if answer.usage:
                self._observer.tokens_used(provider.name, answer.usage)
            return answer

        remaining_s = deadline.remaining_s()
        reserve_s = min(_EXTRACTIVE_S, remaining_s / 2) if falls_back else 0.0
        until = deadline.cap(remaining_s - reserve_s)
        try:
            # Providers of answers retry by themselves, within their time.
            return await self._router.first(self._providers, call, until, progress, may_retry=False, caller=caller)
        except AllProvidersFailed as failed:
            if not falls_back or code_of(_decisive(failed)) in _NEVER_FALLS_BACK:
                raise
            await progress("answer: quoting pages instead")
            return _explain_fallback(failed, await self._quote(failed, question, deadline, progress, caller))

    async def _quote(
        self,
        failed: AllProvidersFailed,
        question: Question,
        deadline: Deadline,
        progress: Progress,
        caller: Principal,
    ) -> Routed[CitedAnswer]:
        """An answer quoted from pages after the providers have failed; both failures if this is another one."""
        try:
            return await self._extractive.answer(question, deadline, progress, caller)
        except NoProvider:
            raise failed from None
        except AllProvidersFailed as also:
            raise AllProvidersFailed(
                failed.errors + also.errors, failed.attempts + also.attempts, failed.warnings + also.warnings
            ) from also

    def _reason(self, failed: AllProvidersFailed) -> DowseError:
        """The one error that a caller can act on, unless a search has failed as well."""
        names = {provider.name for provider in self._providers}
        return _decisive(failed) if all(error.provider in names for error in failed.errors) else failed

    @property
    def _first_name(self) -> str:
        return self._providers[0].name if self._providers else self._extractive.name


def _explain_fallback(failed: AllProvidersFailed, quoted: Routed[CitedAnswer]) -> Routed[CitedAnswer]:
    """The quoted answer with the failure that led to it, as a warning that is cached with the answer."""
    error = _decisive(failed)
    warning = f"{code_of(error)}: {str(error).rstrip('.')}; the answer is quoted from pages instead"
    return replace(
        quoted,
        answer=replace(quoted.answer, warnings=(warning, *quoted.answer.warnings)),
        attempts=failed.attempts + quoted.attempts,
        warnings=failed.warnings + quoted.warnings,
    )


def _decisive(failed: AllProvidersFailed) -> ProviderError:
    """The failure that ended the fallback, or else that of the first provider, which was preferred."""
    return next((error for error in failed.errors if not isinstance(error, Transient)), failed.errors[0])


def _is_outage(failed: AllProvidersFailed) -> bool:
    """Whether a stale answer may stand in for this failure; a rejected key is reported to the user."""
    return all(isinstance(error, Transient) for error in failed.errors)
