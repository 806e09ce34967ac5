"""How a public SearXNG instance is asked: as a browser would, one request after the other, and on its guard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from dowse.core import urls
from dowse.core.errors import (
    BadAnswer,
    Blocked,
    NetworkFailed,
    PageUnreadable,
    ProviderError,
    RateLimited,
    Redirected,
    Skipped,
    TimedOut,
    Unavailable,
    WireError,
    WireTimeout,
    WireTooLarge,
)
from dowse.core.models import Deadline, Query, Status
from dowse.core.protocols import ListingReader
from dowse.net.clients import Fetched, UntrustedClient
from dowse.net.json_api import retry_after_s
from dowse.providers.politeness import Manners
from dowse.providers.searxng_answer import Answer, from_json, from_listing, web_page
from dowse.providers.searxng_query import Preferences, parameters, search_address

MAX_BYTES = 1_000_000
_REDIRECTS = (301, 302, 303, 307, 308)
_ANYTHING = Preferences()


@dataclass(frozen=True, slots=True)
class PublicWay:
    """What every request to a public instance goes through."""

    provider: str
    client: UntrustedClient
    manners: Manners
    listings: ListingReader

    async def get(self, url: str, headers: Mapping[str, str], deadline: Deadline) -> Fetched:
        """An answer of that host, a redirect within it followed once. Raises `Redirected` for one that leads out."""
        fetched = await self._hop(url, headers, deadline)
        if fetched.status not in _REDIRECTS:
            return fetched
        fetched = await self._hop(self._onward(url, fetched.headers), headers, deadline)
        if fetched.status in _REDIRECTS:
            raise BadAnswer(self.provider, "it redirects again and again")
        return fetched

    async def _hop(self, url: str, headers: Mapping[str, str], deadline: Deadline) -> Fetched:
        await self.manners.turn()
        timeout_s = deadline.remaining_s()
        if not timeout_s:
            raise Skipped(self.provider, "others were asked until no time was left")
        try:
            return await self.client.get(url, timeout_s=timeout_s, max_bytes=MAX_BYTES, headers=headers, follows=False)
        except WireTimeout as error:
            raise TimedOut(self.provider, f"no answer within {timeout_s:.1f} s") from error
        except WireTooLarge as error:
            raise BadAnswer(self.provider, "its answer is larger than any page of results") from error
        except WireError as error:
            raise NetworkFailed(self.provider, str(error)) from error

    def _onward(self, url: str, headers: Mapping[str, str]) -> str:
        """Where a redirect leads; never to another host, nor from a secure connection to an open one."""
        here, there = urls.parse(url), urls.parse(headers.get("location", ""), url)
        if here is None or there is None or there.host != here.host or there.scheme not in (here.scheme, "https"):
            raise Redirected(self.provider, "it redirects to another host")
        return there.href


class Visit:
    """One query at one instance: the same browser for all of its requests.

    `json` says whether the instance answers in JSON, `None` as long as nobody knows.
    """

    def __init__(self, way: PublicWay, url: str, query: Query, *, json: bool | None) -> None:
        self.json = json
        self._way = way
        self._url = url
        self._query = query
        self._headers = way.manners.headers(language=query.language)

    async def page(self, number: int, deadline: Deadline) -> Answer:
        """JSON where it is allowed, and the web page where it is refused."""
        refuses_json = self.json is False
        fetched = await self._get(number, deadline, as_json=not refuses_json)
        if fetched.status == 403 and not refuses_json:
            fetched = await self._get(number, deadline, as_json=False)
        if error := failure(self._way.provider, fetched):
            raise error
        is_page = "html" in fetched.headers.get("content-type", "")
        answer = await self._from_page(fetched, deadline) if is_page else self._from_json(fetched)
        self.json = not is_page
        return answer

    async def _get(self, number: int, deadline: Deadline, *, as_json: bool) -> Fetched:
        query = urlencode(parameters(self._query, number, _ANYTHING, as_json=as_json))
        return await self._way.get(f"{search_address(self._url)}?{query}", self._headers, deadline)

    def _from_json(self, fetched: Fetched) -> Answer:
        try:
            body = json.loads(fetched.body)
        except (ValueError, RecursionError) as error:
            raise BadAnswer(self._way.provider, "the body is neither JSON nor a web page") from error
        if not isinstance(body, dict):
            raise BadAnswer(self._way.provider, "the body is no JSON object")
        return from_json(self._way.provider, body, self._query)

    async def _from_page(self, fetched: Fetched, deadline: Deadline) -> Answer:
        body = web_page(fetched.url, fetched.headers, fetched.body)
        timeout_s = deadline.remaining_s()
        try:
            listing = await self._way.listings.listing("searxng", body, self._query.text, timeout_s=timeout_s)
        except PageUnreadable as error:
            # That we were too slow is not its fault.
            kind = TimedOut if error.status is Status.TIMEOUT else BadAnswer
            raise kind(self._way.provider, f"its web page could not be read: {error}") from error
        return from_listing(self._way.provider, listing, self._query)


def failure(provider: str, fetched: Fetched) -> ProviderError | None:
    """What a status says, if it is not a success; an answer that is only promised is none."""
    status, detail = fetched.status, f"HTTP {fetched.status}"
    if 200 <= status < 300 and status != 202:
        return None
    if status == 429:
        wait_s = retry_after_s(fetched.headers)
        return RateLimited(provider, f"{detail} of its limiter", retry_after_s=wait_s, http_status=status)
    if status in (202, 401, 403):
        return Blocked(provider, f"{detail}: it does not serve programs", http_status=status)
    kind = Unavailable if status == 408 or status >= 500 else BadAnswer
    return kind(provider, detail, http_status=status)
