"""Office documents: checked zip archives, Word without hidden text, spreadsheets, slides.

Only text in the file itself is read: no image, no macro, nothing linked.
"""

from __future__ import annotations

import datetime
import io
import itertools
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Container, Iterator
from typing import TYPE_CHECKING, BinaryIO
from xml.etree import ElementTree
from xml.parsers import expat

from dowse.core import text as texts
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status, Text
from dowse.document.clean import TITLE_CHARS, clean, title_of
from dowse.extract.formats.plain import MOST_COLUMNS, MOST_ROWS, LimitedTable, limit_table, render_table
from dowse.extract.html.render import to_markdown

if TYPE_CHECKING:
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

# Raised by `zipfile` for files that are no archives; a RuntimeError stands for a password.
_BROKEN_ARCHIVE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)
# Raised by the libraries for broken files; any other error is a bug, or memory.
_BROKEN = (*_BROKEN_ARCHIVE, KeyError, TypeError, AttributeError, IndexError, SyntaxError, expat.ExpatError)
_MOST_ENTRIES = 5000
_LARGEST_TOTAL = 100 * 1024 * 1024
# Parsed as a tree, XML takes ten times its size and more.
_LARGEST_PART = 30 * 1024 * 1024
_HIGHEST_RATIO = 100
_SMALL = 5 * 1024 * 1024
_FIRST_STEP = 4096
_STYLE_MAP = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_MOST_SHEETS = 20
_MOST_SLIDES = 200
# Only here do empty rows count.
_MOST_ROWS_READ = 50_000
_SLIDE = re.compile(r"ppt/slides/slide\d{1,4}\.xml")
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_PRESENTATION = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WORD_PARTS = re.compile(r"word/[^/]{1,100}\.xml")
_WORD_STYLES = "word/styles.xml"
_OFF = frozenset({"0", "false", "off"})


def from_word(body: Body) -> Text:
    """A `.docx` by way of HTML, so that headings, lists, tables and links stay what they are."""
    file = check_archive(body.data, body.media_type)
    import mammoth

    try:
        converted = mammoth.convert_to_html(
            _without_hidden_text(file),
            style_map=_STYLE_MAP,
            convert_image=lambda _image: [],
            include_embedded_style_map=False,
            external_file_access=False,
        )
    except _BROKEN:
        raise PageUnreadable(Status.ERROR, f"{body.media_type}, broken") from None
    markdown = to_markdown(converted.value, body.url)
    return Text(markdown, title_of(markdown))


def from_sheets(body: Body) -> Text:
    """An `.xlsx` as one table for each sheet, with the values that were last computed."""
    file = check_archive(body.data, body.media_type)
    try:
        # It warns of styles and extensions that it does not know, none of which is shown.
        with warnings.catch_warnings(action="ignore"):
            title, tables, count = _read_workbook(file)
    except _BROKEN:
        raise PageUnreadable(Status.ERROR, f"{body.media_type}, broken") from None
    parts = [table.markdown for table in tables]
    has_more = count > _MOST_SHEETS
    if has_more:
        parts.append(f"_{_MOST_SHEETS} of {count} sheets are shown._")
    is_cut = has_more or any(table.is_cut for table in tables)
    return Text(clean("\n\n".join(filter(None, parts))), title, is_cut=is_cut)


def _read_workbook(file: BinaryIO) -> tuple[str, list[LimitedTable], int]:
    """The title, the tables of the first visible sheets, and the number of all."""
    import openpyxl

    book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
    sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    tables = list(map(_render_sheet, sheets[:_MOST_SHEETS]))
    title = texts.without_markup(book.properties.title or "", TITLE_CHARS)
    book.close()
    return title, tables, len(sheets)


