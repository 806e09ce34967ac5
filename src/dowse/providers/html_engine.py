"""What engines without an API share: their form is sent as a browser would, seldom, and their page is read by a worker.

They ban addresses, for minutes and longer. So nobody is asked twice in two seconds, nothing is retried, a challenge
is never solved, and whatever is no list of results is told from an empty one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from dowse.core.errors import BadAnswer, Blocked, PageUnreadable, ProviderError, Skipped, TimedOut
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.media_types import HTML
from dowse.core.models import Body, Category, Clock, Deadline, Found, Hit, Query, Status
from dowse.core.protocols import ListingReader
from dowse.net.clients import Reply
from dowse.net.json_api import Api, first_hits, hit, media, plain
from dowse.providers import relevance
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import Limits, fit
from dowse.providers.politeness import Manners

LOWEST_GAP_S = 2.0
BAN_S = 600.0
# DuckDuckGo's challenge comes as a success without content; the others refuse.
_REFUSED = (202, 401, 403, 418, 429)
_ADVICE = (
    "it bans addresses that ask often, and lets them in again after some minutes; set SERPER_API_KEY, TAVILY_API_KEY, "
    "EXA_API_KEY or SEARXNG_URL for searches that are not refused"
)


class HtmlEngine(ABC):
    """Implements `protocols.SearchProvider`; a subclass knows the form."""

    name: ClassVar[str]
    title: ClassVar[str]
    """What people call it."""
    limits: ClassVar[Limits]

    def __init__(
        self,
        api: Api,
        endpoint: str,
        *,
        listings: ListingReader,
        manners: Manners,
        disclosure: Disclosure,
        clock: Clock,
    ) -> None:
        self.timeout_s = api.timeout_s
        self._api = replace(api, own_failure=self._refusal)
        self._endpoint = endpoint
        self._listings = listings
        self._manners = manners
        self._disclosure = disclosure
        self._clock = clock
        self._free_at = 0.0
        self._party = party(self.title, endpoint)

    @property
    def categories(self) -> frozenset[Category]:
        return self.limits.categories

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, self.limits)
        await self._turn(deadline)
        self._disclosure.tell(self._party, self.name)
        reply = await self.ask(query, self._manners.headers(language=query.language), deadline)
        if reply.status in _REFUSED:
            raise self._blocked(f"HTTP {reply.status}", reply.status)
        hits, suggestions = self._read(await self._listing(reply, query, deadline), query)
        relevance.checked(self.name, query.text, hits)
        return Found(hits, suggestions=suggestions, warnings=warnings)

    @abstractmethod
    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        """Send the form, filled in for a query that fits."""

    async def _turn(self, deadline: Deadline) -> None:
        """Wait for a place in the row of those who ask, if it comes in time."""
        now = self._clock.now()
        start = max(now, self._free_at)
        if start - now >= deadline.remaining_s():
            raise Skipped(self.name, f"others are asking it, and it is asked once in {LOWEST_GAP_S:.0f} s")
        self._free_at = start + LOWEST_GAP_S
        if start > now:
            await self._clock.sleep(start - now)
        await self._manners.turn()

    async def _listing(self, reply: Reply, query: Query, deadline: Deadline) -> Listing:
        body = Body(self._endpoint, reply.body, HTML, "utf-8")
        try:
            return await self._listings.listing(self.name, body, query.text, timeout_s=deadline.remaining_s())
        except PageUnreadable as error:
            kind = TimedOut if error.status is Status.TIMEOUT else BadAnswer
            raise kind(self.name, f"its page could not be read: {error.detail}") from error

    def _read(self, listing: Listing, query: Query) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """Results and suggestions; none where the engine says so, and an error where it did not look."""
        if listing.outcome is Outcome.BLOCKED:
            raise self._blocked(listing.detail)
        if listing.outcome is Outcome.UNKNOWN:
            reason = listing.detail or "neither results nor anything known stands on it"
            raise BadAnswer(self.name, f"its page has changed or is another one: {reason}")
        return first_hits(map(_hit, listing.rows), query.num_results), plain(listing.suggestions)

    def _refusal(self, reply: Reply) -> ProviderError | None:
        """Without a key there is none to check: whatever its reason, it does not want us for a while."""
        return self._blocked(f"HTTP {reply.status}", reply.status) if reply.status in _REFUSED else None

    def _blocked(self, reason: str, status: int | None = None) -> Blocked:
        return Blocked(self.name, f"{reason}; {_ADVICE}", retry_after_s=BAN_S, http_status=status)


def _hit(row: Row) -> Hit | None:
    found = hit(row.title, row.url, row.snippet, published=row.published)
    return media(found, image_url=row.image_url, thumbnail=row.thumbnail, duration=row.duration)
