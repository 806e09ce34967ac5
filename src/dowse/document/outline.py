"""Outline of a document: its headings as numbered sections, and the lookup of a section by any of its names.

One of them is the fragment of a URL, which leads to the first words that the page has there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, islice, pairwise
from urllib.parse import unquote

from dowse.core.text import without_markup
from dowse.core.tokens import token_cost
from dowse.document.clean import to_plain_text
from dowse.document.markdown import BlockKind, Document

MOST_SECTIONS = 200
_TITLE_CHARS = 150
_LINE_CHARS = 1000
_PLAIN = re.compile(r"[^\W_](?:[^\W_]|[ ,.:;?'()/+&%-])*+")
_CLOSING_MARKS = re.compile(r"[ \t]#{1,99}$")
# Outlines are built on the event loop: of a long page, tokens are counted at the beginning of each section only.
_COUNTED_CHARS = 20_000
_ANCHOR = re.compile(r"\[?b(\d{1,9})\]?", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:§ ?)?(\d{1,5}(?:\.\d{1,5}){0,9})\.?(?: (.*))?")
_BARE_NUMBER = re.compile(r"(?:§ ?)?[\d.]+")
_PATH_MARK = re.compile(" [>›»] ")
_NO_WORD = re.compile(r"[\W_]+")
_LINK_TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")
_ITEM_NUMBER = re.compile(r"\s*\d{1,9}[.)] ")
_KEY_CHARS = 300
# A shorter name of a target is part of too many headings.
_SHORTEST_NAME = 3

Place = tuple[int, str, str]
"""The start of a heading or a block, its first words, and the name by which it is found."""


def plain_heading(line: str) -> str:
    """The words of a heading without syntax; most have none."""
    words = line.removeprefix("# ")
    return words if _PLAIN.fullmatch(words) else to_plain_text(line)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text up to the next heading of its level or above; `tokens` is an estimate."""

    number: str
    title: str
    level: int
    start: int
    end: int
    tokens: int


@dataclass
class _Entry:
    line: str
    level: int
    number: str
    start: int
    end: int
    above: _Entry | None

    @cached_property
    def title(self) -> str:
        words = plain_heading(_CLOSING_MARKS.sub("", self.line.rstrip())).rstrip(" ¶")
        # Code and escapes of the page have become plain words, which may hold markup again.
        return without_markup(words, _TITLE_CHARS)

    @cached_property
    def key(self) -> str:
        return _key(self.title)

    def section(self, tokens: float) -> Section:
        return Section(self.number, self.title, self.level, self.start, self.end, max(1, round(tokens)))


def outline(document: Document, within: Section | None = None, tokens: int = 0) -> tuple[Section, ...]:
    """The sections of a page, or of one of its sections, in order; none without headings.

    If there are too many, the deepest ones are left out. `tokens` are those of the whole page, if they are known: the
    estimates of the sections are made to agree with it.
    """
    headings = _number_headings(document)
    costs = _count_tokens(document.text, headings, tokens)
    start, end = (within.start, within.end) if within else (-1, len(document.text))
    places = (place for place, heading in enumerate(headings) if start < heading.start < end)
    by_level = sorted(places, key=lambda place: headings[place].level)
    return tuple(headings[place].section(costs[place]) for place in sorted(by_level[:MOST_SECTIONS]))


def find_section(document: Document, name: str) -> Section | None:
    """The section of a number, heading or path of headings ("Install > Linux"), or the text from a block ("b7") on.

    Case and punctuation do not matter, and a part of a heading is enough if no other heading has it. A bare number is
    one of the outline: "3" is not the heading "Python 3".
    """
    name = " ".join(name.split())
    if not name:
        return None
    headings = _number_headings(document)
    if anchor := _ANCHOR.fullmatch(name):
        return _from_block(document, headings, int(anchor[1]))
    found = _by_number(headings, name)
    if found is None and not _BARE_NUMBER.fullmatch(name):
        found = _by_words(headings, name) or _by_path(headings, name)
    return found.section(_cost(document.text, found.start, found.end, _COUNTED_CHARS)) if found else None


def find_target(document: Document, name: str, targets: str) -> Section | None:
    """The section or the block that a fragment leads to: by its target, or else by a heading of the same words.

    `targets` are those of the page, as `Facts` has them.
    """
    name = unquote(name)
    found = _align(list(_places(document)), name, [line.partition("\t")[::2] for line in targets.splitlines()])
    if found:
        return find_section(document, found)
    words = _key(name)
    return find_section(document, words) if len(words) >= _SHORTEST_NAME and not words.isdigit() else None


def _align(places: Sequence[Place], name: str, targets: Sequence[tuple[str, str]]) -> str:
    """The name of the place of a target: both are in the order of the page, which tells equal headings apart."""
    by_word: defaultdict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_word[place[1].partition(" ")[0]].append(place)
    reached = 0
    for target, words in targets:
        key = _key(words)
        same = (place for place in by_word[key.partition(" ")[0]] if place[0] >= reached and _agree(place[1], key))
        start, _, found = next(same, (reached, "", ""))
        if target == name:
            return found
        reached = start
    return ""


