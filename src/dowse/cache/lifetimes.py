"""Lifetimes of cached values: TTLs of search results, pages and answers, and how long each stands in when stale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from dowse.core.answers import EXTRACTIVE, CitedAnswer, Question
from dowse.core.models import Category, Found, Query, Text, TimeRange

T_contra = TypeVar("T_contra", contravariant=True)


class LifetimePolicy(Protocol[T_contra]):
    """Lifetime by value. That of `None` is the longest of any value; where it is zero, nothing is cached."""

    def of(self, value: T_contra | None, /) -> Lifetime: ...


@dataclass(frozen=True, slots=True)
class Lifetime:
    """TTL of a value, and how long it is kept in all to stand in during an outage (stale-if-error)."""

    fresh_s: float
    stale_s: float = 0.0

    @property
    def kept_s(self) -> float:
        """Zero for a value that is never fresh: a cache that is switched off leaves no copies."""
        return max(self.fresh_s, self.stale_s) if self.fresh_s else 0.0

    def of(self, _value: object) -> Lifetime:
        """The policy of one lifetime for all values."""
        return self


@dataclass(frozen=True, slots=True)
class SearchLifetimes:
    """TTLs of search results, by the kind of query and by whether anything was found."""

    usual_s: float
    news_s: float
    empty_s: float
    stale_s: float

    def for_query(self, query: Query) -> LifetimePolicy[Found]:
        is_news = query.category is Category.NEWS or query.time_range is TimeRange.DAY
        fresh_s = self.news_s if is_news else self.usual_s
        # An empty result may be a hiccup of the provider, and is of no use later.
        return _FoundPolicy(Lifetime(fresh_s, self.stale_s), empty=Lifetime(min(fresh_s, self.empty_s)))


@dataclass(frozen=True, slots=True)
class _FoundPolicy:
    usual: Lifetime
    empty: Lifetime

    def of(self, found: Found | None) -> Lifetime:
        return self.usual if found is None or found.hits else self.empty


@dataclass(frozen=True, slots=True)
class PageLifetimes:
    """TTLs of pages and of failures to read one, and how long pages are kept in all."""

    fresh_s: float
    failure_s: float
    stale_s: float

    def of(self, text: Text | None = None) -> Lifetime:
        return Lifetime(self.fresh_s if text is None or text.may_be_kept else 0.0, self.stale_s)


@dataclass(frozen=True, slots=True)
class AnswerLifetimes:
    """TTLs of answers: of usual answers, and of poor answers after a failed provider."""

    usual_s: float
    poor_s: float
    stale_s: float

    def for_question(self, question: Question, *, has_providers: bool) -> LifetimePolicy[CitedAnswer]:
        """`has_providers`: whether quoted pages are only a fallback, and so a poor answer."""
        # A question for recent pages has no use for an older answer.
        hours = question.freshness_hours
        stale_s = min(self.stale_s, hours * 3600) if hours else self.stale_s
        return _AnswerPolicy(self.usual_s, min(self.usual_s, self.poor_s), stale_s, has_providers)


@dataclass(frozen=True, slots=True)
class _AnswerPolicy:
    usual_s: float
    poor_s: float
    stale_s: float
    has_providers: bool

    def of(self, answer: CitedAnswer | None) -> Lifetime:
        if answer is None:
            return Lifetime(self.usual_s)
        if not answer.citations:
            return Lifetime(self.poor_s)
        is_poor = self.has_providers and answer.provider == EXTRACTIVE
        return Lifetime(self.poor_s if is_poor else self.usual_s, self.stale_s)
