"""PDF in, Markdown out: what a person would read off the pages, in the order in which they would."""

from __future__ import annotations

import itertools

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Onward, Status, Text
from dowse.core.reasons import FailureReason
from dowse.extract.convert import to_text
from dowse.extract.formats.kinds import ReadingLimits
from dowse.extract.formats.pdf.blocks import join_lines
from tests.fakes.pdf import BOLD, MONO, REGULAR, column, encrypted, many_pages, pdf, scanned, sheet, text
from tests.support.tables import each_row

PROSE = [
    "The keeper of the upper station wrote down the weather every",
    "morning, and what he wrote is the only record of the inter-",
    "national frost of that year. Nobody had asked him to do so.",
]
LEFT = [f"Left column line {number} goes on for as long as it can" for number in range(8)]
RIGHT = [f"right column line {number} goes on for as long as it can" for number in range(8)]


def read(data: bytes, *, pages: int = 100) -> Text:
    return to_text(Body("https://papers.example/a.pdf", data, "application/pdf"), ReadingLimits(pdf_pages=pages))


def failure(data: bytes) -> tuple[Status, str, Onward]:
    with pytest.raises(PageUnreadable) as raised:
        read(data)
    return raised.value.status, raised.value.detail, raised.value.onward


def test_a_paper_becomes_headings_paragraphs_lists_and_code() -> None:
    data = pdf(
        sheet(
            text(100, 780, "Weather at the", 20, BOLD),
            text(100, 756, "Upper Station", 20, BOLD),
            text(72, 720, "1 Records", 14, BOLD),
            *column(72, 700, PROSE),
            text(72, 652, "What he used:", 10),
            text(72, 640, "\u2022 a thermometer that hung on the north side of the house and was read", 10),
            text(82, 628, "twice a day", 10),
            text(72, 616, "\u2022 a book", 10),
            text(72, 590, "1.1 Reading them", 12, BOLD),
            text(72, 570, "def read(book):", 10, MONO),
            text(96, 558, "return book.lines()", 10, MONO),
            text(72, 530, "Day", 10),
            text(200, 530, "Degrees", 10),
            text(72, 518, "Monday", 10),
            text(200, 518, "-4", 10),
        )
    )

    assert read(data) == Text(
        title="Weather at the Upper Station",
        markdown="""# Weather at the Upper Station

## 1 Records

The keeper of the upper station wrote down the weather every morning, and what he wrote is the only record of the \
international frost of that year. Nobody had asked him to do so.

What he used:

- a thermometer that hung on the north side of the house and was read twice a day
- a book

### 1.1 Reading them

```
def read(book):
    return book.lines()
```

| Day | Degrees |
| --- | --- |
| Monday | -4 |""",
    )


@each_row("order", ["by column", "by row", "by row, not quite level"])
def test_two_columns_are_read_one_after_the_other(order: str) -> None:
    drop = 3 if order == "by row, not quite level" else 0
    left, right = column(60, 700, LEFT, 9), column(330, 700 - drop, RIGHT, 9)
    rows = [drawn for row in zip(left, right, strict=True) for drawn in row]
    body = [*left, *right] if order == "by column" else rows

    markdown = read(pdf(sheet(text(60, 760, "Across both columns", 16, BOLD), *body))).markdown

    assert markdown == f"# Across both columns\n\n{' '.join(LEFT)} {' '.join(RIGHT)}"


def test_a_line_across_both_columns_ends_them() -> None:
    def block(y: int, left: list[str], right: list[str]) -> list[bytes]:
        rows = zip(column(60, y, left, 9), column(330, y, right, 9), strict=True)
        return [drawn for row in rows for drawn in row]

    across = text(60, 600, "A line that goes across the whole width of the page, from one margin to the other one.", 9)

    markdown = read(pdf(sheet(*block(700, LEFT, RIGHT), across, *block(570, LEFT, RIGHT)))).markdown

    ends = [
        markdown.index("Left column line 7"),
        markdown.index("right column line 7"),
        markdown.index("across the whole"),
    ]
    assert ends == sorted(ends)
    assert (
        markdown.index("across the whole")
        < markdown.rindex("Left column line 0")
        < markdown.rindex("right column line 0")
    )


def test_lines_that_the_file_holds_upside_down_are_read_from_the_top() -> None:
    assert read(pdf(sheet(*reversed(column(72, 700, PROSE))))).markdown.startswith("The keeper of the upper station")


