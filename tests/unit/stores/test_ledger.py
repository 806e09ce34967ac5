"""Aggregation of counted calls: by provider, caller or day, of the month and of today."""

from __future__ import annotations

from datetime import date

import pytest

from dowse.stores.ledger import CallCount, Tally, UsageRow, group_usage, total_usage

pytestmark = pytest.mark.promise("usage")

YESTERDAY, TODAY = date(2026, 11, 16), date(2026, 11, 17)
COUNTS = [
    CallCount(TODAY, "tavily", "alice", Tally(1, 8000)),
    CallCount(TODAY, "serper", "bob", Tally(1, 1000)),
    CallCount(YESTERDAY, "serper", "alice", Tally(2, 2000)),
    CallCount(YESTERDAY, "brave", "alice", Tally(1, 5000)),
]


def test_the_provider_with_the_most_calls_is_first_and_equal_ones_follow_by_name() -> None:
    assert group_usage(COUNTS, "provider", TODAY) == [
        UsageRow("serper", Tally(3, 3000), Tally(1, 1000)),
        UsageRow("brave", Tally(1, 5000), Tally()),
        UsageRow("tavily", Tally(1, 8000), Tally(1, 8000)),
    ]


def test_calls_of_a_caller_are_added_over_providers() -> None:
    assert group_usage(COUNTS, "caller", TODAY) == [
        UsageRow("alice", Tally(4, 15000), Tally(1, 8000)),
        UsageRow("bob", Tally(1, 1000), Tally(1, 1000)),
    ]


def test_days_are_in_their_order() -> None:
    assert group_usage(COUNTS, "day", TODAY) == [
        UsageRow("2026-11-16", Tally(3, 7000), Tally()),
        UsageRow("2026-11-17", Tally(2, 9000), Tally(2, 9000)),
    ]


def test_the_total_is_of_all_rows_and_zero_without_any() -> None:
    assert total_usage(COUNTS, TODAY) == UsageRow("all", Tally(5, 16000), Tally(2, 9000))
    assert total_usage([], TODAY) == UsageRow("all", Tally(), Tally())
    assert group_usage([], "caller", TODAY) == []
