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
from dowse.extract.formats.pdf.lines import Cell, Line
from dowse.extract.formats.tables import table

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
# Of the usual distance.
_NEXT_LINE = 1.3
_MONO_WIDTH = 0.6
_WIDEST_CODE = 200
_MOST_LINES = 1000
_MOST_COLUMNS = 20
# Rows with two cells in one column; a head may span several.
_MOST_CROWDED = 0.2
_USUAL_LEADING = 1.2
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LONGEST_WORD = 60
_BROKEN = re.compile(r"([^\W\d_]+)[-‐]$")
_REST = re.compile(r"[^\W\d_]+")
# Scripts that are written without blanks between words.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60\u3001-\u303f]")


class Kind(Enum):
    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    CONTENTS = "contents"
    CODE = "code"
    TABLE = "table"


@dataclass(slots=True)
class Block:
    """A piece of the document that is separated from the others by an empty line."""

    kind: Kind
    text: str
    size: float = 0.0
    is_bold: bool = False
    lines: list[Line] = field(default_factory=list)


def blocks_of(lines: Sequence[Line], body: Body) -> list[Block]:
    return _Builder(lines, body).build()


class _Builder:
    """Walks down a page, and asks of each line whether it goes on with the block above."""

    def __init__(self, lines: Sequence[Line], body: Body) -> None:
        self._lines = lines
        self._body = body
        self._blocks: list[Block] = []
        # How far the lines reach that begin at about the same place: the right edge of their column.
        self._reach: dict[int, float] = defaultdict(float)
        for line in lines:
            for place in _places(line):
                self._reach[place] = max(self._reach[place], line.right)

    def build(self) -> list[Block]:
        position = 0
        while position < len(self._lines):
            rows = self._rows_from(position)
            made = as_table(rows) if len(rows) > 1 else ""
            if made:
                self._blocks.append(Block(Kind.TABLE, made))
            else:
                for line in rows or self._lines[position : position + 1]:
                    self._add(line)
            position += len(rows) or 1
        for block in self._blocks:
            if block.kind is Kind.CODE:
                block.text = _code(block.lines)
            elif block.kind is Kind.HEADING and len(block.text) > _LONGEST_HEADING:
                block.kind = Kind.TEXT
        return self._blocks

    def _rows_from(self, position: int) -> Sequence[Line]:
        """The lines from here on that have several cells."""
        end = position
        while end < len(self._lines) and self._is_row(self._lines[end]):
            end += 1
        return self._lines[position:end]

    def _is_row(self, line: Line) -> bool:
        if len(line.cells) < 2 or self._is_large(line):
            return False
        # A head of a table is bold too, but it does not begin with the number of a section.
        is_section = len(line.cells) == 2 and line.is_bold and _SECTION.fullmatch(line.cells[0].text)
        return not is_section and self._kind(line, _shortened(line.text)) not in (Kind.CODE, Kind.CONTENTS)

    def _add(self, line: Line) -> None:
        text = _shortened(line.text)
        kind = self._kind(line, text)
        above = self._blocks[-1] if self._blocks else None
        if above is not None and above.lines and self._goes_on(above, line, kind):
            is_row = kind is Kind.CONTENTS
            above.text = f"{above.text}\n{text}" if is_row else joined(above.text, text, self._body.words)
            above.lines.append(line)
        else:
            self._blocks.append(Block(kind, text, line.size, line.is_bold, [line]))

    def _kind(self, line: Line, text: str) -> Kind:
        if _CONTENTS_LINE.search(text):
            return Kind.CONTENTS
        if line.is_mono and not self._body.is_mono:
            return Kind.CODE
        if self._is_heading(line, text):
            return Kind.HEADING
        return Kind.ITEM if BULLET.match(text) or _NUMBERED.match(text) else Kind.TEXT

    def _is_heading(self, line: Line, text: str) -> bool:
        if len(_LETTER.findall(text[:_LONGEST_HEADING])) < 2 or len(text) > _LONGEST_HEADING:
            return False
        if self._is_large(line):
            return True
        return (
            line.is_bold
            and not self._body.is_bold
            and rounded(line.size) >= self._body.size
            and len(text) <= _LONGEST_BOLD_HEADING
            and text[-1] not in ".,;:-"
            and not BULLET.match(text)
        )

    def _is_large(self, line: Line) -> bool:
        return rounded(line.size) >= _LARGER * self._body.size

    def _goes_on(self, block: Block, line: Line, kind: Kind) -> bool:
        """Whether a line continues the block above it."""
        if len(block.lines) >= _MOST_LINES:
            return False
        last = block.lines[-1]
        step = last.baseline - line.baseline
        if block.kind is Kind.CODE or kind in (Kind.CODE, Kind.CONTENTS) or block.kind is Kind.CONTENTS:
            return block.kind is kind and step > 0
        if kind is Kind.HEADING or block.kind is Kind.HEADING:
            is_close = 0 < step < _SAME_HEADING * max(line.size, last.size)
            is_next = _SECTION_START.match(line.text) is not None
            return block.kind is kind and is_close and not is_next and self._looks_alike(last, line)
        if kind is Kind.ITEM or rounded(last.size) != rounded(line.size):
            return False
        if not 0 < step <= _NEXT_LINE * self._body.leading * line.size:
            # The next column, or below a figure: a sentence goes on, a paragraph does not.
            return step < 0 and block.text[-1] not in _SENTENCE_ENDS and not line.text[:1].isupper()
        return not self._begins_paragraph(block, last, line)

    def _looks_alike(self, one: Line, other: Line) -> bool:
        return rounded(one.size) == rounded(other.size) and one.is_bold == other.is_bold

    def _begins_paragraph(self, block: Block, last: Line, line: Line) -> bool:
        if block.text[-1] not in _SENTENCE_ENDS and (line.text[:1].islower() or block.text[-1] == "-"):
            return False
        hangs = block.kind is Kind.ITEM and len(block.lines) == 1
        if line.left - last.left > _INDENT * line.size and not hangs:
            return True
        # Had the writer not wanted a new line, its first word would stand on the one before.
        reach = max(self._reach[place] for place in _places(last))
        return last.right + line.cells[0].first_word + _ROOM * line.size < reach


