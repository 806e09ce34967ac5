"""What a page says of itself for machines, and which of its blocks repeat it."""

from __future__ import annotations

import json

import numpy as np

from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.page_features import (
    DECLARED_COLUMNS,
    declared_summaries,
    declared_texts,
    measure_declared,
)
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.node import Tree
from tests.support.tables import each_row

STORY = "The otter swims under the ice, and it comes up for air where the river is fast."


def page(body: str, *, head: str = "", **declared: object) -> Tree:
    script = f'<script type="application/ld+json">{json.dumps(declared)}</script>' if declared else ""
    return build(f"<html><head>{head}{script}</head><body>{body}</body></html>")


def column(tree: Tree, name: str) -> Numbers:
    rows, _ = measure_declared(tree, cut_blocks(tree))
    return rows[:, DECLARED_COLUMNS.index(name)]


def test_the_longest_text_of_the_json_ld_comes_first() -> None:
    tree = page("", articleBody=f"{STORY} {STORY}", description=STORY)

    assert declared_texts(tree) == [f"{STORY} {STORY}", STORY]


def test_a_declared_text_has_no_tags() -> None:
    (text,) = declared_texts(page("", text=f"<p>{STORY}</p>"))

    assert text.strip() == STORY


@each_row("value", ["too short", 3, None, [STORY], {"@value": STORY}])
def test_what_is_no_text_is_none(value: object) -> None:
    assert declared_texts(page("", articleBody=value)) == []


def test_summaries_are_what_the_head_says() -> None:
    head = f"<meta name=Description content='Short.'><meta property='og:description' content='{STORY}'><meta name=x>"

    assert declared_summaries(page("", head=head)) == [STORY, "Short."]


def test_a_block_that_is_declared_is_told_from_one_that_is_not() -> None:
    tree = page(f"<p>{STORY}</p><p>Nobody has declared this at all.</p><p>Hi there</p>", articleBody=STORY)

    assert column(tree, "declared").tolist() == [1, 0, 0]
    assert column(tree, "summarised").tolist() == [0, 0, 0]


def test_a_block_that_is_declared_in_part_has_a_share() -> None:
    (share,) = column(page(f"<p>{STORY} But nobody has ever said these words.</p>", articleBody=STORY), "declared")

    assert 0.5 < share < 1


def test_distance_is_counted_in_blocks_from_the_nearest_declared_one() -> None:
    tree = page(f"<p>a</p><p>b</p><p>{STORY}</p><p>c</p>", articleBody=STORY)

    assert column(tree, "from_declared").tolist() == [2, 1, 0, 1]


def test_where_nothing_is_declared_everything_is_far_from_it() -> None:
    rows, of_page = measure_declared(tree := page("<p>a</p><p>b</p>"), cut_blocks(tree))

    assert of_page == [0, 0, 0]
    assert (rows == np.array([0, 0, 50])).all()
