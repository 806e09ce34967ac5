"""Search engines without an API, asked through their HTML forms: the base of DuckDuckGo and Mojeek.

They ban addresses for minutes and longer. Requests are two seconds apart, nothing is retried, a challenge page is
never solved, and an unknown page is not mistaken for an empty list of results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Self

from dowse.core.errors import BadAnswer, Blocked, PageUnreadable, ProviderError, TimedOut
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.media_types import HTML
from dowse.core.models import Body, Deadline, Found, Hit, Query, Status
from dowse.core.protocols import ListingReader
from dowse.net.clients import Reply
from dowse.net.decode import ACCEPTED
from dowse.net.json_api import Api
from dowse.net.json_fields import first_hits, hit, media, plain
from dowse.providers import relevance
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import divide_hits, fit
from dowse.providers.politeness import Manners
from dowse.providers.table import Kit
from dowse.settings.providers import list_credentials
from dowse.settings.spec import ProviderSpec

LOWEST_GAP_S = 2.0
BAN_S = 600.0
# DuckDuckGo's challenge page comes with 202; the others refuse.
_REFUSED = (202, 401, 403, 418, 429)
_ADVICE = (
    f"it bans addresses that send many requests, for some minutes; set {list_credentials()} "
    "for searches that are not refused"
)


class HtmlEngine(ABC):
    """Base of the engines; a subclass fills in the form."""

    spec: ClassVar[ProviderSpec]

    def __init__(
        self,
        api: Api,
        endpoint: str,
        *,
        listings: ListingReader,
        manners: Manners,
        disclosure: Disclosure,
    ) -> None:
        self.name = self.spec.name
        self.categories = self.spec.limits.categories
        self.timeout_s = api.timeout_s
        # Offers what browsers offer, like all of its headers.
        self.api = replace(api, own_failure=self._refusal, codings=ACCEPTED)
        self.endpoint = endpoint
        self._listings = listings
        self._manners = manners
        self._disclosure = disclosure
        self._party = party(self.spec.title, endpoint)

    @classmethod
    def make(cls, kit: Kit) -> Self:
        name = cls.spec.name
        return cls(
            kit.api(name),
            kit.settings.endpoint(name),
            listings=kit.listings,
            manners=kit.manners,
            disclosure=kit.disclosure,
        )

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, self.spec.limits)
        await self._manners.turn_of(self.name, LOWEST_GAP_S, deadline)
        async with self._manners.answer(self.name, deadline):
            self._disclosure.tell(self._party, self.name)
            reply = await self.ask(query, self._manners.headers(language=query.language), deadline)
        if reply.status in _REFUSED:
            raise self._make_ban(f"HTTP {reply.status}", reply.status)
        hits, suggestions = self._read(await self._listing(reply, query, deadline))
        relevance.check_relevance(self.name, query.text, hits)
        return replace(divide_hits(hits, query.num_results), suggestions=suggestions, warnings=warnings)

    @abstractmethod
    async def ask(self, query: Query, headers: Mapping[str, str], deadline: Deadline) -> Reply:
        """Send the form for a query within the limits."""

    async def _listing(self, reply: Reply, query: Query, deadline: Deadline) -> Listing:
        body = Body(self.endpoint, reply.body, HTML, "utf-8")
        try:
            return await self._listings.listing(self.name, body, query.text, timeout_s=deadline.remaining_s())
        except PageUnreadable as error:
            kind = TimedOut if error.status is Status.TIMEOUT else BadAnswer
            raise kind(self.name, f"its page could not be read: {error.detail}") from error

    def _read(self, listing: Listing) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """Results and suggestions; raises for a challenge page or an unknown one."""
        if listing.outcome is Outcome.BLOCKED:
            raise self._make_ban(listing.detail)
        if listing.outcome is Outcome.UNKNOWN:
            reason = listing.detail or "neither results nor anything known stands on it"
            raise BadAnswer(self.name, f"its page has changed or is another one: {reason}")
        hits = first_hits(list(map(_hit, listing.rows)), len(listing.rows))
        return hits, plain(listing.suggestions)

    def _refusal(self, reply: Reply) -> ProviderError | None:
        """Translate a refusal: without a key, each is a ban for a while."""
        return self._make_ban(f"HTTP {reply.status}", reply.status) if reply.status in _REFUSED else None

    def _make_ban(self, reason: str, status: int | None = None) -> Blocked:
        return Blocked(self.name, f"{reason}; {_ADVICE}", retry_after_s=BAN_S, http_status=status)


def _hit(row: Row) -> Hit | None:
    found = hit(row.title, row.url, row.snippet, published=row.published)
    return media(found, image_url=row.image_url, thumbnail=row.thumbnail, duration=row.duration)
