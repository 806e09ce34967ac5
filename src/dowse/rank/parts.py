"""A long text in parts that join without loss, each ending where a reader would pause if there is such a place."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dowse.rank.budget import fence_after
from dowse.text import estimate_tokens

# Nobody writes longer marks around code; repeating those of a hostile page would leave no room for its text.
_LONGEST_MARK = 20
_CLOSING_TOKENS = estimate_tokens("\n" + "`" * _LONGEST_MARK)
_LANGUAGE = re.compile(r"[`~ ]{0,30}([\w+#.-]{0,20})", re.ASCII)
# So many code points may make one character; what has more of them is no writing.
_LONGEST_CHARACTER = 32
_JOINERS = ("\u200c", "\u200d")
_SKIN_TONES = range(0x1F3FB, 0x1F400)


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


class _Code(NamedTuple):
    """A block of code that is open."""

    at: int
    mark: str


class _Stop(NamedTuple):
    """Where a part may end, how good that is, the code that is open there, and what closes what is shown."""

    rank: int
    at: int
    code: _Code | None
    closing: str = ""


def part(text: str, start: Place, tokens: int) -> Part:
    """What follows a place, in at most `tokens` tokens, of which there have to be 50; never nothing."""
    code = _code_at(text, start)
    opening = f"{code.mark}{_language(text, code)}\n" if code else ""
    # No character costs less than a quarter of a token, so the rest of a long page need not be looked at.
    window = text[start.at : start.at + tokens * 4]
    if start.at + len(window) == len(text) and estimate_tokens(opening + window) <= tokens:
        return Part(opening + window)
    limit = _reach(text, start.at, tokens - estimate_tokens(opening) - _CLOSING_TOKENS)
    stop = _best_stop(text, start.at, limit, code)
    shown = f"{opening}{text[start.at : stop.at]}{stop.closing}"
    return Part(shown, Place(stop.at, stop.code.at if stop.code else None))


def _best_stop(text: str, start: int, limit: int, code: _Code | None) -> _Stop:
    """The end of a paragraph, else of a line, else of a line of code; but no part is less than half full for it."""
    stops = list(_line_ends(text, start, limit, code))
    good = [stop for stop in stops if stop.at > (start + limit) // 2]
    if good:
        return max(good, key=lambda stop: (stop.rank, stop.at))
    # Pages without line breaks exist: a long line is divided rather than lost.
    last = stops[-1] if stops else _Stop(0, start, code)
    at = _within_line(text, last.at, limit)
    # Half a line may look like a mark although the whole of it is none.
    half = _code_after(text[last.at : at], last.at, last.code)
    return _Stop(0, at, last.code, f"\n{half.mark}" if half else "")


def _code_at(text: str, place: Place) -> _Code | None:
    """The code that goes on at a place; nothing if the place says what is not so."""
    if place.code_at is None:
        return None
    line = text[place.code_at : place.at].partition("\n")[0]
    return _code_after(line, place.code_at, None)


def _code_after(line: str, at: int, code: _Code | None) -> _Code | None:
    """The code that is open behind a line."""
    mark = fence_after(line, code.mark if code else "")
    if not mark or len(mark) > _LONGEST_MARK:
        return None
    return code or _Code(at, mark)


def _language(text: str, code: _Code) -> str:
    found = _LANGUAGE.match(text, text.index(code.mark, code.at))
    return found[1] if found else ""


def _reach(text: str, start: int, tokens: int) -> int:
    """How far a number of tokens goes; a character at least."""
    ends = range(start + 1, min(len(text), start + max(1, tokens) * 4) + 1)
    affordable = bisect_right(ends, tokens, key=lambda end: estimate_tokens(text[start:end]))
    return start + max(1, affordable)


def _line_ends(text: str, start: int, limit: int, code: _Code | None) -> Iterator[_Stop]:
    """The end of every line up to the limit."""
    at, is_heading = start, False
    while end := text.find("\n", at, limit) + 1:
        line = text[at : end - 1]
        code = _code_after(line, at, code)
        # A heading belongs to what is below it.
        is_heading = line.startswith("#") or (is_heading and not line)
        ends_paragraph = not line.strip()
        yield _Stop(0 if code or is_heading else 1 + ends_paragraph, end, code, code.mark if code else "")
        at = end


def _within_line(text: str, start: int, limit: int) -> int:
    """Behind the last word before the limit, if words are short there; never inside a character."""
    blank = text.rfind(" ", (start + limit) // 2, limit)
    end = blank + 1 if blank >= 0 else limit
    for at in range(end, max(start, end - _LONGEST_CHARACTER), -1):
        if not _is_inside_character(text, at):
            return at
    return end


def _is_inside_character(text: str, at: int) -> bool:
    before, behind = text[at - 1], text[at]
    return (
        unicodedata.category(behind)[0] == "M" or before in _JOINERS or behind in _JOINERS or ord(behind) in _SKIN_TONES
    )
