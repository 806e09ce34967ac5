"""Extractive answers: search, read the pages, and quote the sentences that answer. No model is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from dowse.core.answers import EXTRACTIVE, CitedAnswer, Material, Question
from dowse.core.models import (
    LOCAL,
    CacheState,
    Clock,
    Deadline,
    Principal,
    Query,
    Result,
    Routed,
    SearchOutcome,
    Status,
    TimeRange,
)
from dowse.core.protocols import Progress
from dowse.core.runtime import no_progress
from dowse.core.text import count_noun
from dowse.flows.search import SearchFlow

# Some pages cannot be read, and some turn out to be too old.
_SPARE_RESULTS = 2
# More of a page finds no more answers; `tests/eval/test_quotes.py` counts them.
_TOKENS_PER_PAGE = 500
_HOURS = ((24, TimeRange.DAY), (7 * 24, TimeRange.WEEK), (30 * 24, TimeRange.MONTH), (365 * 24, TimeRange.YEAR))
# Pages that a reader of the answer could not open.
_NOT_LISTED = (Status.NOT_FOUND, Status.DENIED)
_UNCERTAIN = "low"
_NOTHING = "Nothing was found for this question. Rephrase it."


class Extractive:
    """Answers with sentences of pages. `usual` is a query with the user's defaults."""

    name = EXTRACTIVE

    def __init__(self, search: SearchFlow, *, clock: Clock, usual: Query | None = None) -> None:
        self._search = search
        self._clock = clock
        self._usual = usual or Query("")

    async def answer(
        self,
        question: Question,
        deadline: Deadline,
        progress: Progress = no_progress,
        caller: Principal = LOCAL,
    ) -> Routed[CitedAnswer]:
        """Raises `Offline`, `NoProvider` or `AllProvidersFailed` as searches do; nothing found is an answer."""
        query = self._query(question)
        outcome = await self._search.search(
            query,
            deadline,
            # Pages that are only listed need not be read, unless their age matters.
            fetch_content=question.wants_summary or question.freshness_hours > 0,
            max_tokens=_TOKENS_PER_PAGE * query.num_results,
            progress=progress,
            caller=caller,
        )
        recent = self._recent(outcome.results, question)
        # In a thread: words of many languages have to be compared.
        answer = await asyncio.to_thread(_compose, question, recent, len(outcome.results) - len(recent))
        return Routed(answer, self.name, outcome.attempts, (*outcome.warnings, *_about_age(outcome)))

    def _query(self, question: Question) -> Query:
        return replace(
            self._usual,
            text=question.text,
            num_results=question.max_results + _SPARE_RESULTS,
            country=question.region.lower(),
            language=question.language or self._usual.language,
            time_range=time_range(question.freshness_hours),
        )

    def _recent(self, results: Sequence[Result], question: Question) -> list[Result]:
        """Results that are not known to be older than the question asks for."""
        if not question.freshness_hours:
            return list(results)
        oldest = self._clock.utc() - timedelta(hours=question.freshness_hours)
        return [result for result in results if (moment := _find_date(result)) is None or moment >= oldest]


def time_range(hours: int) -> TimeRange:
    """The shortest period that search engines know and that holds so many hours; any for 0."""
    return next((wider for most, wider in _HOURS if 0 < hours <= most), TimeRange.ANY)


def _compose(question: Question, results: Sequence[Result], older: int) -> CitedAnswer:
    """Quotes from the pages, or only a list of them; a refusal where none is left."""
    # Imported on first use: comparing words takes modules that are slow to load.
    from dowse.rank.quotes import compose_refusal, list_sources

    reachable = [result for result in results if result.page.status not in _NOT_LISTED]
    if not reachable:
        return replace(compose_refusal(_about_older(question, older) if older else _NOTHING), too_old=older)
    if not question.wants_summary:
        return list_sources(list(map(_material, reachable[: question.max_results])))
    return _quote(question, reachable)


def _quote(question: Question, results: Sequence[Result]) -> CitedAnswer:
    """Sentences of the pages that were read; of the snippets, if none was."""
    from dowse.rank.quotes import QUOTED, QUOTED_SNIPPETS, choose_text, compose_quotes

    texts = [(result, choose_text(result.digest, result.page.text)) for result in results if result.digest]
    passages = [_material(result, text) for result, text in texts if text]
    pages = passages or [_material(result, result.hit.snippet) for result in results]
    opening = QUOTED if passages else QUOTED_SNIPPETS
    return compose_quotes(question.text, pages, opening, most_sources=question.max_results)


def _material(result: Result, text: str = "") -> Material:
    page, moment = result.page, _find_date(result)
    url, title = (page.final_url, page.title) if page.status.readable else ("", "")
    published = moment.date().isoformat() if moment else ""
    return Material(url or result.hit.url, title or result.hit.title, text, published)


def _find_date(result: Result) -> datetime | None:
    """When a page was published, by the page or by the provider, the later of both; `None` if unknown."""
    facts = result.page.facts
    dates = [result.hit.published, facts.published if facts.published_confidence != _UNCERTAIN else ""]
    return max((moment for text in dates if (moment := _moment(text))), default=None)


def _moment(text: str) -> datetime | None:
    """A date with or without a time; a day counts until its end. `None` for other text."""
    try:
        return datetime.combine(date.fromisoformat(text), time.max, UTC)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _about_older(question: Question, older: int) -> str:
    hours = f"{question.freshness_hours} hours" if question.freshness_hours > 1 else "hour"
    left_out = count_noun(older, "older page was", "older pages were")
    return f"Nothing of the last {hours} was found; {left_out} left out."


def _about_age(outcome: SearchOutcome) -> tuple[str, ...]:
    if outcome.freshness.state is not CacheState.STALE:
        return ()
    return (f"the pages were found {int(outcome.freshness.age_s)} s ago; no newer results could be had in time",)
