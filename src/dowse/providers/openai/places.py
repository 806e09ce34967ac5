"""Which part of a text an annotation is about, whatever its indices are.

OpenAI counts characters and does not say whether an emoji is one or two. It is taken as one, a code point, as Python
counts; but where a text has such characters, and its links and words begin and end properly only if they are counted
twice, as JavaScript does, they are. The end is one behind the last character, although the reference says otherwise:
the links that real answers mark have that length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from dowse.net.json_api import Json

_LAST_OF_ONE_UNIT = "\uffff"
# Behind it are scripts without blanks between words.
_LAST_WITH_BLANKS = "\u2e7f"
_WITNESSES = 50
_LINK_CHARS = 2000

Count = Callable[[int], int]
"""From an index to a place in the text."""


class Places:
    """Finds the parts of one text."""

    def __init__(self, text: str, annotations: Sequence[Json]) -> None:
        self._text = text
        self._place = _count_of(text, annotations[:_WITNESSES])

    def of(self, annotation: Json) -> tuple[int, int]:
        """From where to where; the whole text for indices that lead nowhere."""
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
    """How much speaks for a way of counting."""
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
