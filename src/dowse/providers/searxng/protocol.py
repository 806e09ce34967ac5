"""SearXNG's search interface: request parameters, results in JSON or on the web page, pagination, public instances."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from dowse.core import urls
from dowse.core.errors import (
    BadAnswer,
    Blocked,
    EnginesFailed,
    PageUnreadable,
    ProviderError,
    RateLimited,
    Redirected,
    Skipped,
    TimedOut,
    Unavailable,
)
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.media_types import HTML
from dowse.core.models import Body, Category, Clock, Deadline, Found, Hit, Query, Status
from dowse.core.protocols import ListingReader
from dowse.core.wire_errors import WireError
from dowse.net.clients import Fetched, UntrustedClient
from dowse.net.json_api import retry_after_s, wire_failure
from dowse.net.json_fields import Json, drop_empty, first_hits, hit, media, parse_json, plain, results, string, strings
from dowse.providers import relevance
from dowse.providers.limits import divide_hits
from dowse.providers.politeness import Manners
from dowse.providers.searxng.instance import Misbehaved, Misbehaviour

PER_PAGE = 10
_MEDIA = frozenset({Category.IMAGES, Category.VIDEOS})
_SCHEME = re.compile(r"\s{0,9}([a-z][a-z0-9+.-]{0,30}):", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_SHOWN_ENGINES = 5
_PAGE_SHARE = 0.8
MAX_BYTES = 1_000_000
PROBE = Query("weather", num_results=1)
"""A query that every instance has results for."""
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class Preferences:
    """Parameters that the settings add to every search unless the caller says otherwise."""

    language: str = ""
    categories: str = ""
    engines: str = ""
    time_range: str = ""
    safesearch: str = ""


@dataclass(frozen=True, slots=True)
class SearxngAnswer:
    """One page of results; of two hits with one address the better ranked is kept.

    `failed` maps failed engines to their reasons. `odd_links` counts results with other schemes than http, such as
    `javascript:`; they are not among the hits.
    """

    hits: tuple[Hit, ...]
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    odd_links: int = 0

    def raise_if_engines_failed(self, provider: str, engines: str) -> None:
        """Raise `EnginesFailed` for no results from failed engines, which also come as HTTP 200.

        The requested engines are known only if the settings name them; otherwise one failure makes an empty answer
        doubtful, and doubtful is not empty.
        """
        asked = set(filter(None, map(str.strip, engines.split(","))))
        if not self.hits and not self.answers and self.failed and asked <= self.failed.keys():
            shown = list(self.failed.items())[:_SHOWN_ENGINES]
            raise EnginesFailed(provider, said=", ".join(f"{name}: {reason}" for name, reason in shown))


GetPage = Callable[[int, Deadline], Awaitable[SearxngAnswer]]
"""Gets one page of results by its number, which starts with 1."""


def search_address(base_url: str) -> str:
    return f"{_strip_base(base_url)}/search"


def health_address(base_url: str) -> str:
    """The page that costs an instance least."""
    return f"{_strip_base(base_url)}/healthz"


def parameters(query: Query, number: int, preferences: Preferences, *, as_json: bool) -> dict[str, str]:
    """Parameters for one page of results. Without a format the answer is the web page."""
    category = query.category.value if query.category is not Category.GENERAL else preferences.categories
    safe = str(query.safe_search) if query.safe_search is not None else preferences.safesearch
    every = {
        "q": query.text,
        "format": "json" if as_json else "",
        "language": query.language or preferences.language,
        "categories": category,
        "engines": preferences.engines,
        "time_range": query.time_range.value or preferences.time_range,
        "safesearch": safe,
        "pageno": str(number) if number > 1 else "",
    }
    return drop_empty(every)


def check(provider: str, query: Query, answer: SearxngAnswer, *, engines: str = "") -> None:
    """Raise `EnginesFailed` or `Irrelevant` for an answer that is none."""
    answer.raise_if_engines_failed(provider, engines)
    relevance.check_relevance(provider, query.text, answer.hits)


async def gather(
    query: Query, get_page: GetPage, judge: Callable[[SearxngAnswer], None], deadline: Deadline, *, max_pages: int
) -> Found:
    """Get as many pages as the query needs: no parameter sets the number of results. Only the first page is judged."""
    start = _first_page(query)
    first = await get_page(start, deadline)
    judge(first)
    hits = {found.url: found for found in first.hits}
    numbers = range(start + 1, start + max_pages)
    hits, warnings = await _add_pages(query, hits, numbers, get_page, deadline)
    found = divide_hits(tuple(hits.values()), query.num_results)
    return replace(found, answers=first.answers, suggestions=first.suggestions, warnings=warnings)


def from_json(provider: str, body: Json, query: Query) -> SearxngAnswer:
    """Parse a JSON answer. Raises `BadAnswer` for a body without a list of results."""
    rows = results(provider, body, "results")
    failed = _as_list(body.get("unresponsive_engines"))
    return SearxngAnswer(
        _first_per_address([_from_item(item, query) for item in rows], query),
        plain(_answers(body)),
        plain(strings(body.get("suggestions"))),
        {str(pair[0]): str(pair[1]) for pair in failed if isinstance(pair, list) and len(pair) == 2},
        sum(_leads_elsewhere(string(item, "url")) for item in rows),
    )


async def read_page(provider: str, reader: ListingReader, body: Body, query: Query, *, timeout_s: float) -> Listing:
    """Read the results off the web page. Raises `TimedOut` where this machine was too slow, else `BadAnswer`."""
    try:
        return await reader.listing("searxng", body, query.text, timeout_s=timeout_s)
    except PageUnreadable as error:
        kind = TimedOut if error.status is Status.TIMEOUT else BadAnswer
        raise kind(provider, f"its web page could not be read: {error}") from error


def web_page(url: str, headers: Mapping[str, str], data: bytes) -> Body:
    """The web page as a body for `read_page`."""
    declared = _CHARSET.search(headers.get("content-type", ""))
    return Body(url, data, HTML, declared[1].lower() if declared else "")


def from_listing(provider: str, listing: Listing, query: Query) -> SearxngAnswer:
    """Convert the results of a web page. Raises `Blocked` for an interstitial, `BadAnswer` for another page."""
    if listing.outcome is Outcome.BLOCKED:
        raise Blocked(provider, listing.detail or "it answered with a challenge page")
    if listing.outcome is Outcome.UNKNOWN and not listing.odd_links:
        raise BadAnswer(provider, listing.detail or "the page is not a list of results")
    return SearxngAnswer(
        _first_per_address([_from_row(row, query) for row in listing.rows], query),
        plain(listing.answers),
        plain(listing.suggestions),
        dict(listing.failed_engines),
        listing.odd_links,
    )


def _strip_base(url: str) -> str:
    """The base address; users also give it with a slash at its end, or the address of the search."""
    return url.rstrip("/").removesuffix("/search")


def _first_page(query: Query) -> int:
    """SearXNG's first page for a page of ours, which takes as many of them as it needs."""
    return (query.page - 1) * -(-query.num_results // PER_PAGE) + 1


async def _add_pages(
    query: Query, hits: dict[str, Hit], numbers: range, get_page: GetPage, deadline: Deadline
) -> tuple[dict[str, Hit], tuple[str, ...]]:
    """Add pages until there are enough results, or one adds nothing, or one fails."""
    for number in numbers:
        if not hits or len(hits) >= query.num_results:
            break
        try:
            # A share of the time that is left, so that a slow page does not cost the results at hand.
            more = await get_page(number, deadline.cap(deadline.remaining_s() * _PAGE_SHARE))
        except ProviderError as error:
            return hits, (f"page {number} could not be fetched: {error}",)
        # In order of rank; of two hits with one address the first counts.
        together = hits | ({found.url: found for found in more.hits} | hits)
        if len(together) == len(hits):
            break
        hits = together
    return hits, ()


def _first_per_address(hits: Sequence[Hit | None], query: Query) -> tuple[Hit, ...]:
    by_address: dict[str, Hit] = {}
    # A whole page where fewer are wanted: relevance is judged by more than the first results.
    for found in first_hits(hits, max(query.num_results, PER_PAGE)):
        by_address.setdefault(found.url, found)
    return tuple(by_address.values())


def _from_item(item: Json, query: Query) -> Hit | None:
    texts = (string(item, name) for name in ("title", "url", "content"))
    found = hit(*texts, engine=string(item, "engine"), published=string(item, "publishedDate"))
    if query.category not in _MEDIA:
        return found
    thumbnail, duration = string(item, "thumbnail_src", "thumbnail"), _duration(item)
    return media(found, image_url=string(item, "img_src"), thumbnail=thumbnail, duration=duration)


def _from_row(row: Row, query: Query) -> Hit | None:
    found = hit(row.title, row.url, row.snippet, engine=row.engine, published=row.published)
    if query.category not in _MEDIA:
        return found
    return media(found, image_url=row.image_url, thumbnail=row.thumbnail, duration=row.duration)


def _duration(item: Json) -> str:
    """`3:05`. Some engines send a number of seconds, others text."""
    for value in (item.get("length"), item.get("duration")):
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and 0 < value < 1e6:
            return _format_seconds(round(value))
    return ""


def _format_seconds(length: int) -> str:
    minutes, seconds = divmod(length, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _answers(body: Json) -> Iterable[str]:
    """Answers are objects today and were strings in older versions."""
    texts = (string(item, "answer") if isinstance(item, dict) else item for item in _as_list(body.get("answers")))
    return (text for text in texts if isinstance(text, str))


def _leads_elsewhere(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is not None and scheme[1].lower() not in ("http", "https")


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class PublicClient:
    """Requests to public instances. Implements `pool.Prober`."""

    provider: str
    client: UntrustedClient
    manners: Manners
    listings: ListingReader
    clock: Clock
    check_timeout_s: float

    async def get(self, url: str, headers: Mapping[str, str], deadline: Deadline) -> Fetched:
        """Get a page, following one redirect within the host. Raises `Redirected` for a redirect to another host."""
        fetched = await self._hop(url, headers, deadline)
        if fetched.status not in _REDIRECTS:
            return fetched
        fetched = await self._hop(self._redirect_target(url, fetched.headers), headers, deadline)
        if fetched.status in _REDIRECTS:
            raise BadAnswer(self.provider, "it redirects again and again")
        return fetched

    async def ping(self, url: str) -> None:
        headers, deadline = self.manners.headers(), Deadline.after(self.clock, self.check_timeout_s)
        fetched = await self.get(health_address(url), headers, deadline)
        error = failure_of(self.provider, fetched, self.clock)
        # Instances without this page, or that hide it, are up to say so.
        if isinstance(error, RateLimited | Unavailable):
            raise error

    async def probe(self, url: str) -> bool:
        visit = PublicVisit(self, url, PROBE, json=None)
        answer = await visit.get_page(1, Deadline.after(self.clock, self.check_timeout_s))
        if answer.odd_links:
            raise Misbehaved(self.provider, Misbehaviour.STRANGE_LINKS)
        check(self.provider, PROBE, answer)
        return bool(visit.json)

    async def _hop(self, url: str, headers: Mapping[str, str], deadline: Deadline) -> Fetched:
        await self.manners.turn()
        timeout_s = deadline.remaining_s()
        if not timeout_s:
            raise Skipped(self.provider, "other instances were called until the deadline")
        try:
            return await self.client.get(url, timeout_s=timeout_s, max_bytes=MAX_BYTES, headers=headers, follows=False)
        except WireError as error:
            raise wire_failure(self.provider, error, timeout_s, too_large=BadAnswer) from error

    def _redirect_target(self, url: str, headers: Mapping[str, str]) -> str:
        """The target of a redirect; neither another host, nor plain http after https."""
        here, there = urls.parse(url), urls.parse(headers.get("location", ""), url)
        if here is None or there is None or there.host != here.host or there.scheme not in (here.scheme, "https"):
            raise Redirected(self.provider, "it redirects to another host")
        return there.href


class PublicVisit:
    """One query at one instance: the same browser headers for all of its requests.

    `json` says whether the instance answers in JSON, `None` as long as that is unknown.
    """

    def __init__(self, client: PublicClient, url: str, query: Query, *, json: bool | None) -> None:
        self.json = json
        self._client = client
        self._url = url
        self._query = query
        self._headers = client.manners.headers(language=query.language)

    async def get_page(self, number: int, deadline: Deadline) -> SearxngAnswer:
        """Get a page of results as JSON, or as the web page where JSON is refused."""
        refuses_json = self.json is False
        fetched = await self._get(number, deadline, as_json=not refuses_json)
        if fetched.status == 403 and not refuses_json:
            fetched = await self._get(number, deadline, as_json=False)
        if error := failure_of(self._client.provider, fetched, deadline.clock):
            raise error
        is_page = "html" in fetched.headers.get("content-type", "")
        answer = await self._from_page(fetched, deadline) if is_page else self._from_json(fetched)
        self.json = not is_page
        return answer

    async def _get(self, number: int, deadline: Deadline, *, as_json: bool) -> Fetched:
        query = urlencode(parameters(self._query, number, Preferences(), as_json=as_json))
        return await self._client.get(f"{search_address(self._url)}?{query}", self._headers, deadline)

    def _from_json(self, fetched: Fetched) -> SearxngAnswer:
        try:
            body = parse_json(fetched.body)
        except ValueError as error:
            raise BadAnswer(self._client.provider, "the body is neither JSON nor a web page") from error
        if not isinstance(body, dict):
            raise BadAnswer(self._client.provider, "the body is not a JSON object")
        return from_json(self._client.provider, body, self._query)

    async def _from_page(self, fetched: Fetched, deadline: Deadline) -> SearxngAnswer:
        body = web_page(fetched.url, fetched.headers, fetched.body)
        provider, reader = self._client.provider, self._client.listings
        listing = await read_page(provider, reader, body, self._query, timeout_s=deadline.remaining_s())
        return from_listing(provider, listing, self._query)


def failure_of(provider: str, fetched: Fetched, clock: Clock) -> ProviderError | None:
    """The error of a status, `None` for a success; 202 is a challenge page."""
    status, detail = fetched.status, f"HTTP {fetched.status}"
    if 200 <= status < 300 and status != 202:
        return None
    if status == 429:
        wait_s = retry_after_s(fetched.headers, clock)
        return RateLimited(provider, f"{detail} of its limiter", retry_after_s=wait_s, http_status=status)
    if status in (202, 401, 403):
        return Blocked(provider, f"{detail}: it does not serve programs", http_status=status)
    kind = Unavailable if status == 408 or status >= 500 else BadAnswer
    return kind(provider, detail, http_status=status)
