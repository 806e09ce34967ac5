"""Serper: Google's results as JSON, with answer boxes and related searches."""

from __future__ import annotations

from pydantic import SecretStr

from dowse.errors import BadAnswer
from dowse.models import Deadline, Found, Hit, Query, TimeRange
from dowse.providers.api import Api, Json, first_hits, hit, items, plain, string
from dowse.providers.limits import Limits, fit

LIMITS = Limits(max_results=100, filters=frozenset({"language", "time_range", "start_date", "end_date"}))


class Serper:
    name = "serper"

    def __init__(self, api: Api, endpoint: str, key: SecretStr) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._endpoint = endpoint
        self._key = key

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, LIMITS)
        headers = {"X-API-KEY": self._key.get_secret_value()}
        body = await self._api.post(self._endpoint, deadline, headers=headers, body=_payload(query))
        return Found(_hits(body, query.num_results), _answers(body), _suggestions(body), warnings)


def _payload(query: Query) -> Json:
    payload: dict[str, object] = {"q": query.text, "num": query.num_results}
    if query.language:
        language, _, region = query.language.partition("-")
        payload |= {"hl": language} | ({"gl": region.lower()} if region else {})
    if period := _period(query):
        payload["tbs"] = period
    return payload


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
    related = body.get("relatedSearches")
    entries = [item for item in related if isinstance(item, dict)] if isinstance(related, list) else []
    return plain(string(entry, "query") for entry in entries)
