"""Tavily's search, extract and map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from uuid import uuid4

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.output import MAX_URLS
from dowse.contracts.wires.answering import write_answer
from dowse.contracts.wires.failures import describe_error, describe_page
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.mapping import map_site
from dowse.contracts.wires.reading import ShownPage, engine_of, read_pages
from dowse.contracts.wires.refusals import not_served
from dowse.contracts.wires.searching import (
    Wanted,
    describe_unread,
    iso_date,
    passages,
    published,
    search,
    since,
    unread,
    warning_headers,
    warnings_of,
    whole_text,
)
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.models import Category, Result, TimeRange
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName
from dowse.document.clean import to_plain_text
from dowse.flows.map_site import MapRequest

_TOPICS: Mapping[str, Category | None] = {"": None, "general": None, "news": Category.NEWS, "finance": None}
_PERIODS = {
    "": "",
    "d": "day",
    "w": "week",
    "m": "month",
    "y": "year",
    **{each.value: each.value for each in TimeRange},
}
_DEPTHS = ("", "basic", "advanced", "fast", "ultra-fast")
_FORMATS = ("", "markdown", "text")
_TOKENS_PER_CHUNK, _CHUNKS = 150, 3
_MOST_RESULTS, _RESULTS, _MOST_CHUNKS = 20, 5, 5
_MOST_LINKS = 50
# Options that this server always applies, or that concern the accounting of the original.
_SILENT = ("include_usage", "extract_depth", "auto_parameters", "project", "session_id", "cache_fallback")


def build(services: Services) -> Wire:
    """Passages are the `content` of a result, the whole page its `raw_content`."""

    endpoints = (
        HttpEndpoint(("POST",), "/search", "web_search", partial(_search, services), fail),
        HttpEndpoint(("POST",), "/extract", "get_content", partial(_extract, services), fail),
        HttpEndpoint(("POST",), "/map", "map_site", partial(_map, services), fail),
        not_served(("POST",), "/crawl", "crawling of whole sites", fail),
        not_served(("POST",), "/research", "research", fail),
        not_served(("GET",), "/research/{id}", "research", fail),
    )
    return Wire("tavily", Door.TAVILY, ("/compat/tavily",), endpoints)


@dataclass(frozen=True, slots=True)
class _Content:
    """The shown parts of each page: the whole text as well, as Markdown or as plain text."""

    with_raw: bool
    is_plain: bool

    @classmethod
    def of_search(cls, fields: Fields) -> _Content:
        raw = fields.raw("include_raw_content")
        return cls(raw is True or raw in ("markdown", "text", "true"), raw == "text")

    def shape(self, text: str) -> str:
        return to_plain_text(text) if self.is_plain else text


async def _search(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields, began = Fields(request.json_object(), _SILENT), services.clock.now()
    content, wanted = _Content.of_search(fields), to_wanted(fields, services.clock.today())
    wants_answer = fields.flag("include_answer")
    ignored = fields.ignored()
    outcome = await search(services, context, wanted)
    answer, remarks = await _answer(services, context, wanted) if wants_answer else (None, ())
    body = {
        "query": wanted.text,
        "follow_up_questions": None,
        "answer": answer,
        "images": [],
        "results": [_result(each, content) for each in outcome.results],
        "failed_results": [
            {"url": each.hit.url, "error": describe_page(each.page).message} for each in unread(outcome)
        ],
        "response_time": round(services.clock.now() - began, 2),
        "request_id": str(uuid4()),
    }
    headers = warning_headers(warnings_of(ignored, remarks, outcome.warnings, describe_unread(outcome)))
    return HttpReply(body, headers=headers, engine=outcome.engine)


def to_wanted(fields: Fields, today: date) -> Wanted:
    """A search body as a search; raises `InvalidRequest`."""
    depth = fields.choice("search_depth", _DEPTHS, "basic")
    count = fields.whole("max_results", _RESULTS, least=0, most=_MOST_RESULTS)
    chunks = fields.whole("chunks_per_source", _CHUNKS, most=_MOST_CHUNKS)
    days = fields.number("days")
    started = iso_date("start_date", fields.text("start_date"))
    return Wanted(
        text=fields.required("query"),
        # Zero is allowed in the original.
        num_results=max(1, count),
        category=_TOPICS[fields.choice("topic", _TOPICS)],
        language=fields.text("language"),
        country=fields.text("country"),
        time_range=TimeRange(_PERIODS[fields.choice("time_range", _PERIODS)]),
        start_date=started or (since(int(days), today) if days and 0 < days < 36_500 else ""),
        end_date=iso_date("end_date", fields.text("end_date")),
        include_domains=fields.names("include_domains", most=300),
        exclude_domains=fields.names("exclude_domains", most=150),
        safe_search=1 if fields.flag("safe_search") else None,
        passage_tokens=None if depth == "ultra-fast" else chunks * _TOKENS_PER_CHUNK,
        timeout_s=fields.seconds("timeout"),
    )


def _result(result: Result, content: _Content) -> dict[str, object]:
    raw = whole_text(result.page) if content.with_raw else ""
    dated = {"published_date": day} if (day := published(result)) else {}
    return {
        "title": result.hit.title,
        "url": result.hit.url,
        "content": passages(result),
        "score": result.score,
        "raw_content": content.shape(raw) if raw else None,
        **dated,
    }


async def _answer(services: Services, context: CallContext, wanted: Wanted) -> tuple[str | None, tuple[str, ...]]:
    """The answer to the query; none with a warning if there is none, since the results are there."""
    try:
        outcome = await write_answer(
            services, context, wanted.text, sources=wanted.num_results, timeout_s=wanted.timeout_s
        )
    except DowseError as error:
        return None, (f"no answer: {describe_error(error).message}",)
    return outcome.answer.text or None, outcome.warnings


async def _extract(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields, began = Fields(request.json_object(), _SILENT), services.clock.now()
    addresses = fields.names("urls", most=MAX_URLS)
    if not addresses:
        raise InvalidRequest(ArgumentName("urls"), " is required.")
    content = _Content(with_raw=True, is_plain=fields.choice("format", _FORMATS) == "text")
    shown = await read_pages(
        services,
        context,
        addresses,
        question=fields.text("query"),
        passage_tokens=fields.whole("chunks_per_source", _CHUNKS, most=_MOST_CHUNKS) * _TOKENS_PER_CHUNK,
        timeout_s=fields.seconds("timeout"),
    )
    body = {
        "results": [_extracted(url, each, content) for url, each in zip(addresses, shown, strict=True) if each.text],
        "failed_results": [
            {"url": url, "error": describe_page(each.page).message}
            for url, each in zip(addresses, shown, strict=True)
            if not each.text
        ],
        "response_time": round(services.clock.now() - began, 2),
        "request_id": str(uuid4()),
    }
    headers = warning_headers(warnings_of(fields.ignored(), *(each.page.warnings for each in shown)))
    return HttpReply(body, headers=headers, engine=engine_of(shown))


def _extracted(url: str, shown: ShownPage, content: _Content) -> dict[str, object]:
    return {"url": url, "title": shown.title, "raw_content": content.shape(shown.text), "images": []}


async def _map(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields, began = Fields(request.json_object(), _SILENT), services.clock.now()
    timeout_s, wanted = (
        fields.seconds("timeout"),
        MapRequest(fields.url("url"), fields.whole("limit", _MOST_LINKS, most=500), with_subdomains=True),
    )
    found = await map_site(services, context, wanted, timeout_s)
    body = {
        "base_url": found.site,
        "results": [link.url for link in found.links],
        "response_time": round(services.clock.now() - began, 2),
        "request_id": str(uuid4()),
    }
    return HttpReply(body, headers=warning_headers(warnings_of(fields.ignored(), found.warnings)))


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Tavily's shape."""
    failure = describe_error(error)
    return HttpReply({"detail": {"error": failure.message}}, failure.status, headers=failure.headers)
