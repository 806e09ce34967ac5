"""PDF documents as Markdown with page marks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import pypdfium2

from dowse.core import text as texts
from dowse.core.errors import PageUnreadable
from dowse.core.media_types import PDF
from dowse.core.models import Onward, Status, Text
from dowse.core.reasons import FailureReason
from dowse.document.clean import TITLE_CHARS, clean, same_words
from dowse.extract.formats.kinds import ReadingLimits
from dowse.extract.formats.pdf.blocks import (
    BULLET,
    BodyText,
    PdfBlock,
    PdfBlockKind,
    build_blocks,
    join_lines,
    measure_body,
    round_size,
)
from dowse.extract.formats.pdf.layout import drop_running_lines, sort_lines
from dowse.extract.formats.pdf.page import PdfPage, load_page, read_page

# Glyphs without a meaning, as in fonts that do not tell which letters they draw.
_MEANINGLESS = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ue000-\uf8ff]")
_MOST_MEANINGLESS = 0.3
# A longer or stranger label is no number.
_LABEL = re.compile(r"[^\W_]{1,12}(?:[-. ][^\W_]{1,12}){0,2}")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
# The start of a heading, a quotation, a rule or a fence in Markdown, none of which is meant here.
_SYNTAX = re.compile(r"(?=#{1,6} |>|```|~~~|(?:[-*_=] ?){3,}$)")
_DEEPEST = 6
# Programs write the name of the file here, or their own.
_NO_TITLE = re.compile(
    r"microsoft |untitled|slide 1$|.{0,200}\.(?:docx?|pdf|tex|dvi|indd|pptx?|xlsx?|qxd|rtf|odt|html?)$", re.I
)
_PROSE = (PdfBlockKind.TEXT, PdfBlockKind.ITEM)
_HeadingStyle = tuple[float, bool]
"""Size, and whether it is bold."""


def to_text(data: bytes, limits: ReadingLimits) -> Text:
    """The text of a PDF; raises `PageUnreadable` for a locked or broken one, or one of pictures alone."""
    with _open(data) as document:
        count = len(document)
        pages = list(_read_pages(document, limits))
        labels = [_label(document, number) for number in range(len(pages))]
        declared_title = document.get_metadata_value("Title")
    if not _is_readable(pages):
        # A scan. No browser reads it either, but a scrape API may recognise the letters.
        raise PageUnreadable(Status.ERROR, onward=Onward.SCRAPE_APIS, reason=FailureReason.NO_READABLE_CONTENT)
    lines = [sort_lines(page) for page in drop_running_lines(pages)]
    body = measure_body(lines)
    blocks = [build_blocks(each, body) for each in lines]
    title = _find_title(declared_title, blocks[0] if blocks else [], body)
    marks = [f"_Page {number} of {count}{label}_" if count > 1 else "" for number, label in enumerate(labels, 1)]
    parts = [*_join_pages(_render_pages(blocks, body, title), pages, marks), *_notes(pages, count)]
    return Text(clean("\n\n".join(parts)), title, is_cut=len(pages) < count)


def _join_pages(rendered: Iterable[str], pages: Sequence[PdfPage], marks: Sequence[str]) -> Iterator[str]:
    for markdown, page, mark in zip(rendered, pages, marks, strict=True):
        if markdown or page.aside:
            yield from filter(None, [mark, markdown, *page.aside])


def _open(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pypdfium2.raw.FPDF_ERR_PASSWORD, pypdfium2.raw.FPDF_ERR_SECURITY):
            raise PageUnreadable(Status.UNSUPPORTED, f"{PDF}, encrypted") from None
        raise PageUnreadable(Status.ERROR, f"{PDF}, broken") from None


def _read_pages(document: pypdfium2.PdfDocument, limits: ReadingLimits) -> Iterator[PdfPage]:
    """Each page, as far as there is time; an unreadable one is empty."""
    for number in range(min(len(document), limits.pdf_pages)):
        if number and limits.is_late:
            return
        try:
            page = load_page(document, number)
            try:
                yield read_page(page, page.get_textpage())
            finally:
                page.close()
        except pypdfium2.PdfiumError:
            yield PdfPage(0.0, 0.0, ())


def _label(document: pypdfium2.PdfDocument, number: int) -> str:
    """The page number printed on a page, where it is another one."""
    label = document.get_page_label(number)
    return f", numbered {label}" if _LABEL.fullmatch(label) and label != str(number + 1) else ""


def _is_readable(pages: Sequence[PdfPage]) -> bool:
    letters = "".join(cell.text for page in pages for line in page.lines for cell in line.cells)
    return bool(letters) and len(_MEANINGLESS.findall(letters)) <= _MOST_MEANINGLESS * len(letters)


def _find_title(declared: str, first_page: Sequence[PdfBlock], body: BodyText) -> str:
    """The title of the metadata, unless it is the name of a file; else the largest text of the first page.

    A single word in the metadata may be anything, and counts only where there is nothing better.
    """
    title = "" if _NO_TITLE.match(declared) else texts.without_markup(declared, TITLE_CHARS)
    if " " in title:
        return title
    headings = [
        block for block in first_page if block.kind is PdfBlockKind.HEADING and round_size(block.size) > body.size
    ]
    largest = max(headings, key=lambda block: block.size, default=None)
    return texts.without_markup(largest.text, TITLE_CHARS) if largest else title


def _render_pages(pages: Sequence[Sequence[PdfBlock]], body: BodyText, title: str) -> Iterator[str]:
    """The Markdown of each page; a word that a page break divides is whole on the first of the two."""
    levels = _heading_levels(pages, title)
    for number, blocks in enumerate(pages):
        following = pages[number + 1] if number + 1 < len(pages) else ()
        _complete_word(blocks, following, body)
        markdown = ""
        last: PdfBlockKind | None = None
        for block in (block for block in blocks if block.text):
            # Items of a list need no empty line between them.
            gap = "" if last is None else "\n" if block.kind is last is PdfBlockKind.ITEM else "\n\n"
            markdown, last = f"{markdown}{gap}{_render_block(block, levels, title)}", block.kind
        yield markdown


def _complete_word(blocks: Sequence[PdfBlock], following: Sequence[PdfBlock], body: BodyText) -> None:
    last = next((block for block in reversed(blocks) if block.kind in _PROSE), None)
    first = next((block for block in following if block.kind in _PROSE), None)
    if last is None or first is None or not last.text.endswith(("-", "‐")) or not first.text[:1].islower():
        return
    word, _, rest = first.text.partition(" ")
    last.text = join_lines(last.text, word, body.words)
    first.text = rest


def _heading_levels(pages: Sequence[Sequence[PdfBlock]], title: str) -> dict[_HeadingStyle, int]:
    """Levels by style: as section numbers say, else the larger above the smaller."""
    numbered: dict[_HeadingStyle, set[int]] = defaultdict(set)
    for block in (block for blocks in pages for block in blocks if block.kind is PdfBlockKind.HEADING):
        if not same_words(block.text, title):
            numbered[_style(block)].add(_numbered_level(block.text))
    levels: dict[_HeadingStyle, int] = {}
    above = 1
    for style in sorted(numbered, reverse=True):
        above = min(numbered[style] - {0}, default=min(above + 1, _DEEPEST))
        levels[style] = above
    return levels


def _numbered_level(heading: str) -> int:
    """The level that a number such as 3.2 asks for; 0 without one."""
    found = _NUMBERED.match(heading)
    return found[1].count(".") + 2 if found else 0


def _style(block: PdfBlock) -> _HeadingStyle:
    return round_size(block.size), block.is_bold


def _render_block(block: PdfBlock, levels: dict[_HeadingStyle, int], title: str) -> str:
    if block.kind is PdfBlockKind.HEADING:
        level = 1 if same_words(block.text, title) else _numbered_level(block.text) or levels[_style(block)]
        return f"{'#' * level} {block.text}"
    if block.kind is PdfBlockKind.ITEM and (bullet := BULLET.match(block.text)):
        return f"- {block.text[bullet.end() :]}"
    return _SYNTAX.sub(r"\\", block.text, count=1) if block.kind in _PROSE and _SYNTAX.match(block.text) else block.text


def _notes(pages: Sequence[PdfPage], count: int) -> Iterator[str]:
    """Notes on missing text: blank pages, and pages beyond the limit."""
    blank = [number for number, page in enumerate(pages, 1) if not page.lines]
    if blank:
        yield f"_No text on {len(blank)} of these pages: {_ranges(blank)}._"
    if len(pages) < count:
        yield f"_{len(pages)} of {count} pages are shown._"


def _ranges(numbers: Sequence[int]) -> str:
    """Rising numbers in short: 2, 5-9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)
