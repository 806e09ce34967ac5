"""The words of one PDF page as pdfium finds them, each with its place and its look."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it has no types

# A page of the densest table has a tenth of it.
_MOST_CHARS = 200_000
# In points: what viewers show at most.
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


@dataclass(frozen=True, slots=True)
class Look:
    """How a piece of text is drawn; `size` is what a reader sees, whatever the page is scaled by."""

    size: float
    is_bold: bool
    is_mono: bool
    is_upright: bool
    is_invisible: bool
    is_white: bool


@dataclass(frozen=True, slots=True)
class Word:
    """Characters without a blank between them, in points from the lower left corner of the page as it is shown."""

    text: str
    left: float
    right: float
    baseline: float
    look: Look
    ends_line: bool


class PageText:
    """A page that pdfium has taken apart. Coordinates are turned as the page's `/Rotate` asks."""

    def __init__(self, page: object, text: object) -> None:
        self._page = page
        self._text = text
        self._looks: dict[int, Look] = {}
        self._turns = pdfium.FPDFPage_GetRotation(page) % 4
        box = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, box)
        self._box = (box.left, box.bottom, box.right, box.top)
        width, height = (min(side, _LONGEST_SIDE) for side in (box.right - box.left, box.top - box.bottom))
        self.width, self.height = (height, width) if self._turns % 2 else (width, height)

    def words(self) -> Iterator[Word]:
        """Every word of the page, in the order of its content."""
        count = min(pdfium.FPDFText_CountChars(self._text), _MOST_CHARS)
        codes = [pdfium.FPDFText_GetUnicode(self._text, index) for index in range(count)]
        start = 0
        for index, code in enumerate([*codes, 0x0A]):
            is_hyphen = code in _HYPHENS
            if code in _BLANKS or code in _LINE_ENDS or is_hyphen:
                if index > start:
                    ends_line = is_hyphen or _line_ends_at(codes, index)
                    yield self._word(_text(codes[start:index]) + "-" * is_hyphen, start, index - 1, ends_line)
                start = index + 1

    def backdrops(self) -> Iterator[tuple[float, float, float, float]]:
        """Boxes of everything that is drawn and may be darker than white text on it."""
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        for index in range(min(pdfium.FPDFPage_CountObjects(self._page), _MOST_CHARS)):
            drawn = pdfium.FPDFPage_GetObject(self._page, index)
            kind = pdfium.FPDFPageObj_GetType(drawn)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT or (kind == pdfium.FPDF_PAGEOBJ_PATH and _fill_is_white(drawn)):
                continue
            if pdfium.FPDFPageObj_GetBounds(drawn, left, bottom, right, top):
                yield self._shown(left.value, bottom.value, right.value, top.value)

    def _word(self, text: str, first: int, last: int, ends_line: bool) -> Word:
        left, bottom, right, top = _joined(self._char_box(first), self._char_box(last))
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(self._text, first, x, y)
        baseline = self._shown(x.value, y.value, x.value, y.value)[1]
        shown = self._shown(left, bottom, right, top)
        return Word(text, shown[0], shown[2], baseline, self._look(first), ends_line)

    def _char_box(self, index: int) -> tuple[float, float, float, float]:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        pdfium.FPDFText_GetCharBox(self._text, index, left, right, bottom, top)
        return left.value, bottom.value, right.value, top.value

    def _shown(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """A box of the page's own space, as it lies on the page that is shown."""
        x0, y0, x1, y1 = self._box
        match self._turns:
            case 1:
                return bottom - y0, x1 - right, top - y0, x1 - left
            case 2:
                return x1 - right, y1 - top, x1 - left, y1 - bottom
            case 3:
                return y1 - top, left - x0, y1 - bottom, right - x0
        return left - x0, bottom - y0, right - x0, top - y0

    def _look(self, index: int) -> Look:
        """Asked once for each piece of text that was drawn in one go."""
        drawn = pdfium.FPDFText_GetTextObject(self._text, index)
        key = ctypes.addressof(drawn.contents) if drawn else 0
        if key not in self._looks:
            self._looks[key] = self._seen(index, drawn)
        return self._looks[key]

    def _seen(self, index: int, drawn: object) -> Look:
        matrix, flags, name = pdfium.FS_MATRIX(), ctypes.c_int(), ctypes.create_string_buffer(128)
        pdfium.FPDFText_GetMatrix(self._text, index, matrix)
        pdfium.FPDFText_GetFontInfo(self._text, index, name, len(name), flags)
        font = name.value.decode("utf-8", "replace")
        red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
        pdfium.FPDFText_GetFillColor(self._text, index, red, green, blue, alpha)
        weight = pdfium.FPDFText_GetFontWeight(self._text, index)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(drawn) if drawn else pdfium.FPDF_TEXTRENDERMODE_FILL
        quarter_turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2))
        return Look(
            size=pdfium.FPDFText_GetFontSize(self._text, index) * math.hypot(matrix.c, matrix.d),
            is_bold=bool(_BOLD.search(font)) or weight >= _BOLD_WEIGHT or bool(flags.value & _FORCE_BOLD),
            is_mono=bool(flags.value & _FIXED_PITCH) or bool(_MONO.search(font)),
            is_upright=(quarter_turns - self._turns) % 4 == 0,
            is_invisible=mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE,
            is_white=_is_white(red.value, green.value, blue.value) or not alpha.value,
        )


def _text(codes: list[int]) -> str:
    # A glyph without a meaning has the code 0; more than Unicode has is a fault of the font.
    known = (_LIGATURES.get(code) or chr(code) for code in codes if 0 < code <= 0x10FFFF)
    return "".join(known)


def _line_ends_at(codes: list[int], index: int) -> bool:
    """Whether nothing but blanks stands between a word and the end of its line."""
    while index < len(codes) and codes[index] in _BLANKS:
        index += 1
    return index >= len(codes) or codes[index] in _LINE_ENDS


def _joined(
    first: tuple[float, float, float, float], last: tuple[float, float, float, float]
) -> tuple[float, float, float, float]:
    return min(first[0], last[0]), min(first[1], last[1]), max(first[2], last[2]), max(first[3], last[3])


def _fill_is_white(drawn: object) -> bool:
    red, green, blue, alpha = (ctypes.c_uint(0) for _ in range(4))
    pdfium.FPDFPageObj_GetFillColor(drawn, red, green, blue, alpha)
    return _is_white(red.value, green.value, blue.value)


def _is_white(*colours: int) -> bool:
    return min(colours) > 244
