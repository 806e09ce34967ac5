"""How well articles are told from the comments, other stories and boxes around them, on 60 made-up pages.

The floor may only rise. `python benchmarks/articles.py` compares with trafilatura.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.articles import dowse
from tests.eval.articles.pages import pages, score
from tests.eval.articles.story import TEXTS
from tools.extractor.metrics import Score

_PLACE = re.compile(r"@(?:t:)?[a-z]+2?@|@BODY|<!--(?:each|inside)")
FLOORS = json.loads(Path(__file__).with_name("floors.json").read_text())["articles"]


@pytest.fixture(scope="module")
def scores() -> dict[str, Score]:
    return {page.name: score(page, dowse(page)) for page in pages()}


def test_articles_are_told_from_what_surrounds_them_as_well_as_before(scores: dict[str, Score]) -> None:
    assert fmean(each.f1 for each in scores.values()) >= FLOORS["shingle_f1"]


def test_no_page_is_refused_although_some_are_previews(scores: dict[str, Score]) -> None:
    assert [name for name, each in scores.items() if each.recall < FLOORS["recall_of_a_page"]] == []


def test_there_are_sixty_pages_each_with_a_name_of_its_own() -> None:
    names = Counter(page.name for page in pages())
    assert len(names) == names.total() == 60
    assert {text for text in TEXTS if not any(name.endswith(f"-{text}") for name in names)} == set()


def test_every_page_has_its_article_and_as_much_that_is_none() -> None:
    for page in pages():
        assert len(page.html) > 2 * len(page.content), page.name
        assert _PLACE.search(page.html) is None, page.name


def test_the_whole_text_of_an_article_scores_one_with_its_title_or_without() -> None:
    page = pages()[0]
    assert score(page, page.content).f1 == score(page, f"{page.title}\n\n{page.content}").f1 == 1.0
    assert score(page, page.content[: len(page.content) // 2]).recall < 0.6
