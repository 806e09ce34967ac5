"""Exa without a key: the anonymous tier of its MCP server.

As in the public repository exa-labs/exa-mcp-server: the tool `web_search_exa` takes `query` and `numResults`, and since
2026 it wants an `objective` too, which older versions pass over. It answers with labelled text, and tells a
spent free tier by `_meta["ai.exa/rateLimited"]` beside a text, without calling it an error.
"""

from __future__ import annotations

from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import Limits
from dowse.providers.mcp.search import McpSearch
from dowse.settings.search_types import McpServer

# More would be allowed; each result brings a long text along.
LIMITS = Limits(max_results=20)


def exa_mcp(api: Api, disclosure: Disclosure, *, endpoint: str) -> McpSearch:
    server = McpServer(endpoint, "web_search_exa", query="query,objective", count="numResults")
    return McpSearch(api, server, limits=LIMITS, party=party("Exa", endpoint), disclosure=disclosure)
