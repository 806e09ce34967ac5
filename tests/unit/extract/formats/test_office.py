"""Word documents, spreadsheets and slides as Markdown."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence

import openpyxl
import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status, Text
from dowse.extract.convert import to_text
from tests.fakes.office import SHEETS, SLIDES, WORD, docx, paragraph, pptx, slide, zipped
from tests.support.tables import each_row


def read(data: bytes, media_type: str) -> Text:
    return to_text(Body("https://files.example/report", data, media_type))


def xlsx(hidden: Sequence[str] = (), **sheets: Sequence[Sequence[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        if name in hidden:
            sheet.sheet_state = "hidden"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_a_word_document_keeps_its_structure() -> None:
    row = "<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>"
    cells = row.format(paragraph("day"), paragraph("rate")) + row.format(paragraph("Monday"), paragraph("4"))
    body = (
        paragraph("The report", "Title")
        + paragraph("First part", "heading1")
        + paragraph("Some words &amp; more.")
        + f"<w:tbl>{cells}</w:tbl>"
    )

    assert read(docx(body), WORD) == Text(
        title="The report",
        markdown="""# The report

# First part

Some words & more.

| day | rate |
| --- | --- |
| Monday | 4 |""",
    )


def test_each_sheet_is_a_heading_and_a_table_with_values_as_people_write_them() -> None:
    data = xlsx(
        Rates=[
            ["day", "rate", "final", "a|b"],
            [datetime.datetime(2026, 1, 2), 0.1 + 0.2, True, None],
            [],
            [datetime.datetime(2026, 1, 3, 4, 5), 3.0, False, "two\nlines"],
        ],
        Empty=[],
        Notes=[["only", "these"]],
    )

    assert read(data, SHEETS) == Text(
        """## Rates

| day | rate | final | a\\|b |
| --- | --- | --- | --- |
| 2026-01-02 | 0.3 | TRUE |  |
| 2026-01-03 04:05:00 | 3 | FALSE | two lines |

## Notes

| only | these |
| --- | --- |"""
    )


def test_a_large_sheet_is_cut_and_says_by_how_much() -> None:
    narrow = [[number] for number in range(1, 1200)]
    text = read(xlsx(Wide=[list(range(60)), [0] * 60, *narrow]), SHEETS)

    assert text.is_cut
    assert text.markdown.endswith("\n\n_1000 of 1200 rows and 50 of 60 columns are shown._")
    assert "| 999 |" in text.markdown
    assert "| 1000 |" not in text.markdown


def test_a_hidden_sheet_stays_hidden() -> None:
    assert "secret" not in read(xlsx(["Back"], Front=[["a", "b"]], Back=[["secret", "x"]]), SHEETS).markdown


def test_slides_are_headings_with_their_words() -> None:
    data = pptx(slide("Plans", "one", "two &lt; three"), slide("Hidden", "no", is_hidden=True), slide("", "the end"))

    assert read(data, SLIDES).markdown == "## Slide 1: Plans\n\n- one\n- two < three\n\n## Slide 3\n\n- the end"


@each_row("media_type", [WORD, SHEETS])
@each_row(
    "data",
    [b"PK\x03\x04 cut off", zipped({"other.txt": "x"}), docx("<w:p>never closed")],
)
def test_a_broken_file_is_a_typed_failure(data: bytes, media_type: str) -> None:
    with pytest.raises(PageUnreadable) as raised:
        read(data, media_type)

    assert (raised.value.status, raised.value.detail) == (Status.ERROR, f"{media_type}, broken")
