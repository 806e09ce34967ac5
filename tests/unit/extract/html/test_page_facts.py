"""Metadata becomes plain facts, which any pipe and any store can hold."""

from __future__ import annotations

from dowse.core.models import Facts
from dowse.extract.html.metadata.reading import Confidence, Metadata
from dowse.extract.html.page import facts_of


def test_every_fact_is_handed_on_and_a_confidence_is_a_plain_word() -> None:
    metadata = Metadata(
        "Otters",
        "Ana Lind",
        "2026-03-02",
        Confidence.HIGH,
        "2026-04-01",
        Confidence.LOW,
        "en",
        "The Post",
        "https://a/",
    )
    facts = facts_of(metadata)
    assert facts == Facts("", "Ana Lind", "2026-03-02", "high", "2026-04-01", "low", "en", "The Post", "https://a/")
    assert (type(facts.published_confidence), type(facts.modified_confidence)) == (str, str)


def test_a_date_that_is_not_known_has_no_confidence() -> None:
    assert facts_of(Metadata()) == Facts()
