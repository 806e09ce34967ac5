"""The measures that the floors are made of, on texts whose scores can be worked out by hand."""

from __future__ import annotations

from tests.support.tables import each_row
from tools.extractor.data import FOLDS, fold_of
from tools.extractor.metrics import Score, share_found, shingle_score, without_syntax, word_score, words


def test_words_count_as_often_as_they_are_there() -> None:
    assert word_score(words("the otter the"), words("The otter, the river!")) == Score(1.0, 0.75)


def test_nothing_found_is_no_precision_and_no_recall() -> None:
    assert word_score([], words("the otter")) == Score(0.0, 0.0)
    assert word_score([], words("the otter")).f1 == 0.0


def test_a_page_without_content_is_right_only_if_nothing_is_found() -> None:
    assert word_score([], []).f1 == 1.0
    assert word_score(["menu"], []).f1 == 0.0


def test_order_counts_for_shingles_and_not_for_words() -> None:
    truth, shuffled = words("one two three four five"), words("five four three two one")
    assert word_score(shuffled, truth).f1 == 1.0
    assert shingle_score(shuffled, truth).f1 == 0.0
    assert shingle_score(truth[:4], truth) == Score(1.0, 0.5)


def test_a_text_shorter_than_a_shingle_is_one() -> None:
    assert shingle_score(["otter"], ["otter"]).f1 == 1.0


@each_row(
    ("markdown", "text"),
    [
        ("# The *otter*", "the otter"),
        ('- [The otter](https://example.org/a_(b) "a title") swims', "the otter swims"),
        ("1. one\n2. two", "one two"),
        ("> a **bold** quote", "a bold quote"),
        ("| a | b |\n| --- | :-: |\n| c | d |", "a b c d"),
        ("```python\nx = 1\n```", "x 1"),
        (r"snake\_case and a\*b", "snake_case and a b"),
    ],
)
def test_the_syntax_of_markdown_and_the_targets_of_links_are_no_words(markdown: str, text: str) -> None:
    assert words(without_syntax(markdown)) == text.split()


def test_snippets_are_found_whatever_the_blanks_and_the_punctuation_between_their_words() -> None:
    assert share_found("The otter –\nswims.", ["otter swims", "otter flies"]) == 0.5


def test_a_snippet_is_not_found_inside_of_a_word() -> None:
    assert share_found("otters", ["otter"]) == 0.0


def test_a_page_that_names_no_snippets_has_no_share() -> None:
    assert share_found("otters", ["", "…"]) is None


def test_all_pages_of_a_host_are_in_one_fold() -> None:
    assert fold_of("https://www.example.org/a") == fold_of("http://example.org/b?c=1")


def test_hosts_are_in_all_folds() -> None:
    assert {fold_of(f"https://host{number}.example/") for number in range(100)} == set(range(FOLDS))
