"""How much of the structure of pages comes through, by kind of structure and by family of pages.

The floors may only rise. `python -m tests.eval.fidelity --failures` lists what is missing.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.eval.fidelity.collection import pages
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.measure import JUDGED, Score, markdown_of, markdown_of_all, score, scores_of, total
from tests.eval.fidelity.page import TEXTS, Page, text
from tests.eval.fidelity.structure import read
from tests.support.tables import each_row

FLOORS = json.loads((Path(__file__).parent.parent / "floors.json").read_text())["fidelity"]
GUARDED = (*JUDGED, "language", "levels", "math", "text")
FAMILIES = sorted({page.family for page in pages()})
FEWEST_PAGES = 120
URL = "https://pages.example.org/one/two.html"
# Such a part of a family may be a single row: what is one of few says little.
_FEWEST_OF_A_KIND = 5


@pytest.fixture(scope="module")
def scores() -> dict[str, Score]:
    return scores_of(pages(), markdown_of)


@pytest.fixture(scope="module")
def rendered() -> dict[str, Score]:
    return scores_of(pages(), markdown_of_all)


def _missing(scores: dict[str, Score], kind: str) -> str:
    return "\n".join(f"{name}: {miss}" for name, score in scores.items() for miss in score[kind].misses)


@pytest.mark.parametrize("kind", GUARDED)
def test_as_much_comes_through_as_before(scores: dict[str, Score], kind: str) -> None:
    assert total(scores.values())[kind].share >= FLOORS[kind], _missing(scores, kind)


@pytest.mark.parametrize("kind", GUARDED)
def test_the_renderer_loses_nothing_by_itself(rendered: dict[str, Score], kind: str) -> None:
    assert total(rendered.values())[kind].share >= FLOORS["rendered"], _missing(rendered, kind)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_family_of_pages_is_left_behind(scores: dict[str, Score], family: str) -> None:
    members = {page.name: scores[page.name] for page in pages() if page.family == family}
    for kind in JUDGED:
        tally = total(members.values())[kind]
        if tally.total >= _FEWEST_OF_A_KIND:
            assert tally.share >= FLOORS["family"], f"{kind}:\n{_missing(members, kind)}"


@pytest.mark.parametrize(
    ("family", "kind", "floor"),
    [
        ("highlighters", "code", "code_of_highlighters"),
        ("link lists", "links", "links_of_lists"),
        ("papers", "headings", "headings"),
        ("papers", "items", "items"),
    ],
)
def test_what_a_family_is_made_for_comes_through(scores: dict[str, Score], family: str, kind: str, floor: str) -> None:
    members = {page.name: scores[page.name] for page in pages() if page.family == family}
    assert total(members.values())[kind].share >= FLOORS[floor], _missing(members, kind)


@each_row("name", [name for name in TEXTS if not name.startswith("thread-")])
def test_markdown_made_of_a_plain_page_says_what_the_page_was_made_from(name: str) -> None:
    source = text(name)
    page = Page(name, "", URL, f"<body><main>{Generator().write(source)}</main></body>", read(source, URL), ())
    made = read(markdown_of_all(page), URL)
    # Formulas are compared by the score: a reader of Markdown does not know them.
    if not page.truth.math:
        assert (made.code, made.rows, made.headings) == (page.truth.code, page.truth.rows, page.truth.headings)
        assert (made.items, made.links) == (page.truth.items, page.truth.links)
    assert score(page, markdown_of_all(page))["added"].misses == []


def test_there_are_many_pages_and_each_has_its_own_name() -> None:
    names = Counter(page.name for page in pages())
    assert len(names) >= FEWEST_PAGES
    assert [name for name, times in names.items() if times > 1] == []


def test_every_page_has_something_to_keep_and_something_to_leave() -> None:
    for page in pages():
        truth = page.truth
        assert len(truth.texts) >= 4 or truth.code, page.name
        assert page.chrome, page.name
