"""Counted by a real tokenizer, nothing is longer than it may be, and little of a budget is left unused."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from dowse.digests import Source
from dowse.errors import PageUnreadable
from dowse.extract import html
from dowse.extract.decode import decode
from dowse.rank.digest import digest
from dowse.rank.parts import BEGINNING, part
from tests.eval.budgets.pages import LANGUAGES, page
from tests.realparts import missing
from tools.extractor.data import folder, samples
from tools.passages.metric import tokens

BUDGETS = (250, 1000, 6000)
# Three hundred of them; all would take a minute and more.
EVERY = 5
USED = 0.85
# Lines of code and rows of tables are not divided, and some of them are long. Of passages sentences are whole as well.
LESS_USED_IN_PARTS = 0.02
LESS_USED_IN_PASSAGES = 0.05
GENERATED_EACH = 5


def generated() -> Iterator[Source]:
    for language, words in LANGUAGES.items():
        for number in range(GENERATED_EACH):
            yield Source(page(language, number), title=words.subjects[number])


def real() -> Iterator[Source]:
    data: Path = folder()
    if not data.is_dir():
        missing(f"{data} is missing; name the folder that holds wcxb-dev in DOWSE_EVAL_DATA")
    for sample in samples(data, EVERY):
        try:
            text = html.to_text(decode(sample.html), sample.url)
        except PageUnreadable:
            continue
        yield Source(text.markdown, title=text.title, url=sample.url)


@pytest.fixture(scope="module", params=[generated, real], ids=["generated", "real"])
def pages(request: pytest.FixtureRequest) -> list[tuple[Source, int]]:
    """Each with a budget."""
    return list(zip(request.param(), cycle(BUDGETS), strict=False))


def test_the_beginning_of_a_page_fills_a_budget_and_stays_within(pages: list[tuple[Source, int]]) -> None:
    used = []
    for source, budget in pages:
        shown = part(source.text, BEGINNING, budget)
        share = tokens(shown.text) / budget
        assert share <= 1, source.url
        used += [share] if shown.rest else []
    assert sum(share < USED for share in used) <= LESS_USED_IN_PARTS * len(used)


def test_what_answers_a_question_fills_a_budget_and_stays_within(pages: list[tuple[Source, int]]) -> None:
    used = []
    # It takes longer, so it is done with half of them.
    for source, budget in pages[::2]:
        (shown,) = digest(source.title, [source], budget)
        share = tokens(shown.text) / budget
        assert share <= 1, source.url
        used += [share] if shown.anchors else []
    assert sum(share < USED for share in used) <= LESS_USED_IN_PASSAGES * len(used)


def test_several_pages_share_a_budget(pages: list[tuple[Source, int]]) -> None:
    sources = [source for source, _ in pages]
    for first in range(0, len(sources) - 5, 25):
        shown = digest(sources[first].title, sources[first : first + 5], BUDGETS[-1])
        assert sum(tokens(each.text) for each in shown) <= BUDGETS[-1]
