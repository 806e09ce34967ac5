"""How often the answer is in what is shown of a page: whole articles, pages of the web, and one page in 14 languages.

The figures may only rise: `passages_floors.json` says what was reached, less what a harmless change may cost.
`benchmarks/passages.py` has more figures, and those of others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.passages_eval import selectors
from benchmarks.passages_eval.measure import Result, measure
from benchmarks.passages_eval.report import recall
from dowse.core.digests import Source
from dowse.rank.digest import digest
from tests.realparts import missing
from tools.passages.data import Page, language_pages, squad_file, squad_pages, thinned, web_pages

FLOORS = json.loads(Path(__file__).with_name("passages_floors.json").read_text())
BUDGETS = (250, 500)
# Of the questions about articles; `tests/slow/eval` asks them all, and so does the benchmark.
EVERY = 10
LANGUAGES = [page.language for page in language_pages()]
# How much more has to be kept than by showing the beginning of the page.
LEAD = FLOORS["lead_over_the_beginning"]


def results(pages: Iterable[Page]) -> list[Result]:
    """What dowse shows, and what the beginning of the page would."""
    both = [replace(selectors.dowse(), rank=None), selectors.head()]
    return list(measure(both, list(pages), BUDGETS))


def results_of_articles(every: int) -> list[Result]:
    if not squad_file().is_file():
        missing(f"{squad_file()} is missing; name the folder that holds passages in DOWSE_EVAL_DATA")
    return results(thinned(squad_pages(squad_file()), every))


@pytest.fixture(scope="module")
def articles() -> list[Result]:
    return results_of_articles(EVERY)


@pytest.fixture(scope="module")
def web() -> list[Result]:
    return results(web_pages())


@pytest.fixture(scope="module")
def languages() -> list[Result]:
    return results(language_pages())


def by(selector: str, found: list[Result], language: str = "") -> list[Result]:
    return [each for each in found if each.selector == selector and language in ("", each.language)]


@pytest.mark.parametrize("budget", BUDGETS)
def test_answers_in_whole_articles_are_shown_as_often_as_before(articles: list[Result], budget: int) -> None:
    assert recall(by("dowse", articles), budget) >= FLOORS["squad"][str(budget)]


@pytest.mark.parametrize("budget", BUDGETS)
def test_answers_on_pages_of_the_web_are_shown_as_often_as_before(web: list[Result], budget: int) -> None:
    assert recall(by("dowse", web), budget) >= FLOORS["web"][str(budget)]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_answers_are_shown_in_each_language(languages: list[Result], language: str, budget: int) -> None:
    assert recall(by("dowse", languages, language), budget) >= FLOORS["languages"][language][str(budget)]


@pytest.mark.parametrize("budget", BUDGETS)
def test_answers_in_all_languages_are_shown_as_often_as_before(languages: list[Result], budget: int) -> None:
    assert recall(by("dowse", languages), budget) >= FLOORS["all_languages"][str(budget)]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_far_more_answers_are_shown_than_at_the_beginning_of_the_page(
    languages: list[Result], language: str, budget: int
) -> None:
    head = recall(by("head", languages, language), budget)
    assert recall(by("dowse", languages, language), budget) >= head + LEAD


def off_topic_share(asked: Iterable[tuple[str, str]]) -> float:
    """The share of the questions for which their page is not shown whole although it would fit."""
    judged = [digest(question, [Source(text)], 1_000_000)[0].is_off_topic for text, question in asked]
    return sum(judged) / len(judged)


def test_pages_that_answer_are_shown_whole_and_most_others_are_not() -> None:
    """A page of the web has questions that do not name its topic, as no query would; they are the hardest."""
    pages = list(web_pages())
    own = [(page.text, asked.text) for page in pages for asked in page.questions]
    others = [(page.text, other.questions[0].text) for page in pages for other in pages if other.name != page.name]
    assert off_topic_share(own) <= FLOORS["off_topic"]["right_pages_at_most"]
    assert off_topic_share(others[::4]) >= FLOORS["off_topic"]["wrong_pages_at_least"]


def test_what_is_shown_fits_into_the_budget_of_a_real_tokenizer(web: list[Result], languages: list[Result]) -> None:
    assert max(share for each in [*web, *languages] for share in each.used.values()) <= 1.0
