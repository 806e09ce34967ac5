"""View of a page: from its beginning, from a cursor, one section, or the passages for a question, within a budget."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from dowse.core import urls
from dowse.core.digests import Digest, OutlineEntry
from dowse.core.errors import InvalidRequest, PageUnreadable
from dowse.core.models import LOCAL, Deadline, Page, Principal
from dowse.core.protocols import Extractor, Progress
from dowse.core.runtime import no_progress
from dowse.core.text import ArgumentName, Sentence, one_line, quote_line
from dowse.core.tokens import divide_budget, estimate_tokens
from dowse.document.cut import BEGINNING, Position, next_part
from dowse.flows.read import ReadFlow, content_hash
from dowse.flows.search import source_of

# Reading Markdown is imported where it is needed: dowse starts without it.
if TYPE_CHECKING:
    from dowse.document.outline import Section

P = ParamSpec("P")
R = TypeVar("R")

LEAST_TOKENS = 100
# Counting the tokens of a longer text, or looking for its headings, would hold up other calls.
_LONG_CHARS = 20_000
# A shorter text never exceeds the ceiling by being escaped.
_LONG_SHARE = 3
# Enough for orientation; the sections of a larger page have outlines of their own.
_MOST_LISTED = 40
# Of a small budget the outline must not be the larger part.
_LEAST_LISTED, _TOKENS_FOR_ENTRY = 10, 40
_MOST_SUGGESTED = 3
# An error has no fence around the words of a page: enough to choose by, too little for a prompt injection.
_SUGGESTED_CHARS = 60
_SIMILAR = 0.3
_CHANGED = "the page has changed since it was begun; this is its new beginning"
_NO_MATCH = "nothing {where} matches the question; this is its beginning"
_NO_MATCH_IN_ALL = "nothing {where} matches the question; this is all of it"
_NO_TIME = "passage retrieval {where} timed out; this is its beginning"
_NO_TARGET = "the page has no part #{name}; this is its beginning"
_AT = r"[1-9]\d{0,8}"
# The place comes first: a hash may begin with a dash, and a shell command would take that for an option.
_CURSOR = re.compile(rf"({_AT})(?:\.(0|{_AT}))?(?:-({_AT}))?\.([\w-]{{22}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a text that is named by its hash, so that a changed page is noticed.

    `end` is where to stop, if only a section is being read.
    """

    place: Position
    digest: str
    end: int | None = None

    @classmethod
    def parse(cls, text: str) -> Cursor:
        """A cursor as it was given out; raises `InvalidRequest` for anything else."""
        found = _CURSOR.fullmatch(text)
        if found:
            code_at, end = (None if number is None else int(number) for number in found.group(2, 3))
            place = Position(int(found[1]), code_at)
            if (place.code_at or 0) < place.at and (end is None or place.at < end):
                return cls(place, found[4], end)
        raise InvalidRequest(
            ArgumentName("cursor"),
            " must be the next_cursor of an earlier answer, exactly as it stands there; "
            "leave it out to read the page from its beginning.",
        )

    def __str__(self) -> str:
        code_at = "" if self.place.code_at is None else f".{self.place.code_at}"
        end = "" if self.end is None else f"-{self.end}"
        return f"{self.place.at}{code_at}{end}.{self.digest}"


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The wanted part of a page. `ceiling` bounds the text together with the address and the outline, if wanted."""

    url: str
    question: str = ""
    section: str = ""
    cursor: Cursor | None = None
    max_tokens: int = 10_000
    ceiling: int = 24_000
    wants_outline: bool = True


@dataclass(frozen=True, slots=True)
class SectionOutline:
    """Sections in order, and how many are not listed."""

    sections: tuple[OutlineEntry, ...] = ()
    unlisted: int = 0

    def __str__(self) -> str:
        unlisted = [f"… and {self.unlisted} more"] if self.unlisted else []
        return "\n".join([*map(describe_section, self.sections), *unlisted])


@dataclass(frozen=True, slots=True)
class PageView:
    """The shown text of a page from `start` on; none of a page that could not be read.

    `rest` is where to read on, which `next_cursor` says, and `end` where the section ends that is being read. `digest`
    names the blocks that are shown, if the passages for a question are. `objection` is to be said before the text;
    `tokens` are those of the whole page.
    """

    page: Page
    text: str = ""
    start: Position = BEGINNING
    rest: Position | None = None
    end: int | None = None
    digest: Digest | None = None
    outline: SectionOutline = SectionOutline()
    next_cursor: str = ""
    warnings: tuple[str, ...] = ()
    objection: str = ""
    tokens: int = 0

    @property
    def is_long(self) -> bool:
        """Whether rendering it belongs into a thread."""
        return len(self.page.text) > _LONG_CHARS


class PageViewFlow:
    """Reads pages and cuts the wanted part out of each."""

    def __init__(self, reader: ReadFlow, extractor: Extractor) -> None:
        self._reader = reader
        self._extractor = extractor

    async def view(
        self, request: PageRequest, deadline: Deadline, *, offline: bool = False, caller: Principal = LOCAL
    ) -> PageView:
        """Raises `Offline`, and `InvalidRequest` for a section or a cursor that the page does not have."""
        cursor = request.cursor
        kept = await self._reader.recall(request.url, cursor.digest, offline=offline) if cursor else None
        page = kept or await self._reader.read(request.url, deadline, offline=offline, caller=caller)
        with self._reader.holding(caller) as hold:
            page = page if kept else await hold(page)
            return await self._show(page, request, deadline, is_kept=bool(kept))

    async def view_all(
        self,
        addresses: Sequence[str],
        request: PageRequest,
        deadline: Deadline,
        *,
        offline: bool = False,
        progress: Progress = no_progress,
        caller: Principal = LOCAL,
    ) -> list[PageView]:
        """Several pages, read concurrently and shown in their order within one budget; raises `Offline`."""
        done = 0

        async def read(url: str) -> Page:
            nonlocal done
            page = await hold(await self._reader.read(url, deadline, offline=offline, caller=caller))
            done += 1
            await progress(f"read {done} of {len(addresses)} pages")
            return page

        await progress(f"read 0 of {len(addresses)} pages")
        with self._reader.holding(caller) as hold:
            pages = await asyncio.gather(*map(read, addresses))
            return await self._show_all(pages, request, deadline)

    async def _show_all(self, pages: Sequence[Page], request: PageRequest, deadline: Deadline) -> list[PageView]:
        """The pages in their order, within one budget."""
        costs = [await off_loop(page, estimate_tokens, page.text) for page in pages]
        shares = divide_budget(costs, request.max_tokens)
        requests = [
            replace(request, url=page.url, max_tokens=max(share, LEAST_TOKENS), wants_outline=False)
            for page, share in zip(pages, shares, strict=True)
        ]
        showing = (self._show(page, each, deadline) for page, each in zip(pages, requests, strict=True))
        return list(await asyncio.gather(*showing))

    async def _show(self, page: Page, request: PageRequest, deadline: Deadline, *, is_kept: bool = False) -> PageView:
        if not page.status.readable:
            return PageView(page)
        has_outline = request.wants_outline and not request.cursor
        tokens = await off_loop(page, estimate_tokens, page.text)
        section, objection = await off_loop(page, _select_part, page, request)
        most = min(_MOST_LISTED, max(_LEAST_LISTED, request.max_tokens // _TOKENS_FOR_ENTRY))
        outline = await off_loop(page, _outline, page, section, tokens, most) if has_outline else SectionOutline()
        room = max(LEAST_TOKENS, request.ceiling - estimate_tokens(page.final_url) - estimate_tokens(str(outline)))
        request = replace(request, max_tokens=min(request.max_tokens, room))
        view = await self._cut_to_room(page, request, section, deadline, room)
        view = replace(view, outline=outline, objection=view.objection or objection, tokens=tokens)
        if not view.rest:
            return view
        # A kept text is not kept again: it would look younger than it is.
        digest = content_hash(page.text) if is_kept else await self._reader.keep(page)
        return replace(view, next_cursor=str(Cursor(view.rest, digest, view.end)))

    async def _cut(self, page: Page, request: PageRequest, section: Section | None, deadline: Deadline) -> PageView:
        max_tokens = request.max_tokens
        if request.cursor:
            return await off_loop(page, _continue, page, max_tokens, request.cursor)
        if request.question:
            return await self._choose_passages(page, request, section, deadline)
        return await off_loop(page, _from_beginning, page, max_tokens, section)

    async def _cut_to_room(
        self, page: Page, request: PageRequest, section: Section | None, deadline: Deadline, room: int
    ) -> PageView:
        """The view within the room also when it is escaped, as in structured output, which clients cut."""
        view = await self._cut(page, request, section, deadline)
        if request.max_tokens <= request.ceiling // _LONG_SHARE:
            return view
        escaped = await off_loop(page, _escaped_tokens, view.text, room)
        if escaped <= room:
            return view
        shorter = replace(request, max_tokens=request.max_tokens * room // escaped)
        return await self._cut(page, shorter, section, deadline)

    async def _choose_passages(
        self, page: Page, request: PageRequest, section: Section | None, deadline: Deadline
    ) -> PageView:
        """The passages for a question; the beginning if there are none, or no time for them."""
        source = source_of(page)
        if section:
            source = replace(source, text=page.text[section.start : section.end])
        where = "in the section" if section else "on the page"
        try:
            # In a worker: comparing a page of megabytes with a question takes a second.
            (digest,) = await self._extractor.digest(
                request.question, [source], request.max_tokens, timeout_s=deadline.remaining_s()
            )
        except PageUnreadable:
            digest = None
        if digest and digest.anchors and not digest.is_off_topic:
            return await off_loop(page, _show_passages, page, section, digest)
        beginning = await off_loop(page, _from_beginning, page, request.max_tokens, section)
        return replace(beginning, objection=_object(digest, is_whole=not beginning.rest).format(where=where))


def _object(digest: Digest | None, *, is_whole: bool) -> str:
    """Why the beginning of a page is shown in place of passages; empty if the page is whole and about the question."""
    if digest is None:
        return "" if is_whole else _NO_TIME
    if not digest.is_off_topic:
        return ""
    return _NO_MATCH_IN_ALL if is_whole else _NO_MATCH


def describe_section(section: OutlineEntry) -> str:
    """Such as "2.1 Installing (340 tokens)"; the number says how deep it is."""
    return f"{section.number} {section.title} ({section.tokens:,} tokens)"


async def off_loop(page: Page, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run the work, in a thread if the page is long."""
    if len(page.text) <= _LONG_CHARS:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


