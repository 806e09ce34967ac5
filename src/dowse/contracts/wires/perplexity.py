"""Perplexity's search, which LiteLLM's gateway serves too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from uuid import uuid4

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.output import MAX_TOKENS
from dowse.contracts.wires.failures import describe_error
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.searching import (
    Wanted,
    american_date,
    describe_unread,
    passages,
    published,
    search,
    warning_headers,
    warnings_of,
)
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.models import Category, Result, SearchOutcome, TimeRange
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName

_RESULTS, _MOST_RESULTS, _MOST_QUERIES, _MOST_DOMAINS = 10, 20, 5, 20
_TOKENS, _PAGE_TOKENS = 10_000, 1024
_PERIODS = {"": "", "hour": "day", **{each.value: each.value for each in TimeRange}}
_MODES = {"": None, "web": None, "academic": Category.SCIENCE, "sec": None}
_SIZES = {"": 1.0, "low": 0.25, "medium": 0.5, "high": 1.0}
_SILENT = ("search_tool_name", "display_server_time", "search_type", "metadata", "timeout", "num_retries")


def build(services: Services) -> Wire:
    """Passages are the snippets."""

    async def find(request: HttpRequest, context: CallContext) -> HttpReply:
        fields = Fields(request.json_object(), _SILENT)
        texts = _queries(fields.raw("query"))
        searches = [search(services, context, wanted) for wanted in to_wanted(fields, texts)]
        ignored = fields.ignored()
        outcomes = await asyncio.gather(*searches)
        body = {
            "id": str(uuid4()),
            "object": "search",
            "results": [_result(each) for each in _mixed(outcomes, _limit(fields))],
            "server_time": services.clock.utc().isoformat(timespec="seconds"),
        }
        told = (outcome.warnings + describe_unread(outcome) for outcome in outcomes)
        return HttpReply(body, headers=warning_headers(warnings_of(ignored, *told)), engine=outcomes[0].engine)

    paths = ("/search", "/v1/search", "/v1/search/{tool}", "/search/{tool}")
    endpoints = tuple(HttpEndpoint(("POST",), path, "web_search", find, fail) for path in paths)
    return Wire("perplexity", Door.PERPLEXITY, ("/compat/perplexity",), endpoints)


def _limit(fields: Fields) -> int:
    return fields.whole("max_results", _RESULTS, most=_MOST_RESULTS)


def to_wanted(fields: Fields, texts: Sequence[str]) -> list[Wanted]:
    """A body as one search for each query; raises `InvalidRequest`."""
    count = _limit(fields)
    total = fields.whole("max_tokens", _TOKENS, most=1_000_000)
    each = fields.whole("max_tokens_per_page", _PAGE_TOKENS, most=MAX_TOKENS)
    size = _SIZES[fields.choice("search_context_size", _SIZES)]
    domains = fields.names("search_domain_filter", most=_MOST_DOMAINS)
    common = Wanted(
        text="",
        num_results=count,
        category=_MODES[fields.choice("search_mode", _MODES)],
        language=next(iter(fields.names("search_language_filter")), ""),
        country=fields.text("country"),
        time_range=TimeRange(_PERIODS[fields.choice("search_recency_filter", _PERIODS)]),
        start_date=american_date("search_after_date_filter", fields.text("search_after_date_filter")),
        end_date=american_date("search_before_date_filter", fields.text("search_before_date_filter")),
        include_domains=[domain for domain in domains if not domain.startswith("-")],
        exclude_domains=[domain[1:] for domain in domains if domain.startswith("-")],
        passage_tokens=max(1, int(min(each, total // (count * len(texts))) * size)),
    )
    return [replace(common, text=text) for text in texts]


def _queries(raw: object) -> list[str]:
    """One query or several."""
    texts = raw if isinstance(raw, list) else [raw]
    found = [Fields({"query": text}).required("query") for text in texts[: _MOST_QUERIES + 1]]
    if not found or len(found) > _MOST_QUERIES:
        raise InvalidRequest(ArgumentName("query"), f" must be one text or up to {_MOST_QUERIES}.")
    return found


def _mixed(outcomes: Sequence[SearchOutcome], most: int) -> Iterator[Result]:
    """The first results of all queries, then the second ones; each page once."""
    seen = set[str]()
    ranks = zip_longest(*(outcome.results for outcome in outcomes))
    for result in chain.from_iterable(ranks):
        if result is not None and result.hit.url not in seen and len(seen) < most:
            seen.add(result.hit.url)
            yield result


def _result(result: Result) -> dict[str, object]:
    facts = result.page.facts
    return {
        "title": result.hit.title,
        "url": result.hit.url,
        "snippet": passages(result),
        "date": published(result) or None,
        "last_updated": facts.modified or None,
    }


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Perplexity's shape."""
    failure = describe_error(error)
    kinds = {400: "invalid_request", 401: "unauthorized", 429: "too_many_requests"}
    kind = kinds.get(failure.status, "error")
    body = {"error": {"message": failure.message, "type": kind, "code": failure.status}}
    return HttpReply(body, failure.status, headers=failure.headers)
