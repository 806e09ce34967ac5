"""Cutting of Markdown to a token budget: parts that join without loss, each ending where a reader would pause.

A part may begin anywhere, so open code is recognised from single lines, without parsing the text before it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dowse.core.text import find_or_end
from dowse.core.tokens import reach, token_cost
from dowse.document.markdown import FENCES, CodeFence, LineScanner, fence_language

GAP = "[…]"
"""Stands for text that is left out."""

# A part ends at a pause from this share of the budget on; the estimate of tokens leaves some of it unused as well.
_FULL = 0.95
# From this share on it ends before a heading or an opening fence, rather than behind it.
_HALF_FULL = 0.5
# The most tokens by which a text and a mark together cost more than each alone.
_SEAM = 1.1
# Behind a full stop a capital letter begins a sentence, unless the word before it is an initial, a number or a title.
_SENTENCE_END = re.compile(r"(?:(?<![\s.(]\w)(?<![\s.(]\w\w)\.|[!?…।])[\"'”’»)\]*_]{0,4}\s(?=[^a-z\s])|[。！？]")
_LINK = re.compile(r"!?\[[^\[\]\n]{0,500}\]\([^()\n]{0,2000}\)")
_LONGEST_LINK = 2600
# Code points of the longest character of any writing.
_LONGEST_CHARACTER = 32
_JOINERS = ("\u200c", "\u200d")
_SKIN_TONES = range(0x1F3FB, 0x1F400)
# Real fences are shorter; repeating those of a hostile page would leave no room for its text.
_LONGEST_MARK = 10
_LONGEST_INDENT = 40
_LONGEST_END = 1_000
_MOST_QUOTES = 3
_LONGEST_CLOSING = "\n" + "   >" * _MOST_QUOTES + " " + "`" * _LONGEST_MARK + "\n"
_HTML_BLOCK = re.compile(r"^([ \t>*+.)0-9-]*)<(?=[!?]|/?[A-Za-z][^\s:]*(?:[\s>]|$))", re.MULTILINE)
_UNDERLINE = re.compile(r"[ \t|:=-]+(?:\n|$)")
"""The most expensive end of code."""
_MARK = re.compile(r"((?: {0,20}(?:>|[-*+](?= )|\d{1,9}[.)](?= ))){0,8}[ \t]{0,40})(`{3,11}|~{3,11})")
_QUOTE = re.compile(r"[ \t]{0,20}> ?")
_ITEM_MARK = re.compile("[^ >]")


@dataclass(frozen=True, slots=True)
class Position:
    """A place between two parts, and the start of the code that is open there."""

    at: int = 0
    code_at: int | None = None


BEGINNING = Position()


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text, and where the rest of it begins.

    Divided code is closed at the end of one part and opened again in the next. Apart from those marks, the parts of a
    text are the text.
    """

    text: str
    rest: Position | None = None


def next_part(text: str, start: Position, tokens: int) -> TextPart:
    """The text from a position on, in at most `tokens` tokens (at least 50); never empty."""
    code = _code_at(text, start)
    opening = _opening(text, start.at, code) if code else ""
    marks = token_cost(opening) + _SEAM if opening else 0
    stop = _find_break(text, start.at, tokens - marks, code)
    if not stop:
        return TextPart(opening + text[start.at :])
    shown = f"{opening}{text[start.at : stop.at]}{stop.closing}"
    return TextPart(shown, Position(stop.at, stop.code.at if stop.code else None))


def truncate(text: str, tokens: int) -> str:
    """At most `tokens` tokens of a text, with its open code closed; empty if the marks alone cost more."""
    end = _find_break(text, 0, tokens, None)
    if not end:
        return text
    shown = text[: end.at].rstrip() + ("\n" + end.closing.strip("\n") if end.closing else "")
    return shown if token_cost(shown) <= tokens else ""


def seal(markdown: str) -> str:
    """Close the code that a text leaves open and escape its HTML blocks, so that the line below it is neither.

    By the rules of CommonMark an HTML block may go on for ever, and within it no fence is a fence. A line of text
    stands right above it, and a line that begins with `>` right below.
    """
    if _UNDERLINE.match(markdown):
        markdown = f"\n{markdown}"
    if not (_HTML_BLOCK.search(markdown) or any(fence in markdown for fence in FENCES)):
        return markdown
    lines, scanner = [], LineScanner()
    scanner.scan("The line above.")
    for line in markdown.split("\n"):
        read = scanner.scan(line)
        is_prose = read.fence is None and not read.is_indented_code
        lines.append(_HTML_BLOCK.sub(r"\1\\<", line) if is_prose else line)
    return "\n".join([*lines, *_last_line(lines[-1], scanner.unending_fence)])


def _last_line(line: str, fence: CodeFence | None) -> list[str]:
    """What ends the code or the quotation that a text ends with.

    Viewers differ in whether an indented `>` goes on with a quotation. A blank line ends it, and its code, in all.
    """
    if (fence.closing if fence else line).lstrip().startswith(">"):
        return [""]
    return [fence.closing] if fence else []


