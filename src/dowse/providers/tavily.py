"""Tavily: one JSON endpoint; results already carry short extracts."""

from __future__ import annotations

from pydantic import SecretStr

from dowse.models import Category, Deadline, Found, Hit, Query
from dowse.providers.api import Api, Json, first_hits, hit, items, plain, string
from dowse.providers.limits import Limits, fit

LIMITS = Limits(
    max_results=20,
    max_query_chars=400,
    filters=frozenset({"time_range", "start_date", "end_date", "include_domains", "exclude_domains"}),
    categories=frozenset({Category.GENERAL, Category.NEWS}),
)


class Tavily:
    name = "tavily"

    def __init__(self, api: Api, endpoint: str, key: SecretStr, *, depth: str = "basic") -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._endpoint = endpoint
        self._key = key
        self._depth = depth

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, LIMITS)
        # The header only: a key in the body is legacy, and where both are sent the body wins.
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        body = await self._api.post(self._endpoint, deadline, headers=headers, body=_payload(query, self._depth))
        hits = first_hits(map(_hit, items(self.name, body, "results")), query.num_results)
        return Found(hits, plain([string(body, "answer")]), warnings=warnings)


def _payload(query: Query, depth: str) -> Json:
    # Empty optional fields are errors for Tavily, so they are left out.
    optional: dict[str, object] = {
        "topic": "news" if query.category is Category.NEWS else "",
        "time_range": query.time_range.value,
        "start_date": query.start_date,
        "end_date": query.end_date,
        "include_domains": list(query.include_domains),
        "exclude_domains": list(query.exclude_domains),
    }
    return {
        "query": query.text,
        "max_results": query.num_results,
        "search_depth": depth,
        "include_answer": False,
        "include_images": False,
        "include_raw_content": False,
    } | {name: value for name, value in optional.items() if value}


def _hit(item: Json) -> Hit | None:
    texts = (string(item, name) for name in ("title", "url", "content"))
    return hit(*texts, published=string(item, "published_date"))
