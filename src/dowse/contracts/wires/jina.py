"""Jina's reader, search and rerank."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import urlencode

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, TokenPlace, Wire
from dowse.contracts.wires.failures import describe_error, page_failed
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.firecrawl_shapes import links_in
from dowse.contracts.wires.reading import read_pages
from dowse.contracts.wires.rerank import rerank
from dowse.contracts.wires.searching import (
    Wanted,
    describe_unread,
    passages,
    published,
    search,
    warning_headers,
    warnings_of,
)
from dowse.core.errors import DowseError
from dowse.core.models import Page, Result
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.tokens import estimate_tokens
from dowse.document.clean import to_plain_text

_RESULTS, _MOST_RESULTS, _MOST_PAGES = 5, 20, 50
_PASSAGE_TOKENS = 1500
# Of a long page, of which the rest is not counted.
_COUNTED_CHARS = 100_000
_TEXT = "text/plain; charset=utf-8"
_FORMS = ("", "markdown", "content", "text")
_FOLDED = re.compile(r"^(https?):/+")
_OK = {"code": 200, "status": 20_000}
# Of errors, by their HTTP status.
_NAMES = {
    400: "ParamValidationError",
    401: "AuthenticationFailedError",
    403: "SecurityCompromiseError",
    429: "RateLimitTriggeredError",
}
# Headers of the reader without an effect here.
_UNSERVED = (
    "x-target-selector",
    "x-wait-for-selector",
    "x-remove-selector",
    "x-set-cookie",
    "x-proxy-url",
    "x-with-iframe",
)


def build(services: Services) -> Wire:
    """The reader at the mount's root, with the address as path; search below `/search`."""

    async def read(request: HttpRequest, context: CallContext) -> HttpReply:
        return await _read(services, request, context)

    async def find(request: HttpRequest, context: CallContext) -> HttpReply:
        return await _search(services, request, context)

    async def sort(request: HttpRequest, context: CallContext) -> HttpReply:
        return await rerank(services, request, context)

    searches = [HttpEndpoint(("GET", "POST"), "/search", "web_search", find, fail)]
    endpoints = (
        HttpEndpoint(("POST",), "/v1/rerank", "rerank", sort, fail),
        HttpEndpoint(("POST",), "/rerank", "rerank", sort, fail),
        *searches,
        HttpEndpoint(("GET",), "/search/{query:path}", "web_search", find, fail),
        HttpEndpoint(("POST",), "", "get_content", read, fail),
        HttpEndpoint(("GET",), "/{url:path}", "get_content", read, fail),
    )
    places = frozenset({TokenPlace.BODY, TokenPlace.QUERY})
    return Wire("jina", Door.JINA, ("/compat/jina",), endpoints, places)


