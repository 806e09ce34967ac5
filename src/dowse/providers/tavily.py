"""Tavily, with a key or without: search whose results already carry short extracts, and pages extracted on their own.

The keyless tier takes a header in place of the key and gives the same answers, less often
(https://docs.tavily.com/documentation/keyless).
"""

from __future__ import annotations

from pydantic import SecretStr

from dowse.core.errors import BadAnswer
from dowse.core.models import Category, Deadline, Found, Hit, Query, Text
from dowse.net.json_api import Api
from dowse.net.json_fields import Json, drop_empty, first_hits, first_object, hit, plain, results, string
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import fit
from dowse.providers.table import Kit
from dowse.settings.providers import TAVILY as SPEC
from dowse.settings.providers import TAVILY_KEYLESS


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
            self._search_endpoint, deadline, headers=self._headers(), body=_payload(fitted, self._depth)
        )
        return _read_results(self.name, body, query, wanted=fitted.num_results, warnings=warnings)

    async def read(self, url: str, deadline: Deadline) -> Text:
        wanted = {"urls": [url], "extract_depth": "basic", "format": "markdown"}
        body = await self._api.post(self._extract_endpoint, deadline, headers=self._headers(), body=wanted)
        # A page that could not be had comes with HTTP 200, in a list of its own.
        if failed := body.get("failed_results"):
            raise self._api.not_read(string(first_object(failed), "error"))
        pages = results(self.name, body, "results")
        if not pages:
            raise BadAnswer(self.name, "the answer has no page")
        return self._api.page(string(pages[0], "raw_content"), string(pages[0], "title"))

    def _headers(self) -> dict[str, str]:
        # The header only: a key in the body is legacy, and where both are sent the body wins.
        return {"Authorization": f"Bearer {self._key.get_secret_value()}"}


class TavilyKeyless:
    name = TAVILY_KEYLESS.name
    categories = TAVILY_KEYLESS.limits.categories

    def __init__(self, api: Api, disclosure: Disclosure, *, search_endpoint: str) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._disclosure = disclosure
        self._search_endpoint = search_endpoint

    async def search(self, query: Query, deadline: Deadline) -> Found:
        fitted, warnings = fit(self.name, query, TAVILY_KEYLESS.limits)
        self._disclosure.tell(party(TAVILY_KEYLESS.title, self._search_endpoint), self.name)
        headers, payload = {"X-Tavily-Access-Mode": "keyless"}, _payload(fitted, "basic")
        body = await self._api.post(self._search_endpoint, deadline, headers=headers, body=payload)
        return _read_results(self.name, body, query, wanted=fitted.num_results, warnings=warnings)


def make(kit: Kit) -> Tavily:
    settings = kit.settings
    return Tavily(
        kit.api(SPEC.name),
        settings.api_key(SPEC.name),
        search_endpoint=settings.endpoint(SPEC.name),
        extract_endpoint=settings.endpoint(SPEC.name, "read"),
        depth=settings.tavily_search_depth,
    )


def make_keyless(kit: Kit) -> TavilyKeyless:
    name = TAVILY_KEYLESS.name
    return TavilyKeyless(kit.api(name), kit.disclosure, search_endpoint=kit.settings.endpoint(name))


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
    } | drop_empty(optional)


def _read_results(provider: str, body: Json, query: Query, *, wanted: int, warnings: tuple[str, ...]) -> Found:
    hits = first_hits(list(map(_hit, results(provider, body, "results"))), wanted)
    return Found(hits[query.earlier :], plain([string(body, "answer")]), warnings=warnings)


def _hit(item: Json) -> Hit | None:
    texts = (string(item, name) for name in ("title", "url", "content"))
    return hit(*texts, published=string(item, "published_date"))
