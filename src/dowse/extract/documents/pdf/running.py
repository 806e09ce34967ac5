"""Headers, footers and page numbers: what the pages of a document repeat at their edges."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from dowse.extract.documents.pdf.lines import PageLines

_EDGE = 0.12
_LINES_AT_AN_EDGE = 3
_FEWEST_PAGES = 3
# In points: the same place, but for letters that hang lower.
_SAME_HEIGHT = 6.0
_NUMBER = re.compile(r"\d{1,9}")
_FIRST_NUMBER = re.compile(r"\W{0,3}(?:page\s{1,3})?(\d{1,5})\b", re.I)
_LAST_NUMBER = re.compile(r"\b(\d{1,5})\W{0,3}$")
_MOST_NUMBERS = 2
_PAGE_NUMBER = re.compile(
    r"\W{0,3}(?:page\s{1,3})?(?:\d{1,5}|[ivxl]{1,7})(?:\s{0,3}(?:/|of)\s{0,3}\d{1,5})?\W{0,3}", re.I
)


def without_running_lines(pages: Sequence[PageLines]) -> list[PageLines]:
    """The pages without what they repeat."""
    places: dict[Hashable, set[tuple[int, int]]] = defaultdict(set)
    for number, page in enumerate(pages):
        for index in _edges(page):
            line = page.lines[index]
            # A line between two heights is at both.
            for height in {int(line.baseline / _SAME_HEIGHT), int(line.baseline / _SAME_HEIGHT + 0.5)}:
                for sign in _signs(line.text, number):
                    places[height, sign].add((number, index))
    running = {place for repeated in places.values() if _is_running(repeated, pages) for place in repeated}
    return [
        replace(page, lines=tuple(line for index, line in enumerate(page.lines) if (number, index) not in running))
        for number, page in enumerate(pages)
    ]


def _edges(page: PageLines) -> Iterator[int]:
    """The lines at the top and at the bottom of a page."""
    order = sorted(range(len(page.lines)), key=lambda index: page.lines[index].baseline)
    low, high = _EDGE * page.height, (1 - _EDGE) * page.height
    yield from (index for index in order[:_LINES_AT_AN_EDGE] if page.lines[index].baseline < low)
    yield from (index for index in order[-_LINES_AT_AN_EDGE:] if page.lines[index].baseline > high)


def _signs(text: str, number: int) -> Iterator[Hashable]:
    """What a line has in common with its fellows on other pages: a number that counts them, or its words."""
    for place in (_FIRST_NUMBER.match(text), _LAST_NUMBER.search(text)):
        if place:
            yield "counts", place.start() > 0, int(place[1]) - number
    if len(_NUMBER.findall(text)) <= _MOST_NUMBERS:
        yield "says", _NUMBER.sub("0", text) if re.search(r"[^\W\d_]", text) else text
    if _PAGE_NUMBER.fullmatch(text) and not _NUMBER.search(text):
        yield "counts", "in Roman numerals", 0


def _is_running(places: set[tuple[int, int]], pages: Sequence[PageLines]) -> bool:
    """Whether a line is on enough pages; two will do for a mere page number."""
    seen = len({number for number, _ in places})
    return seen >= _FEWEST_PAGES or (
        seen == len(pages) == 2 and all(_PAGE_NUMBER.fullmatch(pages[page].lines[index].text) for page, index in places)
    )