async def _read(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields = Fields(_sent(request) if request.method == "POST" else {"url": _address(request)})
    wishes = Fields({name: value for name, value in request.headers.items() if name.startswith("x-")})
    form = wishes.text("x-return-format", "x-respond-with").lower() or fields.text("respondWith").lower()
    page = await _read_page(services, context, fields.url("url"), wishes)
    text = to_plain_text(page.text) if form == "text" else page.text
    headers = warning_headers(warnings_of((*_unserved(wishes, form), *fields.ignored()), page.warnings))
    if "application/json" not in request.headers.get("accept", ""):
        return HttpReply(_as_text(page, text), headers=headers, media_type=_TEXT, engine=page.engine)
    data = _document(page, text, with_links=wishes.flag("x-with-links-summary"))
    return HttpReply({**_OK, "data": data, "meta": {"usage": data["usage"]}}, headers=headers, engine=page.engine)


async def _read_page(services: Services, context: CallContext, url: str, wishes: Fields) -> Page:
    """The page of this address; raises `PageUnreadable`."""
    timeout_s, max_age_s = wishes.seconds("x-timeout"), _max_age_s(wishes)
    (shown,) = await read_pages(services, context, [url], timeout_s=timeout_s, max_age_s=max_age_s)
    if not shown.page.status.readable:
        raise page_failed(shown.page)
    return shown.page


def _max_age_s(wishes: Fields) -> float | None:
    """The highest age of a copy, if the headers name one."""
    tolerance = wishes.number("x-cache-tolerance")
    return 0.0 if wishes.flag("x-no-cache") else tolerance


def _unserved(wishes: Fields, form: str) -> list[str]:
    """Headers and formats without an effect here."""
    named = [name for name in _UNSERVED if name in wishes]
    return named if form in _FORMS else [*named, f"x-return-format {form}"]


def _sent(request: HttpRequest) -> Mapping[str, object]:
    """The fields of a body in JSON or as a form."""
    if "form" in request.headers.get("content-type", ""):
        return {name: values[-1] for name, values in request.form().items()}
    return request.json_object()


def _address(request: HttpRequest) -> str:
    """The address in the path, with its own query."""
    query = urlencode([(name, value) for name, values in request.query.items() for value in values], errors="replace")
    # Proxies fold the second slash of an address in a path.
    path = _FOLDED.sub(r"\1://", request.path.get("url", ""))
    return f"{path}?{query}" if query and path else path or request.first("url")


def _document(page: Page, text: str, *, with_links: bool) -> dict[str, object]:
    dated = {"publishedTime": page.facts.published} if page.facts.published else {}
    linked = {"links": {link: link for link in links_in(page)}} if with_links else {}
    return {
        "title": page.title,
        "description": page.facts.description,
        "url": page.final_url or page.url,
        "content": text,
        **dated,
        "usage": {"tokens": estimate_tokens(text[:_COUNTED_CHARS])},
        **linked,
    }


def _as_text(page: Page, text: str) -> str:
    published_at = f"Published Time: {page.facts.published}\n\n" if page.facts.published else ""
    head = f"Title: {page.title}\n\nURL Source: {page.final_url or page.url}\n\n{published_at}"
    return f"{head}Markdown Content:\n{text}\n"


async def _search(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    fields = Fields(_searched(request))
    wanted = _to_wanted(fields, request.headers)
    outcome = await search(services, context, wanted)
    data = [_result(each) for each in outcome.results]
    headers = warning_headers(warnings_of(fields.ignored(), outcome.warnings, describe_unread(outcome)))
    # Its clients take JSON even where they do not ask for it; only a browser or curl is shown text.
    if "text/plain" in request.headers.get("accept", ""):
        return HttpReply(json.dumps(data, ensure_ascii=False, indent=1), headers=headers, engine=outcome.engine)
    return HttpReply({**_OK, "data": data}, headers=headers, engine=outcome.engine)


def _searched(request: HttpRequest) -> Mapping[str, object]:
    """The fields of a search: of the address, of the body, and the query in the path."""
    sent: dict[str, object] = {name: values[-1] for name, values in request.query.items()}
    sent |= request.json_object() if request.method == "POST" else {}
    query = request.path.get("query")
    return sent | {"q": query} if query else sent


def _to_wanted(fields: Fields, headers: Mapping[str, str]) -> Wanted:
    """The fields and headers as a search; raises `InvalidRequest`."""
    site = headers.get("x-site", "")
    is_brief = headers.get("x-respond-with", fields.text("respondWith")) == "no-content"
    return Wanted(
        text=fields.required("q"),
        num_results=fields.whole("count" if "count" in fields else "num", _RESULTS, most=_MOST_RESULTS),
        page=fields.whole("page", 1, most=_MOST_PAGES),
        language=fields.text("hl"),
        country=fields.text("gl"),
        location=fields.text("location"),
        include_domains=[site] if site else [],
        passage_tokens=None if is_brief else _PASSAGE_TOKENS,
        timeout_s=Fields(headers).seconds("x-timeout"),
    )


def _result(result: Result) -> dict[str, object]:
    text = passages(result)
    dated = {"date": day} if (day := published(result)) else {}
    return {
        "title": result.hit.title,
        "url": result.hit.url,
        "description": result.hit.snippet,
        "content": text,
        **dated,
        "usage": {"tokens": estimate_tokens(text)},
    }


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Jina's shape."""
    failure = describe_error(error)
    name = _NAMES.get(failure.status, "AssertionFailureError")
    body = {
        "data": None,
        "code": failure.status,
        "name": name,
        "status": failure.status * 100,
        "message": failure.message,
        "readableMessage": f"{name}: {failure.message}",
        "detail": failure.message,
    }
    return HttpReply(body, failure.status, headers=failure.headers)