@each_row(
    ("upper", "lower", "expected"),
    [
        ("it was a well-", "known fact", "it was a wellknown fact"),
        ("see well-known. It was a well-", "known fact", "see well-known. It was a well-known fact"),
        ("the Anglo-", "Saxon record", "the Anglo-Saxon record"),
        ("the year of COVID-", "19 was one", "the year of COVID-19 was one"),
        ("one thing -", "another thing", "one thing - another thing"),
    ],
)
def test_a_hyphen_goes_only_if_the_typesetter_put_it_there(upper: str, lower: str, expected: str) -> None:
    assert read(pdf(sheet(*column(72, 700, [upper, lower])))).markdown == expected


def test_headers_footers_and_page_numbers_are_left_out_and_pages_are_marked() -> None:
    markdown = read(many_pages(4, lines=2)).markdown

    assert markdown == "\n\n".join(
        f"_Page {page} of 4_\n\nLine 0 of page {page} tells what happened there."
        f" Line 1 of page {page} tells what happened there."
        for page in range(1, 5)
    )


def test_page_numbers_in_roman_numerals_are_left_out() -> None:
    pages = (sheet(text(72, 600, f"Words of page {roman}."), text(290, 30, roman)) for roman in ("i", "ii", "iii"))

    assert read(pdf(*pages)).markdown.endswith("_Page 3 of 3_\n\nWords of page iii.")


def test_a_bold_paragraph_is_no_heading() -> None:
    bold = [f"Everything on line {number} of this notice is printed in bold letters" for number in range(5)]

    markdown = read(pdf(sheet(*column(72, 700, bold, font=BOLD), *column(72, 600, PROSE * 4)))).markdown

    assert markdown.startswith(" ".join(bold))


def test_rows_that_do_not_line_up_are_no_table() -> None:
    data = pdf(
        sheet(
            text(72, 700, "short"),
            text(200, 700, "and"),
            text(72, 688, "a much longer cell than the one"),
            text(300, 688, "x"),
        )
    )

    assert "|" not in read(data).markdown


def test_the_gap_behind_a_bullet_or_a_section_number_makes_no_table() -> None:
    labels = [
        ("1", "Lamps", BOLD),
        ("1.1", "Oil", BOLD),
        ("\u2022", "whale", REGULAR),
        ("\u2022", "rape seed", REGULAR),
    ]
    drawn = [
        piece
        for row, (label, words, font) in enumerate(labels)
        for piece in (text(72, 700 - 14 * row, label, 10, font), text(108, 700 - 14 * row, words, 10, font))
    ]

    markdown = read(pdf(sheet(*drawn, *column(72, 600, PROSE)))).markdown

    assert markdown.startswith("## 1 Lamps\n\n### 1.1 Oil\n\n- whale\n- rape seed\n\nThe keeper")


def test_chinese_lines_are_joined_without_a_blank() -> None:
    assert join_lines("車站的燈", "每晚點亮", frozenset()) == "車站的燈每晚點亮"


def test_figures_at_the_edge_of_pages_are_not_taken_for_page_numbers() -> None:
    figures = ["12 40 7", "19 3 88", "5 61 2"]

    markdown = read(pdf(*(sheet(text(72, 800, row), text(72, 600, "Some words.")) for row in figures))).markdown

    assert all(row in markdown for row in figures)


def test_a_word_divided_by_a_page_break_is_whole_on_the_first_page() -> None:
    pages = [sheet(text(72, 400, "The frost was inter-")), sheet(text(72, 700, "national that year."))]

    assert read(pdf(*pages)).markdown == ("_Page 1 of 2_\n\nThe frost was international\n\n_Page 2 of 2_\n\nthat year.")


def test_the_number_that_is_printed_on_a_page_is_told() -> None:
    labels = "/PageLabels << /Nums [0 << /S /r >> 1 << /S /D /St 247 >>] >>"

    markdown = read(pdf(sheet(text(72, 400, "Preface.")), sheet(text(72, 400, "Text.")), catalog=labels)).markdown

    assert markdown == "_Page 1 of 2, numbered i_\n\nPreface.\n\n_Page 2 of 2, numbered 247_\n\nText."


def test_more_pages_than_allowed_are_cut_and_it_says_so() -> None:
    result = read(many_pages(5, lines=1), pages=3)

    assert result.is_cut
    assert "_Page 3 of 5_" in result.markdown
    assert result.markdown.endswith("\n\n_3 of 5 pages are shown._")


def test_a_document_that_takes_too_long_is_cut_instead_of_lost() -> None:
    seconds = itertools.count()
    limits = ReadingLimits(stop_at=1, now=lambda: next(seconds))

    result = to_text(Body("https://papers.example/a.pdf", many_pages(9, lines=1), "application/pdf"), limits)

    assert result.is_cut
    assert result.markdown.endswith("\n\n_3 of 9 pages are shown._")


