"""Why a block was kept or not, in words that a person understands."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from dowse.extract.html.content import features
from dowse.extract.html.content.model import Forest, Model, load_shipped
from dowse.extract.html.content.reasons import reasons
from dowse.extract.html.content.selection import Selection, select
from dowse.extract.html.tree.build import build

URL = "https://pages.example/blog/otters"
PROSE = "The otter swims in rivers and in the sea, and it eats fish, crabs and whatever else it finds there."
PAGE = f"<nav><a href=/>Home</a></nav><main><h1>Otters</h1>{f'<p>{PROSE}</p>' * 8}</main>"


def asking_for(*columns: str) -> Model:
    """A model that asks for one column in each tree: what is above zero is content, and the earlier the surer."""
    names = features.columns()
    count = len(columns)
    strength = np.repeat(np.arange(count, 0, -1), 3)
    forest = Forest(
        features=np.repeat([names.index(column) for column in columns], 3),
        thresholds=np.tile(np.array([0, np.inf, np.inf], np.float32), count),
        children=np.concatenate([3 * tree + np.array([1, 1, 2]) for tree in range(count)]),
        values=np.tile([0.0, -1.0, 1.0], count) * strength,
        roots=3 * np.arange(count),
        depth=1,
    )
    return replace(load_shipped(), blocks=forest)


def told(number: int, *columns: str) -> tuple[str, ...]:
    """The reasons for one of the blocks of the page, whatever became of it."""
    model = asking_for(*columns)
    judged = select(build(PAGE), URL, model)
    return reasons(replace(judged, is_whole=False, are_kept=judged.scores >= judged.cut), number, model)


@pytest.fixture(scope="module")
def selection() -> Selection:
    return select(build(PAGE), URL)


def test_the_strongest_reasons_come_first_and_say_for_what_they_are() -> None:
    assert told(0, "around_nav", "linked", "ends_sentence", "stops") == (
        "+ in <nav>",
        "+ how much of it is links",
        "- it does not end like a sentence",
    )


def test_what_is_missing_is_said_to_be_missing() -> None:
    assert told(2, "around_nav", "linked", "ends_sentence") == (
        "- not in <nav>",
        "- no links",
        "+ it ends like a sentence",
    )


def test_columns_that_say_the_same_are_one_reason() -> None:
    assert told(2, "words", "chars") == ("+ its length",)


def test_every_column_has_a_phrase_that_is_no_name_of_a_column(selection: Selection) -> None:
    """With a tree for each of them, whatever is asked for gets its say."""
    for name in features.columns():
        model = asking_for(name)
        (reason,) = reasons(replace(selection, scores=np.ones(len(selection.blocks))), 2, model)
        assert re.fullmatch(r"[+-] [a-z<][^_]*", reason), (name, reason)


def test_a_block_that_is_kept_for_its_neighbours_says_so(selection: Selection) -> None:
    below = replace(selection, scores=np.zeros(len(selection.blocks)))

    assert reasons(below, 1)[0] == "kept with the block it belongs to"
    assert reasons(selection, 2)[0][0] in "+-"


def test_a_block_that_is_left_for_its_neighbours_says_so(selection: Selection) -> None:
    left = replace(selection, are_kept=np.zeros(len(selection.blocks), np.bool_))

    assert reasons(left, 2)[0] == "left out with the block around it"


def test_blocks_of_a_whole_page_have_one_reason(selection: Selection) -> None:
    assert reasons(replace(selection, is_whole=True), 0) == ("the whole page was kept",)


def test_blocks_of_a_small_page_are_not_explained_by_a_model_that_was_not_asked() -> None:
    small = select(build("<nav>Menu</nav><p>A line.</p>"), URL)

    assert reasons(small, 0) == ("it is in the frame of the page",)
    assert reasons(small, 1) == ("the page is small, so all but its frame was kept",)
