"""One PDF page: pdfium's characters to visible words, words to cells, cells to lines."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

# The densest table on one page has a tenth of it.
_MOST_CHARS = 200_000
# In points: the largest page that viewers show.
_LONGEST_SIDE = 14_400.0
# pdfium writes these for a hyphen at the end of a line, and leaves out the line break behind it.
_HYPHENS = frozenset({0x02, 0xFFFE})
_BLANKS = frozenset({0x09, 0x20, 0xA0, 0x2002, 0x2003, 0x2009, 0x202F, 0x3000})
_LINE_ENDS = frozenset({0x0A, 0x0D})
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx", re.I)
_MONO = re.compile(r"mono(?!type)|nimbusmon|courier|consol|menlo|monaco|typewriter|cmtt|sftt|cursor|code", re.I)
_FIXED_PITCH = 1
_FORCE_BOLD = 1 << 18
_BOLD_WEIGHT = 600
_LEAST_WHITE = 245
_MOST_BACKDROPS = 500
_SMALLEST_SIZE = 1.5
# In letter heights. Justified prose stretches its blanks to one and a half, columns are at least two apart.
_WIDE_GAP = 1.7
_GAP_BEHIND_LABEL = 4.0
_SAME_LINE = 0.6
_SAME_BASELINE = 0.3
# The bullet or number of a list item.
_LABEL = re.compile(r"[•●◦▪■‣∙·–—*-]|[\uf0b7\uf0a7]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]")

_Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


@dataclass(frozen=True, slots=True)
class _Style:
    """How a piece of text is drawn; `size` is the visible one, whatever the page is scaled by."""

    size: float
    is_bold: bool
    is_mono: bool
    is_upright: bool
    is_invisible: bool
    is_white: bool


@dataclass(frozen=True, slots=True)
class _Word:
    """Characters without a blank between them, in points from the lower left corner of the page as shown."""

    text: str
    left: float
    right: float
    baseline: float
    style: _Style
    ends_line: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A run of words without a wide gap."""

    text: str
    left: float
    right: float
    baseline: float
    size: float
    is_bold: bool
    is_mono: bool
    first_word: float
    """Width of the first word: with room for it, it would stand on the line before."""


@dataclass(frozen=True, slots=True)
class PdfLine:
    """Cells on one baseline, from left to right; most lines have one."""

    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def left(self) -> float:
        return self.cells[0].left

    @property
    def right(self) -> float:
        return self.cells[-1].right

    @property
    def baseline(self) -> float:
        return self.cells[0].baseline

    @property
    def size(self) -> float:
        return max(self.cells, key=lambda cell: len(cell.text)).size

    @property
    def is_bold(self) -> bool:
        return all(cell.is_bold for cell in self.cells)

    @property
    def is_mono(self) -> bool:
        return all(cell.is_mono for cell in self.cells)


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The visible lines of a page; `aside` are lines that run up or down its margin."""

    width: float
    height: float
    lines: tuple[PdfLine, ...]
    aside: tuple[str, ...] = ()


def load_page(document: pypdfium2.PdfDocument, number: int) -> pypdfium2.PdfPage:
    """Load a page. A vast one is cropped: pdfium takes memory for each point of both sides of its text."""
    page = document[number]
    left, bottom, right, top = page.get_bbox()
    if max(right - left, top - bottom) <= _LONGEST_SIDE:
        return page
    page.set_cropbox(left, bottom, min(right, left + _LONGEST_SIDE), min(top, bottom + _LONGEST_SIDE))
    page.close()
    # The size is read when a page is loaded.
    return document[number]


def read_page(page: object, text: object) -> PdfPage:
    """Read the lines of a page, given pdfium's page and its text page."""
    reader = _Reader(page, text)
    words = _drop_hidden(reader)
    upright = [word for word in words if word.style.is_upright]
    if len(upright) * 2 < len(words):
        # A page that lies on its side: its own order is all there is.
        return PdfPage(reader.width, reader.height, tuple(PdfLine((cell,)) for cell in _cells(words, _is_turned)))
    aside = _cells([word for word in words if not word.style.is_upright], _is_turned)
    lines = _lines(_cells(upright, _is_apart))
    return PdfPage(reader.width, reader.height, tuple(lines), tuple(cell.text for cell in aside))