def from_slides(body: Body) -> Text:
    """The words of a `.pptx`, slide by slide; hidden slides are left out, as in a show."""
    file = check_archive(body.data, body.media_type)
    try:
        with zipfile.ZipFile(file) as packed:
            names = sorted(filter(_SLIDE.fullmatch, packed.namelist()), key=lambda name: (len(name), name))
            slides = [ElementTree.fromstring(packed.read(name)) for name in names[:_MOST_SLIDES]]
    except _BROKEN:
        raise PageUnreadable(Status.ERROR, f"{body.media_type}, broken") from None
    parts = [_render_slide(number, slide) for number, slide in enumerate(slides, 1) if slide.get("show") != "0"]
    if len(names) > _MOST_SLIDES:
        parts.append(f"_{_MOST_SLIDES} of {len(names)} slides are shown._")
    return Text(clean("\n\n".join(parts)), is_cut=len(names) > _MOST_SLIDES)


def check_archive(data: bytes, media_type: str) -> io.BytesIO:
    """The archive as a file, if it is sound, small enough, and free of DTDs, which no office document has.

    A DTD could name files to read and entities that multiply. Pictures may have one: those are left out.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_sizes(archive.infolist(), media_type)
            with_dtd = [entry.filename for entry in archive.infolist() if _has_dtd(archive, entry)]
            if any(name.lower().endswith((".xml", ".rels")) for name in with_dtd):
                raise PageUnreadable(Status.UNSUPPORTED, f"{media_type}, with a DTD")
            return _copy_without(archive, with_dtd) if with_dtd else io.BytesIO(data)
    except _BROKEN_ARCHIVE:
        raise PageUnreadable(Status.ERROR, f"{media_type}, broken") from None


def _check_sizes(entries: list[zipfile.ZipInfo], media_type: str) -> None:
    # An archive never gives more than its directory declares.
    total, packed = sum(entry.file_size for entry in entries), sum(entry.compress_size for entry in entries)
    largest = max((entry.file_size for entry in entries if entry.filename.lower().endswith(".xml")), default=0)
    is_bomb = total > max(_SMALL, _HIGHEST_RATIO * packed)
    if any((len(entries) > _MOST_ENTRIES, total > _LARGEST_TOTAL, largest > _LARGEST_PART, is_bomb)):
        raise PageUnreadable(Status.TOO_LARGE, f"{media_type}, too large once unpacked")


class _Dtd(Exception):
    """A DTD begins."""


class _Root(Exception):
    """The first element begins: no DTD can come any more."""


def _has_dtd(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    """Whether a part has a DTD. The parser is the libraries' own: where it fails, they cannot read the part either."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.StartElementHandler = _raise_on_call(_Dtd), _raise_on_call(_Root)
    size = _FIRST_STEP
    try:
        with archive.open(entry) as part:
            while step := part.read(size):
                parser.Parse(step)
                # Older versions look at an endless comment again with each step.
                size *= 2
    except _Dtd:
        return True
    except (_Root, expat.ExpatError, LookupError):  # a LookupError for an unknown encoding
        return False
    return False


def _raise_on_call(signal: type[Exception]) -> Callable[..., None]:
    def handle(*_: object) -> None:
        raise signal

    return handle


def _copy_without(archive: zipfile.ZipFile, left_out: Container[str]) -> io.BytesIO:
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w") as packed:
        for entry in archive.infolist():
            if entry.filename not in left_out:
                packed.writestr(entry, archive.read(entry))
    return copy


def _without_hidden_text(file: BinaryIO) -> BinaryIO:
    """A Word document without runs that are formatted as hidden; the file itself where there are none."""
    with zipfile.ZipFile(file) as packed:
        parts = {name: packed.read(name) for name in packed.namelist() if _WORD_PARTS.fullmatch(name)}
        # The zeros are those of UTF-16.
        if not any(b"vanish" in data.replace(b"\0", b"") for data in parts.values()):
            file.seek(0)
            return file
        styles = _hiding_styles(parts.pop(_WORD_STYLES)) if _WORD_STYLES in parts else frozenset()
        shown = io.BytesIO()
        with zipfile.ZipFile(shown, "w") as copy:
            for name in packed.namelist():
                copy.writestr(name, _drop_hidden_runs(parts[name], styles) if name in parts else packed.read(name))
    shown.seek(0)
    return shown


