"""Reading must not cost much more than the pages themselves take, no browser, and nobody else their time."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.read import (
    FETCH_BOUND,
    FIVE_PAGES_BOUND_S,
    LAG_BOUND_MS,
    PAGE_S,
    SHAPES,
    fetch_many,
    lag_while_reading,
    read_five_pages,
)
from tests.support.tables import each_row


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc, which only Linux has")
def test_pages_of_a_search_are_read_at_the_same_time_and_without_a_browser() -> None:
    """The best of three counts, and what dowse may add to a page is doubled: the machine has other work."""
    reading = read_five_pages(rounds=3)
    assert reading.seconds <= PAGE_S + 2 * (FIVE_PAGES_BOUND_S - PAGE_S)
    assert reading.processes
    assert not reading.browsers


def test_the_guard_costs_little() -> None:
    """Twenty rounds are a second; what the guard may add is doubled."""
    assert fetch_many(rounds=20).ratio <= 1 + 2 * (FETCH_BOUND - 1)


@each_row("question", ["", "How heavy is an otter?"])
@each_row("shape", SHAPES)
def test_other_calls_go_on_while_a_large_page_is_read(shape: str, question: str) -> None:
    """At twice the figure, again."""
    assert lag_while_reading(shape, question=question) <= 2 * LAG_BOUND_MS
