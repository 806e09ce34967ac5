"""Times of a query become days, with both ends inside."""

from datetime import UTC, date, datetime

from dowse.core.models import Query, TimeRange
from dowse.sites.period import Period, day_of, period_of
from tests.support.tables import each_row

TODAY = date(2026, 11, 15)


@each_row(
    ("query", "period"),
    [
        (Query("x"), Period()),
        (Query("x", time_range=TimeRange.DAY), Period(date(2026, 11, 14))),
        (Query("x", time_range=TimeRange.YEAR), Period(date(2025, 11, 15))),
        (Query("x", start_date="2026-01-02", end_date="2026-03-04"), Period(date(2026, 1, 2), date(2026, 3, 4))),
        (Query("x", start_date="2026-01-02", time_range=TimeRange.DAY), Period(date(2026, 1, 2))),
        (Query("x", end_date="2026-03-04", time_range=TimeRange.ANY), Period(None, date(2026, 3, 4))),
    ],
)
def test_a_range_ends_today_and_dates_beat_it(query: Query, period: Period) -> None:
    assert period_of(query, TODAY) == period
    assert bool(period) is (period != Period())


def test_seconds_reach_from_the_first_of_the_first_day_to_the_end_of_the_last() -> None:
    period = Period(date(2026, 1, 2), date(2026, 1, 2))
    assert period.starts_at == datetime(2026, 1, 2, tzinfo=UTC).timestamp()
    assert period.ends_at == datetime(2026, 1, 3, tzinfo=UTC).timestamp()
    assert (Period().starts_at, Period().ends_at) == (None, None)


@each_row(("seconds", "day"), [(1767312000, "2026-01-02"), (0, ""), (10**30, ""), (10**17, "")])
def test_a_moment_that_no_calendar_has_is_no_day(seconds: int, day: str) -> None:
    assert day_of(seconds) == day