def as_table(rows: Sequence[Line]) -> str:
    """Rows whose cells stand below each other as a Markdown table; nothing where they do not."""
    columns: list[list[float]] = []
    for left, right in sorted((cell.left, cell.right) for row in rows for cell in row.cells):
        if columns and left <= columns[-1][1]:
            columns[-1][1] = max(columns[-1][1], right)
        else:
            columns.append([left, right])
    if not 1 < len(columns) <= _MOST_COLUMNS:
        return ""
    made = [[_texts_in(row.cells, left, right) for left, right in columns] for row in rows]
    crowded = sum(any(len(texts) > 1 for texts in row) for row in made)
    return table([[" ".join(texts) for texts in row] for row in made]) if crowded <= _MOST_CROWDED * len(rows) else ""


def _texts_in(cells: Sequence[Cell], left: float, right: float) -> list[str]:
    return [cell.text for cell in cells if left <= cell.left <= right]


def _code(lines: Sequence[Line]) -> str:
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


def _shortened(text: str) -> str:
    """Dots that lead to a page number in a table of contents are worth one character."""
    return _LEADERS.sub(" … ", text) if "..." in text or ". ." in text or "__" in text else text


def _places(line: Line) -> tuple[int, int]:
    return int(line.left / _SAME_LEFT), int(line.left / _SAME_LEFT + 0.5) - 10_000


@dataclass(frozen=True, slots=True)
class Body:
    """The look of ordinary text: most characters of a document have it."""

    size: float
    leading: float
    is_bold: bool
    is_mono: bool
    words: frozenset[str]
    """Every word that stands unbroken somewhere, to tell `co-operate` from a word that was divided."""


def body_of(pages: Iterable[Sequence[Line]]) -> Body:
    looks: Counter[tuple[float, bool, bool]] = Counter()
    steps: list[float] = []
    words: set[str] = set()
    for lines in pages:
        for line in lines:
            looks[rounded(line.size), line.is_bold, line.is_mono] += len(line.text)
            words.update(word.lower() for word in _WORD.findall(line.text)[1:-1])
        for upper, lower in pairwise(lines):
            step = (upper.baseline - lower.baseline) / max(lower.size, 1.0)
            if 0.8 < step < 2.5 and rounded(upper.size) == rounded(lower.size):
                steps.append(step)
    size, is_bold, is_mono = looks.most_common(1)[0][0] if looks else (0.0, False, False)
    return Body(size, median(steps) if steps else _USUAL_LEADING, is_bold, is_mono, frozenset(words))


def rounded(size: float) -> float:
    """To half a point: the same font comes in sizes that differ by scaling errors."""
    return round(size * 2) / 2


def joined(text: str, following: str, words: frozenset[str]) -> str:
    """Two lines of one paragraph as one, a divided word whole again."""
    broken, rest = _BROKEN.search(text[-_LONGEST_WORD:]), _REST.match(following)
    if broken and rest:
        return (text[:-1] if _was_divided(broken[1], rest[0], words) else text) + following
    if text.endswith("-") and following[:1].isdecimal():
        return text + following
    if _UNSPACED.match(text[-1:]) and _UNSPACED.match(following):
        return text + following
    return f"{text} {following}"


def _was_divided(start: str, rest: str, words: frozenset[str]) -> bool:
    """Whether the hyphen is the typesetter's; where the document itself does not tell, it nearly always is."""
    if not rest[0].islower():
        return False
    if (start + rest).lower() in words:
        return True
    return f"{start}-{rest}".lower() not in words
