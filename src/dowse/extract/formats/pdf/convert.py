"""A PDF's bytes in, Markdown with page marks out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pypdfium2  # type: ignore[import-untyped]  # it has no types

from dowse.core.errors import PageUnreadable
from dowse.core.media_types import PDF
from dowse.core.models import NO_READABLE_CONTENT, Onward, Status, Text
from dowse.document.markdown import clean
from dowse.extract.formats.limits import Limits
from dowse.extract.formats.pdf.blocks import blocks_of
from dowse.extract.formats.pdf.headings import title_of, to_markdown
from dowse.extract.formats.pdf.lines import PageLines, lines_of
from dowse.extract.formats.pdf.order import in_reading_order
from dowse.extract.formats.pdf.prose import body_of
from dowse.extract.formats.pdf.running import without_running_lines
from dowse.extract.formats.pdf.words import PageText

# Glyphs without a meaning, as fonts have them that do not tell which letters they draw.
_MEANINGLESS = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ue000-\uf8ff]")
_MOST_MEANINGLESS = 0.3
# What is longer or stranger is no number.
_LABEL = re.compile(r"[^\W_]{1,12}(?:[-. ][^\W_]{1,12}){0,2}")


def to_text(data: bytes, limits: Limits) -> Text:
    """The text of a PDF; raises `PageUnreadable` for one that is locked, broken, or nothing but pictures."""
    with _opened(data) as document:
        count = len(document)
        pages = list(_pages(document, limits))
        labels = [_label(document, number) for number in range(len(pages))]
        said = document.get_metadata_value("Title")
    if not _is_readable(pages):
        # A scan. No browser reads it either, but a scrape API may recognise the letters.
        raise PageUnreadable(Status.ERROR, NO_READABLE_CONTENT, Onward.APIS)
    shown = [in_reading_order(page) for page in without_running_lines(pages)]
    body = body_of(shown)
    blocks = [blocks_of(lines, body) for lines in shown]
    title = title_of(said, blocks[0] if blocks else [], body)
    parts: list[str] = []
    for number, (markdown, page) in enumerate(zip(to_markdown(blocks, body, title), pages, strict=True), 1):
        if markdown or page.aside:
            mark = f"_Page {number} of {count}{labels[number - 1]}_" if count > 1 else ""
            parts += filter(None, [mark, markdown, *page.aside])
    parts += _notes(pages, count)
    return Text(clean("\n\n".join(parts)), title, is_cut=len(pages) < count)


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pypdfium2.raw.FPDF_ERR_PASSWORD, pypdfium2.raw.FPDF_ERR_SECURITY):
            raise PageUnreadable(Status.UNSUPPORTED, f"{PDF}, encrypted") from None
        raise PageUnreadable(Status.ERROR, f"{PDF}, broken") from None


def _pages(document: pypdfium2.PdfDocument, limits: Limits) -> Iterator[PageLines]:
    """Each page, as far as there is time; one that cannot be read is empty."""
    for number in range(min(len(document), limits.pdf_pages)):
        if number and limits.is_late:
            return
        try:
            page = document[number]
            try:
                yield lines_of(PageText(page, page.get_textpage()))
            finally:
                page.close()
        except pypdfium2.PdfiumError:
            yield PageLines(0.0, 0.0, ())


def _notes(pages: Sequence[PageLines], count: int) -> Iterator[str]:
    """What a reader of the text would not find out otherwise."""
    blank = [number for number, page in enumerate(pages, 1) if not page.lines]
    if blank:
        yield f"_No text on {len(blank)} of these pages: {_ranges(blank)}._"
    if len(pages) < count:
        yield f"_{len(pages)} of {count} pages are shown._"


def _ranges(numbers: Sequence[int]) -> str:
    """Rising numbers as people write them: 2, 5-9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


def _label(document: pypdfium2.PdfDocument, number: int) -> str:
    """What is printed on the page as its number, where that is another one."""
    label = document.get_page_label(number)
    return f", numbered {label}" if _LABEL.fullmatch(label) and label != str(number + 1) else ""


def _is_readable(pages: Sequence[PageLines]) -> bool:
    letters = "".join(cell.text for page in pages for line in page.lines for cell in line.cells)
    return bool(letters) and len(_MEANINGLESS.findall(letters)) <= _MOST_MEANINGLESS * len(letters)
