"""Exa: semantic search; the highlights of each page serve as its snippet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from pydantic import SecretStr

from dowse.models import Category, Deadline, Found, Hit, Query, TimeRange
from dowse.providers.api import Api, Json, first_hits, hit, items, string, strings
from dowse.providers.limits import Limits, fit
from dowse.text import one_line

CATEGORIES = {Category.NEWS: "news", Category.SCIENCE: "research paper"}
LIMITS = Limits(
    max_results=100,
    filters=frozenset({"safe_search", "time_range", "start_date", "end_date", "include_domains", "exclude_domains"}),
    categories=frozenset({Category.GENERAL, *CATEGORIES}),
)
_DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 31, TimeRange.YEAR: 366}
_SNIPPET_CHARS = 500


class Exa:
    name = "exa"

    def __init__(self, api: Api, endpoint: str, key: SecretStr, today: Callable[[], date]) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._endpoint = endpoint
        self._key = key
        self._today = today

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, LIMITS)
        headers = {"x-api-key": self._key.get_secret_value()}
        payload = _payload(query, self._today())
        body = await self._api.post(self._endpoint, deadline, headers=headers, body=payload)
        hits = first_hits(map(_hit, items(self.name, body, "results")), query.num_results)
        return Found(hits, warnings=warnings)


def _payload(query: Query, today: date) -> Json:
    start = query.start_date
    if not start and query.time_range is not TimeRange.ANY:
        start = (today - timedelta(days=_DAYS[query.time_range])).isoformat()
    optional: dict[str, object] = {
        "includeDomains": list(query.include_domains),
        "excludeDomains": list(query.exclude_domains),
        "startPublishedDate": start,
        "endPublishedDate": query.end_date,
        "category": CATEGORIES.get(query.category, ""),
        "moderation": bool(query.safe_search),
    }
    return {
        "query": query.text,
        "type": "auto",
        "numResults": query.num_results,
        # One kind of content only: text and highlights together are billed twice.
        "contents": {"highlights": {"maxCharacters": _SNIPPET_CHARS}},
    } | {name: value for name, value in optional.items() if value}


def _hit(item: Json) -> Hit | None:
    snippet = " … ".join(strings(item.get("highlights"))) or string(item, "summary", "text")
    return hit(
        string(item, "title"),
        string(item, "url"),
        one_line(snippet, _SNIPPET_CHARS),
        published=string(item, "publishedDate"),
    )