def cut_page(page: Page, max_tokens: int, start: Position = BEGINNING, end: int | None = None) -> PageView:
    """The page as far as it fits, from a place on; with `end` only up to there."""
    if not page.status.readable:
        return PageView(page)
    shown = next_part(page.text[:end], start, max_tokens)
    return PageView(page, shown.text, start=start, rest=shown.rest, end=end)


def _from_beginning(page: Page, max_tokens: int, section: Section | None) -> PageView:
    if section is None:
        return cut_page(page, max_tokens)
    return cut_page(page, max_tokens, Position(section.start), section.end)


def _continue(page: Page, max_tokens: int, cursor: Cursor) -> PageView:
    """The page from the cursor on, or from its beginning if it has changed."""
    if content_hash(page.text) != cursor.digest:
        return replace(cut_page(page, max_tokens), warnings=(_CHANGED,))
    if cursor.place.at >= len(page.text):
        where = " is behind the end of the page; leave it out to read the page from its beginning."
        raise InvalidRequest(ArgumentName("cursor"), where)
    return cut_page(page, max_tokens, cursor.place, cursor.end)


def _show_passages(page: Page, section: Section | None, digest: Digest) -> PageView:
    """The passages, under the anchors that their blocks have on the page."""
    if section is None:
        return PageView(page, digest.text, digest=digest)
    before = _count_blocks_before(page, section)
    anchors = tuple(f"b{int(anchor[1:]) + before}" for anchor in digest.anchors)
    return PageView(page, digest.text, start=Position(section.start), digest=replace(digest, anchors=anchors))


