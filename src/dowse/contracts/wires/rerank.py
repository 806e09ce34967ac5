"""Rerank as Cohere v1 and v2 have it, which Jina and most other servers share."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.contracts.wires.failures import describe_error
from dowse.contracts.wires.fields import Fields
from dowse.contracts.wires.searching import patience_s, warning_headers, warnings_of
from dowse.core.errors import DowseError, InvalidRequest
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName
from dowse.core.tokens import estimate_tokens
from dowse.flows.rerank import RerankRequest

# The only model is the passage scorer, under any name.
_SILENT = ("model", "max_chunks_per_doc", "max_tokens_per_doc", "priority", "truncate", "truncation", "user")


def build(services: Services) -> Wire:
    """Also at the root of the server, where many front ends look for it."""

    async def answer(request: HttpRequest, context: CallContext) -> HttpReply:
        return await rerank(services, request, context)

    paths = ("/v1/rerank", "/v2/rerank", "/rerank")
    endpoints = tuple(HttpEndpoint(("POST",), path, "rerank", answer, fail) for path in paths)
    return Wire("rerank", Door.RERANK, ("/compat/rerank", ""), endpoints)


async def rerank(services: Services, request: HttpRequest, context: CallContext) -> HttpReply:
    """All documents, or the `top_n` best, each with its place in the request."""
    fields = Fields(request.json_object(), _SILENT)
    documents = _documents(fields.raw("documents"))
    top_n = fields.whole("top_n", len(documents), most=max(1, len(documents)))
    shows = fields.flag("return_documents")
    wanted = RerankRequest(fields.required("query"), documents, top_n)
    deadline = services.deadline(context, patience_s(fields.seconds("timeout")))
    ranked = await services.rerank.rerank(wanted, deadline)
    results = [
        {
            "index": each.index,
            "relevance_score": each.relevance,
            **({"document": {"text": documents[each.index]}} if shows else {}),
        }
        for each in ranked
    ]
    body = {
        "id": str(uuid4()),
        "model": fields.text("model") or "dowse",
        "results": results,
        "usage": {"total_tokens": sum(map(estimate_tokens, documents[:_COUNTED]))},
        "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
    }
    return HttpReply(body, headers=warning_headers(warnings_of(fields.ignored())))


# Counting more would cost more than ranking them.
_COUNTED = 100


def _documents(raw: object) -> tuple[str, ...]:
    """The texts of documents, which are texts or objects with a text."""
    if not isinstance(raw, list):
        raise InvalidRequest(ArgumentName("documents"), " must be a list of texts.")
    texts = [each.get("text") if isinstance(each, Mapping) else each for each in raw]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidRequest(ArgumentName("documents"), " must be texts, or objects with a text.")
    return tuple(text for text in texts if isinstance(text, str))


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    """An error in Cohere's shape; Jina's clients read `detail`."""
    failure = describe_error(error)
    return HttpReply({"message": failure.message, "detail": failure.message}, failure.status, headers=failure.headers)
