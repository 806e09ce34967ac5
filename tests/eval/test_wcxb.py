"""How well real pages are read whose hosts no model has seen, on the development set of WCXB, and shown in a budget.

The figures may only rise: `floors.json` says what was reached, less what another machine may cost.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import pytest

import dowse.extract
from benchmarks.extractors import own
from benchmarks.extractors.extractor import Found, Page
from benchmarks.extractors.measure import Result, measure
from benchmarks.extractors.summary import kind_accuracy
from dowse.digests import Source
from tests.eval.budgets import shares
from tests.realparts import missing
from tools.extractor.data import KINDS, folder, samples

MODEL_BYTES = 2_000_000
FLOORS = json.loads(Path(__file__).with_name("floors.json").read_text())["wcxb"]
# All of them would take a minute; `make bench` reads them all.
EVERY = 3


@dataclass(frozen=True, slots=True)
class Read:
    """How well each page was read, and what was read of those that are not empty."""

    results: list[Result]
    sources: list[Source]


@pytest.fixture(scope="module")
def read() -> Read:
    data = folder()
    if not data.is_dir():
        missing(f"{data} is missing; name the folder that holds wcxb-dev in DOWSE_EVAL_DATA")
    chosen, dowse, texts = list(samples(data, EVERY)), own.dowse(is_seen=False), []

    def remembered(page: Page) -> Found:
        found = dowse.read(page)
        texts.append(found.text)
        return found

    results = list(measure([replace(dowse, read=remembered)], chosen))
    pairs = zip(texts, chosen, strict=True)
    return Read(results, [Source(text, title=page.title, url=page.url) for text, page in pairs if text])


@pytest.fixture(scope="module")
def results(read: Read) -> list[Result]:
    return read.results


@pytest.fixture(scope="module")
def sources(read: Read) -> list[Source]:
    return read.sources


def test_pages_are_read_as_well_as_before(results: list[Result]) -> None:
    assert fmean(each.words.f1 for each in results) >= FLOORS["f1"]


@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_each_kind_are_read_as_well_as_before(results: list[Result], kind: str) -> None:
    assert fmean(each.words.f1 for each in results if each.kind == kind) >= FLOORS["f1_by_kind"][kind]


def test_articles_keep_the_order_of_their_words(results: list[Result]) -> None:
    assert fmean(each.shingles.f1 for each in results if each.kind == "article") >= FLOORS["shingle_f1_of_articles"]


def test_what_belongs_to_a_page_is_found_and_what_does_not_is_left(results: list[Result]) -> None:
    assert fmean(each.wanted for each in results if each.wanted is not None) >= FLOORS["snippets_found"]
    assert fmean(each.unwanted for each in results if each.unwanted is not None) <= FLOORS["noise_found_at_most"]


def test_hardly_a_page_with_content_comes_back_empty(results: list[Result]) -> None:
    """Some have all of it in their scripts."""
    assert sum(each.is_empty for each in results) <= FLOORS["empty_at_most"]


def test_the_kind_of_a_page_is_recognised_as_well_as_before(results: list[Result]) -> None:
    assert kind_accuracy(results) >= FLOORS["kind_accuracy"]


def test_the_beginning_of_a_page_fills_a_budget_and_stays_within(sources: list[Source]) -> None:
    found = shares.of_beginnings(sources)
    assert shares.above(found) == []
    assert shares.little_used(found) <= shares.LESS_USED_IN_PARTS


def test_what_answers_a_question_fills_a_budget_and_stays_within(sources: list[Source]) -> None:
    # It takes longer, so it is done with a third of them.
    found = shares.of_answers(sources[::3])
    assert shares.above(found) == []
    assert shares.little_used(found) <= shares.LESS_USED_IN_PASSAGES


def test_several_pages_share_a_budget(sources: list[Source]) -> None:
    assert max(shares.of_several(sources, 40)) <= 1


def test_the_model_is_small() -> None:
    """It is part of every installation, and every worker reads it."""
    models = list(Path(dowse.extract.__file__).parent.rglob("*.npz"))
    assert models
    assert sum(model.stat().st_size for model in models) < MODEL_BYTES
