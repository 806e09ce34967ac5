"""The token budget: fair shares, whole lines, closed code fences, and never a token too many."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from dowse.core.tokens import divide_budget, estimate_tokens
from dowse.document.cut import truncate
from tests.support.tables import each_row

PIECES = [
    "```\n",
    "```python\n",
    "~~~\n",
    "````\n",
    "```",
    "word ",
    "\n",
    "x" * 40,
    "日本語",
    "  indented\n",
    "a sentence of some words. ",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def ends_in_code(markdown: str) -> bool:
    """Whether a code block is open at the end, by the rules of CommonMark."""
    fence = ""
    for line in markdown.split("\n"):
        match = re.match(r"\s*(`{3,}|~{3,})(.*)", line)
        if not match:
            continue
        marker, rest = match.groups()
        if fence:
            fence = "" if marker.startswith(fence) and not rest.strip() else fence
        elif marker[0] == "~" or "`" not in rest:
            fence = marker
    return bool(fence)


@given(st.lists(st.integers(0, 10_000), max_size=50), st.integers(0, 30_000))
def test_shares_stay_within_the_budget_and_short_texts_are_whole(wanted: list[int], budget: int) -> None:
    granted = divide_budget(wanted, budget)
    assert sum(granted) <= budget
    assert all(got <= want for got, want in zip(granted, wanted, strict=True))
    for got, want in zip(granted, wanted, strict=True):
        if want * len(wanted) <= budget:
            assert got == want


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=50), st.integers(0, 30_000))
def test_nothing_is_left_over_while_a_text_wants_more(wanted: list[int], budget: int) -> None:
    left = budget - sum(divide_budget(wanted, budget))
    assert left == 0 or sum(wanted) <= budget


@each_row(
    ("wanted", "budget", "granted"),
    [
        ([100, 100], 300, [100, 100]),
        ([100, 900, 900], 1000, [100, 450, 450]),
        ([900, 10, 900], 700, [345, 10, 345]),
        ([5, 5, 5], 2, [0, 1, 1]),
        ([], 100, []),
    ],
)
def test_what_short_texts_leave_is_shared_by_the_long_ones(wanted: list[int], budget: int, granted: list[int]) -> None:
    assert divide_budget(wanted, budget) == granted


@given(TEXTS, st.integers(0, 200))
@example("```py\n```py\n", 2)
@example("```py\n\n日本", 3)
@example("text\n```" + "p" * 200, 60)
@example("```\n```python\n```python\n", 7)
@example("```in``` line" + " of words" * 50, 20)
@example("~~~\n~~~ " + "x" * 200, 20)
def test_a_cut_text_never_costs_more_than_it_may_and_closes_its_fences(text: str, tokens: int) -> None:
    shown = truncate(text, tokens)
    assert estimate_tokens(shown) <= tokens
    if shown != text:
        assert not ends_in_code(shown)


@given(TEXTS)
def test_a_text_that_fits_is_not_touched(text: str) -> None:
    assert truncate(text, estimate_tokens(text)) == text


@given(TEXTS, st.integers(0, 200))
def test_a_cut_text_is_a_beginning_plus_at_most_a_fence(text: str, tokens: int) -> None:
    shown = truncate(text, tokens)
    assert text.startswith(shown) or text.startswith(re.sub(r"\n(`{3,}|~{3,})$", "", shown))


def test_a_text_is_cut_at_the_end_of_a_line() -> None:
    text = "\n".join(f"Line number {number} of the text." for number in range(100))
    for tokens in range(200, 230):
        lines = truncate(text, tokens).splitlines()
        assert lines == text.splitlines()[: len(lines)]


def test_code_keeps_its_indentation_and_its_end() -> None:
    text = "Look:\n\n```python\nif ready:\n    go()\n" + "    more()\n" * 50 + "```\n"
    assert truncate(text, 20) == "Look:\n\n```python\nif ready:\n    go()\n    more()\n```"


@each_row("marker", ["```", "~~~", "`````", "~~~~"])
def test_a_fence_is_closed_by_its_own_kind_and_length(marker: str) -> None:
    """A page may show fences inside a longer one, or of the other kind."""
    inside = "```\nshort\n```\n" if marker != "```" else "~~~\n"
    text = f"Look:\n\n{marker}md\n{inside}" + "line of code\n" * 100 + f"{marker}\n"
    shown = truncate(text, 60)
    assert shown.startswith(f"Look:\n\n{marker}md\n{inside}line of code")
    assert shown.endswith(f"line of code\n{marker}")


@each_row(("opened", "line"), [("> ```", "> "), ("   ~~~~", "   "), ("- ```md", "  "), ("> 1. ```", ">    ")])
def test_code_in_a_list_or_a_quotation_is_closed_in_it(opened: str, line: str) -> None:
    shown = truncate(f"Look:\n\n{opened}\n" + f"{line}line of code\n" * 100, 60)
    mark = opened.strip("> -1.md")
    assert shown.endswith(f"\n{line}line of code\n{line}{mark}")


def test_a_closed_fence_is_not_closed_again() -> None:
    text = "~~~\ncode\n~~~\n" + "A line behind it.\n" * 100
    assert truncate(text, 200).endswith("A line behind it.")


def test_inline_code_is_no_fence() -> None:
    text = "```inline``` code\n" + "A line behind it.\n" * 100
    assert truncate(text, 200).endswith("A line behind it.")


def test_of_a_long_page_only_the_beginning_is_looked_at() -> None:
    """Five megabytes are cut on the event loop, once for every result."""

    class Page(str):
        longest_split = 0

        def __getitem__(self, at: object) -> str:
            Page.longest_split = max(Page.longest_split, len(str.__getitem__(self, at)))  # type: ignore[index]
            return str.__getitem__(self, at)  # type: ignore[index]

        def split(self, *_: object) -> list[str]:  # type: ignore[override]
            raise AssertionError("the whole page was split")

    assert truncate(Page("A line.\n" * 600_000), 100).startswith("A line.\nA line.")
    assert Page.longest_split < 1_000


def test_a_page_without_line_breaks_is_cut_at_a_word_rather_than_lost() -> None:
    shown = truncate("word " * 1000, 100)
    assert estimate_tokens(shown) > 80
    assert set(shown.split(" ")) == {"word"}


def test_a_long_line_of_another_script_is_cut_as_well() -> None:
    shown = truncate("雨の日" * 1000, 100)
    assert 50 < estimate_tokens(shown) <= 100
