"""Word documents, spreadsheets and slides. Only text in the file itself is read: no image, no macro, nothing linked."""

from __future__ import annotations

import datetime
import itertools
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError
from zipfile import ZipFile

from dowse.core import text as texts
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status, Text
from dowse.document.markdown import clean
from dowse.extract.formats import archive, vanished
from dowse.extract.formats.tables import MOST_COLUMNS, MOST_ROWS, Table, limited, table
from dowse.extract.html.fragments import to_markdown
from dowse.extract.tidy import TITLE_CHARS, title_of

if TYPE_CHECKING:
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet  # type: ignore[import-untyped]  # it has no types

_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_MOST_SHEETS = 20
_MOST_SLIDES = 200
_SLIDE = re.compile(r"ppt/slides/slide\d{1,4}\.xml")
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_PRESENTATION = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
# Rows that are empty count here, and only here.
_MOST_ROWS_READ = 50_000
# What the libraries raise for files that are not what they should be; anything else is a bug, or memory.
_BROKEN = (*archive.BROKEN, KeyError, TypeError, AttributeError, IndexError, SyntaxError, ExpatError)


def from_word(body: Body) -> Text:
    """A `.docx` by way of HTML, so that headings, lists, tables and links stay what they are."""
    file = archive.checked(body.data, body.media_type)
    import mammoth  # type: ignore[import-untyped]  # it has no types

    try:
        made = mammoth.convert_to_html(
            vanished.without_hidden_text(file),
            style_map=_STYLES,
            convert_image=lambda _image: [],
            include_embedded_style_map=False,
            external_file_access=False,
        )
    except _BROKEN:
        raise PageUnreadable(Status.ERROR, f"{body.media_type}, broken") from None
    markdown = to_markdown(made.value, body.url)
    return Text(markdown, title_of(markdown))


def from_sheets(body: Body) -> Text:
    """An `.xlsx` as one table for each sheet, with the values that were last computed."""
    file = archive.checked(body.data, body.media_type)
    import openpyxl  # type: ignore[import-untyped]  # it has no types

    try:
        # It warns of styles and extensions that it does not know, none of which is shown.
        with warnings.catch_warnings(action="ignore"):
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
            sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            made = [_sheet(sheet) for sheet in sheets[:_MOST_SHEETS]]
            title = texts.without_markup(book.properties.title or "", TITLE_CHARS)
            book.close()
    except _BROKEN:
        raise PageUnreadable(Status.ERROR, f"{body.media_type}, broken") from None
    parts = [sheet.markdown for sheet in made if sheet.markdown]
    is_cut = any(sheet.is_cut for sheet in made) or len(sheets) > _MOST_SHEETS
    if len(sheets) > _MOST_SHEETS:
        parts.append(f"_{_MOST_SHEETS} of {len(sheets)} sheets are shown._")
    return Text(clean("\n\n".join(parts)), title, is_cut=is_cut)


def from_slides(body: Body) -> Text:
    """The words of a `.pptx`, slide by slide; hidden slides are left out, as in a show."""
    file = archive.checked(body.data, body.media_type)
    try:
        with ZipFile(file) as packed:
            names = sorted(filter(_SLIDE.fullmatch, packed.namelist()), key=lambda name: (len(name), name))
            slides = [ElementTree.fromstring(packed.read(name)) for name in names[:_MOST_SLIDES]]
    except _BROKEN:
        raise PageUnreadable(Status.ERROR, f"{body.media_type}, broken") from None
    parts = [_slide(number, slide) for number, slide in enumerate(slides, 1) if slide.get("show") != "0"]
    if len(names) > _MOST_SLIDES:
        parts.append(f"_{_MOST_SLIDES} of {len(names)} slides are shown._")
    return Text(clean("\n\n".join(parts)), is_cut=len(names) > _MOST_SLIDES)


def _slide(number: int, slide: ElementTree.Element) -> str:
    title, lines = "", []
    for shape in _outermost(slide, f"{_PRESENTATION}sp"):
        texts_here = [
            "".join(run.text or "" for run in line.iter(f"{_DRAWING}t")) for line in _outermost(shape, f"{_DRAWING}p")
        ]
        place = shape.find(f".//{_PRESENTATION}ph")
        if not title and place is not None and place.get("type") in ("title", "ctrTitle"):
            title = texts.without_markup(" ".join(texts_here), TITLE_CHARS)
        else:
            lines += [f"- {texts.without_markup(text)}" for text in texts_here if text.strip()]
    tables = [table(_cells(drawn)) for drawn in _outermost(slide, f"{_DRAWING}tbl")]
    heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    return "\n\n".join(filter(None, [heading, "\n".join(lines), *tables]))


def _cells(drawn: ElementTree.Element) -> list[list[str]]:
    rows = _outermost(drawn, f"{_DRAWING}tr")
    return [[" ".join(cell.itertext()) for cell in _outermost(row, f"{_DRAWING}tc")] for row in rows]


def _outermost(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    """The elements of that name inside, in order, but none within another: no program nests them, and reading them
    again at every level would take the square of the time.
    """
    waiting = [element]
    while waiting:
        inner = waiting.pop()
        if inner.tag == tag:
            yield inner
        else:
            waiting.extend(reversed(inner))


def _sheet(sheet: ReadOnlyWorksheet) -> Table:
    declared_rows, declared_columns = sheet.max_row or 0, sheet.max_column or 0
    # Files lie about their size, in both directions.
    sheet.reset_dimensions()
    read = itertools.islice(sheet.iter_rows(max_col=MOST_COLUMNS + 1, values_only=True), _MOST_ROWS_READ)
    filled = (row for values in read if any(row := [_shown(value) for value in values]))
    rows = list(itertools.islice(filled, MOST_ROWS + 2))
    made = limited(rows, declared_rows=declared_rows, declared_columns=declared_columns)
    heading = f"## {texts.without_markup(sheet.title, TITLE_CHARS)}"
    return Table(f"{heading}\n\n{made.markdown}", made.is_cut) if made.markdown else made


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case float():
            return f"{value:.15g}"
        case datetime.datetime() if value.time() == datetime.time():
            return value.date().isoformat()
        case datetime.datetime():
            return value.isoformat(" ", "seconds")
    return str(value)
