"""Duplicates: the first spelling of an address stays."""

from dowse.models import Hit
from dowse.rank.dedupe import unique


def test_other_spellings_of_one_address_are_dropped_and_the_order_stays() -> None:
    first = Hit("First", "https://example.org/page?id=1")
    second = Hit("Second", "https://example.org/other")
    again = [
        Hit("Again", "http://www.example.org/page?id=1&utm_source=mail"),
        Hit("Again", "https://example.org/other#part"),
        Hit("Again", "https://EXAMPLE.org/other/"),
    ]
    assert unique([first, again[0], second, *again]) == (first, second)


def test_pages_that_differ_in_a_real_parameter_all_stay() -> None:
    hits = tuple(Hit("Page", f"https://example.org/page?id={number}") for number in range(3))
    assert unique(hits) == hits


def test_nothing_stays_nothing() -> None:
    assert unique([]) == ()
