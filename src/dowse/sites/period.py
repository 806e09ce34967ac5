"""The time that a query is about, as days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from dowse.core.models import Query, TimeRange

_DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 30, TimeRange.YEAR: 365}


@dataclass(frozen=True, slots=True)
class Period:
    """From the first to the last day, both included; `None` where it is open."""

    first: date | None = None
    last: date | None = None

    def __bool__(self) -> bool:
        return bool(self.first or self.last)

    @property
    def starts_at(self) -> int | None:
        """Its first second, as Unix counts them."""
        return _seconds(self.first) if self.first else None

    @property
    def ends_at(self) -> int | None:
        """The first second after it."""
        return _seconds(self.last + timedelta(days=1)) if self.last else None


def period_of(query: Query, today: date) -> Period:
    first = date.fromisoformat(query.start_date) if query.start_date else None
    last = date.fromisoformat(query.end_date) if query.end_date else None
    if first is None and query.time_range is not TimeRange.ANY:
        first = today - timedelta(days=_DAYS[query.time_range])
    return Period(first, last)


def day_of(seconds: int) -> str:
    """The day of a moment that is told in Unix seconds; empty for none, and for one no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat() if seconds else ""
    except (OverflowError, ValueError, OSError):
        return ""


def _seconds(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