def _escaped_tokens(text: str, room: int) -> int:
    """The cost as a JSON string; counted only where it matters, since no token is shorter than a byte."""
    escaped = json.dumps(text, ensure_ascii=False)
    return 0 if len(escaped.encode("utf-8", "replace")) <= room else estimate_tokens(escaped)


def _select_part(page: Page, request: PageRequest) -> tuple[Section | None, str]:
    """The section that is asked for by name or by the fragment of the URL, and an objection if there is no such part.

    Raises `InvalidRequest` for a name that the page does not have; a fragment may mean something else.
    """
    from dowse.document.markdown import Document
    from dowse.document.outline import find_target

    if request.cursor:
        return None, ""
    if request.section:
        is_target = request.section.startswith("#")
        target = find_target(Document(page.text), request.section[1:], page.facts.targets) if is_target else None
        return target or _find_section(page, request.section), ""
    name = urls.fragment(page.url)
    if not name:
        return None, ""
    target = find_target(Document(page.text), name, page.facts.targets)
    # Without targets the reader was no reader of HTML, and may have heeded the fragment itself.
    is_unknown = target is None and page.facts.targets
    return target, _NO_TARGET.format(name=quote_line(one_line(name, _SUGGESTED_CHARS))) if is_unknown else ""


def _find_section(page: Page, name: str) -> Section:
    """The section of that number, heading or block; raises `InvalidRequest` with the nearest ones if there is none."""
    from dowse.document.markdown import Document
    from dowse.document.outline import find_section

    section = find_section(Document(page.text), name)
    if section is None:
        raise InvalidRequest(
            ArgumentName("section"), f" {name!r} is not on the page. ", *_suggest_sections(page, name).parts
        )
    return section