class _Reader:
    """pdfium's view of a page. Coordinates are turned as the page's `/Rotate` asks."""

    def __init__(self, page: object, text: object) -> None:
        self._page = page
        self._text = text
        self._styles: dict[int, _Style] = {}
        self._turns = pdfium.FPDFPage_GetRotation(page) % 4
        box = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, box)
        self._box = (box.left, box.bottom, box.right, box.top)
        width, height = (min(side, _LONGEST_SIDE) for side in (box.right - box.left, box.top - box.bottom))
        self.width, self.height = (height, width) if self._turns % 2 else (width, height)

    def words(self) -> Iterator[_Word]:
        """Every word of the page, in the order of its content."""
        count = min(pdfium.FPDFText_CountChars(self._text), _MOST_CHARS)
        codes = [pdfium.FPDFText_GetUnicode(self._text, index) for index in range(count)]
        start = 0
        for index, code in enumerate([*codes, 0x0A]):
            is_hyphen = code in _HYPHENS
            if code in _BLANKS or code in _LINE_ENDS or is_hyphen:
                if index > start:
                    text = _decode(codes[start:index]) + "-" * is_hyphen
                    yield self._word(text, start, index - 1, ends_line=is_hyphen or _line_ends_at(codes, index))
                start = index + 1

    def backdrops(self) -> Iterator[_Box]:
        """Boxes of everything drawn that may be darker than white text on it."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        for index in range(min(pdfium.FPDFPage_CountObjects(self._page), _MOST_CHARS)):
            drawn = pdfium.FPDFPage_GetObject(self._page, index)
            kind = pdfium.FPDFPageObj_GetType(drawn)
            is_white = kind == pdfium.FPDF_PAGEOBJ_PATH and _is_white(pdfium.FPDFPageObj_GetFillColor, drawn)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT or is_white:
                continue
            if pdfium.FPDFPageObj_GetBounds(drawn, left, bottom, right, top):
                yield self._turn((left.value, bottom.value, right.value, top.value))

    def _word(self, text: str, first: int, last: int, *, ends_line: bool) -> _Word:
        one, other = self._char_box(first), self._char_box(last)
        box = min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
        left, _, right, _ = self._turn(box)
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(self._text, first, x, y)
        baseline = self._turn((x.value, y.value, x.value, y.value))[1]
        return _Word(text, left, right, baseline, self._style_of(first), ends_line)

    def _char_box(self, index: int) -> _Box:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        pdfium.FPDFText_GetCharBox(self._text, index, left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value

    def _turn(self, box: _Box) -> _Box:
        """A box of the page's own space, as it lies on the page as shown."""
        left, bottom, right, top = box
        x0, y0, x1, y1 = self._box
        match self._turns:
            case 1:
                return bottom - y0, x1 - right, top - y0, x1 - left
            case 2:
                return x1 - right, y1 - top, x1 - left, y1 - bottom
            case 3:
                return y1 - top, left - x0, y1 - bottom, right - x0
        return left - x0, bottom - y0, right - x0, top - y0

    def _style_of(self, index: int) -> _Style:
        """The style of a character, read once for each text object."""
        drawn = pdfium.FPDFText_GetTextObject(self._text, index)
        key = ctypes.addressof(drawn.contents) if drawn else 0
        if key not in self._styles:
            self._styles[key] = self._read_style(index, drawn)
        return self._styles[key]

    def _read_style(self, index: int, drawn: object) -> _Style:
        matrix, flags, name = pdfium.FS_MATRIX(), ctypes.c_int(), ctypes.create_string_buffer(128)
        pdfium.FPDFText_GetMatrix(self._text, index, matrix)
        pdfium.FPDFText_GetFontInfo(self._text, index, name, len(name), flags)
        font = name.value.decode("utf-8", "replace")
        weight = pdfium.FPDFText_GetFontWeight(self._text, index)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(drawn) if drawn else pdfium.FPDF_TEXTRENDERMODE_FILL
        quarter_turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2))
        return _Style(
            size=pdfium.FPDFText_GetFontSize(self._text, index) * math.hypot(matrix.c, matrix.d),
            is_bold=bool(_BOLD.search(font)) or weight >= _BOLD_WEIGHT or bool(flags.value & _FORCE_BOLD),
            is_mono=bool(flags.value & _FIXED_PITCH) or bool(_MONO.search(font)),
            is_upright=(quarter_turns - self._turns) % 4 == 0,
            is_invisible=mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE,
            is_white=_is_white(pdfium.FPDFText_GetFillColor, self._text, index, or_transparent=True),
        )


