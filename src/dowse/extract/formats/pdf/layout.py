"""Layout of PDF pages: lines in reading order, without running headers, footers and page numbers.

A running header that stays is a nuisance, a line of the text that goes is a loss: in doubt, lines stay.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from dowse.extract.formats.pdf.page import Cell, PdfLine, PdfPage

# The gutter between two columns, looked for in steps of so many points in the middle of the page.
_BIN = 4.0
_MIDDLE = (0.3, 0.7)
_MOST_CROSSING = 0.2
# A column of prose: so many lines, and so many characters in each.
_FEWEST_LINES = 6
_SHORTEST_LINE = 20
# In reading order, two columns change sides once for each block; line by line, all the time.
_CHANGES_IN_ORDER = 0.3
_EDGE = 0.12
_LINES_AT_AN_EDGE = 3
_FEWEST_PAGES = 3
_LONG_STRETCH = 5
_MOST_PAGES = 0.6
# In points: the same height, but for letters that hang lower.
_SAME_HEIGHT = 6.0
# In letter heights: the distance between lines of one text.
_CLOSEST, _FURTHEST, _USUAL = 0.8, 3.0, 1.2
# Of the usual distance: a line further off is set apart from the text.
_APART = 1.3
_PAGE = (
    r"(?:page|pg\.?|p\.|seite|página|pagina|strona|strana|sida|side|sivu|oldal|стр\.|страница|slide|blatt|第)\s{0,3}"
)
_OF_ALL = r"(?:\s{0,3}(?:/|of|de|von|di|из)\s{0,3}\d{1,5})?"
_PAGE_NUMBER = re.compile(rf"\W{{0,3}}(?:{_PAGE})?(\d{{1,5}}|[ivxl]{{1,7}}){_OF_ALL}[页頁]?\W{{0,3}}", re.I)
# Next to words, a number is the page's only if it says so or a mark divides them: `Invoice 3` is no page.
_BESIDE_WORDS = re.compile(
    rf"(?:\s[|·•–—-]\s{{1,3}}(?:{_PAGE})?|[\s,(]{_PAGE})(?P<last>\d{{1,5}}){_OF_ALL}\W{{0,2}}$"
    r"|^(?P<first>\d{1,5})\s{1,3}[|·•–—-]\s",
    re.I,
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}

_Place = tuple[int, int, int]
"""The number of a page, of a line on it, and of a cell in that."""
_Alike = dict[Hashable, set[_Place]]
"""Cells by their height and a sign that they have in common."""


def sort_lines(page: PdfPage) -> Sequence[PdfLine]:
    """Lines in reading order; the file's own order unless it is certainly wrong."""
    gutter = _find_gutter(page)
    if gutter is not None and _is_interleaved(page.lines, gutter):
        return _sort_by_columns(page.lines, gutter)
    downwards = sorted(page.lines, key=lambda line: -line.baseline)
    if all(upper.baseline - lower.baseline > 0.5 * lower.size for upper, lower in pairwise(downwards)):
        # Nothing stands beside anything else, so there is only one order.
        return downwards
    return page.lines


