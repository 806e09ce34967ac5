"""SearXNG: a metasearch engine of your own, asked for JSON, page by page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dowse.errors import BadRequest, Blocked, EnginesFailed, KeyRejected, ProviderError
from dowse.models import Category, Deadline, Found, Hit, Query
from dowse.providers.api import Api, Json, first_hits, hit, items, plain, string, strings
from dowse.providers.limits import Limits, fit

LIMITS = Limits(
    max_results=50,
    filters=frozenset({"language", "safe_search", "time_range", "page"}),
    categories=frozenset(Category),
)
PRICES = {"search": 0.0}
MAX_PAGES = 5
_PER_PAGE = 10
_PAGE_SHARE = 0.8
JSON_OFF = (
    "its JSON answers are switched off; add `json` to `search.formats` in its settings.yml "
    "(search: {formats: [html, json]}) and restart it"
)
# The limiter of SearXNG takes a client without these for a bot, whatever its user agent.
_HEADERS = {"Accept": "application/json, text/html;q=0.9", "Accept-Language": "en;q=0.9, *;q=0.5"}


@dataclass(frozen=True, slots=True)
class Preferences:
    """What the user's settings add to every search unless the caller says otherwise."""

    language: str = ""
    categories: str = ""
    engines: str = ""
    time_range: str = ""
    safesearch: str = ""


class SearXNG:
    name = "searxng"

    def __init__(
        self, api: Api, base_url: str, *, preferences: Preferences | None = None, headers: Mapping[str, str]
    ) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._endpoint = base_url.rstrip("/").removesuffix("/search") + "/search"
        self._preferences = preferences or Preferences()
        self._headers = {**_HEADERS, **headers}

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, LIMITS)
        start = _start(query)
        first = await self._page(query, start, deadline)
        hits, answers = _hits(first, query.num_results), _answers(first)
        if not hits and not answers:
            self._raise_if_engines_failed(first)
        hits, note = await self._further(query, hits, start, deadline)
        ordered = tuple(hits.values())[: query.num_results]
        return Found(ordered, answers, plain(strings(first.get("suggestions"))), warnings + note)

    async def _further(
        self, query: Query, hits: dict[str, Hit], start: int, deadline: Deadline
    ) -> tuple[dict[str, Hit], tuple[str, ...]]:
        """More pages until there are enough results, or one brings nothing new, or one fails."""
        for number in range(start + 1, start + MAX_PAGES):
            if not hits or len(hits) >= query.num_results:
                break
            try:
                # Not all of the time that is left: what is already here has to be handed over.
                page = await self._page(query, number, deadline.capped(deadline.remaining_s() * _PAGE_SHARE))
                # In order of rank, and of two hits for one page the first.
                more = hits | (_hits(page, query.num_results) | hits)
            except ProviderError as error:
                return hits, (f"page {number} could not be had: {error}",)
            if len(more) == len(hits):
                break
            hits = more
        return hits, ()

    async def _page(self, query: Query, number: int, deadline: Deadline) -> Json:
        params = self._params(query, number)
        try:
            return await self._api.get(self._endpoint, deadline, headers=self._headers, params=params)
        except (KeyRejected, BadRequest, Blocked) as error:
            raise _explained(error) from error

    def _params(self, query: Query, number: int) -> dict[str, str]:
        mine = self._preferences
        category = query.category.value if query.category is not Category.GENERAL else mine.categories
        safe = str(query.safe_search) if query.safe_search is not None else mine.safesearch
        optional = {
            "language": query.language or mine.language,
            "categories": category,
            "engines": mine.engines,
            "time_range": query.time_range.value or mine.time_range,
            "safesearch": safe,
            "pageno": str(number) if number > 1 else "",
        }
        return {"q": query.text, "format": "json"} | {name: value for name, value in optional.items() if value}

    def _raise_if_engines_failed(self, body: Json) -> None:
        """No result is only an answer when somebody looked: all engines failing also comes as HTTP 200.

        Which engines were asked is known only if the settings name them; otherwise one failure makes
        an empty answer doubtful, and doubtful is not empty.
        """
        told = _listed(body.get("unresponsive_engines"))
        failed = {str(pair[0]): str(pair[1]) for pair in told if isinstance(pair, list) and len(pair) == 2}
        asked = {name.strip() for name in self._preferences.engines.split(",") if name.strip()}
        if failed and asked <= failed.keys():
            raise EnginesFailed(self.name, ", ".join(f"{name}: {reason}" for name, reason in list(failed.items())[:5]))


def _start(query: Query) -> int:
    """The first of SearXNG's pages: each of ours takes as many of them as it needs, so that none comes twice."""
    return (query.page - 1) * -(-query.num_results // _PER_PAGE) + 1


def _explained(error: ProviderError) -> ProviderError:
    """Without a key, 403 means that JSON is off, and 404 that the address is not a SearXNG's base."""
    if error.http_status == 403:
        return Blocked(error.provider, f"HTTP 403, {JSON_OFF}", http_status=403)
    if error.http_status == 404:
        return Blocked(error.provider, "HTTP 404, SEARXNG_URL is not the base address of a SearXNG", http_status=404)
    return error


def _hits(body: Json, wanted: int) -> dict[str, Hit]:
    hits: dict[str, Hit] = {}
    for found in first_hits(map(_hit, items(SearXNG.name, body, "results")), wanted):
        hits.setdefault(found.url, found)
    return hits


def _hit(item: Json) -> Hit | None:
    texts = (string(item, name) for name in ("title", "url", "content"))
    return hit(*texts, engine=string(item, "engine"), published=string(item, "publishedDate"))


def _answers(body: Json) -> tuple[str, ...]:
    """Answers are objects today and were strings in older versions."""
    answers = body.get("answers")
    texts = [string(item, "answer") if isinstance(item, dict) else item for item in _listed(answers)]
    return plain(text for text in texts if isinstance(text, str))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
