"""What the pages of a PDF repeat at their edges goes; what only looks like it stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from dowse.core.models import Body
from dowse.extract.convert import to_text
from dowse.extract.formats.kinds import ReadingLimits
from tests.fakes.pdf import BOLD, Sheet, column, pdf, sheet, text
from tests.support.tables import each_row

TOP, BOTTOM = 800, 30


def read(*sheets: Sheet) -> str:
    body = Body("https://papers.example/a.pdf", pdf(*sheets), "application/pdf")
    return to_text(body, ReadingLimits(pdf_pages=200)).markdown


def body(page: int) -> list[bytes]:
    return column(72, 740, [f"Line {line} of page {page} tells what happened there." for line in range(20)])


def headed(heads: Sequence[str], y: float = TOP) -> Iterator[Sheet]:
    """One page for each head."""
    return (sheet(text(72, y, head, 8), *body(page)) for page, head in enumerate(heads, 1) if head)


@each_row("leading", [14, 30, 200])
def test_the_pages_of_invoices_keep_what_makes_them_different(leading: int) -> None:
    lines = [["Invoice {n}", "Amount: {n}0 EUR", "Thank you"] for _ in range(5)]
    pages = (
        sheet(*column(72, TOP, [line.format(n=page) for line in each], leading=leading))
        for page, each in enumerate(lines, 1)
    )

    markdown = read(*pages)

    assert all(f"Invoice {page}" in markdown and f"Amount: {page}0 EUR" in markdown for page in range(1, 6))


def test_rows_at_the_edges_of_a_list_are_not_running_lines() -> None:
    rows = [[f"Row {page * 60 + row}: account {page * 600 + row * 7}" for row in range(60)] for page in range(4)]

    markdown = read(*(sheet(*column(72, 820, each)) for each in rows))

    assert [row for each in rows for row in each if row not in markdown] == []


def test_the_same_row_at_the_top_of_every_page_is_kept_if_it_belongs_to_the_list() -> None:
    markdown = read(
        *(sheet(*column(72, 820, ["Name and account", *[f"Row {page}-{n}" for n in range(60)]])) for page in range(4))
    )

    assert markdown.count("Name and account") == 4


def test_chapter_headings_are_kept() -> None:
    heads = [text(72, TOP, f"Chapter {page // 3 + 1}", 18, BOLD) if page % 3 == 0 else b"" for page in range(9)]

    markdown = read(*(sheet(head, *body(page)) for page, head in enumerate(heads)))

    assert [f"# Chapter {number}" in markdown for number in (1, 2, 3)] == [True] * 3


@each_row("line", ["Ticket {n}", "Admit one", "{n}", "Page {n}"])
def test_a_page_with_a_single_line_keeps_it(line: str) -> None:
    markdown = read(*(sheet(text(72, TOP, line.format(n=page))) for page in range(1, 151)))

    assert markdown.count(f"_Page 150 of 150_\n\n{line.format(n=150)}") == 1


def test_a_page_that_holds_nothing_but_running_lines_keeps_them() -> None:
    pages = [
        sheet(text(72, TOP, "Annual report", 8), *body(page), text(290, BOTTOM, str(page))) for page in range(1, 6)
    ]
    pages[3] = sheet(text(72, TOP, "Annual report", 8), text(290, BOTTOM, "4"))

    markdown = read(*pages)

    assert markdown.count("Annual report") == 1


@each_row(
    "heads",
    [
        pytest.param(["Annual report"] * 4, id="on every page"),
        pytest.param(["", *["Annual report"] * 4], id="on every page but the first"),
        pytest.param(["The valley line", "Annual report"] * 5, id="left and right pages differ"),
        pytest.param(["One"] * 6 + ["Two"] * 7 + ["Three"] * 5, id="one head for each long chapter"),
        pytest.param([f"Annual report - {n}" for n in range(7, 12)], id="a page number behind a mark"),
        pytest.param([f"{n} | Annual report" for n in range(7, 12)], id="a page number before a mark"),
        pytest.param([f"Annual report, page {n} of 5" for n in range(1, 6)], id="a page number that says so"),
    ],
)
def test_running_heads_are_left_out(heads: list[str]) -> None:
    pages = [sheet(text(72, TOP, head, 8) if head else b"", *body(page)) for page, head in enumerate(heads)]

    markdown = read(*pages)

    assert [head for head in heads if head and head in markdown] == []
    assert markdown.count("Line 0 of page") == len(heads)


@each_row(
    "heads",
    [
        pytest.param([f"Report {year}" for year in (1990, 1994, 1999, 2003, 2010)], id="numbers that count no pages"),
        pytest.param(["Part"] * 3 + [f"Other {word}" for word in "abcdefghi"], id="on three pages of twelve"),
        pytest.param([f"Case {n}" for n in range(1, 7)], id="a number that belongs to the word before it"),
        pytest.param([f"{n}. Step" for n in range(1, 7)], id="a numbered heading"),
    ],
)
def test_heads_that_tell_something_are_kept(heads: list[str]) -> None:
    markdown = read(*headed(heads))

    assert [head for head in heads if head not in markdown.replace("\\", "")] == []


def test_a_page_number_beside_other_words_goes_and_the_words_stay() -> None:
    words = ["Lamps", "Oil", "Glass", "Rope", "Sails"]
    pages = (sheet(text(72, TOP, word), text(500, TOP, str(page + 40)), *body(page)) for page, word in enumerate(words))

    markdown = read(*pages)

    assert [word in markdown for word in words] == [True] * 5
    assert "| 4" not in markdown
    assert "\n\n42\n" not in markdown


@each_row(
    "numbers", [("i", "ii", "iii", "iv"), ("- 9 -", "- 10 -", "- 11 -", "- 12 -"), ("Seite 1 von 2", "Seite 2 von 2")]
)
def test_page_numbers_right_below_the_text_are_left_out(numbers: Sequence[str]) -> None:
    lines = [f"Sentence {line} goes from one margin of the page to the other." for line in range(49)]

    markdown = read(*(sheet(*column(72, BOTTOM + 12 * 49, [*lines, number])) for number in numbers))

    assert markdown.count("Sentence 48") == len(numbers)
    assert [number for number in numbers if f"{number}\n" in f"{markdown}\n"] == []


def test_letters_that_are_no_roman_numerals_do_no_harm() -> None:
    assert "words" in read(*(sheet(text(72, 400, "words"), text(290, BOTTOM, "xlivvil")) for _ in range(3)))
