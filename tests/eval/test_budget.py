"""Counted by a real tokenizer, nothing is longer than it may be, and little of a budget is left unused.

`test_wcxb.py` says the same of the real pages that it has read.
"""

from __future__ import annotations

import pytest

from dowse.core.digests import Source
from tests.eval.budgets import shares
from tests.eval.budgets.pages import LANGUAGES, page

GENERATED_EACH = 5


@pytest.fixture(scope="module")
def pages() -> list[Source]:
    return [
        Source(page(language, number), title=words.subjects[number])
        for language, words in LANGUAGES.items()
        for number in range(GENERATED_EACH)
    ]


def test_the_beginning_of_a_page_fills_a_budget_and_stays_within(pages: list[Source]) -> None:
    found = shares.of_beginnings(pages)
    assert shares.above(found) == []
    assert shares.little_used(found, shares.USED_IN_PARTS) <= shares.LESS_USED_IN_PARTS


def test_what_answers_a_question_fills_a_budget_and_stays_within(pages: list[Source]) -> None:
    # It takes longer, so it is done with half of them.
    found = shares.of_answers(pages[::2])
    assert shares.above(found) == []
    assert shares.little_used(found) <= shares.LESS_USED_IN_PASSAGES


def test_several_pages_share_a_budget(pages: list[Source]) -> None:
    assert max(shares.of_several(pages, 25)) <= 1
