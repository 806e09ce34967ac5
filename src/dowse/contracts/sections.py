"""The sections of a page: its outline, and the one that a caller names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from dowse.core.errors import InvalidRequest
from dowse.core.models import Page
from dowse.core.text import one_line

# What reads pages is imported by need: dowse starts without it.
if TYPE_CHECKING:
    from dowse.document.outline import Section

# Enough to find one's way; of a page that has more, each section has an outline of its own.
_MOST_LISTED = 40
_MOST_SUGGESTED = 3
# In an error nothing marks the words of a page as such: enough to choose by, too little to talk a model into anything.
_SUGGESTED_CHARS = 60
_SIMILAR = 0.3


def section_of(page: Page, name: str) -> Section:
    """The section of that number, heading or block; raises `InvalidRequest` with the nearest ones if there is none."""
    from dowse.document.markdown import Document
    from dowse.document.outline import find_section

    section = find_section(Document(page.text), name)
    if section is None:
        raise InvalidRequest(f"section {name!r} is not on the page. {_what_there_is(page, name)}")
    return section


@dataclass(frozen=True, slots=True)
class Outline:
    """Sections in order, as fields of an answer, and how many there are beside them."""

    sections: Sequence[Mapping[str, object]] = ()
    unlisted: int = 0


NO_OUTLINE = Outline()


def outline_of(page: Page, within: Section | None = None) -> Outline:
    """The outline of a page or of one of its sections; if there are too many, the deepest ones are not listed."""
    from dowse.document.markdown import Document
    from dowse.document.outline import outline

    sections = outline(Document(page.text), within)
    listed = sorted(sorted(sections, key=lambda each: each.level)[:_MOST_LISTED], key=lambda each: each.start)
    told = [{"number": each.number, "title": each.title, "level": each.level, "tokens": each.tokens} for each in listed]
    return Outline(told, len(sections) - len(told))


def blocks_before(page: Page, section: Section) -> int:
    """How many blocks of the page are above a section: those in it are numbered from there on."""
    from dowse.document.markdown import Document

    return sum(1 for _ in takewhile(lambda block: block.start < section.start, Document(page.text).blocks))


def _what_there_is(page: Page, name: str) -> str:
    from dowse.document.markdown import Document
    from dowse.document.outline import outline

    sections = outline(Document(page.text))
    if not sections:
        return "It has no headings: leave out section, or pass a question."
    wanted = _pairs(name)
    alike = {each: len(wanted & _pairs(each.title)) / len(wanted) for each in sections}
    near = sorted((each for each in sections if alike[each] >= _SIMILAR), key=lambda each: -alike[each])
    names = (f"{each.number} {one_line(each.title, _SUGGESTED_CHARS)}" for each in (near or sections))
    told = ", ".join(map(repr, islice(names, _MOST_SUGGESTED)))
    return f"{'Nearest' if near else 'It has'}: {told}; without section the answer has the outline."


def _pairs(words: str) -> set[str]:
    """The pairs of characters that two spellings of a heading have in common, in any script."""
    text = f" {words.casefold()} "
    return {text[at : at + 2] for at in range(len(text) - 1)}
