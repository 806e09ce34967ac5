"""Where a text may end when there is no room for more of it: nearly full, at a place where a reader would pause."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from dowse.core.tokens import reach, token_cost
from dowse.document.code_fences import LONGEST_CLOSING, Code, code_after, opened

# So full it has to be to end at a pause: the estimate leaves a part of the budget unused as well.
_FULL = 0.95
# So full it has to be to end before a heading or the first mark of code, rather than behind it.
_HALF_FULL = 0.5
# So much more a text and a mark may cost together than each alone.
SEAM = 1.1
_SENTENCE_ENDS = (". ", "! ", "? ", "。", "！", "？", "। ")
# So many code points may make one character; what has more of them is no writing.
_LONGEST_CHARACTER = 32
_JOINERS = ("\u200c", "\u200d")
_SKIN_TONES = range(0x1F3FB, 0x1F400)


class Stop(NamedTuple):
    """Where a text may end, how good that is, the code that is open there, and what closes what is shown."""

    rank: int
    at: int
    code: Code | None
    closing: str = ""


class _Room(NamedTuple):
    """From where to where a text is shown, and from where on it is enough."""

    start: int
    full: int
    limit: int
    tokens: float


def last_stop(text: str, start: int, tokens: float, code: Code | None) -> Stop | None:
    """Where a text ends that is shown from a start on, within a number of tokens; none if all the rest of it fits.

    It is the end of a paragraph, a line, a sentence or a word, the first of them for which no room is lost. Lines of
    code and rows of tables are divided only where one alone is too long. There is one character at least.
    """
    limit = reach(text, start, tokens)
    if limit == len(text):
        return None
    stop = _best_stop(text, _room(text, start, limit, tokens), code)
    # With less room it may end in other code, with a longer mark.
    for closing in (stop.closing, LONGEST_CLOSING):
        if not stop.closing:
            break
        left = tokens - token_cost(closing) - SEAM
        stop = _best_stop(text, _room(text, start, reach(text, start, left), left), code)
        if token_cost(stop.closing) <= token_cost(closing):
            break
    return stop


def _room(text: str, start: int, limit: int, tokens: float) -> _Room:
    full = reach(text, start, tokens * _FULL)
    return _Room(start, max(start + 1, full), max(start + 1, limit), tokens)


def _best_stop(text: str, room: _Room, code: Code | None) -> Stop:
    stops = list(_line_ends(text, room.start, room.limit, code))
    good = [stop for stop in stops if stop.rank and stop.at >= room.full]
    if good:
        return max(good, key=lambda stop: (stop.rank, stop.at))
    last = stops[-1] if stops else Stop(0, room.start, code)
    if _is_opening(text, last, room):
        if before := _before_opening(text, stops, room):
            return before
    elif last.at == room.limit or not _is_divisible(text, last, room):
        return last
    return _within_line(text, last, room)


def _is_opening(text: str, last: Stop, room: _Room) -> bool:
    """Whether the line before a stop opens code, or the one behind it does, or looks so where there is no more room."""
    if last.code:
        return last.code.at >= room.start and not last.rank
    return bool(opened(text, last.at, room.limit) or opened(text, last.at, _line_end(text, last.at)))


def _before_opening(text: str, stops: list[Stop], room: _Room) -> Stop | None:
    """Before a block of code of which nothing could be shown but its mark, and before its heading if it is near."""
    half = reach(text, room.start, room.tokens * _HALF_FULL)
    pauses = [stop for stop in stops if stop.rank and stop.at >= half]
    return max(pauses or [stop for stop in stops if not stop.code], key=lambda stop: stop.at, default=None)


def _line_ends(text: str, start: int, limit: int, code: Code | None) -> Iterator[Stop]:
    """The end of every line up to the limit."""
    at, is_heading = start, False
    while end := text.find("\n", at, limit) + 1:
        line = text[at : end - 1]
        was_code, code = code, code_after(text, at, end - 1, code)
        is_heading = not was_code and (line.startswith("#") or (is_heading and not line))
        ends_paragraph = not line.strip()
        opens = code is not None and code is not was_code
        rank = 0 if is_heading or opens else 1 if code else 2 + ends_paragraph
        yield Stop(rank, end, code, code.closing if code else "")
        at = end


def _is_divisible(text: str, last: Stop, room: _Room) -> bool:
    """Whether the line behind a stop may be divided: prose, or what would not fit if it stood alone."""
    if last.at == room.start or not (last.code or text.startswith("|", last.at)):
        return True
    end = reach(text, last.at, room.tokens)
    return end < len(text) and "\n" not in text[last.at : end + 1]


def _within_line(text: str, last: Stop, room: _Room) -> Stop:
    full = max(last.at, room.full)
    at = (
        _behind(_SENTENCE_ENDS, text, full, room.limit)
        or _behind((" ",), text, full, room.limit)
        or _between_characters(text, room.start, room.limit)
    )
    line_end = _line_end(text, last.at)
    code = code_after(text, last.at, line_end, last.code)
    if code_after(text, at, line_end, code) != code:
        # What is left of the line would look like a mark at the beginning of the next part.
        word_end = last.at + len(text[last.at : at].rstrip(" "))
        at = _behind((" ",), text, last.at, word_end) or at
    # Half a line may look like a mark although the whole of it is none, or be too short to belong to its quotation.
    half = code_after(text, last.at, at, last.code)
    if at <= last.at or (half != code and last.at > room.start):
        return last
    return Stop(0, at, code, f"\n{half.closing}" if half else "")


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _behind(ends: tuple[str, ...], text: str, start: int, limit: int) -> int:
    """Behind the last of the ends that is there; 0 without any."""
    return max((found + len(end) for end in ends if (found := text.rfind(end, start, limit)) >= 0), default=0)


def _between_characters(text: str, start: int, end: int) -> int:
    """The last place up to an end that is not inside of a character."""
    for at in range(end, max(start, end - _LONGEST_CHARACTER), -1):
        if not _is_inside_character(text, at):
            return at
    return end


def _is_inside_character(text: str, at: int) -> bool:
    if at >= len(text):
        return False
    before, behind = text[at - 1], text[at]
    return (
        unicodedata.category(behind)[0] == "M" or before in _JOINERS or behind in _JOINERS or ord(behind) in _SKIN_TONES
    )
