"""How often the answer is in what is shown of whole articles, in many languages, and in long documents."""

from __future__ import annotations

import pytest

from benchmarks.passages_eval.measure import Result
from benchmarks.passages_eval.report import recall
from tests.eval.test_passages import BUDGETS, FLOORS, by, results, results_of_articles
from tests.realparts import missing
from tools.passages.data import squad_file, thinned
from tools.passages.long import long_pages
from tools.passages.multilingual import multilingual_pages

EVERY = 4


@pytest.fixture(scope="module")
def articles() -> list[Result]:
    return results_of_articles(every=1)


@pytest.fixture(scope="module")
def multilingual() -> list[Result]:
    folder = squad_file().parent / "multilingual"
    if not folder.is_dir():
        missing(f"{folder} is missing; name the folder that holds passages in DOWSE_EVAL_DATA")
    return results(thinned(multilingual_pages(folder), EVERY))


@pytest.fixture(scope="module")
def long_documents() -> list[Result]:
    data = squad_file().parents[1]
    if not (data / "wcxb-dev").is_dir():
        missing(f"{data} has no wcxb-dev; name the folder that holds it in DOWSE_EVAL_DATA")
    return results(thinned(long_pages(data), EVERY))


@pytest.mark.parametrize("budget", BUDGETS)
def test_answers_in_whole_articles_are_shown_as_often_as_before(articles: list[Result], budget: int) -> None:
    assert recall(by("dowse", articles), budget) >= FLOORS["squad"][str(budget)]


@pytest.mark.parametrize("budget", BUDGETS)
def test_answers_in_fourteen_languages_are_shown_as_often_as_before(multilingual: list[Result], budget: int) -> None:
    assert recall(by("dowse", multilingual), budget) >= FLOORS["multilingual"][str(budget)]


def test_no_budget_is_exceeded_in_any_language(multilingual: list[Result]) -> None:
    assert max(share for each in by("dowse", multilingual) for share in each.used.values()) <= 1.0


@pytest.mark.promise("passages-whole-document")
@pytest.mark.parametrize("budget", BUDGETS)
def test_answers_in_documents_of_a_million_characters_are_shown(long_documents: list[Result], budget: int) -> None:
    assert recall(by("dowse", long_documents), budget) >= FLOORS["long"][str(budget)]
