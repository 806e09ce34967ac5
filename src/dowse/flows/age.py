"""Age of results: the date of each with its source, and whether it lies in the period that the query asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dowse.core import urls
from dowse.core.digests import Timing
from dowse.core.models import Facts, Hit, Page, Query, TimeRange
from dowse.core.text import count_noun

if TYPE_CHECKING:
    from dowse.sites.query import Period

T = TypeVar("T")

_SURE, _DOUBTFUL = "high", "low"
_PROVIDER, _PAGE, _URL = "provider", "page", "url"
_MAY_HAVE_DATE = re.compile(r"/(?:19|20)\d\d|[/_-](?:19|20)\d{6}")
# Results of one period in this order; those outside it are left out if any is inside.
_ORDER = {Timing.UNDATED: 1, Timing.NEWER: 2, Timing.OLDER: 3}
_INSIDE = (Timing.INSIDE, Timing.CHANGED)
_OUTSIDE = (Timing.NEWER, Timing.OLDER)
# Somewhere it is tomorrow already. Later dates are events, or wrong.
_AHEAD = timedelta(days=1)


class Dated(NamedTuple):
    """A date of publication as ISO 8601, or as a provider wrote it; its source, and the confidence of the page."""

    published: str = ""
    source: str = ""
    confidence: str = ""


def find_date(hit: Hit, page: Page) -> Dated:
    """The date of a result: stated by the page for machines, else by the provider, else by page or URL."""
    facts = page.facts
    if facts.published and facts.published_confidence == _SURE:
        return Dated(facts.published, _PAGE, _SURE)
    if hit.published:
        return Dated(hit.published, _PROVIDER)
    by_url = _find_in_url(page.final_url or hit.url)
    if facts.published and facts.published_confidence != _DOUBTFUL:
        is_in_url = bool(by_url) and facts.published.startswith(by_url)
        return Dated(facts.published, _URL if is_in_url else _PAGE, facts.published_confidence)
    return Dated(by_url, _URL, "medium") if by_url else Dated()


def resolve_ages(hits: Iterable[Hit], now: datetime) -> tuple[Hit, ...]:
    """The hits with dates for ages such as `2 hours ago`, told at this time, and for dates of other languages."""
    return tuple(_resolve_age(hit, now) for hit in hits)


def describe_period(query: Query) -> str:
    """Such as "in the last week" or "from 2026-01-31 to 2026-02-28"; empty without a period."""
    first, last = query.start_date, query.end_date
    if first:
        return f"from {first} to {last}" if last else f"since {first}"
    until = f"until {last}" if last else ""
    if query.time_range is TimeRange.ANY:
        return until
    return f"in the last {query.time_range}{f', {until}' if until else ''}"


@dataclass(frozen=True, slots=True)
class AgeFilter:
    """The period of a query, on a day; false without one. A time range counts changes of a page as well."""

    period: Period | None
    today: date
    text: str
    counts_changes: bool

    @classmethod
    def of(cls, query: Query, today: date) -> AgeFilter:
        text = describe_period(query)
        if not text:
            return cls(None, today, text, counts_changes=False)
        from dowse.sites.query import period_of  # Its word lists are slow to load.

        return cls(period_of(query, today), today, text, not query.start_date and not query.end_date)

    def __bool__(self) -> bool:
        return self.period is not None

    def judge(self, hit: Hit, page: Page) -> Timing:
        if not self:
            return Timing.ANY
        timing = self._compare(_parse_day(find_date(hit, page).published))
        is_changed = timing is not Timing.INSIDE and self.counts_changes and self._is_changed(page.facts)
        return Timing.CHANGED if is_changed else timing

    def defer(self, hits: Sequence[T], timings: Sequence[Timing]) -> list[T]:
        """The hits to read, those outside the period last; the pages of the others may tell their dates yet."""
        return self._arrange(hits, timings, [timing in _OUTSIDE for timing in timings])

    def select(self, results: Sequence[T], timings: Sequence[Timing]) -> list[T]:
        """The results of the period, then undated ones; those outside it only if there is none inside."""
        return self._arrange(results, timings, [_ORDER.get(timing, 0) for timing in timings])

    def _arrange(self, results: Sequence[T], timings: Sequence[Timing], places: Sequence[int]) -> list[T]:
        """Results by these places, without those outside the period if one is inside."""
        is_found = any(timing in _INSIDE for timing in timings)
        kept = [number for number, timing in enumerate(timings) if not (is_found and timing in _OUTSIDE)]
        return [results[number] for number in sorted(kept, key=lambda number: places[number])]

    def describe_left_out(self, count: int) -> tuple[str, ...]:
        left_out = count_noun(count, "result was left out: it was not", "results were left out: they were not")
        return (f"{left_out} published {self.text}",) if count else ()

    def _compare(self, day: date | None) -> Timing:
        if day is None or day > self.today + _AHEAD:
            return Timing.UNDATED
        first, last = (self.period.first, self.period.last) if self.period else (None, None)
        if first and day < first:
            return Timing.OLDER
        return Timing.NEWER if last and day > last else Timing.INSIDE

    def _is_changed(self, facts: Facts) -> bool:
        is_sure = facts.modified_confidence == _SURE
        return is_sure and self._compare(_parse_day(facts.modified)) is Timing.INSIDE


def _parse_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _find_in_url(url: str) -> str:
    """The day in the path of a URL, as in blogs and newspapers; empty without one."""
    if not _MAY_HAVE_DATE.search(url):
        return ""
    from dowse.language import dates  # Compiles many patterns, for the few URLs with a date.

    parsed = urls.parse(url)
    moment = dates.in_address(parsed.path) if parsed else None
    return moment.day if moment and moment.is_certain else ""


def _resolve_age(hit: Hit, now: datetime) -> Hit:
    if not hit.published or _parse_day(hit.published):
        return hit
    from dowse.language import dates  # As above.

    if (age := dates.find_age(hit.published)) is not None:
        return replace(hit, published=(now - age).date().isoformat())
    moment = dates.find(hit.published)
    return replace(hit, published=moment.iso) if moment and moment.is_certain else hit
