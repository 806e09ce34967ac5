"""Open WebUI's external search, page loader, reranker and document loader, and the retriever of gpt-researcher."""

from __future__ import annotations

from urllib.parse import unquote

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, TokenPlace, Wire
from dowse.contracts.output import MAX_URLS
from dowse.contracts.wires.failures import describe_error, describe_page
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.reading import ShownPage, engine_of, read_document, read_pages
from dowse.contracts.wires.rerank import rerank
from dowse.contracts.wires.searching import (
    Wanted,
    describe_unread,
    passages,
    search,
    warning_headers,
    warnings_of,
    whole_text,
)
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.models import Result
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName

_RESULTS, _MOST_RESULTS = 3, 50
# The model may get nothing but these snippets.
_PASSAGE_TOKENS = 800
# Of a retriever, which its client cannot say.
_RETRIEVER_S = 20.0


def build(services: Services) -> Wire:
    """Lists and objects as its code parses them."""

    async def find(request: HttpRequest, context: CallContext) -> HttpReply:
        fields = Fields(request.json_object())
        wanted = Wanted(
            text=fields.required("query"),
            num_results=fields.whole("count", _RESULTS, most=_MOST_RESULTS),
            passage_tokens=_PASSAGE_TOKENS,
            timeout_s=fields.seconds("timeout"),
        )
        outcome = await search(services, context, wanted)
        headers = warning_headers(warnings_of(fields.ignored(), outcome.warnings, describe_unread(outcome)))
        return HttpReply(list(map(_result, outcome.results)), headers=headers, engine=outcome.engine)

    async def retrieve(request: HttpRequest, context: CallContext) -> HttpReply:
        fields = Fields({name: values[-1] for name, values in request.query.items()})
        count = fields.whole("max_results", _RESULTS, most=_MOST_RESULTS)
        wanted = Wanted(text=fields.required("query"), num_results=count, passage_tokens=0, timeout_s=_RETRIEVER_S)
        outcome = await search(services, context, wanted)
        headers = warning_headers(warnings_of(fields.ignored(), outcome.warnings, describe_unread(outcome)))
        pages = [
            {"url": each.hit.url, "raw_content": whole_text(each.page) or each.hit.snippet} for each in outcome.results
        ]
        return HttpReply(pages, headers=headers, engine=outcome.engine)

    async def load(request: HttpRequest, context: CallContext) -> HttpReply:
        fields = Fields(request.json_object())
        addresses = fields.names("urls", most=MAX_URLS)
        if not addresses:
            raise InvalidRequest(ArgumentName("urls"), " is required.")
        shown = await read_pages(services, context, addresses, timeout_s=fields.seconds("timeout"))
        failed = [f"{each.page.url} ({describe_page(each.page).message})" for each in shown if not each.text]
        warnings = warnings_of(fields.ignored(), [f"not read: {each}" for each in failed])
        engine = engine_of(shown)
        # A page that failed is left out: an error would cost the whole batch.
        return HttpReply(
            [_loaded(each) for each in shown if each.text], headers=warning_headers(warnings), engine=engine
        )

    async def sort(request: HttpRequest, context: CallContext) -> HttpReply:
        return await rerank(services, request, context)

    async def process(request: HttpRequest, context: CallContext) -> HttpReply:
        name = unquote(request.headers.get("x-filename", ""))[:300]
        page = await read_document(services, context, request.body, request.headers.get("content-type", ""), name)
        metadata = {"source": name, "title": page.title or name}
        return HttpReply({"page_content": page.text, "metadata": metadata}, engine=page.engine)

    endpoints = (
        HttpEndpoint(("POST",), "/search", "web_search", find, fail),
        HttpEndpoint(("GET",), "/retriever", "web_search", retrieve, fail),
        HttpEndpoint(("POST",), "/loader", "get_content", load, fail),
        HttpEndpoint(("POST",), "/rerank", "rerank", sort, fail),
        HttpEndpoint(("PUT",), "/process", "extract", process, fail, max_body_bytes=services.settings.max_content_size),
    )
    places = frozenset({TokenPlace.BODY, TokenPlace.QUERY})
    return Wire("openwebui", Door.OPENWEBUI, ("/compat/openwebui",), endpoints, places)


def _result(result: Result) -> dict[str, object]:
    return {"link": result.hit.url, "title": result.hit.title, "snippet": passages(result)}


def _loaded(shown: ShownPage) -> dict[str, object]:
    page = shown.page
    metadata = {"source": page.url, "title": page.title, "language": page.facts.language}
    return {"page_content": shown.text, "metadata": {name: value for name, value in metadata.items() if value}}


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error as FastAPI writes it."""
    failure = describe_error(error)
    return HttpReply({"detail": failure.message}, failure.status, headers=failure.headers)
