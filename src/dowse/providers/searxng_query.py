"""How a SearXNG is asked: its parameters, and page by page, for there is none that says how many results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dowse.core.errors import ProviderError
from dowse.core.models import Category, Deadline, Found, Hit, Query
from dowse.providers import relevance
from dowse.providers.searxng_answer import PER_PAGE, Answer

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
