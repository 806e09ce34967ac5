"""Positions of citations in an answer: indices of annotations, mapped through the cleaning of the text.

OpenAI counts characters without saying whether an emoji is one or two. Indices are read as code points, as Python
counts; as UTF-16 units, as JavaScript counts, only where the links and words of a text begin and end properly with
these alone. The end is exclusive, although the reference says otherwise: the links in real answers have that length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from dowse.core import urls
from dowse.document.clean import clean
from dowse.net.json_api import Json

_LAST_OF_ONE_UNIT = "\uffff"
# Above it are scripts without blanks between words.
_LAST_WITH_BLANKS = "\u2e7f"
_WITNESSES = 50
_LINK_CHARS = 2000

Count = Callable[[int], int]
"""Maps an index to a position in the text."""
_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
# References to search results that newer models leave in the text: private-use characters around `cite`.
_REFERENCE = re.compile(" ?\ue200[^\ue200\ue201]{0,300}\ue201|[\ue200-\ue202]")
_ADDRESS = re.compile(r"https?://(?:[^\s<>()\[\]\"]|\([^\s<>()\[\]\"]{0,200}\)){1,2000}")
_PUNCTUATION = ".,;:!?*_"


class Places:
    """Positions of annotations in one text."""

    def __init__(self, text: str, annotations: Sequence[Json]) -> None:
        self._text = text
        self._place = _count_of(text, annotations[:_WITNESSES])

    def of(self, annotation: Json) -> tuple[int, int]:
        """Start and end of an annotation; the whole text for invalid indices."""
        return _span(self._text, annotation, self._place) or (0, len(self._text))


def _span(text: str, annotation: Json, place: Count) -> tuple[int, int] | None:
    indices = _indices(annotation)
    if indices is None or indices[1] < 0 or place(indices[0]) >= len(text):
        return None
    return place(indices[0]), place(indices[1])


def _indices(annotation: Json) -> tuple[int, int] | None:
    start, end = (_index(annotation.get(name)) for name in ("start_index", "end_index"))
    return None if start is None or end is None else (min(start, end), max(start, end))


def _index(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _count_of(text: str, annotations: Sequence[Json]) -> Count:
    size = len(text)

    def points(index: int) -> int:
        return min(max(index, 0), size)

    if max(text, default="") <= _LAST_OF_ONE_UNIT:
        return points
    starts = list(accumulate((1 + (character > _LAST_OF_ONE_UNIT) for character in text), initial=0))

    def units(index: int) -> int:
        return max(bisect_right(starts, index) - 1, 0)

    return units if _credit(text, annotations, units) > _credit(text, annotations, points) else points


def _credit(text: str, annotations: Sequence[Json], place: Count) -> int:
    """Score of a way of counting."""
    return sum(_looks_right(text, annotation, place) for annotation in annotations)


def _looks_right(text: str, annotation: Json, place: Count) -> int:
    indices, span = _indices(annotation), _span(text, annotation, place)
    if indices is None or span is None:
        return 0
    start, end = span
    is_link = text.startswith(("[", "(["), start) and text.startswith(")", end - 1)
    part = text[start : min(end, start + _LINK_CHARS)]
    names = (annotation.get(name) for name in ("url", "title"))
    is_named = any(isinstance(name, str) and name and name in part for name in names)
    is_past_the_end = place(indices[1] - 1) == len(text)
    return 3 * is_link + is_named - is_past_the_end - _is_in_a_word(text, start) - _is_in_a_word(text, end)


def _is_in_a_word(text: str, place: int) -> bool:
    around = text[max(0, place - 1) : place + 1]
    return 0 < place < len(text) and around.isalnum() and max(around) <= _LAST_WITH_BLANKS


class Wording:
    """A cleaned text; `place` maps positions of the original to it."""

    def __init__(self, original: str) -> None:
        self.text = original
        self._places = list(range(len(original) + 1))
        self._is_lost = False
        self._replace(_LINE_END, lambda _: "\n")
        self._replace(_REFERENCE, lambda _: "")
        self._replace(_ADDRESS, _without_tracking)
        self._become(clean(self.text))

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Map a part of the original; to its line if nothing of it is left, to the whole text if unknown."""
        if self._is_lost:
            return 0, len(self.text)
        start, end = self._places[start], self._places[end]
        if start == end:
            start, end = self._line_around(start)
        return (start, end) if start < end else (0, len(self.text))

    def _line_around(self, place: int) -> tuple[int, int]:
        end = self.text.find("\n", place)
        return self.text.rfind("\n", 0, place) + 1, end if end >= 0 else len(self.text)

    def _replace(self, pattern: re.Pattern[str], put: Callable[[re.Match[str]], str]) -> None:
        pieces: list[str] = []
        moved: list[int] = []
        at = length = 0
        for found in pattern.finditer(self.text):
            new = put(found)
            pieces += (self.text[at : found.start()], new)
            moved += range(length, length + found.start() - at)
            length += found.start() - at
            moved += (length + min(offset, len(new)) for offset in range(len(found[0])))
            length += len(new)
            at = found.end()
        if not pieces:
            return
        pieces.append(self.text[at:])
        moved += range(length, length + len(self.text) - at + 1)
        self._move("".join(pieces), moved)

    def _become(self, text: str) -> None:
        """Derive positions by comparing the texts, as `clean` mostly removes characters."""
        moved: list[int] = []
        at = 0
        for character in self.text:
            moved.append(at)
            at += text.startswith(character, at)
        moved.append(at)
        # `clean` also defuses links and tags by replacing letters; positions behind them are unknown.
        self._is_lost = at < len(text)
        self._move(text, moved)

    def _move(self, text: str, moved: list[int]) -> None:
        self.text = text
        self._places = [moved[place] for place in self._places]


def _without_tracking(found: re.Match[str]) -> str:
    """Remove tracking parameters from an address; one without any keeps its spelling."""
    address = found[0].rstrip(_PUNCTUATION)
    parsed = urls.parse(address) if "?" in address else None
    if parsed is None or (shorter := urls.without_tracking(address)) == parsed.href:
        return found[0]
    return shorter + found[0][len(address) :]
