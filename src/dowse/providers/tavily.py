"""Tavily: search whose results already carry short extracts; and pages extracted on their own."""

from __future__ import annotations

from pydantic import SecretStr

from dowse.core.errors import BadAnswer
from dowse.core.models import Category, Deadline, Found, Hit, Query, Text
from dowse.net.json_api import Api, Json, first_hits, hit, items, plain, string
from dowse.providers.kit import Kit
from dowse.providers.limits import fit
from dowse.settings.providers import TAVILY as SPEC


class Tavily:
    name = SPEC.name
    categories = SPEC.limits.categories

    def __init__(
        self, api: Api, key: SecretStr, *, search_endpoint: str, extract_endpoint: str, depth: str = "basic"
    ) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._key = key
        self._search_endpoint = search_endpoint
        self._extract_endpoint = extract_endpoint
        self._depth = depth

    async def search(self, query: Query, deadline: Deadline) -> Found:
        fitted, warnings = fit(self.name, query, SPEC.limits)
        body = await self._api.post(
            self._search_endpoint, deadline, headers=self._headers(), body=payload(fitted, self._depth)
        )
        return found(self.name, body, query, wanted=fitted.num_results, warnings=warnings)

    async def read(self, url: str, deadline: Deadline) -> Text:
        wanted = {"urls": [url], "extract_depth": "basic", "format": "markdown"}
        body = await self._api.post(self._extract_endpoint, deadline, headers=self._headers(), body=wanted)
        # A page that could not be had comes with HTTP 200, in a list of its own.
        if failed := body.get("failed_results"):
            first = failed[0] if isinstance(failed, list) else failed
            raise self._api.not_read(string(first, "error") if isinstance(first, dict) else "")
        results = items(self.name, body, "results")
        if not results:
            raise BadAnswer(self.name, "the answer has no page")
        return self._api.page(string(results[0], "raw_content"), string(results[0], "title"))

    def _headers(self) -> dict[str, str]:
        # The header only: a key in the body is legacy, and where both are sent the body wins.
        return {"Authorization": f"Bearer {self._key.get_secret_value()}"}


def make(kit: Kit) -> Tavily:
    settings = kit.settings
    return Tavily(
        kit.api(SPEC.name),
        settings.api_key(SPEC.name),
        search_endpoint=settings.endpoint(SPEC.name),
        extract_endpoint=settings.endpoint(SPEC.name, "read"),
        depth=settings.tavily_search_depth,
    )


def payload(query: Query, depth: str) -> Json:
    """A search as Tavily wants it, with a key or without one."""
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


def found(provider: str, body: Json, query: Query, *, wanted: int, warnings: tuple[str, ...]) -> Found:
    """What Tavily answers, with a key or without one."""
    hits = first_hits(map(_hit, items(provider, body, "results")), wanted)
    return Found(hits[query.earlier :], plain([string(body, "answer")]), warnings=warnings)


def _hit(item: Json) -> Hit | None:
    texts = (string(item, name) for name in ("title", "url", "content"))
    return hit(*texts, published=string(item, "published_date"))
