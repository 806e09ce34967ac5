"""Parallel without a key: the anonymous tier of its search MCP server.

As documented at https://docs.parallel.ai/search/search-mcp and https://docs.parallel.ai/search/best-practices: the tool
`web_search` takes an `objective` and up to five `search_queries` of at most 200 characters, and answers with
`results` of `url`, `title`, `publish_date` and `excerpts`, structured and as JSON in a text. There is no argument
for their number. Calls that belong together carry the same `session_id`, by which the free tier is counted.
"""

from __future__ import annotations

from uuid import uuid4

from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import Limits
from dowse.providers.mcp.search import McpSearch
from dowse.settings.search_types import McpServer

LIMITS = Limits(max_results=10, max_query_chars=200)
# The same as long as the process lives, and drawn anew by the next: nobody is known again by it.
_SESSION = uuid4().hex


def parallel_mcp(api: Api, disclosure: Disclosure, *, endpoint: str) -> McpSearch:
    server = McpServer(
        endpoint,
        "web_search",
        query="objective,search_queries[]",
        arguments={"session_id": _SESSION},
        results="results",
    )
    return McpSearch(api, server, limits=LIMITS, party=party("Parallel", endpoint), disclosure=disclosure)
