"""The order in which a page is read, where its file holds the lines in another one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dowse.extract.formats.pdf.lines import Cell, Line, PageLines

_BIN = 4.0
_MIDDLE = (0.3, 0.7)
# A column is prose: this many lines, and this many characters in each.
_FEWEST_LINES = 6
_SHORTEST_LINE = 20
_MOST_CROSSING = 0.2
# Read as they should be, two columns change sides once for each block; line by line, all the time.
_CHANGES_IN_ORDER = 0.3


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
