"""Turns: equals are asked alike, the better ones first, and nobody twice before all the others."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from dowse.providers.searxng.instance import Instance
from dowse.providers.searxng.pool import RandomRotation, Rotation, RoundRobin, choose
from tests.support.tables import each_row

NAMES = tuple("abcdefgh")


def instances(*names: str, grade: str = "A+") -> list[Instance]:
    return [Instance(name, grade) for name in names]


def firsts(ready: list[Instance], turns: Rotation, times: int) -> list[str]:
    return [choose(ready, turns, 2)[0].url for _ in range(times)]


def test_ones_own_are_asked_in_the_order_given_and_again_from_the_start() -> None:
    assert firsts(instances("c", "a", "b"), RoundRobin(), 6) == ["c", "a", "b", "c", "a", "b"]


def test_a_shuffled_round_is_shuffled_once() -> None:
    turns = RoundRobin(Random(7))
    rounds = [firsts(instances(*NAMES), turns, len(NAMES)) for _ in range(3)]
    assert rounds[0] == rounds[1] == rounds[2] != list(NAMES)
    assert sorted(rounds[0]) == list(NAMES)


def test_processes_begin_with_different_instances() -> None:
    assert len({choose(instances(*NAMES), RoundRobin(Random(seed)), 1)[0].url for seed in range(30)}) > 4


@each_row("turns", [RoundRobin(), RoundRobin(Random(1)), RandomRotation(Random(1))])
def test_who_stands_in_for_one_that_rests_is_not_always_the_same(turns: Rotation) -> None:
    """A place in a list would give the neighbour of one that rests twice its share."""
    asked = Counter(firsts(instances(*NAMES[1:]), turns, 700))
    assert set(asked.values()) == {100}


@pytest.mark.parametrize("turns", [RoundRobin(), RandomRotation(Random(1))])
def test_one_that_comes_back_gets_its_share_and_no_more(turns: Rotation) -> None:
    firsts(instances("a", "b"), turns, 100)
    asked = Counter(firsts(instances("a", "b", "c"), turns, 30))
    # In the middle of a deal there may be one more and one less.
    assert max(asked.values()) - min(asked.values()) <= 2


@each_row("seed", range(20))
def test_a_deck_deals_each_once_before_any_twice_in_a_new_order_each_time(seed: int) -> None:
    dealt = firsts(instances(*NAMES), RandomRotation(Random(seed)), 10 * len(NAMES))
    rounds = [dealt[start : start + len(NAMES)] for start in range(0, len(dealt), len(NAMES))]
    assert all(sorted(each) == list(NAMES) for each in rounds)
    assert len({tuple(each) for each in rounds}) > 5
    assert all(before != after for before, after in pairwise(dealt))


def test_a_deck_of_one_deals_it_again() -> None:
    assert firsts(instances("a"), RandomRotation(Random(1)), 3) == ["a", "a", "a"]


@pytest.mark.parametrize("turns", [RoundRobin(Random(3)), RandomRotation(Random(3))])
def test_a_lower_grade_is_the_first_only_where_no_better_one_is_ready(turns: Rotation) -> None:
    best, good, last = instances("a", "b"), instances("c", grade="A"), instances("d", grade="B")
    assert set(firsts([*last, *good, *best], turns, 20)) == {"a", "b"}
    assert set(firsts([*last, *good], turns, 20)) == {"c"}
    assert set(firsts(last, turns, 20)) == {"d"}


def test_the_second_comes_from_the_same_tier_or_else_from_the_next() -> None:
    best, good = instances("a"), instances("c", grade="A")
    assert [each.url for each in choose([*good, *best], RoundRobin(), 2)] == ["a", "c"]
    assert [each.url for each in choose([*good, *instances("a", "b")], RoundRobin(), 2)] == ["a", "b"]


def test_who_was_only_there_in_case_of_failure_keeps_its_turn() -> None:
    """Otherwise every other instance would never be asked."""
    turns = RoundRobin()
    assert [[each.url for each in choose(instances("a", "b", "c", "d"), turns, 2)] for _ in range(4)] == [
        ["a", "b"],
        ["b", "c"],
        ["c", "d"],
        ["d", "a"],
    ]


def test_of_none_none_is_chosen() -> None:
    assert choose([], RoundRobin(), 2) == choose([], RandomRotation(Random(1)), 2) == []