class _OpenCode(NamedTuple):
    """Open fenced code: its start, the indent of its lines, and the mark that closes it."""

    at: int
    indent: str
    mark: str

    @property
    def closing(self) -> str:
        """The line that ends it, with the indent of its list or quote."""
        return f"{self.indent}{self.mark}\n"


class _BreakPoint(NamedTuple):
    """A place where a part may end: how good it is, the code open there, and the closing mark to add."""

    rank: int
    at: int
    code: _OpenCode | None
    closing: str = ""


class _Room(NamedTuple):
    """The span that the budget pays for; from `full` on it is used up well enough."""

    start: int
    full: int
    limit: int
    tokens: float


def _find_break(text: str, start: int, tokens: float, code: _OpenCode | None) -> _BreakPoint | None:
    """Where a part that begins at `start` ends within the budget; `None` if the whole rest fits.

    It is the end of a paragraph, a line, a sentence or a word, the first of them that wastes no room. A line of code or
    a row of a table is divided only if it is too long by itself. A part has at least one character.
    """
    limit = reach(text, start, tokens)
    if limit == len(text):
        return None
    stop = _choose_break(text, _measure_room(text, start, limit, tokens), code)
    # With less room the part may end in other code, with a longer mark.
    for closing in (stop.closing, _LONGEST_CLOSING):
        if not stop.closing:
            break
        left = tokens - token_cost(closing) - _SEAM
        stop = _choose_break(text, _measure_room(text, start, reach(text, start, left), left), code)
        if token_cost(stop.closing) <= token_cost(closing):
            break
    return stop


def _measure_room(text: str, start: int, limit: int, tokens: float) -> _Room:
    full = reach(text, start, tokens * _FULL)
    return _Room(start, max(start + 1, full), max(start + 1, limit), tokens)


def _choose_break(text: str, room: _Room, code: _OpenCode | None) -> _BreakPoint:
    """The best place to end within the room: a paragraph, a line, a sentence, and a word only if no sentence fits."""
    stops = list(_line_ends(text, room.start, room.limit, code))
    good = [stop for stop in stops if stop.rank and stop.at >= room.full]
    if good:
        return max(good, key=lambda stop: (stop.rank, stop.at))
    last = stops[-1] if stops else _BreakPoint(0, room.start, code)
    if _is_opening(text, last, room):
        if before := _before_opening(text, stops, room):
            return before
    elif last.at == room.limit or not _is_divisible(text, last, room):
        return last
    return _between_sentences(text, stops, last, room)


def _between_sentences(text: str, stops: list[_BreakPoint], last: _BreakPoint, room: _Room) -> _BreakPoint:
    """The end of a sentence behind the last line end, or else that, or a word if the next sentence is too long."""
    if last.code:
        return _within_line(text, last, room, 0)
    half = reach(text, room.start, room.tokens * _HALF_FULL)
    at = _sentence_end(text, max(half, last.at), room.limit)
    pauses = [stop for stop in stops if stop.rank]
    if not at and pauses and (pauses[-1].at >= half or _fits_next_sentence(text, last.at, room)):
        return pauses[-1]
    return _within_line(text, last, room, at or _sentence_end(text, last.at, room.limit))


def _is_opening(text: str, last: _BreakPoint, room: _Room) -> bool:
    """Whether the line before a break opens code, or the one behind it does, or seems to where the room ends."""
    if last.code:
        return last.code.at >= room.start and not last.rank
    return bool(
        _find_opening(text, last.at, room.limit) or _find_opening(text, last.at, find_or_end(text, "\n", last.at))
    )


def _before_opening(text: str, stops: list[_BreakPoint], room: _Room) -> _BreakPoint | None:
    """The break before code of which only the fence would fit, and before its heading if that is near."""
    half = reach(text, room.start, room.tokens * _HALF_FULL)
    pauses = [stop for stop in stops if stop.rank and stop.at >= half]
    return max(pauses or [stop for stop in stops if not stop.code], key=lambda stop: stop.at, default=None)


def _line_ends(text: str, start: int, limit: int, code: _OpenCode | None) -> Iterator[_BreakPoint]:
    """A break at the end of every line up to the limit."""
    at, is_heading = start, False
    while end := text.find("\n", at, limit) + 1:
        line = text[at : end - 1]
        was_code, code = code, _code_after(text, at, end - 1, code)
        is_heading = not was_code and (line.startswith("#") or (is_heading and not line))
        ends_paragraph = not line.strip()
        opens = code is not None and code is not was_code
        rank = 0 if is_heading or opens else 1 if code else 2 + ends_paragraph
        yield _BreakPoint(rank, end, code, code.closing if code else "")
        at = end