def _decode(codes: list[int]) -> str:
    # A glyph without a meaning has the code 0; more than Unicode has is a fault of the font.
    return "".join(_LIGATURES.get(code) or chr(code) for code in codes if 0 < code <= 0x10FFFF)


def _line_ends_at(codes: list[int], index: int) -> bool:
    """Whether only blanks stand between a word and the end of its line."""
    while index < len(codes) and codes[index] in _BLANKS:
        index += 1
    return index >= len(codes) or codes[index] in _LINE_ENDS


def _is_white(read_fill: Callable[..., object], *drawn: object, or_transparent: bool = False) -> bool:
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    read_fill(*drawn, red, green, blue, alpha)
    return min(red.value, green.value, blue.value) >= _LEAST_WHITE or (or_transparent and not alpha.value)


def _drop_hidden(page: _Reader) -> list[_Word]:
    """Words without hidden text: nothing tiny, off the page, invisible, or white on white."""
    words = [word for word in page.words() if _is_on_page(word, page)]
    seen = [word for word in words if not word.style.is_invisible]
    # A scan with its text recognised has nothing but invisible text, which has the words of the picture.
    if _count_chars(seen) * 2 > _count_chars(words):
        words = seen
    return _drop_white_on_white(words, page) if any(word.style.is_white for word in words) else words


def _drop_white_on_white(words: Sequence[_Word], page: _Reader) -> list[_Word]:
    backdrops = list(islice(page.backdrops(), _MOST_BACKDROPS))
    return [word for word in words if not word.style.is_white or _has_backdrop(word, backdrops)]


def _count_chars(words: Iterable[_Word]) -> int:
    return sum(len(word.text) for word in words)


def _is_on_page(word: _Word, page: _Reader) -> bool:
    size = word.style.size
    # Files may hold coordinates that are no numbers.
    if not word.text or size < _SMALLEST_SIZE or not math.isfinite(word.left + word.right + word.baseline + size):
        return False
    return word.right > 0 and word.left < page.width and -size < word.baseline < page.height


def _has_backdrop(word: _Word, boxes: Iterable[_Box]) -> bool:
    x, y = (word.left + word.right) / 2, word.baseline + word.style.size / 3
    return any(left <= x <= right and bottom <= y <= top for left, bottom, right, top in boxes)


def _is_apart(word: _Word, following: _Word) -> bool:
    """Whether two words are not neighbours on one line, in either direction of writing."""
    size = max(word.style.size, following.style.size)
    gap = max(following.left - word.right, word.left - following.right)
    widest = _GAP_BEHIND_LABEL if _LABEL.fullmatch(word.text) else _WIDE_GAP
    return word.ends_line or gap > widest * size or abs(word.baseline - following.baseline) > _SAME_LINE * size


def _is_turned(word: _Word, following: _Word) -> bool:
    return word.ends_line or word.style.is_upright != following.style.is_upright


def _cells(words: Sequence[_Word], are_apart: Callable[[_Word, _Word], bool]) -> list[Cell]:
    runs: list[list[_Word]] = []
    for word in words:
        if not runs or are_apart(runs[-1][-1], word):
            runs.append([])
        runs[-1].append(word)
    return [_cell(run) for run in runs]


def _cell(words: Sequence[_Word]) -> Cell:
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.style.size] += len(word.text)
    return Cell(
        " ".join(word.text for word in words),
        min(word.left for word in words),
        max(word.right for word in words),
        words[0].baseline,
        sizes.most_common(1)[0][0],
        all(word.style.is_bold for word in words),
        all(word.style.is_mono for word in words),
        words[0].right - words[0].left,
    )


def _lines(cells: Iterable[Cell]) -> list[PdfLine]:
    rows: list[list[Cell]] = []
    for cell in cells:
        last = rows[-1][-1] if rows else None
        if last is None or abs(last.baseline - cell.baseline) > _SAME_BASELINE * cell.size or cell.left < last.right:
            rows.append([])
        rows[-1].append(cell)
    return [PdfLine(tuple(row)) for row in rows]
