"""The lead of a page: its first paragraph of prose."""

import pytest

from dowse.rank.summary import MAX_CHARS, lead

PROSE = "The harbour bridge carries trams again after three weeks of repairs to its counterweight."


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# A heading that is quite long, long enough to be taken for a paragraph of prose\n\n",
        "Short line.\n\n",
        "- a list item that goes on for long enough to be mistaken for a paragraph of text\n\n",
        "| a table | with cells | that are long enough | to be mistaken for a paragraph |\n\n",
        "> a quotation that goes on for long enough to be mistaken for the page's own words\n\n",
        "```\na line of code that is long enough to be mistaken for a paragraph of text\n\n"
        "another paragraph of that code, which is long enough to be taken for prose too\n```\n\n",
    ],
)
def test_the_first_paragraph_of_prose_is_the_lead(before: str) -> None:
    assert lead(f"{before}{PROSE}\n\nMore of it, which is no longer part of the lead of the page.") == PROSE


def test_a_lead_is_one_line() -> None:
    assert lead(PROSE.replace(" again", "\nagain")) == PROSE


def test_a_long_lead_is_cut_at_a_word() -> None:
    shown = lead("word " * 400)
    assert len(shown) <= MAX_CHARS
    assert shown.endswith("word…")


@pytest.mark.parametrize(("before", "shown"), [(19_000, PROSE), (20_000, "")])
def test_a_lead_is_looked_for_at_the_beginning_only(before: int, shown: str) -> None:
    assert lead("x\n\n" * (before // 3) + PROSE) == shown


def test_a_page_without_prose_has_no_lead() -> None:
    assert lead("# Title\n\n- one\n- two\n\nShort.") == ""
