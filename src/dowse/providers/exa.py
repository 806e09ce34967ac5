"""Exa: semantic search, where the highlights of each page serve as its snippet; and the contents of pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from pydantic import SecretStr

from dowse.core.errors import BadAnswer
from dowse.core.models import Category, Deadline, Found, Hit, Query, Text, TimeRange
from dowse.core.text import one_line
from dowse.net.json_api import PAGE_CHARS, Api
from dowse.net.json_fields import Json, drop_empty, first_hits, hit, mapping, objects, results, string, strings
from dowse.providers.limits import fit
from dowse.providers.table import Kit
from dowse.settings.providers import EXA as SPEC

_CATEGORIES = {Category.NEWS: "news", Category.SCIENCE: "research paper"}
_DAYS = {TimeRange.DAY: 1, TimeRange.WEEK: 7, TimeRange.MONTH: 31, TimeRange.YEAR: 366}
_SNIPPET_CHARS = 500


class Exa:
    name = SPEC.name
    categories = SPEC.limits.categories

    def __init__(
        self, api: Api, key: SecretStr, today: Callable[[], date], *, search_endpoint: str, contents_endpoint: str
    ) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._key = key
        self._today = today
        self._search_endpoint = search_endpoint
        self._contents_endpoint = contents_endpoint

    async def search(self, query: Query, deadline: Deadline) -> Found:
        fitted, warnings = fit(self.name, query, SPEC.limits)
        payload = _payload(fitted, self._today())
        body = await self._api.post(self._search_endpoint, deadline, headers=self._headers(), body=payload)
        hits = first_hits(list(map(_hit, results(self.name, body, "results"))), fitted.num_results)
        return Found(hits[query.earlier :], warnings=warnings)

    async def read(self, url: str, deadline: Deadline) -> Text:
        # One character more than is shown tells that there was more.
        payload = {"urls": [url], "text": {"maxCharacters": PAGE_CHARS + 1}}
        body = await self._api.post(self._contents_endpoint, deadline, headers=self._headers(), body=payload)
        if failure := _failure(body):
            raise self._api.not_read(failure)
        pages = results(self.name, body, "results")
        if not pages:
            raise BadAnswer(self.name, "the answer has no page")
        return self._api.page(string(pages[0], "text"), string(pages[0], "title"))

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": self._key.get_secret_value()}


def make(kit: Kit) -> Exa:
    settings = kit.settings
    return Exa(
        kit.api(SPEC.name),
        settings.api_key(SPEC.name),
        kit.clock.today,
        search_endpoint=settings.endpoint(SPEC.name),
        contents_endpoint=settings.endpoint(SPEC.name, "read"),
    )


def _payload(query: Query, today: date) -> Json:
    start = query.start_date
    if not start and query.time_range is not TimeRange.ANY:
        start = (today - timedelta(days=_DAYS[query.time_range])).isoformat()
    optional: dict[str, object] = {
        "includeDomains": list(query.include_domains),
        "excludeDomains": list(query.exclude_domains),
        "startPublishedDate": start,
        "endPublishedDate": query.end_date,
        "category": _CATEGORIES.get(query.category, ""),
        "moderation": bool(query.safe_search),
        "userLocation": query.country.upper(),
    }
    return {
        "query": query.text,
        "type": "auto",
        "numResults": query.num_results,
        # One kind of content only: text and highlights together are billed twice.
        "contents": {"highlights": {"maxCharacters": _SNIPPET_CHARS}},
    } | drop_empty(optional)


def _hit(item: Json) -> Hit | None:
    snippet = " … ".join(strings(item.get("highlights"))) or string(item, "summary", "text")
    return hit(
        string(item, "title"),
        string(item, "url"),
        one_line(snippet, _SNIPPET_CHARS),
        published=string(item, "publishedDate"),
    )


def _failure(body: Json) -> str:
    """Why the page could not be had; that comes with HTTP 200, in a list of its own."""
    for status in objects(body.get("statuses")):
        if status.get("status") == "error":
            error = mapping(status, "error")
            return f"{string(error, 'tag') or 'no reason given'} ({error.get('httpStatusCode', 'no status')})"
    return ""
