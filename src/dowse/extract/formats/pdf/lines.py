"""PDF words to lines, and lines in reading order."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
_BIN = 4.0
_MIDDLE = (0.3, 0.7)
# A column is prose: this many lines, and this many characters in each.
_FEWEST_LINES = 6
_SHORTEST_LINE = 20
_MOST_CROSSING = 0.2
# Read as they should be, two columns change sides once for each block; line by line, all the time.
_CHANGES_IN_ORDER = 0.3


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


def in_reading_order(page: PageLines) -> Sequence[Line]:
    """Lines as a person reads them; the file's own order unless it is certainly wrong."""
    gutter = _gutter(page)
    if gutter is not None and _is_interleaved(page.lines, gutter):
        return _by_columns(page.lines, gutter)
    downwards = sorted(page.lines, key=lambda line: -line.baseline)
    if all(upper.baseline - lower.baseline > 0.5 * lower.size for upper, lower in pairwise(downwards)):
        # Nothing stands beside anything else, so there is only one order.
        return downwards
    return page.lines


def _gutter(page: PageLines) -> float | None:
    """Where the blank strip between two columns of prose runs."""
    first, last = (int(page.width * share / _BIN) for share in _MIDDLE)
    crossing = [0] * max(0, last - first)
    cells = [cell for line in page.lines for cell in line.cells]
    for cell in cells:
        for place in range(max(first, int(cell.left / _BIN)), min(last, int(cell.right / _BIN) + 1)):
            crossing[place - first] += 1
    if not crossing or min(crossing) > _MOST_CROSSING * len(cells):
        return None
    fewest = min(crossing)
    strip = [place for place, count in enumerate(crossing) if count == fewest]
    gutter = (first + strip[len(strip) // 2] + 0.5) * _BIN
    sides = [[cell for cell in cells if cell.right <= gutter], [cell for cell in cells if cell.left >= gutter]]
    return gutter if all(map(_is_prose, sides)) else None


def _is_prose(cells: Sequence[Cell]) -> bool:
    return len(cells) >= _FEWEST_LINES and sum(len(cell.text) for cell in cells) >= _SHORTEST_LINE * len(cells)


def _is_interleaved(lines: Sequence[Line], gutter: float) -> bool:
    cells = [cell for line in lines for cell in line.cells]
    sides = [cell.left >= gutter for cell in cells if not cell.left < gutter < cell.right]
    changes = sum(one != other for one, other in pairwise(sides))
    return changes > _CHANGES_IN_ORDER * len(sides)


def _by_columns(lines: Sequence[Line], gutter: float) -> list[Line]:
    """The left column, then the right one; a line across both ends a pair of columns."""
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in lines:
        if any(cell.left < gutter < cell.right for cell in line.cells):
            ordered += [*left, *right, line]
            left, right = [], []
            continue
        for side, cells in (
            (left, tuple(cell for cell in line.cells if cell.right <= gutter)),
            (right, tuple(cell for cell in line.cells if cell.left >= gutter)),
        ):
            if cells:
                side.append(Line(cells))
    return [*ordered, *left, *right]