def _is_divisible(text: str, last: _BreakPoint, room: _Room) -> bool:
    """Whether the line behind a break may be divided: prose, or a line that would not fit by itself."""
    if last.at == room.start or not (last.code or text.startswith("|", last.at)):
        return True
    end = reach(text, last.at, room.tokens)
    return end < len(text) and "\n" not in text[last.at : end + 1]


def _within_line(text: str, last: _BreakPoint, room: _Room, at: int) -> _BreakPoint:
    """A break inside a line: where a sentence ends, if `at` says so, else at a word."""
    middle = max(last.at, reach(text, room.start, room.tokens * _HALF_FULL))
    at = at or _between_words(text, middle, room) or _between_characters(text, room.start, room.limit)
    line_end = find_or_end(text, "\n", last.at)
    code = _code_after(text, last.at, line_end, last.code)
    if _code_after(text, at, line_end, code) != code:
        # The rest of the line would look like a fence at the beginning of the next part.
        word_end = last.at + len(text[last.at : at].rstrip(" "))
        at = _behind_blank(text, last.at, word_end) or at
    # Half a line may look like a fence although the whole line is none, or be too short to belong to its quote.
    half = _code_after(text, last.at, at, last.code)
    if at <= last.at or (half != code and last.at > room.start):
        return last
    return _BreakPoint(0, at, code, f"\n{half.closing}" if half else "")


def _sentence_end(text: str, start: int, limit: int) -> int:
    """The place behind the last sentence that ends there; 0 if there is none."""
    # One more character, by which the next sentence begins.
    ends = [found.end() for found in _SENTENCE_END.finditer(text, start, min(len(text), limit + 1))]
    return next((end for end in reversed(ends) if end <= limit and _before_link(text, end) == end), 0)


def _fits_next_sentence(text: str, at: int, room: _Room) -> bool:
    """Whether the sentence from there on fits into a part of its own."""
    return _sentence_end(text, at, min(find_or_end(text, "\n", at) + 1, reach(text, at, room.tokens))) > 0


def _between_words(text: str, start: int, room: _Room) -> int:
    """The place behind the last blank that is in no link; 0 if there is none."""
    at = _behind_blank(text, start, room.limit)
    outside = _before_link(text, at) if at else 0
    return outside if outside > room.start else at


def _behind_blank(text: str, start: int, limit: int) -> int:
    return text.rfind(" ", start, limit) + 1


def _before_link(text: str, at: int) -> int:
    """The same place, or the start of the link that it is in."""
    start = max(text.rfind("\n", max(0, at - _LONGEST_LINK), at) + 1, at - _LONGEST_LINK)
    inside = (
        found.start() for found in _LINK.finditer(text, start, at + _LONGEST_LINK) if found.start() < at < found.end()
    )
    return next(inside, at)


def _between_characters(text: str, start: int, end: int) -> int:
    """The last place up to `end` that is not inside a character."""
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


def _code_at(text: str, place: Position) -> _OpenCode | None:
    """The code that is open at a position; `None` if the position is wrong about it."""
    if place.code_at is None:
        return None
    end = text.find("\n", place.code_at, place.at)
    return _find_opening(text, place.code_at, end if end >= 0 else place.at)


def _opening(text: str, at: int, code: _OpenCode) -> str:
    """The line that opens code again, with the indent of its list or quote."""
    start = text.index(code.mark, code.at)
    language = fence_language(text[start : find_or_end(text, "\n", start)])
    rest_of_line = code.indent if text[at - 1] != "\n" else ""
    return f"{code.indent}{code.mark}{language}\n{rest_of_line}"


def _find_opening(text: str, at: int, end: int) -> _OpenCode | None:
    """The code that the line from `at` to `end` opens."""
    found = _MARK.match(text, at, end)
    # A backtick behind the mark makes it inline code.
    if not found or (found[2][0] == "`" and text.find("`", found.end(), end) >= 0):
        return None
    indent = _ITEM_MARK.sub(" ", found[1].expandtabs(4))
    if len(found[2]) > _LONGEST_MARK or len(indent) > _LONGEST_INDENT or indent.count(">") > _MOST_QUOTES:
        return None
    return _OpenCode(at, indent, found[2])


def _code_after(text: str, at: int, end: int, code: _OpenCode | None) -> _OpenCode | None:
    """The code that is open behind the line from `at` to `end`."""
    if code is None:
        return _find_opening(text, at, end)
    is_whole_line = not at or text[at - 1] == "\n"
    for _ in range(code.indent.count(">") if is_whole_line else 0):
        quote = _QUOTE.match(text, at, end)
        if quote is None:
            # Code ends with its quote.
            return _find_opening(text, at, end)
        at = quote.end()
    is_end = end - at < _LONGEST_END and _is_end(text[at:end], code)
    return None if is_end else code


def _is_end(line: str, code: _OpenCode) -> bool:
    rest = line.strip()
    if len(rest) < len(code.mark) or rest.strip(code.mark[0]):
        return False
    shown = line.expandtabs(4)
    return len(shown) - len(shown.lstrip()) < len(code.indent.rpartition(">")[2]) + 4
