"""What is shown of a page: its beginning, what follows a cursor, or the passages for a question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dowse.contracts.cursor import Cursor
from dowse.contracts.notes import content
from dowse.contracts.web_search import MAX_TOKENS
from dowse.errors import InvalidRequest, PageUnreadable
from dowse.flows.read import content_hash
from dowse.interfaces import Extractor
from dowse.models import Deadline, Page, Status
from dowse.rank.budget import GAP
from dowse.rank.parts import BEGINNING, Place, part
from dowse.text import estimate_tokens

_CHANGED = "the page has changed since it was begun; this is its new beginning"
_ALL_THERE_IS = "(The page goes on; this is all that was read of it.)"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a page from `start` on: `rest` is where it can be read on, `more` what else there is to say."""

    text: str
    more: str = ""
    warnings: tuple[str, ...] = ()
    start: Place = BEGINNING
    rest: Place | None = None


def excerpt_of(page: Page, max_tokens: int, start: Place = BEGINNING) -> Excerpt:
    """The page as far as it fits, from a place on."""
    if not page.status.readable:
        return Excerpt(content(page))
    shown = part(page.text, start, max_tokens)
    more = _ALL_THERE_IS if page.status is Status.TRUNCATED and not shown.rest else ""
    return Excerpt(shown.text, more, start=start, rest=shown.rest)


def continued(page: Page, max_tokens: int, cursor: Cursor) -> Excerpt:
    """The page from where it was left, or from its beginning if it is no longer the same."""
    if not page.status.readable:
        return excerpt_of(page, max_tokens)
    if content_hash(page.text) != cursor.digest:
        return replace(excerpt_of(page, max_tokens), warnings=(_CHANGED,))
    if cursor.place.at >= len(page.text):
        raise InvalidRequest("cursor is behind the end of the page; leave it out to read the page from its beginning.")
    return excerpt_of(page, max_tokens, cursor.place)


async def passages_of(
    page: Page, max_tokens: int, question: str, *, extractor: Extractor, deadline: Deadline
) -> Excerpt:
    """The passages of a page for a question; its beginning if there are none, or no time to look for them."""
    try:
        # In a worker: comparing a page of megabytes with a question takes a second.
        text = await extractor.select(page.text, question, max_tokens, timeout_s=deadline.remaining_s())
        missing = "no word of the question is on the page; this is its beginning"
    except PageUnreadable:
        text, missing = "", "the question could not be looked for on the page in time; this is its beginning"
    if not text:
        return replace(excerpt_of(page, max_tokens), warnings=(missing,))
    return Excerpt(
        text,
        f"(These are the passages for the question, {GAP} where something is left out; the page has "
        f"{'more than' if page.status is Status.TRUNCATED else 'about'} {estimate_tokens(page.text):,} tokens. "
        f"To read it from its beginning leave out question; max_tokens goes up to {MAX_TOKENS}.)",
    )


def fits(page: Page, max_tokens: int) -> bool:
    """Whether all that was read can be shown; a note always can."""
    return not page.status.readable or estimate_tokens(page.text) <= max_tokens
