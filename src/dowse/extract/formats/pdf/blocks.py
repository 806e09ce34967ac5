"""PDF lines to blocks: headings, paragraphs, list items, code and tables."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from statistics import median

from dowse.document.clean import to_code_block
from dowse.extract.formats.pdf.page import PdfLine
from dowse.extract.formats.plain import render_table
from dowse.language.scripts import CJK, CJK_PUNCTUATION

BULLET = re.compile(r"[•●◦▪■‣∙·–—*-] (?=\S)|[\uf0b7\uf0a7]\s?(?=\S)")
_NUMBERED = re.compile(r"(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,3}\]) (?=\S)")
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,4}\.?")
_SECTION_START = re.compile(rf"{_SECTION.pattern}\s+[^\W\d]")
_LEADERS = re.compile(r" ?(?:[.·_] ?){5,}")
_CONTENTS_LINE = re.compile(r" … (?:\d{1,5}|[ivxl]{1,7})$")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_ENDS = ".!?:。！？"
_LARGER = 1.12
_LONGEST_HEADING = 200
_LONGEST_BOLD_HEADING = 100
# In letter heights.
_INDENT = 0.8
_SAME_LEFT = 20.0
_ROOM = 1.5
_SAME_HEADING = 1.8
_USUAL_LEADING = 1.2
# Of the usual distance.
_NEXT_LINE = 1.3
_MONO_WIDTH = 0.6
_WIDEST_CODE = 200
_MOST_LINES = 1000
_MOST_COLUMNS = 20
# Share of rows with two cells in one column; a head may span several.
_MOST_CROWDED = 0.2
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LONGEST_WORD = 60
_BROKEN = re.compile(r"([^\W\d_]+)[-‐]$")
_REST = re.compile(r"[^\W\d_]+")
# Scripts that are written without blanks between words.
_UNSPACED = re.compile(f"[{CJK}{CJK_PUNCTUATION}]")


class PdfBlockKind(Enum):
    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    CONTENTS = "contents"
    CODE = "code"
    TABLE = "table"


_VERBATIM = frozenset({PdfBlockKind.CODE, PdfBlockKind.CONTENTS})
_NEVER_MIXED = _VERBATIM | {PdfBlockKind.HEADING}


@dataclass(slots=True)
class PdfBlock:
    """A piece of the document that is separated from the others by an empty line."""

    kind: PdfBlockKind
    text: str
    size: float = 0.0
    is_bold: bool = False
    lines: list[PdfLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BodyText:
    """The style of ordinary text, which most characters of a document have."""

    size: float
    leading: float
    is_bold: bool
    is_mono: bool
    words: frozenset[str]
    """Every word that stands unbroken somewhere, to tell `co-operate` from a word divided by the typesetter."""


def measure_body(pages: Iterable[Sequence[PdfLine]]) -> BodyText:
    """The style of ordinary text, from all lines of a document."""
    styles: Counter[tuple[float, bool, bool]] = Counter()
    steps: list[float] = []
    words: set[str] = set()
    for lines in pages:
        for line in lines:
            styles[round_size(line.size), line.is_bold, line.is_mono] += len(line.text)
            words.update(word.lower() for word in _WORD.findall(line.text)[1:-1])
        for upper, lower in pairwise(lines):
            step = (upper.baseline - lower.baseline) / max(lower.size, 1.0)
            if 0.8 < step < 2.5 and round_size(upper.size) == round_size(lower.size):
                steps.append(step)
    size, is_bold, is_mono = styles.most_common(1)[0][0] if styles else (0.0, False, False)
    return BodyText(size, median(steps) if steps else _USUAL_LEADING, is_bold, is_mono, frozenset(words))


def build_blocks(lines: Sequence[PdfLine], body: BodyText) -> list[PdfBlock]:
    """Cut the lines of a page, in reading order, into blocks."""
    return _Builder(lines, body).build()


def round_size(size: float) -> float:
    """Round to half a point: the same font comes in sizes that differ by scaling errors."""
    return round(size * 2) / 2


def join_lines(text: str, following: str, words: frozenset[str]) -> str:
    """Two lines of one paragraph as one, a divided word whole again."""
    broken, rest = _BROKEN.search(text[-_LONGEST_WORD:]), _REST.match(following)
    if broken and rest:
        return (text[:-1] if _was_divided(broken[1], rest[0], words) else text) + following
    is_number = text.endswith("-") and following[:1].isdecimal()
    is_unspaced = _UNSPACED.match(text[-1:]) and _UNSPACED.match(following)
    return f"{text}{following}" if is_number or is_unspaced else f"{text} {following}"


def _was_divided(start: str, rest: str, words: frozenset[str]) -> bool:
    """Whether the hyphen is the typesetter's; where the document itself does not tell, it nearly always is."""
    if not rest[0].islower():
        return False
    return (start + rest).lower() in words or f"{start}-{rest}".lower() not in words


