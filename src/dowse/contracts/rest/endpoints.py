"""Endpoints of the REST API below `/api/v1`."""

from __future__ import annotations

from dataclasses import replace

from dowse.contracts.answer_question import answer_question
from dowse.contracts.arguments import Param
from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import Wire
from dowse.contracts.extract import extract
from dowse.contracts.get_content import get_content
from dowse.contracts.rerank import rerank
from dowse.contracts.rest.openapi import document_endpoints
from dowse.contracts.rest.operations import Operation
from dowse.contracts.rest.reports import Reports
from dowse.contracts.rest.search import build_search
from dowse.core.protocols import Door

MOUNT = "/api/v1"
_READ = """\
Reads one page, or up to 20, as Markdown. The `status` of each says whether it was read; a page that could not be read
has a note in place of its text."""
_ANSWER = "Answers a question from the web, with citations."
_EXTRACT = """\
Converts the HTML of a page to Markdown; nothing is fetched. The body is JSON, or the page itself as `text/html` with
`url` in the query."""
_RERANK = "Ranks documents by their relevance to a query, without a model."
_HTML = Param("html", "string", "The page.", required=True)
_DOCUMENTS = Param("documents", "array", "The texts to rank.", required=True)
# As much as is read of a page.
_MAX_HTML_BYTES = 5 * 1024 * 1024
_ADDRESS = "https://example.org/harbour-bridge"
_PAGE = "<html><head><title>Bridge</title></head><body><p>The harbour bridge opened in 1932.</p></body></html>"


def build_rest(services: Services, reports: Reports) -> Wire:
    """The REST API, served like a wire but with the scope `tools`."""
    operations = build_operations(services, reports)
    endpoints = (*(each.endpoint() for each in operations), *document_endpoints(operations))
    return Wire("rest", Door.REST, (MOUNT,), endpoints, scope="tools")


def build_operations(services: Services, reports: Reports) -> tuple[Operation, ...]:
    question = {"question": "When was the harbour bridge opened?"}
    documents = {"query": "opening year", "documents": ["Opened in 1932.", "Closed on Mondays."]}
    extracting = Operation.of_tool("/extract", extract(services), _EXTRACT, {"html": _PAGE, "url": _ADDRESS})
    ranking = Operation.of_tool("/rerank", rerank(services), _RERANK, documents)
    return (
        build_search(services),
        Operation.of_tool("/read", get_content(services), _READ, {"url": _ADDRESS}, reads=True),
        Operation.of_tool("/answer", answer_question(services), _ANSWER, question),
        # These arguments are read apart by the tools, as whole texts.
        replace(
            extracting,
            params=(_HTML, *(each for each in extracting.params if each.name != _HTML.name)),
            takes_html=True,
            max_body_bytes=_MAX_HTML_BYTES,
        ),
        replace(ranking, params=(*ranking.params, _DOCUMENTS), max_body_bytes=_MAX_HTML_BYTES),
        *reports.operations(),
    )
