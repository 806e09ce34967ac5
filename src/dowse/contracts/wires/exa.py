"""Exa's search, contents and answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.output import MAX_URLS
from dowse.contracts.wires.answering import write_answer
from dowse.contracts.wires.failures import describe_error, describe_page
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.reading import ShownPage, engine_of, read_pages
from dowse.contracts.wires.refusals import not_served
from dowse.contracts.wires.searching import (
    Wanted,
    describe_unread,
    iso_date,
    passages,
    published,
    search,
    unread,
    warning_headers,
    warnings_of,
    whole_text,
)
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.models import Category, Page, Result
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName, cut_at_word, one_line
from dowse.document.cut import GAP

_RESULTS, _MOST_RESULTS = 10, 100
_HIGHLIGHT_TOKENS = 300
_CHARS_PER_TOKEN = 4
_SOURCES = 5
_CATEGORIES: Mapping[str, Category] = {"news": Category.NEWS, "research paper": Category.SCIENCE, "github": Category.IT}
_SILENT = ("type", "useAutoprompt", "livecrawl", "livecrawlTimeout", "moderation", "compliance", "stream")
_SILENT_CONTENTS = ("livecrawl", "livecrawlTimeout", "subpages", "context")
_TAGS = {403: "SOURCE_NOT_AVAILABLE", 404: "CRAWL_NOT_FOUND", 408: "CRAWL_TIMEOUT", 415: "UNSUPPORTED_URL"}


def build(services: Services) -> Wire:
    """Passages are the highlights, the whole page is the text."""

    endpoints = (
        HttpEndpoint(("POST",), "/search", "web_search", partial(_search, services), fail),
        HttpEndpoint(("POST",), "/contents", "get_content", partial(_contents, services), fail),
        HttpEndpoint(("POST",), "/answer", "answer_question", partial(_answer, services), fail),
        not_served(("POST",), "/findSimilar", "pages similar to a page", fail),
    )
    return Wire("exa", Door.EXA, ("/compat/exa",), endpoints)


@dataclass(frozen=True, slots=True)
class _Contents:
    """The wanted parts of each page: its text up to so many characters, passages, a summary."""

    text: bool
    text_chars: int
    highlights: bool
    question: str
    summary: bool

    @classmethod
    def of(cls, fields: Fields) -> _Contents:
        text = fields.within("text", ("includeHtmlTags", "verbosity"))
        highlights = fields.within("highlights", ("numSentences", "highlightsPerUrl", "maxCharacters"))
        summary = fields.within("summary", ("schema",))
        return cls(
            _is_wanted(fields.raw("text")),
            text.whole("maxCharacters", 0, most=10_000_000),
            _is_wanted(fields.raw("highlights")),
            highlights.text("query") or summary.text("query"),
            _is_wanted(fields.raw("summary")),
        )

    @property
    def is_empty(self) -> bool:
        return not (self.text or self.highlights or self.summary)

    def shape(self, page: Page, shown: str, summary: str = "") -> dict[str, object]:
        """The fields of a page that was read; none for an unread page."""
        whole = whole_text(page)
        if not whole:
            return {}
        wanted: dict[str, object] = {}
        if self.text:
            wanted["text"] = cut_at_word(whole, self.text_chars) if self.text_chars else whole
        if self.highlights:
            found = [part.strip() for part in shown.split(GAP) if part.strip()]
            wanted |= {"highlights": found, "highlightScores": [1.0] * len(found)}
        if self.summary:
            wanted["summary"] = summary or shown
        return wanted


def _is_wanted(raw: object) -> bool:
    return raw is True or isinstance(raw, Mapping)


async def _search(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields = Fields(request.json_object(), _SILENT)
    contents = _Contents.of(fields.within("contents", _SILENT_CONTENTS))
    wanted = _to_wanted(fields, None if contents.is_empty else _HIGHLIGHT_TOKENS)
    began = services.clock.now()
    outcome = await search(services, context, wanted)
    headers = warning_headers(warnings_of((), outcome.warnings, describe_unread(outcome)))
    body = {
        "requestId": uuid4().hex,
        "resolvedSearchType": "neural",
        "results": [_result(each, contents) for each in outcome.results],
        "statuses": [_error_status(each.hit.url, each.page) for each in unread(outcome)],
        "searchTime": round((services.clock.now() - began) * 1000, 1),
        "costDollars": {"total": 0.0},
        "warnings": [_ignored_field(name) for name in fields.ignored()],
    }
    return HttpReply(body, headers=headers, engine=outcome.engine)


def _ignored_field(name: str) -> dict[str, str]:
    path = one_line(name.replace(".", "/"), 80)
    return {"code": "IGNORED_FIELD", "path": f"/{path}", "message": "This server has no such option."}


def _to_wanted(fields: Fields, passage_tokens: int | None) -> Wanted:
    return Wanted(
        text=fields.required("query"),
        num_results=fields.whole("numResults", _RESULTS, most=_MOST_RESULTS),
        category=_CATEGORIES.get(fields.text("category").lower()),
        country=fields.text("userLocation"),
        start_date=iso_date("startPublishedDate", fields.text("startPublishedDate")),
        end_date=iso_date("endPublishedDate", fields.text("endPublishedDate")),
        include_domains=fields.names("includeDomains"),
        exclude_domains=fields.names("excludeDomains"),
        passage_tokens=passage_tokens,
    )


def _result(result: Result, contents: _Contents) -> dict[str, object]:
    facts, digest = result.page.facts, result.digest
    return {
        "id": result.hit.url,
        "title": result.hit.title,
        "url": result.hit.url,
        "publishedDate": published(result) or None,
        "author": facts.author or None,
        "score": result.score,
        **contents.shape(result.page, passages(result), digest.summary if digest else ""),
    }


async def _contents(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields = Fields(request.json_object(), _SILENT)
    addresses = fields.names("urls", most=MAX_URLS) or fields.names("ids", most=MAX_URLS)
    if not addresses:
        raise InvalidRequest(ArgumentName("urls"), " is required.")
    contents = _Contents.of(fields)
    shown = await read_pages(
        services,
        context,
        addresses,
        question=contents.question,
        passage_tokens=_HIGHLIGHT_TOKENS,
        max_age_s=_max_age_s(fields),
    )
    pairs = list(zip(addresses, shown, strict=True))
    body = {
        "requestId": uuid4().hex,
        "results": [_content(url, each, contents) for url, each in pairs if each.text],
        "statuses": [_status(url, each) for url, each in pairs],
        "costDollars": {"total": 0.0},
    }
    warnings = warnings_of(fields.ignored(), *(each.page.warnings for each in shown))
    engine = engine_of(shown)
    return HttpReply(body, headers=warning_headers(warnings), engine=engine)


def _max_age_s(fields: Fields) -> float | None:
    """The highest age of a copy; any age for -1."""
    hours = fields.number("maxAgeHours")
    return hours * 3600 if hours is not None and hours >= 0 else None


def _content(url: str, shown: ShownPage, contents: _Contents) -> dict[str, object]:
    page = shown.page
    brief = shown.text if contents.question else cut_at_word(shown.text, _HIGHLIGHT_TOKENS * _CHARS_PER_TOKEN)
    wanted = contents if not contents.is_empty else _Contents(True, 0, False, "", False)
    return {
        "id": url,
        "url": page.final_url or url,
        "title": page.title,
        "publishedDate": page.facts.published or None,
        "author": page.facts.author or None,
        **wanted.shape(page, brief, page.facts.description),
    }


def _status(url: str, shown: ShownPage) -> dict[str, object]:
    is_read = bool(shown.text)
    return {"id": url, "status": "success", "source": "crawled"} if is_read else _error_status(url, shown.page)


def _error_status(url: str, page: Page) -> dict[str, object]:
    failure = describe_page(page)
    tag = _TAGS.get(failure.status, "CRAWL_UNKNOWN_ERROR")
    error = {"tag": tag, "httpStatusCode": page.http_status or failure.status, "message": failure.message}
    return {"id": url, "status": "error", "source": "crawled", "error": error}


async def _answer(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields = Fields(request.json_object(), _SILENT)
    with_text, text = fields.flag("text"), fields.required("query")
    outcome = await write_answer(services, context, text, sources=_SOURCES)
    sources = {citation.url: citation for citation in reversed(outcome.answer.citations)}
    citations = [
        {"id": url, "url": url, "title": each.title, **({"text": each.snippet} if with_text else {})}
        for url, each in reversed(sources.items())
    ]
    body = {
        "requestId": uuid4().hex,
        "answer": outcome.answer.text,
        "citations": citations,
        "costDollars": {"total": 0.0},
    }
    return HttpReply(
        body, headers=warning_headers(warnings_of(fields.ignored(), outcome.warnings)), engine=outcome.engine
    )


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Exa's shape."""
    failure = describe_error(error)
    tags = {400: "INVALID_REQUEST_BODY", 401: "INVALID_API_KEY", 429: "RATE_LIMIT_EXCEEDED", 501: "NOT_IMPLEMENTED"}
    body = {"requestId": uuid4().hex, "error": failure.message, "tag": tags.get(failure.status, "DEFAULT_ERROR")}
    return HttpReply(body, failure.status, headers=failure.headers)
