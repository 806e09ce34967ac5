"""What a truth says about the blocks of a page, and of which it says nothing."""

from __future__ import annotations

import numpy as np

from tools.extractor.labels import are_judged, shares

POST = 60


def judged(content: list[bool], looks: list[int]) -> list[bool]:
    found = are_judged(np.array(content, np.float32), np.full(len(content), POST), np.array(looks))
    return [bool(each) for each in found]


def test_four_words_in_a_row_that_are_in_the_content_are_content() -> None:
    assert shares(["Home and more", "otters swim in rivers", "a b c d"], "Otters swim in rivers.") == [0, 1, 0]


def test_posts_behind_the_end_of_the_truth_are_left_open() -> None:
    assert judged([True] * 4 + [False] * 3, [1] * 7) == [True] * 4 + [False] * 3


def test_what_looks_otherwise_is_judged_behind_the_end_too() -> None:
    assert judged([True] * 4 + [False] * 2, [1, 1, 1, 1, 2, 1]) == [True] * 5 + [False]


def test_what_the_truth_leaves_out_before_its_end_is_judged() -> None:
    assert judged([True, False, True, True, True], [1, 2, 1, 1, 1]) == [True] * 5


def test_what_is_mostly_left_out_is_no_content_behind_the_end_either() -> None:
    assert judged([True, False, False, True, False], [1, 1, 1, 1, 1]) == [True] * 5


def test_a_truth_that_the_page_does_not_hold_says_that_all_of_it_is_no_content() -> None:
    assert judged([False] * 3, [1, 1, 1]) == [True] * 3
