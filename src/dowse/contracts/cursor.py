"""Where to read on in a page: the hash of its text and a place in it, as one word that models can hand back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.errors import InvalidRequest
from dowse.rank.parts import Place

# The place comes first: a hash may begin with a dash, and a shell command would take that for an option.
_CURSOR = re.compile(r"([1-9]\d{0,8})(?:\.(0|[1-9]\d{0,8}))?\.([\w-]{22})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cursor:
    """Names a text by its hash, so that a page which has changed since is noticed, and a place in it."""

    place: Place
    digest: str

    def __str__(self) -> str:
        code_at = "" if self.place.code_at is None else f".{self.place.code_at}"
        return f"{self.place.at}{code_at}.{self.digest}"


def parse(text: str) -> Cursor:
    """A cursor as it was given out; anything else is an `InvalidRequest`."""
    found = _CURSOR.fullmatch(text)
    place = Place(int(found[1]), int(found[2]) if found[2] else None) if found else None
    if found is None or place is None or (place.code_at or 0) >= place.at:
        raise InvalidRequest(
            "cursor must be the next_cursor of an earlier answer, exactly as it stands there; "
            "leave it out to read the page from its beginning."
        )
    return Cursor(place, found[3])
