"""Serper's search, news, images and scrape."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, TokenPlace, Wire
from dowse.contracts.wires.failures import describe_error, page_failed
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.reading import read_pages
from dowse.contracts.wires.searching import (
    Wanted,
    parse_tbs,
    published,
    search,
    warning_headers,
    warnings_of,
)
from dowse.core import urls
from dowse.core.errors import DowseError
from dowse.core.models import Category, Result
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.document.clean import to_plain_text

_RESULTS, _MOST_RESULTS, _MOST_PAGES = 10, 100, 50
_SILENT = ("apiKey", "type", "engine")


class _Kind(NamedTuple):
    """A kind of search: its category, the name of its list, and the shape of its entries."""

    category: Category
    listed: str
    shape: Callable[[Result, int], dict[str, object]]


def build(services: Services) -> Wire:
    """Snippets, as the original; pages are read by scrape."""

    def find(name: str, kind: _Kind) -> HttpEndpoint:
        async def answer(request: HttpRequest, context: CallContext) -> HttpReply:
            return await _search(services, request, context, kind)

        return HttpEndpoint(("GET", "POST"), f"/{name}", "web_search", answer, fail)

    async def scrape(request: HttpRequest, context: CallContext) -> HttpReply:
        return await _scrape(services, request, context)

    scrapes = [HttpEndpoint(("POST",), path, "get_content", scrape, fail) for path in ("/scrape", "")]
    endpoints = (*(find(name, kind) for name, kind in _KINDS.items()), *scrapes)
    places = frozenset({TokenPlace.BODY, TokenPlace.QUERY})
    return Wire("serper", Door.SERPER, ("/compat/serper",), endpoints, places)


def _fields(request: HttpRequest) -> Fields:
    if request.method == "POST":
        return Fields(request.json_object(), _SILENT)
    return Fields({name: values[-1] for name, values in request.query.items()}, _SILENT)


async def _search(services: Services, request: HttpRequest, context: CallContext, kind: _Kind) -> HttpReply:
    fields = _fields(request)
    period, started, ended = parse_tbs(fields.text("tbs"))
    wanted = Wanted(
        text=fields.required("q"),
        num_results=fields.whole("num", _RESULTS, most=_MOST_RESULTS),
        page=fields.whole("page", 1, most=_MOST_PAGES),
        category=kind.category,
        language=fields.text("hl"),
        country=fields.text("gl"),
        location=fields.text("location"),
        time_range=period,
        start_date=started,
        end_date=ended,
    )
    is_corrected = fields.flag("autocorrect", default=True)
    outcome = await search(services, context, wanted, autocorrect=is_corrected)
    positions = count(1)
    body = {
        "searchParameters": {
            "q": wanted.text,
            "type": kind.listed,
            "num": wanted.num_results,
            "engine": outcome.engine,
        },
        kind.listed: [kind.shape(each, next(positions)) for each in outcome.results],
        "relatedSearches": [{"query": each} for each in outcome.suggestions],
        "credits": 1,
    }
    headers = warning_headers(warnings_of(fields.ignored(), outcome.warnings))
    return HttpReply(body, headers=headers, engine=outcome.engine)


def _organic(result: Result, position: int) -> dict[str, object]:
    dated = {"date": day} if (day := published(result)) else {}
    hit = result.hit
    return {"title": hit.title, "link": hit.url, "snippet": hit.snippet, **dated, "position": position}


def _news(result: Result, position: int) -> dict[str, object]:
    hit = result.hit
    image = hit.thumbnail or hit.image_url
    return {
        **_organic(result, position),
        "date": published(result),
        "source": urls.host_of(hit.url),
        **({"imageUrl": image} if image else {}),
    }


def _image(result: Result, position: int) -> dict[str, object]:
    hit = result.hit
    domain = urls.host_of(hit.url)
    return {
        "title": hit.title,
        "imageUrl": hit.image_url or hit.thumbnail,
        "thumbnailUrl": hit.thumbnail or hit.image_url,
        "source": domain,
        "domain": domain,
        "link": hit.url,
        "position": position,
    }


_KINDS = {
    "search": _Kind(Category.GENERAL, "organic", _organic),
    "news": _Kind(Category.NEWS, "news", _news),
    "images": _Kind(Category.IMAGES, "images", _image),
}


async def _scrape(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    """A page that cannot be read is an error: the shape has no other place for it."""
    fields = _fields(request)
    with_markdown, url = fields.flag("includeMarkdown"), fields.url("url")
    (shown,) = await read_pages(services, context, [url], timeout_s=fields.seconds("timeout"))
    page = shown.page
    if not page.status.readable:
        raise page_failed(page)
    known = {"title": page.title, "description": page.facts.description, "language": page.facts.language}
    body = {
        "text": page.plain or to_plain_text(page.text),
        **({"markdown": page.text} if with_markdown else {}),
        "metadata": {name: value for name, value in known.items() if value},
        "credits": 2,
    }
    headers = warning_headers(warnings_of(fields.ignored(), page.warnings))
    return HttpReply(body, headers=headers, engine=page.engine)


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Serper's shape; a bad key is 403 there."""
    failure = describe_error(error)
    status = 403 if failure.status == 401 else failure.status
    return HttpReply({"message": failure.message, "statusCode": status}, status, headers=failure.headers)
