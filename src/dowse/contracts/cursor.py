"""Where to read on in a page: the hash of its text and a place in it, as one word that models can hand back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.core.errors import InvalidRequest
from dowse.document.cut import Position

_AT = r"[1-9]\d{0,8}"
# The place comes first: a hash may begin with a dash, and a shell command would take that for an option.
_CURSOR = re.compile(rf"({_AT})(?:\.(0|{_AT}))?(?:-({_AT}))?\.([\w-]{{22}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Names a text by its hash, so that a page which has changed since is noticed, and a place in it.

    `end` is where to stop, if only a section is being read.
    """

    place: Position
    digest: str
    end: int | None = None

    def __str__(self) -> str:
        code_at = "" if self.place.code_at is None else f".{self.place.code_at}"
        end = "" if self.end is None else f"-{self.end}"
        return f"{self.place.at}{code_at}{end}.{self.digest}"


def parse(text: str) -> Cursor:
    """A cursor as it was given out; anything else is an `InvalidRequest`."""
    found = _CURSOR.fullmatch(text)
    cursor = _read(found) if found else None
    if cursor is None:
        raise InvalidRequest(
            "cursor must be the next_cursor of an earlier answer, exactly as it stands there; "
            "leave it out to read the page from its beginning."
        )
    return cursor


def _read(found: re.Match[str]) -> Cursor | None:
    """`None` for places that are in no order."""
    place = Position(int(found[1]), int(found[2]) if found[2] else None)
    end = int(found[3]) if found[3] else None
    is_ordered = (place.code_at or 0) < place.at and (end is None or place.at < end)
    return Cursor(place, found[4], end) if is_ordered else None
