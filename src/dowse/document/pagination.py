"""A long text in parts that join without loss, each ending where a reader would pause if there is such a place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.core.tokens import token_cost
from dowse.document.break_points import SEAM, last_stop
from dowse.document.code_fences import Code, opened

_LANGUAGE = re.compile(r"[`~ ]{0,30}([\w+#.-]{0,20})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Place:
    """Between two parts: what is before it, and where the block of code began that is open there."""

    at: int = 0
    code_at: int | None = None


BEGINNING = Place()


@dataclass(frozen=True, slots=True)
class Part:
    """What is shown of a text, and where the rest of it begins.

    A block of code that is divided is closed at the end of one part and opened again in the next. Apart from those
    marks, parts are the text and nothing but the text.
    """

    text: str
    rest: Place | None = None


def part(text: str, start: Place, tokens: int) -> Part:
    """What follows a place, in at most `tokens` tokens, of which there have to be 50; never nothing."""
    code = _code_at(text, start)
    opening = _opening(text, start.at, code) if code else ""
    marks = token_cost(opening) + SEAM if opening else 0
    stop = last_stop(text, start.at, tokens - marks, code)
    if not stop:
        return Part(opening + text[start.at :])
    shown = f"{opening}{text[start.at : stop.at]}{stop.closing}"
    return Part(shown, Place(stop.at, stop.code.at if stop.code else None))


def _code_at(text: str, place: Place) -> Code | None:
    """The code that goes on at a place; nothing if the place says what is not so."""
    if place.code_at is None:
        return None
    end = text.find("\n", place.code_at, place.at)
    return opened(text, place.code_at, end if end >= 0 else place.at)


def _opening(text: str, at: int, code: Code) -> str:
    """What opens code again, in the list or the quotation that it is in."""
    found = _LANGUAGE.match(text, text.index(code.mark, code.at))
    language = found[1] if found else ""
    rest_of_line = code.indent if text[at - 1] != "\n" else ""
    return f"{code.indent}{code.mark}{language}\n{rest_of_line}"
