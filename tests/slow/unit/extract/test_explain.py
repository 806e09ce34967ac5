"""The bound of blocks of one explanation, as it is set."""

from __future__ import annotations

from dowse.extract.explain import explain


def test_a_very_long_page_is_told_in_part_and_says_so() -> None:
    told = explain("<p>some words</p>" * 3100 + f"<p>{'word ' * 500}</p>", "https://pages.example/a")

    assert (len(told.blocks), told.further_blocks) == (3000, 101)