def _agree(one: str, other: str) -> bool:
    """Whether one of two texts is the beginning of the other."""
    shorter, longer = sorted((one, other), key=len)
    return bool(shorter) and longer.startswith(shorter)


def _places(document: Document) -> Iterator[Place]:
    """The headings and blocks in order."""
    headings = [(section.start, _key(section.title), section.number) for section in outline(document)]
    blocks = [
        (block.start, _block_key(document.text[block.start : block.start + _KEY_CHARS], block.kind), block.anchor)
        for block in document.blocks
        if block.kind is not BlockKind.HEADING
    ]
    yield from sorted(headings + blocks)


def _block_key(text: str, kind: BlockKind) -> str:
    if kind is BlockKind.CODE:
        text = text.partition("\n")[2]
    number = _ITEM_NUMBER.match(text)
    return _key(_LINK_TARGET.sub("] ", text[number.end() :] if number else text))


def _number_headings(document: Document) -> list[_Entry]:
    entries: list[_Entry] = []
    above: list[_Entry] = []
    counts: Counter[str] = Counter()
    for heading in document.headings:
        level, start = heading.level, heading.start
        while above and above[-1].level >= level:
            above.pop().end = start
        parent = above[-1] if above else None
        prefix = f"{parent.number}." if parent else ""
        counts[prefix] += 1
        line = heading.whole.lstrip("#").lstrip()[:_LINE_CHARS]
        entry = _Entry(line, level, f"{prefix}{counts[prefix]}", start, len(document.text), parent)
        entries.append(entry)
        above.append(entry)
    return entries


def _count_tokens(markdown: str, headings: Sequence[_Entry], tokens: int) -> list[float]:
    """The approximate tokens of each section with its subsections."""
    starts = [heading.start for heading in headings]
    counted = _COUNTED_CHARS // max(1, len(headings))
    own = (_cost(markdown, start, end, counted) for start, end in pairwise([*starts, len(markdown)]))
    before = [0.0, *accumulate(own)]
    places = {start: place for place, start in enumerate([*starts, len(markdown)])}
    lead = _cost(markdown, 0, starts[0], counted) if starts else 0.0
    scale = tokens / (lead + before[-1]) if tokens and before[-1] else 1.0
    return [scale * (before[places[heading.end]] - before[place]) for place, heading in enumerate(headings)]


def _cost(markdown: str, start: int, end: int, counted: int) -> float:
    sample = markdown[start : min(end, start + counted)]
    return token_cost(sample) * (end - start) / len(sample) if sample else 0.0


def _from_block(document: Document, headings: Sequence[_Entry], number: int) -> Section | None:
    """From a block to the end of its section, or of the page if the block is above all headings."""
    if not 0 < number <= len(document.blocks):
        return None
    start = document.blocks[number - 1].start
    page = _Entry("", 0, "", 0, len(document.text), None)
    around = [page, *(heading for heading in headings if heading.start < start)][-1]
    return replace(around, start=start).section(_cost(document.text, start, around.end, _COUNTED_CHARS))


def _by_number(headings: Iterable[_Entry], name: str) -> _Entry | None:
    """By the number in the outline, with or without the title or its beginning behind it."""
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None:
        return None
    found = next((each for each in headings if each.number == numbered[1]), None)
    is_another = found and numbered[2] and not found.key.startswith(_key(numbered[2]))
    return None if is_another else found


def _by_words(headings: Sequence[_Entry], name: str) -> _Entry | None:
    """By the whole title, or by its beginning or any part of it that no other title has."""
    key = _key(name)
    containing = [heading for heading in headings if key in heading.key]
    return (
        _by_title([heading for heading in containing if heading.key == key], name)
        or _only(heading for heading in containing if heading.key.startswith(key))
        or _only(containing)
    )


def _by_title(headings: Sequence[_Entry], name: str) -> _Entry | None:
    """The first heading, or the one with the same punctuation, which tells "C" from "C++"."""
    exact = (heading for heading in headings if heading.title.casefold() == name.casefold())
    return next(exact, headings[0] if headings else None)


def _only(headings: Iterable[_Entry]) -> _Entry | None:
    found = list(islice(headings, 2))
    return found[0] if len(found) == 1 else None


def _by_path(headings: Sequence[_Entry], name: str) -> _Entry | None:
    """By a title and the titles of some sections around it, from the outside in."""
    *above, last = _PATH_MARK.split(name)
    under = [heading for heading in headings if _is_under(heading, above)] if above else []
    return _by_words(under, last)


def _is_under(heading: _Entry, titles: list[str]) -> bool:
    left = list(map(_key, titles))
    around = heading.above
    while around and left:
        if around.key == left[-1]:
            left.pop()
        around = around.above
    return not left


def _key(title: str) -> str:
    """The form that two spellings of a title have in common."""
    return _NO_WORD.sub(" ", title.casefold()).strip() or title
