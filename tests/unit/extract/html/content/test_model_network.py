"""The networks of the model: what they answer is what one gets on paper."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dowse.extract.html.content import features
from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.model import REACHES, Forest, Layer, Model, Network, PageInput, load_shipped, squash
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

NOTHING = np.zeros((1, 1), np.float32)
SILENT = Layer(np.zeros((3, 1), np.float32), NOTHING, NOTHING, np.zeros(1, np.float32))
ALONE = np.arange(20)


def network(*layers: Layer, bias: float = 0.0) -> Network:
    """One that sees one column, as it is once squash, and adds up what the layers make of it."""
    one = np.ones(1, np.float32)
    every = (*layers, *[SILENT] * (len(REACHES) - len(layers)))
    return Network(0 * one, one, np.ones((1, 1), np.float32), 0 * one, every, one, bias)


def near(before: float, here: float, behind: float) -> Layer:
    return Layer(np.array([[before], [here], [behind]], np.float32), NOTHING, NOTHING, np.zeros(1, np.float32))


def answers(asked: Network, rows: Numbers, alike: Numbers | None = None, words: Numbers | None = None) -> list[float]:
    """What a network says to numbers that are squash already."""
    column = np.expm1(np.asarray(rows, np.float32))[:, None]
    words = np.ones(len(rows)) if words is None else words
    return asked.scores(PageInput(column, words, ALONE[: len(rows)] if alike is None else alike)).tolist()


def test_without_layers_a_block_is_judged_by_itself() -> None:
    assert answers(network(bias=0.5), np.array([0, 1, 3])) == pytest.approx([0.5, 1.5, 3.5])


def test_a_number_counts_no_more_than_a_few() -> None:
    assert answers(network(), np.array([9.0])) == pytest.approx([4])


def test_what_is_against_a_block_does_not_count_twice() -> None:
    assert answers(network(), np.array([0.0]) - 3) == pytest.approx([0])
    assert squash(np.array([-np.e + 1])) == pytest.approx([-1])


def test_a_block_sees_its_neighbours_and_nothing_beyond_the_page() -> None:
    rows = np.array([1, 2, 0.5])

    assert answers(network(near(1, 0, 0)), rows) == pytest.approx([1, 2 + 1, 0.5 + 2])
    assert answers(network(near(0, 0, 1)), rows) == pytest.approx([1 + 2, 2 + 0.5, 0.5])


def test_further_layers_see_further() -> None:
    found = answers(network(SILENT, SILENT, near(1, 0, 0)), np.array([1, 0, 0, 0, 0, 0]))

    assert found == pytest.approx([1, 0, 0, 0, 1, 0])


def test_a_page_that_is_shorter_than_a_layer_sees_is_judged_all_the_same() -> None:
    every = network(near(1, 1, 1), near(1, 1, 1), near(1, 1, 1))

    assert answers(every, np.array([1.0])) == pytest.approx([8])


def test_a_block_sees_what_those_like_it_are_on_average() -> None:
    layer = Layer(np.zeros((3, 1), np.float32), NOTHING, np.ones((1, 1), np.float32), np.zeros(1, np.float32))

    found = answers(network(layer), np.array([1, 2, 3, 0]), np.array([7, 5, 7, 5]))

    assert found == pytest.approx([1 + 2, 2 + 1, 3 + 2, 0 + 1])


def test_a_block_sees_the_page_by_the_length_of_its_blocks() -> None:
    layer = Layer(np.zeros((3, 1), np.float32), np.ones((1, 1), np.float32), NOTHING, np.zeros(1, np.float32))

    found = answers(network(layer), np.array([1, 3]), words=np.array([9, 1]))

    assert found == pytest.approx([1 + 1.5, 3 + 1.5], abs=1e-5)


def leaf(value: float) -> Forest:
    """A forest that says the same of every block."""
    none = np.array([0])
    return Forest(none, np.array([np.inf], np.float32), none, np.array([value], np.float32), none, 0)


def stump(value: float) -> Forest:
    """A forest that says this of blocks whose first column is above 5, and nothing of others."""
    none = np.array([0])
    thresholds, values = np.array([5, np.inf, np.inf], np.float32), np.array([0, 0, value], np.float32)
    return Forest(np.zeros(3, np.int64), thresholds, np.array([1, 1, 2]), values, none, 1)


def odds(model: Model, rows: list[int], alike: list[int] | None = None, forum: float = 0.0) -> list[float]:
    """The logarithm of the odds of blocks with one column each."""
    column = np.array(rows, np.float32)[:, None]
    likely = model.probabilities(column, np.array(alike or range(len(rows))), forum)
    return [float(each) for each in np.log(likely / (1 - likely))]


def test_the_forest_and_the_mean_of_the_networks_are_weighed() -> None:
    model = Model(load_shipped().kinds, leaf(-3), (network(bias=1.0), network(bias=4.0)), leaf(0))

    assert odds(model, [1]) == pytest.approx([0.6 * -3 + 0.4 * (2.5 + np.log(2))], abs=1e-4)


def test_the_first_network_does_where_little_is_in_doubt() -> None:
    model = Model(load_shipped().kinds, leaf(-3), (network(bias=1.0), network(bias=4.0)), leaf(0))
    sure, doubtful = 39, 1

    assert odds(model, [sure, doubtful])[1] == pytest.approx(0.6 * -3 + 0.4 * (1 + np.log(2)), abs=1e-4)


def test_trees_are_not_asked_about_a_block_that_the_networks_are_sure_of() -> None:
    model = Model(load_shipped().kinds, leaf(-3), (network(bias=2.5),), leaf(0))

    assert odds(model, [0, 9]) == pytest.approx([0.6 * -3 + 0.4 * 2.5, 2.5 + np.log(10)], abs=1e-4)


@each_row(("forum", "expected"), [(0.1, 0.6), (0.5, 0.6 * (0.5 * 1 + 0.5 * 6)), (1.0, 0.6 * 6)])
def test_the_forest_for_threads_counts_as_much_as_a_page_is_likely_one(forum: float, expected: float) -> None:
    model = Model(load_shipped().kinds, leaf(1), (network(),), leaf(5))

    assert odds(model, [0], forum=forum) == pytest.approx([expected])


def test_the_posts_of_a_thread_are_judged_together_to_some_part() -> None:
    silent = replace(network(), last=np.zeros(1, np.float32))
    model = Model(load_shipped().kinds, leaf(0), (silent,), stump(10))

    found = odds(model, [0, 9, 0, 9], [1, 1, 1, 2], forum=1.0)

    assert found == pytest.approx([0.3 * 2.4, 0.7 * 7.2 + 0.3 * 2.4, 0.3 * 2.4, 7.2])


def test_the_networks_that_come_with_dowse_are_well_formed() -> None:
    for each in load_shipped().networks:
        assert len(each.usual) == len(each.scale) == len(each.first) == len(features.columns())
        assert np.isfinite(each.first).all()
        assert all(np.isfinite(part).all() for layer in each.layers for part in (layer.near, layer.page, layer.alike))


def test_blocks_look_alike_if_three_elements_around_them_do() -> None:
    post = "<div class=post><div class=body><p>Some words.</p></div></div>"
    tree = build(f"<main>{post * 2}<div class=note><div class=body><p>Other words.</p></div></div></main>")

    first, second, other = features.measure(tree, cut_blocks(tree), "https://pages.example/").alike.tolist()

    assert first == second != other


def test_layers_look_further_and_further() -> None:
    assert all(one < other for one, other in pairwise(REACHES))