class _Builder:
    """Walks down a page, and decides for each line whether it continues the block above."""

    def __init__(self, lines: Sequence[PdfLine], body: BodyText) -> None:
        self._lines = lines
        self._body = body
        self._blocks: list[PdfBlock] = []
        # The right edge of a column: how far lines reach that begin at about the same place.
        self._reach: dict[int, float] = defaultdict(float)
        for line in lines:
            for place in _places(line):
                self._reach[place] = max(self._reach[place], line.right)

    def build(self) -> list[PdfBlock]:
        position = 0
        while position < len(self._lines):
            rows = self._rows_from(position)
            table = as_table(rows) if len(rows) > 1 else ""
            if table:
                self._blocks.append(PdfBlock(PdfBlockKind.TABLE, table))
            else:
                for line in rows or self._lines[position : position + 1]:
                    self._add(line)
            position += len(rows) or 1
        for block in self._blocks:
            _finish(block)
        return self._blocks

    def _rows_from(self, position: int) -> Sequence[PdfLine]:
        """The lines from here on that have several cells."""
        end = position
        while end < len(self._lines) and self._is_row(self._lines[end]):
            end += 1
        return self._lines[position:end]

    def _is_row(self, line: PdfLine) -> bool:
        if len(line.cells) < 2 or self._is_large(line):
            return False
        # A head of a table is bold too, but it does not begin with the number of a section.
        is_section = len(line.cells) == 2 and line.is_bold and _SECTION.fullmatch(line.cells[0].text)
        return not is_section and self._kind(line, _shorten_leaders(line.text)) not in _VERBATIM

    def _add(self, line: PdfLine) -> None:
        text = _shorten_leaders(line.text)
        kind = self._kind(line, text)
        above = self._blocks[-1] if self._blocks else None
        if above is not None and above.lines and self._continues(above, line, kind):
            is_row = kind is PdfBlockKind.CONTENTS
            above.text = f"{above.text}\n{text}" if is_row else join_lines(above.text, text, self._body.words)
            above.lines.append(line)
        else:
            self._blocks.append(PdfBlock(kind, text, line.size, line.is_bold, [line]))

    def _kind(self, line: PdfLine, text: str) -> PdfBlockKind:
        if _CONTENTS_LINE.search(text):
            return PdfBlockKind.CONTENTS
        if line.is_mono and not self._body.is_mono:
            return PdfBlockKind.CODE
        if self._is_heading(line, text):
            return PdfBlockKind.HEADING
        return PdfBlockKind.ITEM if BULLET.match(text) or _NUMBERED.match(text) else PdfBlockKind.TEXT

    def _is_heading(self, line: PdfLine, text: str) -> bool:
        if len(_LETTER.findall(text[:_LONGEST_HEADING])) < 2 or len(text) > _LONGEST_HEADING:
            return False
        if self._is_large(line):
            return True
        is_emphasised = line.is_bold and not self._body.is_bold and round_size(line.size) >= self._body.size
        is_short = len(text) <= _LONGEST_BOLD_HEADING and text[-1] not in ".,;:-"
        return is_emphasised and is_short and not BULLET.match(text)

    def _is_large(self, line: PdfLine) -> bool:
        return round_size(line.size) >= _LARGER * self._body.size

    def _continues(self, block: PdfBlock, line: PdfLine, kind: PdfBlockKind) -> bool:
        """Whether a line continues the block above it."""
        last = block.lines[-1]
        step = last.baseline - line.baseline
        if len(block.lines) >= _MOST_LINES:
            return False
        if kind in _NEVER_MIXED or block.kind in _NEVER_MIXED:
            is_next = _continues_heading(last, line, step) if kind is PdfBlockKind.HEADING else step > 0
            return block.kind is kind and is_next
        if kind is PdfBlockKind.ITEM or round_size(last.size) != round_size(line.size):
            return False
        if not 0 < step <= _NEXT_LINE * self._body.leading * line.size:
            return step < 0 and _continues_sentence(block.text, line.text)
        return not self._begins_paragraph(block, last, line)

    def _begins_paragraph(self, block: PdfBlock, last: PdfLine, line: PdfLine) -> bool:
        if block.text[-1] not in _SENTENCE_ENDS and (line.text[:1].islower() or block.text[-1] == "-"):
            return False
        hangs = block.kind is PdfBlockKind.ITEM and len(block.lines) == 1
        if line.left - last.left > _INDENT * line.size and not hangs:
            return True
        # In the same paragraph, the first word would stand on the line before, where there is room for it.
        reach = max(self._reach[place] for place in _places(last))
        return last.right + line.cells[0].first_word + _ROOM * line.size < reach


