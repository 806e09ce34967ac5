"""How metadata is measured against the truth."""

from __future__ import annotations

import pytest

from tools.extractor.metadata_scores import Facts, metadata_scores, same_author, same_day, same_title
from tools.extractor.metrics import Score


def test_fields_are_scored_by_what_was_found_and_what_is_true() -> None:
    pairs = [
        (Facts("Tides", "Ana Ferro", "2024-03-05T10:00:00"), Facts("Tides!", "Ana Ferro", "2024-03-05")),
        (Facts("Ebb", "admin", ""), Facts("Flood", "", "2024-03-06")),
    ]
    assert metadata_scores(pairs) == {"title": Score(0.5, 0.5), "author": Score(0.5, 1.0), "published": Score(1.0, 0.5)}


def test_of_no_pages_nothing_is_scored() -> None:
    assert metadata_scores([])["title"] == Score(0.0, 0.0)


@pytest.mark.parametrize(
    ("found", "truth", "expected"),
    [("Ana Ferro; Bo Lund", "Bo Lund and Ana Ferro, MD", True), ("Ana Ferro", "Ana Ferro, Bo Lund", False)],
)
def test_authors_are_the_same_in_any_order_and_without_degrees(found: str, truth: str, expected: bool) -> None:
    assert same_author(found, truth) is expected


def test_punctuation_and_case_do_not_make_another_title() -> None:
    assert same_title("What’s a tide?", "Whats a Tide")
    assert not same_title("Low tide", "High tide")


def test_a_true_month_is_matched_by_any_of_its_days() -> None:
    assert same_day("2015-11-03", "2015-11")
    assert not same_day("2015-12-03", "2015-11")
