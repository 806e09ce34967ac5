"""The pages of engines are read where a reader may be killed."""

from __future__ import annotations

import pytest

from dowse.core.listings import Listing, Outcome, Row, decode, encode
from tests.support.tables import each_row

LISTING = Listing(
    Outcome.RESULTS,
    (Row("T", "https://a.example/", "S", "bing", "2026-01-02", "https://i.example/", "https://t.example/", "1:00"),),
    "detail",
    (("brave", "timeout"),),
    ("42",),
    ("more",),
    3,
)


def test_a_listing_survives_its_coding() -> None:
    assert decode(encode(LISTING)) == LISTING


@each_row("text", ["", "{}", "[]", '{"outcome": "splendid"}', '{"outcome": "empty", "rows": [1]}'])
def test_anything_else_is_no_listing(text: str) -> None:
    with pytest.raises(ValueError):
        decode(text)