def _hiding_styles(data: bytes) -> frozenset[str]:
    styles = ElementTree.fromstring(data).iter(f"{_WORD}style")
    return frozenset(style.get(f"{_WORD}styleId", "") for style in styles if _vanishes(style, ()))


def _drop_hidden_runs(data: bytes, styles: Container[str]) -> bytes:
    root = ElementTree.fromstring(data)
    for parent in root.iter():
        for run in _find_hidden_runs(parent, styles):
            parent.remove(run)
    shown: bytes = ElementTree.tostring(root, encoding="utf-8")
    return shown


def _find_hidden_runs(parent: ElementTree.Element, styles: Container[str]) -> list[ElementTree.Element]:
    """The runs of a paragraph that its style or their own format hides."""
    style = parent.find(f"{_WORD}pPr/{_WORD}pStyle") if parent.tag == f"{_WORD}p" else None
    is_hidden = style is not None and style.get(f"{_WORD}val") in styles
    return [run for run in parent.findall(f"{_WORD}r") if is_hidden or _vanishes(run, styles)]


def _vanishes(element: ElementTree.Element, styles: Container[str]) -> bool:
    """Whether the properties of a run or a style hide it."""
    mark = element.find(f"{_WORD}rPr/{_WORD}vanish")
    if mark is not None:
        return mark.get(f"{_WORD}val", "1") not in _OFF
    style = element.find(f"{_WORD}rPr/{_WORD}rStyle")
    return style is not None and style.get(f"{_WORD}val") in styles


def _render_sheet(sheet: ReadOnlyWorksheet) -> LimitedTable:
    declared_rows, declared_columns = sheet.max_row or 0, sheet.max_column or 0
    # Files lie about their size, in both directions.
    sheet.reset_dimensions()
    read = itertools.islice(sheet.iter_rows(max_col=MOST_COLUMNS + 1, values_only=True), _MOST_ROWS_READ)
    filled = (row for values in read if any(row := list(map(_format_value, values))))
    rows = list(itertools.islice(filled, MOST_ROWS + 2))
    table = limit_table(rows, declared_rows=declared_rows, declared_columns=declared_columns)
    heading = f"## {texts.without_markup(sheet.title, TITLE_CHARS)}"
    return LimitedTable(f"{heading}\n\n{table.markdown}", table.is_cut) if table.markdown else table


def _format_value(value: object) -> str:
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


def _render_slide(number: int, slide: ElementTree.Element) -> str:
    title, lines = "", []
    for shape in _outermost(slide, f"{_PRESENTATION}sp"):
        paragraphs = _paragraphs(shape)
        if not title and _is_title(shape):
            title = texts.without_markup(" ".join(paragraphs), TITLE_CHARS)
        else:
            lines += [f"- {texts.without_markup(text)}" for text in paragraphs if text.strip()]
    tables = [render_table(_cells(drawn)) for drawn in _outermost(slide, f"{_DRAWING}tbl")]
    heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    return "\n\n".join(filter(None, [heading, "\n".join(lines), *tables]))


def _paragraphs(shape: ElementTree.Element) -> list[str]:
    lines = _outermost(shape, f"{_DRAWING}p")
    return ["".join(run.text or "" for run in line.iter(f"{_DRAWING}t")) for line in lines]


def _is_title(shape: ElementTree.Element) -> bool:
    place = shape.find(f".//{_PRESENTATION}ph")
    return place is not None and place.get("type") in ("title", "ctrTitle")


def _cells(drawn: ElementTree.Element) -> list[list[str]]:
    rows = _outermost(drawn, f"{_DRAWING}tr")
    return [[" ".join(cell.itertext()) for cell in _outermost(row, f"{_DRAWING}tc")] for row in rows]


def _outermost(element: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    """The elements of a tag, in order, but none within another: no program nests them, and to read them again at
    every level would take quadratic time.
    """
    waiting = [element]
    while waiting:
        inner = waiting.pop()
        if inner.tag == tag:
            yield inner
        else:
            waiting.extend(reversed(inner))
