"""PDF documents as Markdown with page marks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pypdfium2  # type: ignore[import-untyped]  # it has no types

from dowse.core import text as texts
from dowse.core.errors import PageUnreadable
from dowse.core.media_types import PDF
from dowse.core.models import NO_READABLE_CONTENT, Onward, Status, Text
from dowse.document.clean import clean
from dowse.extract.formats.kinds import Limits
from dowse.extract.formats.pdf.blocks import BULLET, Block, Body, Kind, blocks_of, body_of, joined, rounded
from dowse.extract.formats.pdf.lines import PageLines, in_reading_order, lines_of
from dowse.extract.formats.pdf.running import without_running_lines
from dowse.extract.formats.pdf.words import PageText
from dowse.extract.tidy import TITLE_CHARS, same_words

# Glyphs without a meaning, as fonts have them that do not tell which letters they draw.
_MEANINGLESS = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ue000-\uf8ff]")
_MOST_MEANINGLESS = 0.3
# What is longer or stranger is no number.
_LABEL = re.compile(r"[^\W_]{1,12}(?:[-. ][^\W_]{1,12}){0,2}")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
# What would begin a heading, a quotation, a rule or a fence in Markdown, and is none here.
_SYNTAX = re.compile(r"(?=#{1,6} |>|```|~~~|(?:[-*_=] ?){3,}$)")
_DEEPEST = 6
# Programs write the name of the file here, or their own.
_NO_TITLE = re.compile(
    r"microsoft |untitled|slide 1$|.{0,200}\.(?:docx?|pdf|tex|dvi|indd|pptx?|xlsx?|qxd|rtf|odt|html?)$", re.I
)


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


def title_of(said: str, first_page: Sequence[Block], body: Body) -> str:
    """The title of the metadata, unless it is the name of a file; else the largest text of the first page.

    A single word in the metadata may be anything, and counts only where there is nothing better.
    """
    title = "" if _NO_TITLE.match(said) else texts.without_markup(said, TITLE_CHARS)
    if " " in title:
        return title
    headings = [block for block in first_page if block.kind is Kind.HEADING and rounded(block.size) > body.size]
    largest = max(headings, key=lambda block: block.size, default=None)
    return texts.without_markup(largest.text, TITLE_CHARS) if largest else title


def to_markdown(pages: Sequence[Sequence[Block]], body: Body, title: str) -> Iterator[str]:
    """The Markdown of each page; a word that a page break divided is whole on the first of the two."""
    levels = _levels(pages, title)
    for number, blocks in enumerate(pages):
        following = pages[number + 1] if number + 1 < len(pages) else ()
        _complete_word(blocks, following, body)
        yield _together([block for block in blocks if block.text], levels, title)


def _together(blocks: Sequence[Block], levels: dict[tuple[float, bool], int], title: str) -> str:
    """Blocks with an empty line between them; items of a list need none."""
    pieces: list[str] = []
    for number, block in enumerate(blocks):
        if number:
            is_list = block.kind is blocks[number - 1].kind is Kind.ITEM
            pieces.append("\n" if is_list else "\n\n")
        pieces.append(_rendered(block, levels, title))
    return "".join(pieces)


def _levels(pages: Sequence[Sequence[Block]], title: str) -> dict[tuple[float, bool], int]:
    """How deep headings of each look are: as their numbers say, else the larger above the smaller."""
    numbered: dict[tuple[float, bool], set[int]] = defaultdict(set)
    for block in (block for blocks in pages for block in blocks if block.kind is Kind.HEADING):
        if not same_words(block.text, title):
            numbered[_look(block)].add(_depth(block.text))
    levels: dict[tuple[float, bool], int] = {}
    above = 1
    for look in sorted(numbered, reverse=True):
        depths = [depth for depth in numbered[look] if depth]
        above = min(depths) if depths else min(above + 1, _DEEPEST)
        levels[look] = above
    return levels


def _depth(heading: str) -> int:
    """The level that a number such as 3.2 asks for; 0 without one."""
    found = _NUMBERED.match(heading)
    return found[1].count(".") + 2 if found else 0


def _rendered(block: Block, levels: dict[tuple[float, bool], int], title: str) -> str:
    match block.kind:
        case Kind.HEADING:
            level = 1 if same_words(block.text, title) else _depth(block.text) or levels[_look(block)]
            return f"{'#' * level} {block.text}"
        case Kind.ITEM if found := BULLET.match(block.text):
            return f"- {block.text[found.end() :]}"
        case Kind.TEXT | Kind.ITEM:
            return _SYNTAX.sub(r"\\", block.text, count=1) if _SYNTAX.match(block.text) else block.text
    return block.text


def _look(block: Block) -> tuple[float, bool]:
    return rounded(block.size), block.is_bold


def _complete_word(blocks: Sequence[Block], following: Sequence[Block], body: Body) -> None:
    last = next((block for block in reversed(blocks) if block.kind in (Kind.TEXT, Kind.ITEM)), None)
    first = next((block for block in following if block.kind in (Kind.TEXT, Kind.ITEM)), None)
    if last is None or first is None or not last.text.endswith(("-", "‐")) or not first.text[:1].islower():
        return
    word, _, rest = first.text.partition(" ")
    last.text = joined(last.text, word, body.words)
    first.text = rest
