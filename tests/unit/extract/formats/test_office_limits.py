"""Office documents with more than is shown, with tables on slides, and with parts that are broken."""

from __future__ import annotations

import io

import openpyxl
import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status, Text
from dowse.extract.convert import to_text
from dowse.extract.formats import office
from tests.fakes.office import SHEETS, SLIDES, pptx, slide

TABLE = (
    "<a:tbl><a:tr><a:tc><a:t>day</a:t></a:tc><a:tc><a:t>rate</a:t></a:tc></a:tr>"
    "<a:tr><a:tc><a:t>Monday</a:t></a:tc><a:tc><a:t>4</a:t></a:tc></a:tr></a:tbl>"
)


def read(data: bytes, media_type: str) -> Text:
    return to_text(Body("https://files.example/report", data, media_type))


def test_of_many_sheets_the_first_are_shown_and_the_text_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "_MOST_SHEETS", 1)
    book = openpyxl.Workbook()
    book.worksheets[0].title = "First"
    book.worksheets[0].append(["day", "rate"])
    book.create_sheet("Second").append(["never", "shown"])
    file = io.BytesIO()
    book.save(file)

    text = read(file.getvalue(), SHEETS)

    assert text.is_cut
    assert text.markdown.endswith("_1 of 2 sheets are shown._")
    assert "never" not in text.markdown


def test_of_many_slides_the_first_are_shown_and_the_text_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office, "_MOST_SLIDES", 1)

    text = read(pptx(slide("One", "shown"), slide("Two", "never")), SLIDES)

    assert text.is_cut
    assert text.markdown == "## Slide 1: One\n\n- shown\n\n_1 of 2 slides are shown._"


def test_a_table_on_a_slide_is_a_table() -> None:
    drawn = slide("Rates").replace("</p:spTree>", f"{TABLE}</p:spTree>")
    assert read(pptx(drawn), SLIDES).markdown == ("## Slide 1: Rates\n\n| day | rate |\n| --- | --- |\n| Monday | 4 |")


def test_a_slide_that_is_no_xml_makes_the_document_broken() -> None:
    with pytest.raises(PageUnreadable) as caught:
        read(pptx("<p:sld"), SLIDES)
    assert (caught.value.status, caught.value.detail) == (Status.ERROR, f"{SLIDES}, broken")
