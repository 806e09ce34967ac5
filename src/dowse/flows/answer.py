"""An answer to a question: of a provider that writes them, or else quoted from pages. What is known is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dowse.cache.fetch import Known, Lifetime, Memory, Recalled, Shelf, Wanted
from dowse.core.answers import EXTRACTIVE, CitedAnswer, Question, code_of
from dowse.core.errors import AllProvidersFailed, DowseError, NoProvider, Offline, ProviderError, TimedOut, Transient
from dowse.core.models import Attempt, Clock, Deadline, Freshness, Routed
from dowse.core.protocols import AnswerProvider, Observer, Progress, Scrubber, no_progress
from dowse.flows.extractive import Extractive
from dowse.routing.router import Router

# Searching and reading takes this long when it has to; providers leave it, or half of the time if that is less.
_EXTRACTIVE_S = 15.0
# These are for the caller or the user to mend: an answer of another kind would hide them.
_NEVER_FALLS_BACK = frozenset({"AUTH", "VALIDATION"})


@dataclass(frozen=True, slots=True)
class AnswerLifetimes:
    """How long answers are good: usual ones, and those that may be poor because of somebody's hiccup."""

    usual_s: float
    poor_s: float
    stale_s: float


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """An answer, what it took to get it, and what there is to say about it.

    `engine` is who gave it, now or before, by the name that is counted.
    """

    answer: CitedAnswer
    engine: str
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    freshness: Freshness


class AnswerFlow:
    """Asks the providers of answers in order, or quotes pages. Without a router nobody but ourselves can answer."""

    def __init__(
        self,
        router: Router[AnswerProvider] | None,
        extractive: Extractive,
        memory: Memory,
        lifetimes: AnswerLifetimes,
        *,
        clock: Clock,
        observer: Observer,
        scrubber: Scrubber,
        offline: bool = False,
    ) -> None:
        self._router = router
        self._extractive = extractive
        self._shelf = Shelf("answer", CitedAnswer, memory, _is_outage)
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
    ) -> AnswerOutcome:
        """Raises `Offline`, `NoProvider`, `AllProvidersFailed`, or the one error of a provider of answers.

        With `falls_back` the pages are quoted where providers fail, unless a key or the question is to be mended.
        """
        if offline or self._offline:
            raise Offline("search")
        started = self._clock.now()
        # From here on nobody sees the question as it was typed.
        text, scrubbed = self._scrubber.scrub(question.text)
        question = replace(question, text=text)
        recalled = await self._recalled(question, deadline, progress, falls_back=falls_back)
        routed, freshness = recalled.routed, recalled.freshness
        ms = round((self._clock.now() - started) * 1000)
        sources = {citation.url for citation in routed.answer.citations}
        self._observer.search_completed(routed.provider, text, len(sources), ms, cache=freshness.state)
        warnings = (*scrubbed, *routed.warnings, *routed.answer.warnings)
        return AnswerOutcome(routed.answer, routed.provider, routed.attempts, tuple(dict.fromkeys(warnings)), freshness)

    async def _recalled(
        self, question: Question, deadline: Deadline, progress: Progress, *, falls_back: bool
    ) -> Recalled[CitedAnswer]:
        async def make(_known: Known[CitedAnswer] | None, until: Deadline, tell: Progress) -> Routed[CitedAnswer]:
            return await self._made(question, until, tell, falls_back=falls_back)

        async def suits(answer: CitedAnswer) -> bool:
            return falls_back or self._router is None or answer.provider != EXTRACTIVE

        wanted = Wanted(
            repr(question),
            make,
            lambda answer: self._lifetime(question, answer),
            suits,
            way="falls back" if falls_back else "",
            is_remembered=self._lifetimes.usual_s > 0,
        )
        given_s = deadline.remaining_s()
        try:
            return await self._shelf.answer(wanted, deadline, progress)
        except AllProvidersFailed as failed:
            raise self._reason(failed) from failed
        except TimeoutError:
            # Somebody else was at it already, and is slower than this caller can wait.
            raise TimedOut(self._first_name, f"no answer within {given_s:.1f} s") from None

    async def _made(
        self, question: Question, deadline: Deadline, progress: Progress, *, falls_back: bool
    ) -> Routed[CitedAnswer]:
        """One answer, whoever gives it; raises `AllProvidersFailed` or `NoProvider`."""

        async def ask(provider: AnswerProvider, until: Deadline) -> CitedAnswer:
            answer = await provider.answer(question, until)
            if answer.usage:
                self._observer.tokens_used(provider.name, answer.usage)
            return answer

        if self._router is None:
            return await self._extractive.answer(question, deadline, progress)
        remaining_s = deadline.remaining_s()
        reserve_s = min(_EXTRACTIVE_S, remaining_s / 2) if falls_back else 0.0
        try:
            # Providers of answers try again by themselves, within their time.
            return await self._router.first_answer(
                ask, deadline.capped(remaining_s - reserve_s), progress, may_retry=False
            )
        except AllProvidersFailed as failed:
            if not falls_back or code_of(_decisive(failed)) in _NEVER_FALLS_BACK:
                raise
            await progress("answer: quoting pages instead")
            return await self._instead(failed, question, deadline, progress)

    async def _instead(
        self, failed: AllProvidersFailed, question: Question, deadline: Deadline, progress: Progress
    ) -> Routed[CitedAnswer]:
        """The pages quoted, with an account of the failure before; both failures if this is another one."""
        try:
            quoted = await self._extractive.answer(question, deadline, progress)
        except NoProvider:
            raise failed from None
        except AllProvidersFailed as also:
            raise AllProvidersFailed(
                failed.errors + also.errors, failed.attempts + also.attempts, failed.warnings + also.warnings
            ) from also
        error = _decisive(failed)
        warning = f"{code_of(error)}: {str(error).rstrip('.')}; the answer is quoted from pages instead"
        # With the answer, so that those hear of it too who are given it from memory.
        answer = replace(quoted.answer, warnings=(warning, *quoted.answer.warnings))
        return replace(
            quoted,
            answer=answer,
            attempts=failed.attempts + quoted.attempts,
            warnings=failed.warnings + quoted.warnings,
        )

    def _lifetime(self, question: Question, answer: CitedAnswer) -> Lifetime:
        is_poor = not answer.citations or (self._router is not None and answer.provider == EXTRACTIVE)
        fresh_s = min(self._lifetimes.usual_s, self._lifetimes.poor_s) if is_poor else self._lifetimes.usual_s
        if not answer.citations:
            return Lifetime(fresh_s)
        # Who wants what is new has no use for an answer that is older than that.
        stale_s = self._lifetimes.stale_s
        return Lifetime(fresh_s, min(stale_s, question.freshness_hours * 3600) if question.freshness_hours else stale_s)

    def _reason(self, failed: AllProvidersFailed) -> DowseError:
        """What a caller can act on: the one error that counts, unless a search has failed as well."""
        names = {provider.name for provider in self._router.providers} if self._router else set()
        return _decisive(failed) if all(error.provider in names for error in failed.errors) else failed

    @property
    def _first_name(self) -> str:
        return self._router.providers[0].name if self._router else self._extractive.name


def _decisive(failed: AllProvidersFailed) -> ProviderError:
    """What ended the walk through the providers, or else the failure of the first one, which was wanted most."""
    return next((error for error in failed.errors if not isinstance(error, Transient)), failed.errors[0])


def _is_outage(failed: AllProvidersFailed) -> bool:
    """Whether an older answer is better than this failure; a rejected key is for the user to hear of."""
    return all(isinstance(error, Transient) for error in failed.errors)