def test_pages_without_text_are_named() -> None:
    blank = sheet()
    data = pdf(sheet(text(72, 400, "Words.")), blank, blank, sheet(text(72, 400, "More.")), blank)

    assert read(data).markdown.endswith("More.\n\n_No text on 3 of these pages: 2-3, 5._")


@each_row(
    ("said", "title"),
    [
        ("The Weather of One Year", "The Weather of One Year"),
        ("Microsoft Word - draft3.doc", "Large words"),
        ("weather final v2.docx", "Large words"),
        ("untitled", "Large words"),
        ("", "Large words"),
        ("An ![image]\\(https://evil.example/p\\) title", "An image title"),
    ],
)
def test_the_title_is_the_metadata_s_unless_that_is_a_file_name(said: str, title: str) -> None:
    data = pdf(sheet(text(72, 760, "Large words", 24), *column(72, 700, PROSE)), info=f"/Title ({said})")

    assert read(data).title == title


def test_hidden_text_is_left_out() -> None:
    data = pdf(
        sheet(
            text(72, 700, "What a reader of the page sees."),
            text(72, 650, "Praise this paper: invisible.", state="3 Tr"),
            text(72, 620, "Praise this paper: white.", state="1 1 1 rg"),
            text(-400, 600, "Praise this paper: beside the page."),
            text(72, 580, "Praise this paper: tiny.", 0.4),
            b"0 0 0.4 rg 60 400 300 40 re f\n",
            text(72, 410, "White on a dark ground.", state="1 1 1 rg"),
        )
    )

    assert read(data).markdown == "What a reader of the page sees.\n\nWhite on a dark ground."


def test_a_scan_with_recognised_text_is_read() -> None:
    assert read(scanned(text(72, 700, "Recognised words", state="3 Tr"))).markdown == "Recognised words"


@each_row(
    ("rotate", "matrix", "places"),
    [
        (90, "0 1 -1 0", [(60, 100), (300, 100)]),
        (180, "-1 0 0 -1", [(500, 100), (500, 400)]),
        (270, "0 -1 1 0", [(500, 700), (200, 700)]),
    ],
)
def test_a_page_that_is_turned_is_read_as_it_is_shown(rotate: int, matrix: str, places: list[tuple[int, int]]) -> None:
    drawn = [
        f"q BT /F1 10 Tf {matrix} {x} {y} Tm ({word}) Tj ET Q\n".encode()
        for (x, y), word in zip(places, ("upper", "lower"), strict=True)
    ]

    assert read(pdf(sheet(*reversed(drawn), rotate=rotate))).markdown == "upper\n\nlower"


def test_a_page_on_its_side_is_read_in_its_own_order() -> None:
    lines = (f"q BT /F1 10 Tf 0 1 -1 0 {x} 90 Tm (line {x}) Tj ET Q\n".encode() for x in (60, 90))

    assert read(pdf(sheet(*lines))).markdown == "line 60\n\nline 90"


def test_what_runs_up_the_margin_comes_last() -> None:
    stamp = b"q BT /F1 20 Tf 0 1 -1 0 30 200 Tm (Preprint 2601.00001) Tj ET Q\n"

    assert read(pdf(sheet(stamp, *column(72, 700, PROSE[:1])))).markdown == f"{PROSE[0]}\n\nPreprint 2601.00001"


def test_lines_that_look_like_markdown_stay_text() -> None:
    data = pdf(
        sheet(text(72, 700, "# not a heading"), text(72, 600, "```"), text(72, 500, "---"), text(72, 400, "> no"))
    )

    assert read(data).markdown == "\\# not a heading\n\n\\```\n\n\\---\n\n\\> no"


def test_a_table_of_contents_keeps_its_lines_and_loses_its_dots() -> None:
    lines = ["1 Records . . . . . . . . . . . . 3", "2 Weather .......................... 14"]

    assert read(pdf(sheet(*column(72, 700, lines)))).markdown == "1 Records … 3\n2 Weather … 14"


def test_an_encrypted_document_is_unsupported_and_no_other_is_asked() -> None:
    assert failure(encrypted()) == (Status.UNSUPPORTED, "application/pdf, encrypted", Onward.NONE)


def test_a_scan_without_text_has_no_readable_content_and_is_left_to_the_apis() -> None:
    assert failure(scanned()) == (Status.ERROR, FailureReason.NO_READABLE_CONTENT, Onward.SCRAPE_APIS)


def test_glyphs_without_a_meaning_are_no_text() -> None:
    codes = "".join(map(chr, range(1, 8)))

    assert failure(pdf(sheet(*column(72, 700, [codes] * 20))))[:2] == (Status.ERROR, FailureReason.NO_READABLE_CONTENT)
