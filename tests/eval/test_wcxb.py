"""How well real pages are read whose hosts no model has seen, on the development set of WCXB, and shown in a budget.

The figures may only rise: `floors.json` says what every third page has reached, less what another machine may cost.
Here every tenth is read; `tests/slow/eval` reads all.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import ClassVar

import pytest

import dowse.extract
from benchmarks.extractors.measure import Result
from benchmarks.extractors.summary import kind_accuracy
from dowse.core.digests import Source
from tests.eval.budgets import shares
from tests.eval.wcxb import Read, read_every
from tools.extractor.data import KINDS

MODEL_BYTES = 2_000_000
FLOORS = json.loads(Path(__file__).with_name("floors.json").read_text())["wcxb"]


@pytest.fixture(scope="class")
def read(request: pytest.FixtureRequest) -> Read:
    return read_every(request.cls.every)


@pytest.fixture(scope="class")
def results(request: pytest.FixtureRequest, read: Read) -> list[Result]:
    """Those that the class judges."""
    return read.results[:: request.cls.judged]


@pytest.fixture(scope="class")
def sources(read: Read) -> list[Source]:
    return read.sources


class TestEveryTenthPage:
    """150 pages, of which some kinds have only nine."""

    every: ClassVar[int] = 10
    judged: ClassVar[int] = 1
    margin: ClassVar[float] = 0.025
    """What a sample of this size may miss of the floors; the same for a kind."""
    margin_of_a_kind: ClassVar[float] = 0.14

    def test_pages_are_read_as_well_as_before(self, results: list[Result]) -> None:
        assert fmean(each.words.f1 for each in results) >= FLOORS["f1"] - self.margin

    def test_pages_of_each_kind_are_read_as_well_as_before(self, results: list[Result]) -> None:
        reached = {kind: fmean(each.words.f1 for each in results if each.kind == kind) for kind in KINDS}
        floors = {kind: FLOORS["f1_by_kind"][kind] - self.margin_of_a_kind for kind in KINDS}
        assert {kind: (reached[kind], floors[kind]) for kind in KINDS if reached[kind] < floors[kind]} == {}

    def test_articles_keep_the_order_of_their_words(self, results: list[Result]) -> None:
        reached = fmean(each.shingles.f1 for each in results if each.kind == "article")
        assert reached >= FLOORS["shingle_f1_of_articles"] - self.margin

    def test_what_belongs_to_a_page_is_found_and_what_does_not_is_left(self, results: list[Result]) -> None:
        wanted = fmean(each.wanted for each in results if each.wanted is not None)
        unwanted = fmean(each.unwanted for each in results if each.unwanted is not None)
        assert wanted >= FLOORS["snippets_found"] - self.margin
        assert unwanted <= FLOORS["noise_found_at_most"] + self.margin

    def test_hardly_a_page_with_content_comes_back_empty(self, read: Read) -> None:
        """Some have all of it in their scripts."""
        assert sum(each.is_empty for each in read.results) <= FLOORS["empty_at_most"]

    def test_the_kind_of_a_page_is_recognised_as_well_as_before(self, results: list[Result]) -> None:
        assert kind_accuracy(results) >= FLOORS["kind_accuracy"] - self.margin

    def test_the_beginning_of_a_page_fills_a_budget_and_stays_within(self, sources: list[Source]) -> None:
        found = shares.of_beginnings(sources)
        assert shares.above(found) == []
        assert shares.little_used(found, shares.USED_IN_PARTS) <= shares.LESS_USED_IN_PARTS

    def test_what_answers_a_question_fills_a_budget_and_stays_within(self, sources: list[Source]) -> None:
        # It takes longer, so it is done with a third of them.
        found = shares.of_answers(sources[::3])
        assert shares.above(found) == []
        assert shares.little_used(found) <= shares.LESS_USED_IN_PASSAGES

    def test_several_pages_share_a_budget(self, sources: list[Source]) -> None:
        assert max(shares.of_several(sources, 40)) <= 1


def test_the_model_is_small() -> None:
    """It is part of every installation, and every worker reads it."""
    models = list(Path(dowse.extract.__file__).parent.rglob("*.npz"))
    assert models
    assert sum(model.stat().st_size for model in models) < MODEL_BYTES
