"""Firecrawl without a key: the anonymous tier of its MCP server.

As in the public repository firecrawl/firecrawl-mcp-server: the tool `firecrawl_search` takes `query`, with operators
such as `site:`, and `limit`. It answers as its API does, structured and as JSON in a text: `data.web` is a list of
`url`, `title` and `description`. A spent free tier is an error of the tool with `retry_after_seconds` beside it.
"""

from __future__ import annotations

from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import Limits
from dowse.providers.mcp.search import McpSearch
from dowse.settings.search_types import McpServer

# A hundred would be allowed; the free tier is counted in credits, and more results cost more of them.
LIMITS = Limits(max_results=20, max_query_chars=500)


def firecrawl_mcp(api: Api, disclosure: Disclosure, *, endpoint: str) -> McpSearch:
    # Older versions have the lists without `data` around them, so that the list is looked for.
    server = McpServer(endpoint, "firecrawl_search", query="query", count="limit")
    return McpSearch(api, server, limits=LIMITS, party=party("Firecrawl", endpoint), disclosure=disclosure)
