"""What a SearXNG says, in JSON or on its web page: one answer out of both."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field

from dowse.core.errors import BadAnswer, Blocked, EnginesFailed, ProviderError
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.media_types import HTML
from dowse.core.models import Body, Category, Deadline, Found, Hit, Query
from dowse.net.json_api import Json, first_hits, hit, items, media, plain, string, strings
from dowse.providers import relevance

PER_PAGE = 10
_MEDIA = frozenset({Category.IMAGES, Category.VIDEOS})
_MOST_ROWS = 200  # More is no page of results, whoever sends it.
_SCHEME = re.compile(r"\s{0,9}([a-z][a-z0-9+.-]{0,30}):", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_TOLD_ENGINES = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """One page of results, the better ranked of two hits for one address kept.

    `failed` are the engines that did not look, with their reasons. `odd_links` counts results that lead out
    of the web, such as `javascript:`; they are not among the hits.
    """

    hits: tuple[Hit, ...]
    answers: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    odd_links: int = 0

    def raise_if_nobody_looked(self, provider: str, engines: str) -> None:
        """No result is only an answer when somebody looked: all engines failing also comes as HTTP 200.

        Which engines were asked is known only if the settings name them; otherwise one failure makes
        an empty answer doubtful, and doubtful is not empty.
        """
        asked = {name.strip() for name in engines.split(",") if name.strip()}
        if not self.hits and not self.answers and self.failed and asked <= self.failed.keys():
            told = list(self.failed.items())[:_TOLD_ENGINES]
            raise EnginesFailed(provider, said=", ".join(f"{name}: {reason}" for name, reason in told))


def from_json(provider: str, body: Json, query: Query) -> Answer:
    """Raises `BadAnswer` for a body without results, not even none."""
    results = items(provider, body, "results")[:_MOST_ROWS]
    told = _listed(body.get("unresponsive_engines"))
    return Answer(
        _first((_from_item(item, query) for item in results), query),
        plain(_answers(body)),
        plain(strings(body.get("suggestions"))),
        {str(pair[0]): str(pair[1]) for pair in told if isinstance(pair, list) and len(pair) == 2},
        sum(_leads_elsewhere(string(item, "url")) for item in results),
    )


def web_page(url: str, headers: Mapping[str, str], data: bytes) -> Body:
    """A page as it came, for those who read the results off it."""
    declared = _CHARSET.search(headers.get("content-type", ""))
    return Body(url, data, HTML, declared[1].lower() if declared else "")


def from_listing(provider: str, listing: Listing, query: Query) -> Answer:
    """Raises `Blocked` for a page that stands in front of the results, `BadAnswer` for one of another kind."""
    if listing.outcome is Outcome.BLOCKED:
        raise Blocked(provider, listing.detail or "it answered with a challenge page")
    if listing.outcome is Outcome.UNKNOWN and not listing.odd_links:
        raise BadAnswer(provider, listing.detail or "the page is no list of results")
    return Answer(
        _first((_from_row(row, query) for row in listing.rows), query),
        plain(listing.answers),
        plain(listing.suggestions),
        dict(listing.failed_engines),
        listing.odd_links,
    )


def _first(hits: Iterable[Hit | None], query: Query) -> tuple[Hit, ...]:
    by_address: dict[str, Hit] = {}
    # A whole page where fewer are wanted: whether an answer is about the query is judged by more than its top.
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
    """`3:05`. Engines that know the length exactly have it sent as a number of seconds, others as text."""
    for value in (item.get("length"), item.get("duration")):
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and 0 < value < 1e6:
            minutes, seconds = divmod(round(value), 60)
            hours, minutes = divmod(minutes, 60)
            return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return ""


def _answers(body: Json) -> Iterable[str]:
    """Answers are objects today and were strings in older versions."""
    texts = (string(item, "answer") if isinstance(item, dict) else item for item in _listed(body.get("answers")))
    return (text for text in texts if isinstance(text, str))


def _leads_elsewhere(url: str) -> bool:
    scheme = _SCHEME.match(url)
    return scheme is not None and scheme[1].lower() not in ("http", "https")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


Page = Callable[[int, Deadline], Awaitable[Answer]]
"""Gets one page of results by its number, which starts with 1."""

_PAGE_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Preferences:
    """What the user's settings add to every search unless the caller says otherwise."""

    language: str = ""
    categories: str = ""
    engines: str = ""
    time_range: str = ""
    safesearch: str = ""


def search_address(base_url: str) -> str:
    return f"{_base(base_url)}/search"


def health_address(base_url: str) -> str:
    """What costs an instance next to nothing to answer."""
    return f"{_base(base_url)}/healthz"


def parameters(query: Query, number: int, mine: Preferences, *, as_json: bool) -> dict[str, str]:
    """One page of results. The web page is what comes where no format is named."""
    category = query.category.value if query.category is not Category.GENERAL else mine.categories
    safe = str(query.safe_search) if query.safe_search is not None else mine.safesearch
    every = {
        "q": query.text,
        "format": "json" if as_json else "",
        "language": query.language or mine.language,
        "categories": category,
        "engines": mine.engines,
        "time_range": query.time_range.value or mine.time_range,
        "safesearch": safe,
        "pageno": str(number) if number > 1 else "",
    }
    return {name: value for name, value in every.items() if value}


def check(provider: str, query: Query, answer: Answer, *, engines: str = "") -> None:
    """Raises `EnginesFailed` for an answer for which nobody looked, and `Irrelevant`."""
    answer.raise_if_nobody_looked(provider, engines)
    relevance.checked(provider, query.text, answer.hits)


async def gather(
    query: Query, page: Page, judge: Callable[[Answer], None], deadline: Deadline, *, max_pages: int
) -> Found:
    """As many pages as the query needs; the first is judged, and decides what the whole answer is."""
    start = _start(query)
    first = await page(start, deadline)
    judge(first)
    hits = {found.url: found for found in first.hits}
    numbers = range(start + 1, start + max_pages)
    hits, warnings = await _further(query, hits, numbers, page, deadline)
    return Found(tuple(hits.values())[: query.num_results], first.answers, first.suggestions, warnings)


async def _further(
    query: Query, hits: dict[str, Hit], numbers: range, page: Page, deadline: Deadline
) -> tuple[dict[str, Hit], tuple[str, ...]]:
    """More pages until there are enough results, or one brings nothing new, or one fails."""
    for number in numbers:
        if not hits or len(hits) >= query.num_results:
            break
        try:
            # Not all of the time that is left: what is already here has to be handed over.
            more = await page(number, deadline.capped(deadline.remaining_s() * _PAGE_SHARE))
        except ProviderError as error:
            return hits, (f"page {number} could not be had: {error}",)
        # In order of rank, and of two hits for one page the first.
        together = hits | ({found.url: found for found in more.hits} | hits)
        if len(together) == len(hits):
            break
        hits = together
    return hits, ()


def _start(query: Query) -> int:
    """The first of SearXNG's pages: each of ours takes as many of them as it needs, so that none comes twice."""
    return (query.page - 1) * -(-query.num_results // PER_PAGE) + 1


def _base(url: str) -> str:
    """People give the base address with a slash at its end, or the address of a search."""
    return url.rstrip("/").removesuffix("/search")
