"""Words to lines: what stands on one baseline, taken apart where a wide gap separates columns or cells."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dowse.extract.formats.pdf.words import PageText, Word

# In letter heights. Justified prose stretches its blanks to one and a half, columns are at least two apart.
_WIDE_GAP = 1.7
_GAP_BEHIND_LABEL = 4.0
_SAME_LINE = 0.6
_SAME_BASELINE = 0.3
_SMALLEST_SIZE = 1.5
_MOST_BACKDROPS = 500
# What stands before an item of a list.
_LABEL = re.compile(r"[•●◦▪■‣∙·–—*-]|[\uf0b7\uf0a7]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]")


@dataclass(frozen=True, slots=True)
class Cell:
    """A run of words that belong together."""

    text: str
    left: float
    right: float
    baseline: float
    size: float
    is_bold: bool
    is_mono: bool
    first_word: float
    """Width of the first word: had there been room for it, it would stand on the line before."""


@dataclass(frozen=True, slots=True)
class Line:
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
class PageLines:
    """The visible lines of a page; `aside` are those that run up or down its margin."""

    width: float
    height: float
    lines: tuple[Line, ...]
    aside: tuple[str, ...] = ()


def lines_of(page: PageText) -> PageLines:
    words = list(_visible(page))
    upright = [word for word in words if word.look.is_upright]
    if len(upright) * 2 < len(words):
        # A page that lies on its side: its own order is all there is.
        return PageLines(page.width, page.height, tuple(Line((cell,)) for cell in _cells(words, _turned)))
    aside = _cells([word for word in words if not word.look.is_upright], _turned)
    return PageLines(
        page.width, page.height, tuple(_lines(_cells(upright, _apart))), tuple(cell.text for cell in aside)
    )


def _visible(page: PageText) -> Iterable[Word]:
    """Without what no reader of the page sees: text put there is meant for machines."""
    words = [
        word
        for word in page.words()
        if word.text
        # Text without a place is nowhere: files may hold numbers that are none.
        and math.isfinite(word.left + word.right + word.baseline + word.look.size)
        and word.look.size >= _SMALLEST_SIZE
        and word.right > 0
        and word.left < page.width
        and -word.look.size < word.baseline < page.height
    ]
    unseen = sum(len(word.text) for word in words if word.look.is_invisible)
    # A scan with its text recognised has nothing but invisible text, which says what the picture shows.
    if unseen * 2 < sum(len(word.text) for word in words):
        words = [word for word in words if not word.look.is_invisible]
    if any(word.look.is_white for word in words):
        backdrops = [box for box, _ in zip(page.backdrops(), range(_MOST_BACKDROPS), strict=False)]
        words = [word for word in words if not word.look.is_white or _has_backdrop(word, backdrops)]
    return words


def _has_backdrop(word: Word, boxes: Iterable[tuple[float, float, float, float]]) -> bool:
    x, y = (word.left + word.right) / 2, word.baseline + word.look.size / 3
    return any(left <= x <= right and bottom <= y <= top for left, bottom, right, top in boxes)


def _apart(word: Word, following: Word) -> bool:
    """Whether two words are not neighbours on one line, in either direction of writing."""
    size = max(word.look.size, following.look.size)
    gap = max(following.left - word.right, word.left - following.right)
    widest = _GAP_BEHIND_LABEL if _LABEL.fullmatch(word.text) else _WIDE_GAP
    return word.ends_line or gap > widest * size or abs(word.baseline - following.baseline) > _SAME_LINE * size


def _turned(word: Word, following: Word) -> bool:
    return word.ends_line or word.look.is_upright != following.look.is_upright


def _cells(words: Sequence[Word], are_apart: Callable[[Word, Word], bool]) -> list[Cell]:
    cells: list[Cell] = []
    run: list[Word] = []
    for word in words:
        if run and are_apart(run[-1], word):
            cells.append(_cell(run))
            run = []
        run.append(word)
    return [*cells, _cell(run)] if run else cells


def _cell(words: Sequence[Word]) -> Cell:
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.look.size] += len(word.text)
    return Cell(
        " ".join(word.text for word in words),
        min(word.left for word in words),
        max(word.right for word in words),
        words[0].baseline,
        sizes.most_common(1)[0][0],
        all(word.look.is_bold for word in words),
        all(word.look.is_mono for word in words),
        words[0].right - words[0].left,
    )


def _lines(cells: Iterable[Cell]) -> list[Line]:
    lines: list[Line] = []
    row: list[Cell] = []
    for cell in cells:
        if row and (abs(row[-1].baseline - cell.baseline) > _SAME_BASELINE * cell.size or cell.left < row[-1].right):
            lines.append(Line(tuple(row)))
            row = []
        row.append(cell)
    return [*lines, Line(tuple(row))] if row else lines
