"""`rerank` of REST and the Python API: given documents by their relevance to a query. No MCP contract has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from dowse.contracts.arguments import TIMEOUT_S, Param, read
from dowse.contracts.dispatch import Answer, Services, Tool
from dowse.contracts.output import RankedOutput, RerankOutput
from dowse.core.errors import InvalidRequest
from dowse.core.runtime import CallContext
from dowse.core.text import ArgumentName
from dowse.flows.rerank import MAX_DOCUMENTS, MAX_QUERY_CHARS, RerankRequest

DOCUMENTS = "documents"
_DESCRIPTION = """\
Rank documents by their relevance to a query, with a score from 0 to 1 for each: lexical scoring of their passages in \
any language, without a model."""
_PARAMS = (
    Param("query", "string", "What the documents should be about.", required=True, minimum=1, maximum=MAX_QUERY_CHARS),
    Param(
        "top_n", "integer", "How many documents to return; all by default.",
        minimum=1, maximum=MAX_DOCUMENTS, aliases=("top_k",), is_lenient=True,
    ),
    Param("return_documents", "boolean", "Whether each result repeats its document.", False),
    TIMEOUT_S,
)  # fmt: skip


def rerank(services: Services) -> Tool:
    return Tool("rerank", "Rank documents", _DESCRIPTION, _PARAMS, partial(_call, services), output=RerankOutput)


async def _call(services: Services, given: Mapping[str, object], context: CallContext) -> Answer:
    # Read apart: the list of an argument drops repetitions and blanks, which count as documents here.
    documents = read_documents(given.get(DOCUMENTS))
    arguments = read(_PARAMS, given, ignored=(DOCUMENTS,))
    top_n = arguments.integer("top_n") if "top_n" in arguments.given else None
    request = RerankRequest(arguments.text("query"), documents, top_n)
    ranked = await services.rerank.rerank(request, services.deadline(context, arguments.number("timeout_s")))
    shown = documents if arguments.flag("return_documents") else [""] * len(documents)
    results = tuple(
        RankedOutput(index=each.index, relevance_score=each.relevance, document=shown[each.index]) for each in ranked
    )
    lines = [f"{each.relevance_score:.3f} {DOCUMENTS}[{each.index}]" for each in results]
    return Answer("\n".join(lines), RerankOutput(query=request.query, results=results, warnings=arguments.warnings))


def read_documents(given: object) -> Sequence[str]:
    """The texts of documents, each a string or an object with its `text`; raises `InvalidRequest`."""
    if not isinstance(given, list | tuple):
        missing = " is required." if given is None else " must be a list of texts."
        raise InvalidRequest(ArgumentName(DOCUMENTS), missing)
    texts = [each.get("text") if isinstance(each, Mapping) else each for each in given]
    found = [text for text in texts if isinstance(text, str)]
    if len(found) < len(texts):
        raise InvalidRequest(ArgumentName(DOCUMENTS), " must be a list of texts, or of objects with a text each.")
    return found