def _continues_sentence(text: str, following: str) -> bool:
    """Whether a sentence goes on in the next column, or below a figure; a paragraph does not."""
    return text[-1] not in _SENTENCE_ENDS and not following[:1].isupper()


def _finish(block: PdfBlock) -> None:
    if block.kind is PdfBlockKind.CODE:
        block.text = _code(block.lines)
    elif block.kind is PdfBlockKind.HEADING and len(block.text) > _LONGEST_HEADING:
        block.kind = PdfBlockKind.TEXT


def _continues_heading(last: PdfLine, line: PdfLine, step: float) -> bool:
    is_close = 0 < step < _SAME_HEADING * max(line.size, last.size)
    is_alike = round_size(last.size) == round_size(line.size) and last.is_bold == line.is_bold
    return is_close and is_alike and not _SECTION_START.match(line.text)


def as_table(rows: Sequence[PdfLine]) -> str:
    """Rows with cells below each other as a Markdown table; empty where they do not."""
    columns = _columns(rows)
    if not 1 < len(columns) <= _MOST_COLUMNS:
        return ""
    grid = [[_texts_in(row, left, right) for left, right in columns] for row in rows]
    crowded = sum(max(map(len, row)) > 1 for row in grid)
    if crowded > _MOST_CROWDED * len(rows):
        return ""
    return render_table([[" ".join(texts) for texts in row] for row in grid])


def _columns(rows: Sequence[PdfLine]) -> list[list[float]]:
    """The left and right edges of columns: cells that overlap share one."""
    columns: list[list[float]] = []
    for left, right in sorted((cell.left, cell.right) for row in rows for cell in row.cells):
        if columns and left <= columns[-1][1]:
            columns[-1][1] = max(columns[-1][1], right)
        else:
            columns.append([left, right])
    return columns


def _texts_in(row: PdfLine, left: float, right: float) -> list[str]:
    return [cell.text for cell in row.cells if left <= cell.left <= right]


def _code(lines: Sequence[PdfLine]) -> str:
    """Code with the blanks that it has on the page."""
    edge = min(line.left for line in lines)
    shown: list[str] = []
    for line in lines:
        row = ""
        for cell in line.cells:
            column = round((cell.left - edge) / (_MONO_WIDTH * max(cell.size, 1.0)))
            row = row.ljust(min(max(column, len(row) + bool(row)), _WIDEST_CODE)) + cell.text
        shown.append(row)
    return to_code_block("\n".join(shown))


def _shorten_leaders(text: str) -> str:
    """Dots that lead to a page number in a table of contents, as one character."""
    return _LEADERS.sub(" … ", text) if "..." in text or ". ." in text or "__" in text else text


def _places(line: PdfLine) -> tuple[int, int]:
    return int(line.left / _SAME_LEFT), int(line.left / _SAME_LEFT + 0.5) - 10_000