def _outline(page: Page, within: Section | None, tokens: int, most: int) -> SectionOutline:
    """The outline of a page or of one of its sections; if there are too many, the deepest ones are not listed."""
    from dowse.document.markdown import Document
    from dowse.document.outline import outline

    sections = outline(Document(page.text), within, tokens)
    listed = sorted(sorted(sections, key=lambda each: each.level)[:most], key=lambda each: each.start)
    entries = tuple(OutlineEntry(each.number, each.title, each.level, each.tokens) for each in listed)
    return SectionOutline(entries, len(sections) - len(entries))


def _count_blocks_before(page: Page, section: Section) -> int:
    from dowse.document.markdown import Document

    return sum(1 for _ in takewhile(lambda block: block.start < section.start, Document(page.text).blocks))


def _suggest_sections(page: Page, name: str) -> Sentence:
    from dowse.document.markdown import Document
    from dowse.document.outline import outline

    sections = outline(Document(page.text))
    if not sections:
        return Sentence("It has no headings: leave out section, or pass a question.")
    wanted = _bigrams(name)
    alike = {each: len(wanted & _bigrams(each.title)) / len(wanted) for each in sections}
    near = sorted((each for each in sections if alike[each] >= _SIMILAR), key=lambda each: -alike[each])
    names = (f"'{each.number} {quote_line(one_line(each.title, _SUGGESTED_CHARS))}'" for each in (near or sections))
    listed = ", ".join(islice(names, _MOST_SUGGESTED))
    found = f"{'Nearest' if near else 'It has'}: {listed}; without "
    return Sentence(found, ArgumentName("section"), " the answer has the outline.")


def _bigrams(words: str) -> set[str]:
    """Pairs of characters, which two spellings of a heading have in common in any script."""
    text = f" {words.casefold()} "
    return {text[at : at + 2] for at in range(len(text) - 1)}
