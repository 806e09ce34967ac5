"""The OpenAPI 3.1 document of the REST API, from its operations, and a page that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from dowse import __version__
from dowse.contracts.arguments import Param
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest
from dowse.contracts.output import schema_of
from dowse.contracts.rest.examples import EXAMPLES
from dowse.contracts.rest.operations import MODEL_FIELDS, Operation
from dowse.contracts.rest.problems import MEDIA_TYPE, STATUSES, ProblemOutput, describe_problem
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
        described["parameters"] = [*(_parameter(param, operation) for param in operation.all_params), *tag]
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
        "properties": {param.name: _schema(param) for param in operation.all_params},
        "required": [param.name for param in operation.params if param.required],
    }
    bodies: Json = {"application/json": {"schema": schema, "example": operation.example}}
    return bodies | ({"text/html": {"schema": _TEXT}} if operation.takes_html else {})


def _schema(param: Param) -> Json:
    """The schema of an argument, including the ones that models do not see: here no tokens are paid for."""
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
    return {each.path.strip("/"): _schema_of(each) for each in operations}


def _schema_of(operation: Operation) -> Json:
    schema = schema_of(operation.output, operation.other_output)
    if not operation.gives_text:
        return schema
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return {**schema, "properties": {**properties, **MODEL_FIELDS}}


def _closed(schema: Mapping[str, object]) -> Json:
    return {**schema, "additionalProperties": False}