def drop_running_lines(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """The pages without repeated lines at their edges; a page that has nothing else keeps them."""
    leading = _usual_leading(pages)
    edges = [edge for number, page in enumerate(pages) for edge in _edge_lines(number, page, leading)]
    running = _find_page_numbers(edges, len(pages))
    running |= _find_running_words(edges, running, len(pages))
    by_page: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for number, index, position in running:
        by_page[number].add((index, position))
    return [_drop_cells(page, by_page[number]) for number, page in enumerate(pages)]


def _find_gutter(page: PdfPage) -> float | None:
    """The middle of the blank strip between two columns of prose."""
    cells = [cell for line in page.lines for cell in line.cells]
    crossing = _count_crossing(cells, page.width)
    fewest = min(crossing.values(), default=math.inf)
    if fewest > _MOST_CROSSING * len(cells):
        return None
    strip = [place for place, count in crossing.items() if count == fewest]
    gutter = (strip[len(strip) // 2] + 0.5) * _BIN
    return gutter if _is_between_prose(gutter, cells) else None


def _count_crossing(cells: Sequence[Cell], width: float) -> dict[int, int]:
    """For each step in the middle of a page the number of cells across it, from left to right."""
    first, last = (int(width * share / _BIN) for share in _MIDDLE)
    crossing = dict.fromkeys(range(first, last), 0)
    for cell in cells:
        for place in range(max(first, int(cell.left / _BIN)), min(last, int(cell.right / _BIN) + 1)):
            crossing[place] += 1
    return crossing


def _is_between_prose(gutter: float, cells: Sequence[Cell]) -> bool:
    left, right = [cell for cell in cells if cell.right <= gutter], [cell for cell in cells if cell.left >= gutter]
    return _is_prose(left) and _is_prose(right)


def _is_prose(cells: Sequence[Cell]) -> bool:
    return len(cells) >= _FEWEST_LINES and sum(len(cell.text) for cell in cells) >= _SHORTEST_LINE * len(cells)


def _is_interleaved(lines: Sequence[PdfLine], gutter: float) -> bool:
    cells = [cell for line in lines for cell in line.cells]
    sides = [cell.left >= gutter for cell in cells if not cell.left < gutter < cell.right]
    return sum(one != other for one, other in pairwise(sides)) > _CHANGES_IN_ORDER * len(sides)


def _sort_by_columns(lines: Sequence[PdfLine], gutter: float) -> list[PdfLine]:
    """The left column, then the right one; a line across both ends a pair of columns."""
    ordered: list[PdfLine] = []
    left: list[PdfLine] = []
    right: list[PdfLine] = []
    for line in lines:
        if any(cell.left < gutter < cell.right for cell in line.cells):
            ordered += [*left, *right, line]
            left, right = [], []
            continue
        left += _make_line(cell for cell in line.cells if cell.right <= gutter)
        right += _make_line(cell for cell in line.cells if cell.left >= gutter)
    return [*ordered, *left, *right]


def _make_line(cells: Iterable[Cell]) -> list[PdfLine]:
    found = tuple(cells)
    return [PdfLine(found)] if found else []


def _usual_leading(pages: Sequence[PdfPage]) -> float:
    """The usual distance of two lines; 0 where no two lines are near each other."""
    steps: list[float] = []
    for page in pages:
        for upper, lower in pairwise(sorted(page.lines, key=lambda line: -line.baseline)):
            step = upper.baseline - lower.baseline
            if _CLOSEST * lower.size < step < _FURTHEST * lower.size:
                steps.append(step)
    return median(steps) if steps else 0.0


@dataclass(frozen=True, slots=True)
class _EdgeLine:
    """A line near the upper or the lower edge of its page."""

    page: int
    index: int
    line: PdfLine
    heights: tuple[Hashable, ...]
    is_apart: bool
    """Whether there is more room between it and the text than between two lines of the text."""


def _edge_lines(number: int, page: PdfPage, leading: float) -> Iterator[_EdgeLine]:
    downwards = sorted(range(len(page.lines)), key=lambda index: -page.lines[index].baseline)
    for edge, inwards in ((page.height, downwards), (0.0, downwards[::-1])):
        depths = [abs(edge - page.lines[index].baseline) for index in inwards[:_LINES_AT_AN_EDGE]]
        outer = [depth for depth in depths if depth < _EDGE * page.height]
        set_apart = _count_set_apart([page.lines[index] for index in inwards[: len(outer) + 1]], leading)
        for position, depth in enumerate(outer):
            index, place = inwards[position], depth / _SAME_HEIGHT
            # A line between two heights is at both.
            heights = tuple((edge > 0, height) for height in {int(place), int(place + 0.5)})
            yield _EdgeLine(number, index, page.lines[index], heights, position < set_apart)


def _count_set_apart(lines: Sequence[PdfLine], leading: float) -> int:
    """How many of the outer lines have a gap between them and the rest of the page."""
    count = 0
    for position, (line, inner) in enumerate(pairwise(lines), 1):
        usual = leading or _USUAL * max(line.size, inner.size)
        if abs(line.baseline - inner.baseline) > _APART * usual:
            count = position
    return count


def _find_page_numbers(edges: Sequence[_EdgeLine], count: int) -> set[_Place]:
    """Cells with nothing but a number that counts the pages."""
    alike: _Alike = defaultdict(set)
    for edge in edges:
        for position, cell in enumerate(edge.line.cells):
            found = _PAGE_NUMBER.fullmatch(cell.text)
            if found and (edge.is_apart or len(edge.line.cells) == 1):
                sign = found[1].isdecimal(), _number(found[1]) - edge.page
                for height in edge.heights:
                    alike[height, sign].add((edge.page, edge.index, position))
    return _repeated_places(alike, lambda pages: len(pages) == count == 2 or _is_regular(pages, count, _FEWEST_PAGES))


def _find_running_words(edges: Sequence[_EdgeLine], numbers: Collection[_Place], count: int) -> set[_Place]:
    """The other cells of such lines, if they say the same on most pages, or on those of a long stretch."""
    alike: _Alike = defaultdict(set)
    for edge in edges:
        rest = {(edge.page, edge.index, position) for position in range(len(edge.line.cells))}.difference(numbers)
        if edge.is_apart and rest:
            words = " ".join(edge.line.cells[position].text for *_, position in sorted(rest))
            for height in edge.heights:
                alike[height, _sign(words, edge.page)] |= rest
    return _repeated_places(alike, lambda pages: _is_regular(pages, count, _LONG_STRETCH))


def _sign(words: str, page: int) -> Hashable:
    """The words of a line, with a number in them that counts the pages as a distance."""
    found = _BESIDE_WORDS.search(words)
    if found is None:
        return words
    return words[: found.start()], words[found.end() :], int(found["last"] or found["first"]) - page


def _repeated_places(alike: _Alike, is_running: Callable[[set[int]], bool]) -> set[_Place]:
    return {place for places in alike.values() if is_running({page for page, *_ in places}) for place in places}


def _is_regular(pages: set[int], count: int, stretch: int) -> bool:
    """Whether these are most pages, or most of a long stretch; left and right pages may differ."""
    if len(pages) < _FEWEST_PAGES:
        return False
    first, last = min(pages), max(pages)
    step = 2 if all((page - first) % 2 == 0 for page in pages) else 1
    if len(pages) >= _MOST_PAGES * len(range(first % step, count, step)):
        return True
    return len(pages) >= stretch and len(pages) >= _MOST_PAGES * len(range(first, last + 1, step))


def _drop_cells(page: PdfPage, running: Collection[tuple[int, int]]) -> PdfPage:
    if not running:
        return page
    rows = (
        tuple(cell for position, cell in enumerate(line.cells) if (index, position) not in running)
        for index, line in enumerate(page.lines)
    )
    lines = tuple(PdfLine(row) for row in rows if row)
    return replace(page, lines=lines) if lines else page


def _number(written: str) -> int:
    """A page number in digits or in Roman numerals."""
    if written.isdecimal():
        return int(written)
    digits = [_ROMAN.get(letter, 0) for letter in written.lower()]
    return sum(-one if one < following else one for one, following in pairwise([*digits, 0]))
