"""Serper: Google's results as JSON, with answer boxes and related searches; and pages as Markdown."""

from __future__ import annotations

from pydantic import SecretStr

from dowse.errors import BadAnswer
from dowse.models import Deadline, Found, Hit, Query, Text, TimeRange
from dowse.providers.api import Api, Json, first_hits, hit, items, objects, plain, string
from dowse.providers.limits import Limits, fit

LIMITS = Limits(
    max_results=100,
    filters=frozenset(
        {"language", "time_range", "start_date", "end_date", "country", "location", "autocorrect", "page"}
    ),
)
PRICES = {"search": 0.001, "read": 0.002}
"""Dollars: a credit for a search, two for a page."""


class Serper:
    name = "serper"

    def __init__(self, api: Api, key: SecretStr, *, search_endpoint: str, scrape_endpoint: str) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._key = key
        self._search_endpoint = search_endpoint
        self._scrape_endpoint = scrape_endpoint

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, LIMITS)
        body = await self._api.post(self._search_endpoint, deadline, headers=self._headers(), body=_payload(query))
        return Found(_hits(body, query.num_results), _answers(body), _suggestions(body), warnings)

    async def read(self, url: str, deadline: Deadline) -> Text:
        payload = {"url": url, "includeMarkdown": True}
        body = await self._api.post(self._scrape_endpoint, deadline, headers=self._headers(), body=payload)
        if body.get("text") is None and body.get("markdown") is None:
            raise BadAnswer(self.name, "the answer has no 'text'")
        metadata = body.get("metadata")
        title = string(metadata, "title", "og:title") if isinstance(metadata, dict) else ""
        return self._api.page(string(body, "markdown", "text"), title, plain=string(body, "text"))

    def _headers(self) -> dict[str, str]:
        return {"X-API-KEY": self._key.get_secret_value()}


def _payload(query: Query) -> Json:
    payload: dict[str, object] = {"q": query.text, "num": query.num_results}
    language, _, region = query.language.partition("-")
    optional: dict[str, object] = {
        # A region is Google's country, unless the caller names one: then it only says which Portuguese.
        "hl": query.language.lower() if query.country else language,
        "gl": query.country or region.lower(),
        "location": query.location,
        "tbs": _period(query),
        "page": query.page if query.page > 1 else 0,
    }
    payload |= {name: value for name, value in optional.items() if value}
    return payload if query.autocorrect else payload | {"autocorrect": False}


def _period(query: Query) -> str:
    """Google's `tbs`: a named range, or a custom one with American dates."""
    if query.start_date or query.end_date:
        bounds = (("cd_min", query.start_date), ("cd_max", query.end_date))
        return ",".join(["cdr:1", *(f"{name}:{_american(date)}" for name, date in bounds if date)])
    return "" if query.time_range is TimeRange.ANY else f"qdr:{query.time_range[0]}"


def _american(date: str) -> str:
    year, month, day = date.split("-")
    return f"{month}/{day}/{year}"


def _hits(body: Json, wanted: int) -> tuple[Hit, ...]:
    if "organic" not in body and "searchParameters" not in body:
        raise BadAnswer(Serper.name, "the answer has no list 'organic'")
    organic = items(Serper.name, body, "organic") if "organic" in body else []
    hits = (
        hit(string(item, "title"), string(item, "link"), string(item, "snippet"), published=string(item, "date"))
        for item in organic
    )
    return first_hits(hits, wanted)


def _answers(body: Json) -> tuple[str, ...]:
    box, graph = body.get("answerBox"), body.get("knowledgeGraph")
    texts = [string(box, "answer", "snippet") if isinstance(box, dict) else ""]
    texts.append(string(graph, "description") if isinstance(graph, dict) else "")
    return plain(texts)


def _suggestions(body: Json) -> tuple[str, ...]:
    return plain(string(entry, "query") for entry in objects(body.get("relatedSearches")))
