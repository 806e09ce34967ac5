"""Brave's web search and LLM context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from uuid import uuid4

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.output import MAX_TOKENS
from dowse.contracts.wires.failures import describe_error
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.searching import (
    Wanted,
    describe_unread,
    iso_date,
    passages,
    published,
    search,
    warning_headers,
    warnings_of,
)
from dowse.core import urls
from dowse.core.errors import DowseError
from dowse.core.models import Result, SearchOutcome, TimeRange
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.document.clean import to_plain_text
from dowse.document.cut import GAP

_RESULTS, _MOST_RESULTS, _MOST_OFFSET = 20, 20, 9
_CONTEXT_RESULTS, _CONTEXT_TOKENS = 8, 8192
_EXTRA_TOKENS, _MOST_EXTRA = 250, 5
_PERIODS = {"pd": TimeRange.DAY, "pw": TimeRange.WEEK, "pm": TimeRange.MONTH, "py": TimeRange.YEAR}
_RANGE = re.compile(r"(\d{4}-\d\d-\d\d)to(\d{4}-\d\d-\d\d)", re.ASCII)
_SAFETY = {"": None, "off": 0, "moderate": 1, "strict": 2}
_SILENT = (
    *("text_decorations", "spellcheck", "result_filter", "units", "ui_lang", "include_fetch_metadata", "summary"),
    *("goggles", "enable_rich_callback", "context_threshold_mode", "maximum_number_of_snippets", "enable_local"),
    *("maximum_number_of_tokens_per_url", "maximum_number_of_snippets_per_url"),
)


def build(services: Services) -> Wire:
    """Snippets as descriptions, passages as extra snippets."""

    async def find(request: HttpRequest, context: CallContext) -> HttpReply:
        fields = _fields(request)
        extra = fields.flag("extra_snippets")
        wanted = to_wanted(fields, _RESULTS, _EXTRA_TOKENS if extra else None)
        outcome = await search(services, context, wanted)
        body = {
            "type": "search",
            "query": {"original": wanted.text, "more_results_available": len(outcome.results) >= wanted.num_results},
            "web": {"type": "search", "results": [_result(each, with_extra=extra) for each in outcome.results]},
        }
        return _reply(body, fields, outcome)

    async def ground(request: HttpRequest, context: CallContext) -> HttpReply:
        fields = _fields(request)
        tokens = fields.whole("maximum_number_of_tokens", _CONTEXT_TOKENS, most=MAX_TOKENS)
        most = fields.whole("maximum_number_of_urls", _CONTEXT_RESULTS, most=_MOST_RESULTS)
        wanted = to_wanted(fields, most, max(1, tokens // most))
        outcome = await search(services, context, wanted)
        read = [each for each in outcome.results if passages(each)]
        body = {
            "grounding": {"generic": list(map(_grounding, read)), "map": []},
            "sources": {each.hit.url: _source(each) for each in read},
        }
        return _reply(body, fields, outcome)

    endpoints = (
        HttpEndpoint(("GET", "POST"), "/res/v1/web/search", "web_search", find, fail),
        HttpEndpoint(("GET", "POST"), "/res/v1/llm/context", "web_search", ground, fail),
    )
    return Wire("brave", Door.BRAVE, ("/compat/brave",), endpoints)


def _fields(request: HttpRequest) -> Fields:
    sent: dict[str, object] = {name: values[-1] for name, values in request.query.items()}
    return Fields(sent | (request.json_object() if request.method == "POST" else {}), _SILENT)


def to_wanted(fields: Fields, results: int, passage_tokens: int | None) -> Wanted:
    """The parameters as a search; raises `InvalidRequest`."""
    freshness = fields.text("freshness").lower()
    between = _RANGE.fullmatch(freshness)
    return Wanted(
        text=fields.required("q"),
        num_results=min(fields.whole("count", results, most=_MOST_RESULTS), results),
        page=fields.whole("offset", 0, least=0, most=_MOST_OFFSET) + 1,
        language=fields.text("search_lang"),
        country=fields.text("country"),
        time_range=_PERIODS.get(freshness, TimeRange.ANY),
        start_date=iso_date("freshness", between[1]) if between else "",
        end_date=iso_date("freshness", between[2]) if between else "",
        safe_search=_SAFETY[fields.choice("safesearch", _SAFETY)],
        passage_tokens=passage_tokens,
    )


def _reply(body: Mapping[str, object], fields: Fields, outcome: SearchOutcome) -> HttpReply:
    headers = warning_headers(warnings_of(fields.ignored(), outcome.warnings, describe_unread(outcome)))
    return HttpReply(body, headers=headers, engine=outcome.engine)


def _result(result: Result, *, with_extra: bool) -> dict[str, object]:
    hit, day = result.hit, published(result)
    extra = {"extra_snippets": _snippets(result)[:_MOST_EXTRA]} if with_extra and result.digest else {}
    return {
        "type": "search_result",
        "title": hit.title,
        "url": hit.url,
        "description": hit.snippet,
        "age": day or None,
        "page_age": day or None,
        "language": result.page.facts.language or None,
        "family_friendly": True,
        "meta_url": {"hostname": urls.host_of(hit.url)},
        **extra,
    }


def _snippets(result: Result) -> list[str]:
    """The passages one by one, as plain text."""
    parts = (to_plain_text(part).strip() for part in passages(result).split(GAP))
    return [part for part in parts if part]


def _grounding(result: Result) -> dict[str, object]:
    return {"url": result.hit.url, "title": result.hit.title, "snippets": [passages(result)]}


def _source(result: Result) -> dict[str, object]:
    day = published(result)
    return {"title": result.hit.title, "hostname": urls.host_of(result.hit.url), "age": [day] if day else None}


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Brave's shape; a request that it cannot read is 422 there."""
    failure = describe_error(error)
    status = 422 if failure.status == 400 else failure.status
    codes = {401: "SUBSCRIPTION_TOKEN_INVALID", 422: "VALIDATION", 429: "RATE_LIMITED"}
    told = {"id": str(uuid4()), "status": status, "code": codes.get(status, "ERROR"), "detail": failure.message}
    return HttpReply({"type": "ErrorResponse", "error": told}, status, headers=failure.headers)
