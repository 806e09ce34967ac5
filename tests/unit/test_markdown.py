"""Markdown from the web: cleaned the same whoever made it, and turned back into plain text in linear time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.markdown import clean, plain, word_count


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("# Title\n\nText.", "Title\n\nText."),
        ("###### Deep", "Deep"),
        ("#hashtag stays", "#hashtag stays"),
        ("Some **bold**, *slanted* and __both__ _ways_.", "Some bold, slanted and both ways."),
        ("~~gone~~", "gone"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("a * b * c", "a * b * c"),
        ("[text](https://example.org/a_(b)) and [more][1]", "text and more"),
        ("[**bold** link](/x)", "bold link"),
        ("![alt](https://example.org/x.png)", "alt"),
        ("<https://example.org/>", "https://example.org/"),
        ("Run `make test`, then ``a``.", "Run make test, then a."),
        ("> quoted\n> > twice", "quoted\ntwice"),
        ("- one\n- two\n  - three", "- one\n- two\n  - three"),
        ("1. one\n2. two", "1. one\n2. two"),
        ("before\n\n---\n\nafter", "before\n\nafter"),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", "a  b\n1  2"),
        ("`**kwargs**` and **`x_y_z`** in [`code`](/x)", "**kwargs** and x_y_z in code"),
        ("1\\. not a list, \\*not\\* slanted", "1. not a list, *not* slanted"),
        ("```python\ndef f():\n    return **x**\n```\nafter", "def f():\n    return **x**\nafter"),
        ("~~~\n# a comment\n~~~", "# a comment"),
        ("```\nnever closed", "never closed"),
        ("", ""),
    ],
)
def test_plain_text_has_the_words_and_not_the_syntax(written: str, shown: str) -> None:
    assert plain(written) == shown


@given(st.text(st.sampled_from("ab *_~`[]()#>|-\\!<\n1."), max_size=400))
def test_plain_text_is_never_longer_and_invents_no_word(written: str) -> None:
    shown = plain(written)
    assert len(shown) <= len(written) + 2 * written.count("|")
    assert set(shown) <= set(written) | {" "}


@pytest.mark.parametrize(
    "piece", ["[", "[a](", "[a][", "**", "*a", "_a ", "`", "`a", "~~", "<http:", "> ", "| ", "\\", "((", "[a](b(", "- "]
)
def test_no_text_makes_it_slow(piece: str) -> None:
    """Two hundred thousand characters are the most a reader gives; a quadratic pattern would take minutes."""
    hostile = piece * (200_000 // len(piece))
    started = time.process_time()
    plain(hostile)
    clean(hostile)
    assert time.process_time() - started < 5


def test_cleaning_makes_text_visible_and_inert_and_leaves_code_alone() -> None:
    written = "A\u200b ![x](https://evil.example/)B  \n\n\n\n```\n![y](z)\u202e  \n```\n[l](javascript:x)"
    assert clean(written) == "A xB\n\n```\n![y](z)  \n```\n[l](unsafe:x)"


def test_words_are_counted_by_white_space() -> None:
    assert word_count("# One two\n\nthree-four  five") == 5
