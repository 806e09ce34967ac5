"""What is shown of a page: its beginning, a section, what follows a cursor, or the passages for a question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from dowse.contracts.calls import get_content_call
from dowse.contracts.cursor import Cursor
from dowse.contracts.notes import content
from dowse.contracts.results import some_of
from dowse.contracts.sections import blocks_before
from dowse.core.digests import Digest
from dowse.core.errors import InvalidRequest, PageUnreadable
from dowse.core.models import Deadline, Page, Status
from dowse.core.protocols import Extractor
from dowse.core.tokens import estimate_tokens
from dowse.document.cut import BEGINNING, GAP, Position, next_part
from dowse.flows.read import content_hash
from dowse.flows.search import source_of

if TYPE_CHECKING:
    from dowse.document.outline import Section

P = ParamSpec("P")
R = TypeVar("R")

# Counting the tokens of more than this, or looking for its headings, would hold up other calls.
_LONG_CHARS = 20_000
_CHANGED = "the page has changed since it was begun; this is its new beginning"
_ALL_THERE_IS = "(The page goes on; this is all that was read of it.)"
_NO_MATCH = "no word of the question is {where}; this is its beginning"
_NO_TIME = "the question could not be looked for {where} in time; this is its beginning"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a page from `start` on: `rest` is where it can be read on, `more` what else there is to say.

    `end` is where the section ends that is being read. `digest` tells which blocks are shown, if only some are.
    """

    text: str
    more: str = ""
    warnings: tuple[str, ...] = ()
    start: Position = BEGINNING
    rest: Position | None = None
    end: int | None = None
    digest: Digest | None = None


async def beside(page: Page, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What the work brings, done beside other calls if the page is long."""
    if len(page.text) <= _LONG_CHARS:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


def excerpt_of(page: Page, max_tokens: int, start: Position = BEGINNING, end: int | None = None) -> Excerpt:
    """The page as far as it fits, from a place on; with `end` only up to there."""
    if not page.status.readable:
        return Excerpt(content(page))
    shown = next_part(page.text[:end], start, max_tokens)
    more = ""
    if not shown.rest:
        more = _part_of(page) if end else _ALL_THERE_IS if page.status is Status.TRUNCATED else ""
    return Excerpt(shown.text, more, start=start, rest=shown.rest, end=end)


def beginning_of(page: Page, max_tokens: int, section: Section | None) -> Excerpt:
    """A page or a section as far as it fits."""
    if section is None:
        return excerpt_of(page, max_tokens)
    return excerpt_of(page, max_tokens, Position(section.start), section.end)


def continued(page: Page, max_tokens: int, cursor: Cursor) -> Excerpt:
    """The page from where it was left, or from its beginning if it is no longer the same."""
    if not page.status.readable:
        return excerpt_of(page, max_tokens)
    if content_hash(page.text) != cursor.digest:
        return replace(excerpt_of(page, max_tokens), warnings=(_CHANGED,))
    if cursor.place.at >= len(page.text):
        raise InvalidRequest("cursor is behind the end of the page; leave it out to read the page from its beginning.")
    return excerpt_of(page, max_tokens, cursor.place, cursor.end)


async def passages_of(
    page: Page, max_tokens: int, question: str, section: Section | None, *, extractor: Extractor, deadline: Deadline
) -> Excerpt:
    """The passages of a page or of a section for a question; its beginning without any, or without time for them."""
    source = source_of(page)
    if section:
        source = replace(source, text=page.text[section.start : section.end])
    where = "in the section" if section else "on the page"
    try:
        # In a worker: comparing a page of megabytes with a question takes a second.
        (digest,) = await extractor.digest(question, [source], max_tokens, timeout_s=deadline.remaining_s())
        objection = "" if digest.merit else _NO_MATCH.format(where=where)
    except PageUnreadable:
        digest, objection = None, _NO_TIME.format(where=where)
    if digest is None or objection or not digest.anchors:
        beginning = await beside(page, beginning_of, page, max_tokens, section)
        return replace(beginning, warnings=(objection,) if objection else ())
    return await beside(page, _chosen, page, section, digest)


def fits(text: str, max_tokens: int) -> bool:
    return estimate_tokens(text) <= max_tokens


def size_of(page: Page) -> str:
    """Such as "about 12,400 tokens"."""
    return f"{'more than' if page.status is Status.TRUNCATED else 'about'} {estimate_tokens(page.text):,} tokens"


def _chosen(page: Page, section: Section | None, digest: Digest) -> Excerpt:
    """The passages, with the anchors that their blocks have on the page, and how to see more."""
    if section:
        digest = _renumbered(digest, blocks_before(page, section))
    start = Position(section.start) if section else BEGINNING
    return Excerpt(digest.text, _how_to_see_more(page, digest), start=start, digest=digest)


def _part_of(page: Page) -> str:
    return f"(This is a part of the page, which has {size_of(page)}. From its beginning: {get_content_call(page.url)}.)"


def _how_to_see_more(page: Page, digest: Digest) -> str:
    return (
        f"({len(digest.anchors)} of {digest.blocks} blocks are shown ({some_of(digest.anchors)}), {GAP} where "
        f"something is left out; the page has {size_of(page)}. To read on from a block: "
        f"{get_content_call(page.url, section=digest.anchors[-1])}. From its beginning: {get_content_call(page.url)}.)"
    )


def _renumbered(digest: Digest, before: int) -> Digest:
    """With the anchors of the page instead of those in a section."""
    return replace(digest, anchors=tuple(f"b{int(anchor[1:]) + before}" for anchor in digest.anchors))
