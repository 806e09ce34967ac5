"""The trees of the model: what they answer is what one gets by walking through them on paper."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from dowse.extract.html.content.model import Forest, Model, load_shipped
from tests.support.tables import each_row

# The first tree asks whether the first feature is above 0.5, and if so, whether the second is above 10; the second
# tree asks for the second feature only. Nothing is above infinity, so a walk stays in the leaf that it has reached.
STUMPS = Forest(
    features=np.array([0, 0, 1, 0, 0, 1, 0, 0]),
    thresholds=np.array([0.5, np.inf, 10, np.inf, np.inf, 3, np.inf, np.inf], np.float32),
    children=np.array([1, 1, 3, 3, 4, 6, 6, 7]),
    values=np.array([0.25, -1, 1.5, 1, 2, 0, -0.5, 0.5], np.float32),
    roots=np.array([0, 5]),
    depth=2,
)


def probability(score: float) -> float:
    return float(1 / (1 + np.exp(-score)))


@each_row(
    ("row", "score"),
    [
        ((0.0, 0.0), -1 - 0.5),
        ((0.5, 20.0), -1 + 0.5),
        ((1.0, 10.0), 1 + 0.5),
        ((1.0, 10.5), 2 + 0.5),
        ((1.0, 3.0), 1 - 0.5),
    ],
)
def test_a_row_gets_the_sum_of_the_leaves_that_it_falls_into(row: tuple[float, float], score: float) -> None:
    (found,) = STUMPS.probabilities(np.array([row], np.float32))

    assert found == pytest.approx(probability(score))


def test_many_rows_get_the_same_answers_as_each_by_itself() -> None:
    rows = np.random.default_rng(7).uniform(0, 20, (1_000, 2)).astype(np.float32)

    together = STUMPS.probabilities(rows)

    assert together == pytest.approx(np.concatenate([STUMPS.probabilities(rows[i : i + 1]) for i in range(1_000)]))


def test_several_groups_share_one_probability() -> None:
    grouped = replace(STUMPS, groups=2)

    (found,) = grouped.probabilities(np.array([(1.0, 12.0)], np.float32))

    assert found.sum() == pytest.approx(1)
    assert found == pytest.approx(np.exp([2, 0.5]) / np.exp([2, 0.5]).sum())


def test_contributions_say_what_each_question_changed() -> None:
    found = STUMPS.contributions(np.array([1.0, 12.0], np.float32))

    assert found == pytest.approx({0: 1.5 - 0.25, 1: (2 - 1.5) + 0.5})


@each_row("seed", range(3))
def test_contributions_add_up_to_the_score_less_what_the_roots_expect(seed: int) -> None:
    forest = load_shipped().blocks
    width = int(forest.features.max()) + 1
    row = np.random.default_rng(seed).uniform(0, 30, width).astype(np.float32)

    (likely,) = forest.probabilities(row[None, :])
    expected = float(forest.values[forest.roots].sum(dtype=np.float64))

    assert expected + sum(forest.contributions(row).values()) == pytest.approx(
        float(np.log(likely / (1 - likely))), abs=1e-3
    )


def test_the_model_that_comes_with_dowse_is_well_formed() -> None:
    model = load_shipped()
    for forest in (model.kinds, model.blocks):
        nodes = np.arange(len(forest.children))
        is_leaf = forest.children == nodes
        # Children come behind their parents, so no walk is endless, and both of them exist.
        assert (forest.children[~is_leaf] > nodes[~is_leaf]).all()
        assert (forest.children[~is_leaf] + 1 < len(nodes)).all()
        assert (forest.thresholds[is_leaf] == np.inf).all()
        assert np.isfinite(forest.values).all()
        assert len(forest.roots) % forest.groups == 0


def test_a_model_file_never_holds_code() -> None:
    file = BytesIO()
    np.savez(file, kinds_shape=np.array([object()], object))

    with pytest.raises(ValueError, match="allow_pickle"):
        Model.load(file.getvalue())
