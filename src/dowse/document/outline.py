"""The headings of a page as numbered sections, and the section that somebody asks for by any of its names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice, pairwise
from math import ceil

from dowse.core.text import without_markup
from dowse.core.tokens import token_cost
from dowse.document.blocks import blocks
from dowse.document.markdown import plain

MOST_SECTIONS = 200
_TITLE_CHARS = 150
# Only at the very beginning of a line: what is indented is in a list, where no section begins. The line break is part
# of the pattern because looking for a character is several times quicker than looking for the start of a line.
_MARK = re.compile(
    r"\n(?:(?P<level>#{1,6})[ \t]{1,9}(?P<title>\S[^\n]{0,999})"
    r"|(?P<indent> {0,3})(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>.*))",
    re.MULTILINE,
)
_CLOSING_MARKS = re.compile(r"[ \t]#{1,99}$")
# More than any page has that somebody wrote; what a hostile one has beyond is not looked at.
_MOST_HEADINGS = 4_000
_MOST_MARKS = 20_000
# Outlines are made on the event loop: of a long page, tokens are counted at the beginning of each section only.
_COUNTED_CHARS = 20_000
_ANCHOR = re.compile(r"\[?b(\d{1,9})\]?", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:§ ?)?(\d{1,5}(?:\.\d{1,5}){0,9})\.?(?: (.*))?")
_PATH_MARK = re.compile(" [>›»] ")
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and all that is under it, up to the next one of its level or above; `tokens` is an estimate."""

    number: str
    title: str
    level: int
    start: int
    end: int
    tokens: int


@dataclass
class _Heading:
    line: str
    level: int
    number: str
    start: int
    end: int
    above: _Heading | None

    @cached_property
    def title(self) -> str:
        words = plain(_CLOSING_MARKS.sub("", self.line.rstrip())).rstrip(" ¶")
        # What was code or escaped on the page is neither in plain words.
        return without_markup(words, _TITLE_CHARS)

    @cached_property
    def key(self) -> str:
        return _key(self.title)

    def section(self, tokens: float) -> Section:
        return Section(self.number, self.title, self.level, self.start, self.end, ceil(tokens))


def outline(markdown: str, within: Section | None = None) -> tuple[Section, ...]:
    """The sections of a page, or of one of its sections, in order; none without headings.

    If there are too many, the deepest ones are left out.
    """
    headings = _headings(markdown)
    costs = _costs(markdown, headings)
    start, end = (within.start, within.end) if within else (-1, len(markdown))
    places = (place for place, heading in enumerate(headings) if start < heading.start < end)
    by_level = sorted(places, key=lambda place: headings[place].level)
    return tuple(headings[place].section(costs[place]) for place in sorted(by_level[:MOST_SECTIONS]))


def find(markdown: str, name: str) -> Section | None:
    """The section of that number, heading or path of headings ("Install > Linux"), or all from a block ("b7") on.

    Case and punctuation do not matter, and a part of a heading is enough if no other heading has it.
    """
    name = " ".join(name.split())
    if not name:
        return None
    headings = _headings(markdown)
    if anchor := _ANCHOR.fullmatch(name):
        return _from_block(markdown, headings, int(anchor[1]))
    found = _by_number(headings, name) or _by_words(headings, name) or _by_path(headings, name)
    return found.section(_cost(markdown, found.start, found.end, _COUNTED_CHARS)) if found else None


def _headings(markdown: str) -> list[_Heading]:
    headings: list[_Heading] = []
    above: list[_Heading] = []
    counts: Counter[str] = Counter()
    for mark in islice(_marks(markdown), _MOST_HEADINGS):
        level, start = len(mark["level"]), mark.start()
        while above and above[-1].level >= level:
            above.pop().end = start
        parent = above[-1] if above else None
        prefix = f"{parent.number}." if parent else ""
        counts[prefix] += 1
        heading = _Heading(mark["title"], level, f"{prefix}{counts[prefix]}", start, len(markdown), parent)
        headings.append(heading)
        above.append(heading)
    return headings


def _marks(markdown: str) -> Iterator[re.Match[str]]:
    """The headings, without lines of code that look like some."""
    fence = ""
    # With the line break that the pattern wants before the first line, a match starts where its line does.
    for mark in islice(_MARK.finditer(f"\n{markdown}"), _MOST_MARKS):
        if mark["level"]:
            if not fence:
                yield mark
        elif not fence:
            # An indented block of code holds no line without an indent, so none that could be taken for a heading.
            fence = "" if mark["indent"] else mark["fence"]
        elif mark["fence"].startswith(fence) and not mark["info"].strip():
            fence = ""


def _costs(markdown: str, headings: Sequence[_Heading]) -> list[float]:
    """About how many tokens each section has, those in it included."""
    starts = [heading.start for heading in headings]
    counted = _COUNTED_CHARS // max(1, len(headings))
    own = (_cost(markdown, start, end, counted) for start, end in pairwise([*starts, len(markdown)]))
    before = [0.0, *accumulate(own)]
    places = {start: place for place, start in enumerate([*starts, len(markdown)])}
    return [before[places[heading.end]] - before[place] for place, heading in enumerate(headings)]


def _cost(markdown: str, start: int, end: int, counted: int) -> float:
    sample = markdown[start : min(end, start + counted)]
    return token_cost(sample) * (end - start) / len(sample)


def _from_block(markdown: str, headings: Sequence[_Heading], number: int) -> Section | None:
    """From a block on to the end of the section it stands in, or of the page if it is above all headings."""
    start = next((block.start for block in blocks(markdown) if block.number == number), None)
    if start is None:
        return None
    page = _Heading("", 0, "", 0, len(markdown), None)
    around = [page, *(heading for heading in headings if heading.start < start)][-1]
    return replace(around, start=start).section(_cost(markdown, start, around.end, _COUNTED_CHARS))


def _by_number(headings: Iterable[_Heading], name: str) -> _Heading | None:
    """By the number in the outline, with or without the title behind it, or the beginning of that."""
    numbered = _NUMBERED.fullmatch(name)
    found = next((each for each in headings if numbered and each.number == numbered[1]), None)
    if found and numbered and numbered[2] and not found.key.startswith(_key(numbered[2])):
        return None
    return found


def _by_words(headings: Sequence[_Heading], name: str) -> _Heading | None:
    """By the whole title, or by its beginning or any part of it that no other title has."""
    titled = [(heading, heading.key) for heading in headings]
    key = _key(name)
    same = [heading for heading, title in titled if title == key]
    if same:
        # Punctuation is all that tells "C" from "C++".
        return next((heading for heading in same if heading.title.casefold() == name.casefold()), same[0])
    beginning = [heading for heading, title in titled if title.startswith(key)]
    containing = [heading for heading, title in titled if key in title]
    return next((found[0] for found in (beginning, containing) if len(found) == 1), None)


def _by_path(headings: Sequence[_Heading], name: str) -> _Heading | None:
    """By a title and those of some sections around it, from the outside in."""
    *above, last = _PATH_MARK.split(name)
    under = [heading for heading in headings if _is_under(heading, above)] if above else []
    return _by_words(under, last)


def _is_under(heading: _Heading, titles: list[str]) -> bool:
    left = [_key(title) for title in titles]
    around = heading.above
    while around and left:
        if around.key == left[-1]:
            left.pop()
        around = around.above
    return not left


def _key(title: str) -> str:
    """What two spellings of a title have in common."""
    return _NO_WORD.sub(" ", title.casefold()).strip() or title
