"""Where a text may end when there is no room for more of it: nearly full, at a place where a reader would pause."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from dowse.tokens import reach, token_cost

# So full it has to be to end at a pause: the estimate leaves a part of the budget unused as well.
_FULL = 0.95
# Nobody writes longer marks around code; repeating those of a hostile page would leave no room for its text.
_LONGEST_MARK = 20
# With a backtick behind it, it is inline code.
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_SENTENCE_ENDS = (". ", "! ", "? ", "。", "！", "？", "। ")
# So many code points may make one character; what has more of them is no writing.
_LONGEST_CHARACTER = 32
_JOINERS = ("\u200c", "\u200d")
_SKIN_TONES = range(0x1F3FB, 0x1F400)


class Code(NamedTuple):
    """A block of code that is open: where it begins, and the mark that closes it."""

    at: int
    mark: str


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
    if stop.closing:
        tokens -= token_cost("\n" + "`" * _LONGEST_MARK)
        stop = _best_stop(text, _room(text, start, reach(text, start, tokens), tokens), code)
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
    if last.at < room.limit and _is_divisible(text, last, room):
        return _within_line(text, last, room)
    return last


def fence_after(line: str, fence: str) -> str:
    """The marker of the code block that is open behind a line; empty outside of code."""
    marker = _FENCE.match(line.lstrip())
    if not fence:
        return marker[0] if marker else ""
    closes = marker is not None and marker[0].startswith(fence) and line.strip() == marker[0]
    return "" if closes else fence


def code_after(line: str, at: int, code: Code | None) -> Code | None:
    """The code that is open behind a line."""
    mark = fence_after(line, code.mark if code else "")
    if not mark or len(mark) > _LONGEST_MARK:
        return None
    return code or Code(at, mark)


def _line_ends(text: str, start: int, limit: int, code: Code | None) -> Iterator[Stop]:
    """The end of every line up to the limit."""
    at, is_heading = start, False
    while end := text.find("\n", at, limit) + 1:
        line = text[at : end - 1]
        was_code, code = code, code_after(line, at, code)
        is_heading = not was_code and (line.startswith("#") or (is_heading and not line))
        ends_paragraph = not line.strip()
        opens = code and not was_code
        rank = 0 if is_heading or opens else 1 if code else 2 + ends_paragraph
        yield Stop(rank, end, code, code.mark if code else "")
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
    if at <= last.at:
        return last
    # Half a line may look like a mark although the whole of it is none.
    half = code_after(text[last.at : at], last.at, last.code)
    return Stop(0, at, last.code, f"\n{half.mark}" if half else "")


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
    before, behind = text[at - 1], text[at]
    return (
        unicodedata.category(behind)[0] == "M" or before in _JOINERS or behind in _JOINERS or ord(behind) in _SKIN_TONES
    )
