"""Anonymous tiers of vendors' own MCP servers: Exa, Parallel and Firecrawl."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.mcp.search import McpSearch
from dowse.providers.table import Kit
from dowse.settings import SPECS
from dowse.settings.mcp_servers import McpServer

# One for the life of the process: the next process draws another, so that sessions cannot be linked.
_SESSION = uuid4().hex


def describe_exa(url: str) -> McpServer:
    """As in the public repository exa-labs/exa-mcp-server.

    The tool takes `query` and `numResults`, and since 2026 it wants an `objective` too, which older versions ignore. It
    answers with labelled text. A spent free tier is `_meta["ai.exa/rateLimited"]` beside a text, and no error.
    """
    return McpServer(url, "web_search_exa", query="query,objective", count="numResults")


def describe_parallel(url: str) -> McpServer:
    """As documented at docs.parallel.ai/search/search-mcp and docs.parallel.ai/search/best-practices.

    The tool takes an `objective` and up to five `search_queries` of at most 200 characters, and answers with `results`
    of `url`, `title`, `publish_date` and `excerpts`, structured and as JSON in a text. There is no argument for their
    number. Calls that belong together carry the same `session_id`, by which the free tier is counted.
    """
    arguments = {"session_id": _SESSION}
    return McpServer(url, "web_search", query="objective,search_queries[]", arguments=arguments, results="results")


def describe_firecrawl(url: str) -> McpServer:
    """As in the public repository firecrawl/firecrawl-mcp-server.

    The tool takes `query`, with operators such as `site:`, and `limit`. It answers as the API does, structured and as
    JSON in a text: `data.web` is a list of `url`, `title` and `description`; older versions have it without `data`
    around it, so the list is looked for. A spent free tier is an error of the tool with `retry_after_seconds`.
    """
    return McpServer(url, "firecrawl_search", query="query", count="limit")


SERVERS = {"exa_mcp": describe_exa, "parallel_mcp": describe_parallel, "firecrawl_mcp": describe_firecrawl}


def make_hosted(api: Api, disclosure: Disclosure, url: str) -> McpSearch:
    spec = SPECS[api.provider]
    server = SERVERS[spec.name](url)
    return McpSearch(api, server, limits=spec.limits, party=party(spec.title, url), disclosure=disclosure)


def _make(name: str, kit: Kit) -> McpSearch:
    return make_hosted(kit.api(name), kit.disclosure, kit.settings.endpoint(name))


make_exa, make_parallel, make_firecrawl = (partial(_make, name) for name in SERVERS)
