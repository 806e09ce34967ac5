"""Headers, footers and page numbers: what the pages of a document repeat at their edges.

A running head that stays is a nuisance, a line of the text that goes is a loss: in doubt, lines stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from dowse.extract.formats.pdf.lines import Line, PageLines

_EDGE = 0.12
_LINES_AT_AN_EDGE = 3
_FEWEST_PAGES = 3
_LONG_STRETCH = 5
_MOST = 0.6
# In points: the same place, but for letters that hang lower.
_SAME_HEIGHT = 6.0
# In letter heights: how far the lines of one text are from each other.
_CLOSEST, _FURTHEST, _USUAL = 0.8, 3.0, 1.2
# Of the usual distance: what is further off is set apart from the text.
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


@dataclass(frozen=True, slots=True)
class _EdgeLine:
    """A line near the upper or the lower edge of its page."""

    page: int
    index: int
    line: Line
    heights: tuple[Hashable, ...]
    is_apart: bool
    """Whether there is more room between it and the text than between two lines of the text."""


def without_running_lines(pages: Sequence[PageLines]) -> list[PageLines]:
    """The pages without what they repeat; a page that has nothing else keeps it."""
    leading = _leading(pages)
    edges = [edge for number, page in enumerate(pages) for edge in _edges(number, page, leading)]
    running = _page_numbers(edges, len(pages))
    running |= _running_words(edges, running, len(pages))
    by_page: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for number, index, position in running:
        by_page[number].add((index, position))
    return [_without(page, by_page[number]) for number, page in enumerate(pages)]


def _leading(pages: Sequence[PageLines]) -> float:
    """The usual distance of two lines; none where no two lines are near each other."""
    steps: list[float] = []
    for page in pages:
        for upper, lower in pairwise(sorted(page.lines, key=lambda line: -line.baseline)):
            step = upper.baseline - lower.baseline
            if _CLOSEST * lower.size < step < _FURTHEST * lower.size:
                steps.append(step)
    return median(steps) if steps else 0.0


def _edges(number: int, page: PageLines, leading: float) -> Iterator[_EdgeLine]:
    """The lines at the top and at the bottom of a page."""
    downwards = sorted(range(len(page.lines)), key=lambda index: -page.lines[index].baseline)
    for edge, inwards in ((page.height, downwards), (0.0, downwards[::-1])):
        depths = [abs(edge - page.lines[index].baseline) for index in inwards[:_LINES_AT_AN_EDGE]]
        outer = [depth for depth in depths if depth < _EDGE * page.height]
        set_apart = _set_apart(inwards, len(outer), page, leading)
        for position, depth in enumerate(outer):
            index, place = inwards[position], depth / _SAME_HEIGHT
            # A line between two heights is at both.
            heights = tuple((edge > 0, height) for height in {int(place), int(place + 0.5)})
            yield _EdgeLine(number, index, page.lines[index], heights, position < set_apart)


def _set_apart(inwards: Sequence[int], most: int, page: PageLines, leading: float) -> int:
    """How many of the outer lines have a gap between them and the rest of the page."""
    count = 0
    for position, (index, following) in enumerate(pairwise(inwards[: most + 1]), 1):
        line, inner = page.lines[index], page.lines[following]
        usual = leading or _USUAL * max(line.size, inner.size)
        if abs(line.baseline - inner.baseline) > _APART * usual:
            count = position
    return count


def _page_numbers(edges: Sequence[_EdgeLine], count: int) -> set[_Place]:
    """Cells with nothing but a number that counts the pages."""
    alike: dict[Hashable, set[_Place]] = defaultdict(set)
    for edge in edges:
        for position, cell in enumerate(edge.line.cells):
            found = _PAGE_NUMBER.fullmatch(cell.text)
            if found and (edge.is_apart or len(edge.line.cells) == 1):
                for height in edge.heights:
                    place = (edge.page, edge.index, position)
                    alike[height, found[1].isdecimal(), _value(found[1]) - edge.page].add(place)
    return _repeated(alike, lambda pages: len(pages) == count == 2 or _is_regular(pages, count, _FEWEST_PAGES))


def _running_words(edges: Sequence[_EdgeLine], numbers: Collection[_Place], count: int) -> set[_Place]:
    """What else such a line says, if it says the same on most pages, or on those of a long stretch."""
    alike: dict[Hashable, set[_Place]] = defaultdict(set)
    for edge in edges:
        rest = {(edge.page, edge.index, position) for position in range(len(edge.line.cells))}.difference(numbers)
        if edge.is_apart and rest:
            words = " ".join(edge.line.cells[position].text for *_, position in sorted(rest))
            for height in edge.heights:
                alike[height, _sign(words, edge.page)] |= rest
    return _repeated(alike, lambda pages: _is_regular(pages, count, _LONG_STRETCH))


def _sign(words: str, page: int) -> Hashable:
    """What a line has in common with its fellows: its words, and a number in them if it counts the pages."""
    found = _BESIDE_WORDS.search(words)
    if found is None:
        return words
    return words[: found.start()], words[found.end() :], int(found["last"] or found["first"]) - page


def _repeated(alike: dict[Hashable, set[_Place]], is_running: Callable[[set[int]], bool]) -> set[_Place]:
    return {place for places in alike.values() if is_running({page for page, *_ in places}) for place in places}


def _is_regular(pages: set[int], count: int, stretch: int) -> bool:
    """Whether these are most pages, or most of a long stretch; left and right pages may differ."""
    if len(pages) < _FEWEST_PAGES:
        return False
    first, last = min(pages), max(pages)
    step = 2 if all((page - first) % 2 == 0 for page in pages) else 1
    if len(pages) >= _MOST * len(range(first % step, count, step)):
        return True
    return len(pages) >= stretch and len(pages) >= _MOST * len(range(first, last + 1, step))


def _without(page: PageLines, running: Collection[tuple[int, int]]) -> PageLines:
    if not running:
        return page
    lines: list[Line] = []
    for index, line in enumerate(page.lines):
        kept = tuple(cell for position, cell in enumerate(line.cells) if (index, position) not in running)
        if kept:
            lines.append(line if len(kept) == len(line.cells) else Line(kept))
    return replace(page, lines=tuple(lines)) if lines else page


def _value(number: str) -> int:
    """A page number as a number, be it in Roman numerals."""
    if number.isdecimal():
        return int(number)
    digits = [_ROMAN.get(letter, 0) for letter in number.lower()]
    return sum(-one if one < following else one for one, following in pairwise([*digits, 0]))
