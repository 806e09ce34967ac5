"""SearXNG's search interface: request parameters, results in JSON or on the web page, and pagination."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dowse.core.errors import BadAnswer, Blocked, EnginesFailed, PageUnreadable, ProviderError, TimedOut
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.media_types import HTML
from dowse.core.models import Body, Category, Deadline, Found, Hit, Query, Status
from dowse.core.protocols import ListingReader
from dowse.net.json_fields import Json, drop_empty, first_hits, hit, media, plain, results, string, strings
from dowse.providers import relevance
from dowse.providers.limits import divide_hits

PER_PAGE = 10
_MEDIA = frozenset({Category.IMAGES, Category.VIDEOS})
_SCHEME = re.compile(r"\s{0,9}([a-z][a-z0-9+.-]{0,30}):", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_SHOWN_ENGINES = 5
_PAGE_SHARE = 0.8


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
