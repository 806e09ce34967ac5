"""The OpenAPI 3.1 document of the REST API, from its operations, and a page that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from dowse import __version__
from dowse.contracts.arguments import Param
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest
from dowse.contracts.output import (
    AnswerQuestionOutput,
    CitationOutput,
    ExtractOutput,
    GetContentOutput,
    RankedOutput,
    RerankOutput,
    ResultOutput,
    WebSearchOutput,
    schema_of,
    to_json,
)
from dowse.contracts.rest.operations import Operation
from dowse.contracts.rest.problems import MEDIA_TYPE, STATUSES, ProblemOutput, describe_problem
from dowse.contracts.rest.reports import (
    BlockOutput,
    CheckOutput,
    DoctorOutput,
    ExplainOutput,
    MonthOutput,
    ProviderOutput,
    ProvidersOutput,
    UsageRowOutput,
)
from dowse.core.models import OK, Attempt, CacheState, Stats, Status
from dowse.core.runtime import CallContext

Json = dict[str, object]

DOCUMENT, PAGE = "/openapi.json", "/docs"
_ABOUT = """\
Search the web, read pages, answer questions, convert HTML and rank documents. Errors are problem details (RFC 9457).
Texts of pages are untrusted data."""
_EVENTS = "Server-sent events: `event` is a name, `data` one line of JSON; `result` or `error` is the last one."
_PROBLEM = "#/components/schemas/Problem"
_TAG = {"If-None-Match": "The `ETag` of an earlier reply, which is answered with 304 while it holds."}
_HEADERS: Mapping[str, Json] = {
    "X-Request-Id": {"description": "The id of the call, as it stands in the log.", "schema": {"type": "string"}},
}
_ETAG: Mapping[str, Json] = {
    "ETag": {"description": "The reply without its times and ages.", "schema": {"type": "string"}},
    "Cache-Control": {"schema": {"type": "string"}},
}

_LINK = "https://example.org/harbour-bridge"
_TITLE = "Harbour bridge"
_QUOTE = "The harbour bridge opened in 1932."
_ATTEMPT = Attempt("serper", "search", OK, 412)

_RESULT = ResultOutput(
    title=_TITLE,
    link=_LINK,
    snippet="The bridge over the harbour, opened in 1932.",
    page_content=_QUOTE,
    status=Status.OK,
    engine="serper",
    score=1.0,
    published="2026-09-14",
    word_count=6,
    fetch_time_ms=180,
    summary=_QUOTE,
    cache=CacheState.MISS,
    cache_age_s=0,
)
_SEARCH = WebSearchOutput(
    query="harbour bridge opening year",
    engine="serper",
    results=(_RESULT,),
    attempts=(_ATTEMPT,),
    warnings=(),
    stats=Stats(search_ms=412, total_ms=610, pages_read=1),
    cache=CacheState.MISS,
    cache_age_s=0,
)
_READ = GetContentOutput(
    url=_LINK,
    final_url=_LINK,
    title=_TITLE,
    page_content=_QUOTE,
    status=Status.OK,
    engine="direct",
    attempts=(Attempt("direct", "read", OK, 180),),
    warnings=(),
    total_tokens=9,
    next_cursor="",
    cache=CacheState.MISS,
    cache_age_s=0,
)
_CITATION = CitationOutput(url=_LINK, title=_TITLE, text_snippet=_QUOTE, start_index=0, end_index=len(_QUOTE), rank=1)
_ANSWER = AnswerQuestionOutput(
    text=_QUOTE,
    citations=(_CITATION,),
    provider="openai",
    responded_at="2026-11-19T12:00:00.000Z",
    attempts=(Attempt("openai", "answer", OK, 2100),),
    warnings=(),
    cache=CacheState.MISS,
    cache_age_s=0,
)
_EXTRACT = ExtractOutput(
    url=_LINK, title=_TITLE, page_content=_QUOTE, status=Status.OK, warnings=(), word_count=6, total_tokens=9
)
_RERANK = RerankOutput(
    query="opening year",
    results=(RankedOutput(index=0, relevance_score=0.93), RankedOutput(index=1, relevance_score=0.0)),
    warnings=(),
)
_ROW = UsageRowOutput(name="serper", calls=120, usd=0.12, calls_today=8, usd_today=0.008)
_USAGE = MonthOutput(
    month="2026-11",
    today="2026-11-19",
    by="provider",
    rows=(_ROW,),
    total=UsageRowOutput(name="all", calls=120, usd=0.12, calls_today=8, usd_today=0.008),
)
_PROVIDERS = ProvidersOutput(
    providers=(
        ProviderOutput(name="serper", operations=("search",), active=True, reason="SERPER_API_KEY is set", place=1),
    )
)
_DOCTOR = DoctorOutput(
    version="1.0.0",
    ok=True,
    checks=(
        CheckOutput(name="search", group="search", state="ok", summary="Searches use serper.", fix="", details={}),
    ),
)
_EXPLAIN = ExplainOutput(
    url=_LINK,
    title=_TITLE,
    status=Status.OK,
    failure="",
    blocks=(BlockOutput(text=_QUOTE, path="body > p", words=6, score=0.97, kept=True, reasons=("a long sentence",)),),
    kind="article",
    cut=0.5,
)

EXAMPLES: Mapping[str, object] = {
    "search": to_json(_SEARCH),
    "read": to_json(_READ),
    "answer": to_json(_ANSWER),
    "extract": to_json(_EXTRACT),
    "rerank": to_json(_RERANK),
    "usage": to_json(_USAGE),
    "providers": to_json(_PROVIDERS),
    "doctor": to_json(_DOCTOR),
    "explain": to_json(_EXPLAIN),
}
"""Replies by the path of the operation: instances of the typed outputs, so that they cannot have other fields."""


def document_endpoints(operations: Sequence[Operation]) -> tuple[HttpEndpoint, ...]:
    """The document, and the page that shows it."""

    async def send_document(request: HttpRequest, _context: CallContext) -> HttpReply:
        return HttpReply(describe_operations(operations, request.base_url))

    async def send_page(request: HttpRequest, _context: CallContext) -> HttpReply:
        # Imported here: few look at it, and never a program.
        from dowse.contracts.rest.page import CONTENT_TYPE, render, write_security_policy

        html = render(describe_operations(operations, request.base_url))
        return HttpReply(html, headers={"Content-Security-Policy": write_security_policy()}, media_type=CONTENT_TYPE)

    return (
        HttpEndpoint(("GET",), DOCUMENT, "openapi", send_document, describe_problem),
        HttpEndpoint(("GET",), PAGE, "openapi", send_page, describe_problem),
    )


def describe_operations(operations: Sequence[Operation], base_url: str) -> Json:
    """The whole document, for a server at this address."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "dowse", "version": __version__, "description": _ABOUT},
        "servers": [{"url": base_url}],
        "security": [{"bearer": []}, {"key": []}, {}],
        "paths": {each.path: {method.lower(): _method(each, method) for method in each.methods} for each in operations},
        "components": {
            "schemas": {"Problem": _closed(schema_of(ProblemOutput)), **_schemas(operations)},
            "responses": {str(status): _problem(status) for status in STATUSES},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
            },
        },
    }


