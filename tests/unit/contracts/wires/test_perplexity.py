"""Perplexity's fields that choose what is searched, and how much of each page is told."""

from __future__ import annotations

import pytest

from dowse.contracts.wires import perplexity
from dowse.contracts.wires.fields import Fields
from dowse.core.errors import InvalidRequest
from dowse.core.models import Category


@pytest.mark.parametrize(
    ("sent", "field", "expected"),
    [
        ({}, "category", None),
        ({"search_mode": "academic"}, "category", Category.SCIENCE),
        ({"search_mode": "SEC"}, "category", None),
        ({"search_after_date_filter": "1/31/2026"}, "start_date", "2026-01-31"),
        ({"search_before_date_filter": "2/1/2026"}, "end_date", "2026-02-01"),
        ({}, "passage_tokens", 1000),
        ({"max_tokens_per_page": 300}, "passage_tokens", 300),
        ({"max_tokens_per_page": 300, "search_context_size": "medium"}, "passage_tokens", 150),
        ({"max_tokens": 1000, "max_tokens_per_page": 300}, "passage_tokens", 100),
    ],
)
def test_fields_become_those_of_the_search(sent: dict[str, object], field: str, expected: object) -> None:
    (wanted,) = perplexity.to_wanted(Fields(sent), ["bridge"])
    assert getattr(wanted, field) == expected


@pytest.mark.parametrize(
    "sent", [{"search_mode": "cats"}, {"search_after_date_filter": "soon"}, {"search_context_size": "huge"}]
)
def test_a_value_that_cannot_be_meant_is_refused(sent: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        perplexity.to_wanted(Fields(sent), ["bridge"])
