"""How often the answer is in what is shown of whole articles, with every question."""

from __future__ import annotations

import pytest

from benchmarks.passages_eval.measure import Result
from benchmarks.passages_eval.report import recall
from tests.eval.test_passages import BUDGETS, FLOORS, by, results_of_articles


@pytest.fixture(scope="module")
def articles() -> list[Result]:
    return results_of_articles(every=1)


@pytest.mark.parametrize("budget", BUDGETS)
def test_answers_in_whole_articles_are_shown_as_often_as_before(articles: list[Result], budget: int) -> None:
    assert recall(by("dowse", articles), budget) >= FLOORS["squad"][str(budget)]