def _method(operation: Operation, method: str) -> Json:
    described: Json = {
        "operationId": operation.path.strip("/")
        + ("_by_get" if method == "GET" and "POST" in operation.methods else ""),
        "summary": operation.title,
        "description": operation.about,
        "responses": _responses(operation, method),
    }
    if method == "GET":
        tag = [{"name": name, "in": "header", "description": why, "schema": _TEXT} for name, why in _TAG.items()]
        described["parameters"] = [*(_parameter(param, operation) for param in operation.params), *tag]
    else:
        described["requestBody"] = {"required": True, "content": _bodies(operation)}
    return described


_TEXT: Json = {"type": "string"}


def _parameter(param: Param, operation: Operation) -> Json:
    example = operation.example.get(param.name)
    described: Json = {
        "name": param.name,
        "in": "query",
        "required": param.required,
        "schema": _schema(param),
        **({"example": example} if example is not None else {}),
    }
    return {**described, **({"description": param.about} if param.about else {})}


def _bodies(operation: Operation) -> Json:
    """The kinds of a body: JSON, a form where the arguments are texts, and a page where the operation takes one."""
    schema: Json = {
        "type": "object",
        "properties": {param.name: _schema(param) for param in operation.params},
        "required": [param.name for param in operation.params if param.required],
    }
    bodies: Json = {"application/json": {"schema": schema, "example": operation.example}}
    return bodies | ({"text/html": {"schema": _TEXT}} if operation.takes_html else {})


def _schema(param: Param) -> Json:
    """The schema of an argument, including values that models do not see: here no tokens are paid for."""
    schema = param.schema()
    return schema | ({"minLength": 1} if param.kind == "string" and param.required else {})


def _responses(operation: Operation, method: str) -> Json:
    name = operation.path.strip("/")
    reads = method == "GET"
    content: Json = {
        "application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}, "example": EXAMPLES[name]}
    }
    if operation.streams:
        content["text/event-stream"] = {"schema": {"type": "string", "description": _EVENTS}}
    answer: Json = {
        "description": HTTPStatus.OK.phrase,
        "headers": {**_HEADERS, **(_ETAG if reads else {})},
        "content": content,
    }
    unchanged: Json = {"304": {"description": HTTPStatus.NOT_MODIFIED.phrase}} if reads else {}
    problems = {str(status): {"$ref": f"#/components/responses/{status}"} for status in STATUSES}
    return {"200": answer, **unchanged, **problems}


def _problem(status: int) -> Json:
    wait: Json = {"Retry-After": {"description": "Seconds until a retry makes sense.", "schema": _TEXT}}
    return {
        "description": HTTPStatus(status).phrase,
        "headers": wait if status in (429, 503) else {},
        "content": {MEDIA_TYPE: {"schema": {"$ref": _PROBLEM}}},
    }


def _schemas(operations: Sequence[Operation]) -> Json:
    return {each.path.strip("/"): schema_of(each.output, each.other_output) for each in operations}


def _closed(schema: Mapping[str, object]) -> Json:
    return {**schema, "additionalProperties": False}
