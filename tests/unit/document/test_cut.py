"""Parts of a long text: they join without loss, fit, go on, and leave no code open."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dowse.core.tokens import estimate_tokens
from dowse.document.cut import BEGINNING, Position, TextPart, next_part
from tests.support.tables import each_row
from tests.unit.document.test_cut_budget import PIECES, ends_in_code

SENTENCE = "A sentence of the page that says something. "
PARAGRAPHS = "".join(f"Paragraph {number}. {SENTENCE * 3}\n\n" for number in range(60)).strip()
CODE = "\n".join(f"    call({number}, 'with', 'several', 'arguments')" for number in range(300))
TEXTS = st.lists(
    st.sampled_from(
        [*PIECES, SENTENCE, "# Heading\n", "\n\n", "y" * 300, "e\u0301" * 50, "👩\u200d🚀" * 20, "日本" * 90]
    ),
    max_size=60,
).map("".join)


def parts(text: str, tokens: int) -> Iterator[tuple[TextPart, str]]:
    """All parts, each with what it takes of the text."""
    place: Position | None = BEGINNING
    while place is not None:
        shown = next_part(text, place, tokens)
        end = shown.rest.at if shown.rest else len(text)
        yield shown, text[place.at : end]
        place = shown.rest


@given(TEXTS, st.integers(50, 300))
@example("x" * 2000, 50)
@example("```python\n" + "日" * 500, 50)
@example("`" * 3000 + "\ncode\n" * 100, 50)
@example("```" + "p" * 3000 + "\n" + "code\n" * 100, 50)
@example("   >   >   > ``````````" + "a#.+" * 30 + "\n" + "   >   >   > code\n" * 50, 50)
@example("   >   >   > ``````````" + "a#.+" * 5 + "\n   >   >   >" + "code" * 500, 50)
@example("> " * 500 + "```\n" + "> code\n" * 100, 50)
@example("a" + "\u0301" * 3000, 50)
@example("\n" * 3000, 50)
def test_parts_join_to_the_text_and_each_holds_something_that_fits(text: str, tokens: int) -> None:
    taken = list(parts(text, tokens))
    assert "".join(slice_ for _, slice_ in taken) == text
    assert all(slice_ for _, slice_ in taken) or not text
    for shown, slice_ in taken:
        assert slice_ in shown.text
        assert estimate_tokens(shown.text) <= tokens


@given(TEXTS, st.integers(50, 300))
@example("```in``` line" + " of words" * 100, 50)
@example("```\n" + "x" * 1000 + "\n```\n\n" + SENTENCE * 20, 50)
def test_no_part_leaves_code_open_that_the_text_closes(text: str, tokens: int) -> None:
    # Longer fences count as text: repeating those of a hostile page would leave no room for its words.
    assume(not any(mark * 11 in text for mark in "`~"))
    for shown, _ in parts(text, tokens):
        if shown.rest:
            assert not ends_in_code(shown.text)


@given(TEXTS, st.integers(50, 300))
def test_no_part_ends_inside_a_character(text: str, tokens: int) -> None:
    for shown, _ in parts(text, tokens):
        if shown.rest and not text[shown.rest.at - 1].isspace():
            assert unicodedata.category(text[shown.rest.at])[0] != "M"
            assert "\u200d" not in text[shown.rest.at - 1 : shown.rest.at + 1]


def test_a_text_that_fits_is_one_part() -> None:
    assert next_part(PARAGRAPHS, BEGINNING, 10_000) == TextPart(PARAGRAPHS)


def test_a_part_ends_with_a_paragraph_if_it_is_nearly_full_then() -> None:
    for shown, _ in list(parts(PARAGRAPHS, 800))[:-1]:
        assert shown.text.startswith("Paragraph ")
        assert shown.text.endswith(".\u0020\n\n")
        assert estimate_tokens(shown.text) > 0.94 * 800


def test_a_part_ends_with_a_sentence_where_the_end_of_the_paragraph_is_far() -> None:
    shown = next_part(SENTENCE * 100, BEGINNING, 300)
    assert shown.text.endswith("something. ")
    assert estimate_tokens(shown.text) > 0.94 * 300


@each_row("tokens", [80, 90, 111, 150, 200, 260])
def test_parts_end_between_sentences_never_inside_a_word_or_a_link(tokens: int) -> None:
    """Also where little of the last line would fit, and with points that end no sentence."""
    link = "[the whole table of Dr. Marsh. It is long](https://example.org/tides.html?week=40&port=Nordhaven)"
    sentence = f"At 5.12 a.m. the ferry of Mr. Weir left, e.g. for the second pier: see {link} for all hours of 1874. "
    text = "".join(sentence * 7 + "\n\n" for _ in range(4)).strip()
    for shown, taken in parts(text, tokens):
        assert taken.startswith("At 5.12"), shown.text
        assert taken.rstrip().endswith("of 1874."), shown.text


@each_row("tokens", [50, 60, 70, 85])
def test_a_sentence_without_an_end_is_divided_between_words_and_outside_links(tokens: int) -> None:
    text = " ".join(f"word{number} and [a link of several words](https://example.org/{number})" for number in range(60))
    for _, taken in parts(text, tokens):
        assert taken.count("[") == taken.count("](") == taken.count(")")
        assert taken.split()[0] in text.split()
        assert taken.split()[-1] in text.split()


def test_without_paragraphs_a_part_ends_with_a_line() -> None:
    text = "\n".join(f"- item {number}, of which there is something to say" for number in range(200))
    assert all(shown.text.startswith("- item ") for shown, _ in parts(text, 400))


def test_without_lines_a_part_ends_with_a_word() -> None:
    for shown, _ in parts("several words " * 300, 100):
        assert set(shown.text.split()) == {"several", "words"}
        assert not shown.text.startswith(" ")


def test_a_part_ends_before_a_heading_rather_than_behind_it() -> None:
    text = "".join(f"{SENTENCE * 2}\n\n## Heading\n\n" for _ in range(50)) + "The end."
    for tokens in range(500, 530, 5):
        assert next_part(text, BEGINNING, tokens).text.endswith("something. \n\n")


@pytest.mark.parametrize(("sentences", "is_divided"), [(10, True), (17, False)])
def test_code_is_left_to_the_next_part_only_if_little_room_is_lost(sentences: int, is_divided: bool) -> None:
    before = f"{SENTENCE * sentences}\n\n"
    code = "```python\n" + "call(1, 2, 3)\n" * 12 + "```\n"
    first, second = (shown.text for shown, _ in parts(f"{before}{code}\nThe end.", 175))
    assert (first != before) == is_divided
    assert first.startswith(before)
    assert second.startswith("```python\ncall(")


@pytest.mark.parametrize(
    "row", ["| a row | of a table | with some words | in it |\n", "    call(with_some, words=in_it)\n"]
)
def test_rows_of_tables_and_lines_of_code_are_not_divided(row: str) -> None:
    text = f"```\n{row * 100}```\n" if row.startswith(" ") else row * 100
    for tokens in range(60, 120, 3):
        shown, rest = next_part(text, BEGINNING, tokens), next_part(text, BEGINNING, tokens).rest
        assert rest is not None
        assert text[rest.at - 1] == "\n"
        assert estimate_tokens(shown.text) > tokens - 30


def test_a_row_longer_than_a_part_is_divided_and_so_is_one_behind_other_text() -> None:
    long_row = f"| {'cell | ' * 300}\n"
    for shown, _ in list(parts(f"Some words.\n\n{long_row}", 100))[:-1]:
        assert estimate_tokens(shown.text) > 85


@each_row(
    ("opened", "mark", "again"),
    [
        ("```python", "```", "```python"),
        ("~~~~ c++ {.numbered}", "~~~~", "~~~~c++"),
        ("```", "```", "```"),
        ("  ```json", "  ```", "  ```json"),
        ("```日本語", "```", "```"),
        ("1. ```python", "   ```", "   ```python"),
        ("    - ```python", "      ```", "      ```python"),
    ],
)
def test_long_code_is_closed_at_each_end_and_opened_again_with_its_language(opened: str, mark: str, again: str) -> None:
    first, *middle, last = [shown.text for shown, _ in parts(f"Look:\n\n{opened}\n{CODE}\n{mark}\n\nThe end.", 300)]
    assert first.startswith(f"Look:\n\n{opened}\n    call(0, ")
    assert len(middle) > 5
    for shown in middle:
        assert shown.startswith(f"{again}\n    call(")
        assert shown.endswith(f"'arguments')\n{mark}\n")
    assert last.endswith(f"'arguments')\n{mark}\n\nThe end.")


def test_a_line_of_code_that_is_too_long_stays_code() -> None:
    shown = [shown.text for shown, _ in parts("```json\n" + "[1, 2, 3]," * 200 + "\n```", 100)]
    assert all(text.startswith("```json\n") and text.rstrip("\n").endswith("\n```") for text in shown)


def test_code_in_a_quotation_is_closed_and_opened_again_in_it() -> None:
    code = "\n".join(f"> value_{number} = {number}" for number in range(200))
    first, *middle, last = [shown.text for shown, _ in parts(f"Look:\n\n> ```python\n{code}\n> ```\n\nThe end.", 300)]
    assert first.startswith("Look:\n\n> ```python\n> value_0 = 0\n")
    assert middle
    for shown in (first, *middle):
        assert shown.endswith("\n> ```\n")
    for shown in (*middle, last):
        assert shown.startswith("> ```python\n> value_")
    assert last.endswith("> value_199 = 199\n> ```\n\nThe end.")


def test_a_line_of_quoted_code_that_is_too_long_stays_quoted_code() -> None:
    *others, last = [shown.text for shown, _ in parts("> ```json\n> " + "[1, 2, 3]," * 200 + "\n> ```", 100)]
    assert len(others) > 5
    assert all(shown.startswith("> ```json\n> ") and shown.endswith("\n> ```\n") for shown in others)
    assert last.startswith("> ```json\n> ")


def test_code_ends_with_the_quotation_that_it_is_in() -> None:
    text = "> ```\n> left open\n\n" + PARAGRAPHS
    assert all("```" not in shown.text for shown, _ in list(parts(text, 100))[1:])


@each_row("heading", ["", "## Code\n\n"])
@each_row("opened", ["```python", "> ```python", "- ~~~", "```python title=an-example-of-a-longer-mark"])
def test_a_part_ends_before_the_mark_of_code_and_its_heading_rather_than_behind_it(opened: str, heading: str) -> None:
    before = f"# Title\n\n{SENTENCE * 10}\n\n"
    text = f"{before}{heading}{opened}\n" + f"{opened[0] if opened[0] == '>' else ' '} call(1, 2, 3)\n" * 100
    mark_ends = len(before + heading + opened) + 1
    for tokens in range(90, 150):
        rest = next_part(text, BEGINNING, tokens).rest
        assert rest is not None
        assert rest.at <= len(before) or rest.at > mark_ends
        assert (rest.code_at is not None) == (rest.at > mark_ends)


def test_code_whose_mark_is_longer_than_a_part_is_code_to_its_end() -> None:
    text = "```python " + "a=1 " * 100 + "\n" + "call(1, 2, 3)\n" * 100 + "```\n\nThe end."
    *others, last = [shown.text for shown, _ in parts(text, 100)]
    assert all(shown.startswith("```python") and shown.endswith("\n```\n") for shown in others)
    assert last.endswith("call(1, 2, 3)\n```\n\nThe end.")


def test_what_is_left_of_a_line_is_not_taken_for_the_beginning_of_code() -> None:
    text = "word " * 60 + "  ```\n\n" + PARAGRAPHS
    for tokens in range(55, 75):
        assert all(not shown.text.lstrip().startswith("```") for shown, _ in parts(text, tokens))


def test_an_indented_mark_in_code_does_not_end_it() -> None:
    text = "```md\n    ```\n" + "call(1, 2, 3)\n" * 100 + "```\n"
    assert all(shown.text.startswith("```md\n") for shown, _ in parts(text, 100))


def test_a_place_that_says_there_is_code_where_none_is_shows_text() -> None:
    assert next_part(PARAGRAPHS, Position(100, 0), 10_000) == TextPart(PARAGRAPHS[100:])


def test_of_a_long_page_only_what_is_shown_is_looked_at() -> None:
    """Five megabytes are divided on the event loop."""

    class Page(str):
        longest = 0

        def __getitem__(self, at: object) -> str:
            Page.longest = max(Page.longest, len(str.__getitem__(self, at)))  # type: ignore[index]
            return str.__getitem__(self, at)  # type: ignore[index]

    assert next_part(Page("A line.\n" * 600_000), Position(3_000_000), 100).text.startswith("A line.\nA line.")
    assert Page.longest < 1_000
