"""The `kindly` contract, a drop-in: two tools, one text block of JSON each, whole pages."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.contracts.arguments import OFFLINE_MODE, Param, read
from dowse.contracts.dispatch import Answer, ContractSpec, Services, Tool
from dowse.contracts.get_content import complete_address
from dowse.contracts.output import to_json_text
from dowse.contracts.render import page_content
from dowse.contracts.web_search import MAX_QUERY_CHARS
from dowse.core.models import Page
from dowse.core.runtime import CallContext

MAX_PAGE_CHARS = 50_000
CUT_MARK = "\n\n…(truncated)"
_SEARCH = """\
Search the web and return the pages that are found as Markdown.

Use it for current information, error messages and library documentation; for a known URL use get_content. \
Returns {"results": [{"title", "link", "snippet", "page_content"}]}; page_content is always a string, and a \
page that could not be read has a note in its place. One to five results are usually enough."""
_CONTENT = """\
Read one web page as Markdown. Use it for a URL you already have; to find pages use web_search. \
Returns {"url", "page_content"}; page_content is always a string, a note when the page could not be read."""
_SEARCH_PARAMS = (
    Param("query", "string", "What to search for.", required=True, minimum=1, maximum=MAX_QUERY_CHARS),
    Param("num_results", "integer", "How many results to return.", 3, minimum=1, maximum=50),
    OFFLINE_MODE,
)
_CONTENT_PARAMS = (
    Param("url", "string", "The page's address.", required=True, minimum=1, maximum=8000),
    OFFLINE_MODE,
)


def web_search(services: Services) -> Tool:
    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        arguments = read(_SEARCH_PARAMS, given)
        query = services.query(arguments.text("query"), arguments.integer("num_results"))
        offline = arguments.flag("offline_mode")
        outcome = await services.search.search(
            query, services.deadline(context), offline=offline, progress=context.progress, caller=context.caller
        )
        results = [
            {
                "title": result.hit.title,
                "link": result.hit.url,
                "snippet": result.hit.snippet,
                "page_content": _whole_text(result.page),
            }
            for result in outcome.results
        ]
        return _json({"results": results}, outcome.engine)

    return Tool("web_search", "Web search", _SEARCH, _SEARCH_PARAMS, call)


def get_content(services: Services) -> Tool:
    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        arguments = read(_CONTENT_PARAMS, given)
        url, offline = arguments.text("url"), arguments.flag("offline_mode")
        await context.progress(f"reading {url}")
        page = await services.read.read(
            complete_address(url), services.deadline(context), offline=offline, caller=context.caller
        )
        return _json({"url": url, "page_content": _whole_text(page)}, page.answered_by)

    return Tool("get_content", "Page content", _CONTENT, _CONTENT_PARAMS, call)


def _whole_text(page: Page) -> str:
    text = page_content(page)
    return text if len(text) <= MAX_PAGE_CHARS else text[: MAX_PAGE_CHARS - len(CUT_MARK)] + CUT_MARK


def _json(value: Mapping[str, object], engine: str) -> Answer:
    return Answer(to_json_text(value), engine=engine)


CONTRACT = ContractSpec(
    "kindly",
    "Web search that reads the pages it finds. Search with web_search, read a known URL with get_content.",
    (web_search, get_content),
    server_name="kindly-web-search",
)
