"""Search provider over a tool of a remote MCP server: of a server in the settings, or of a vendor without a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from uuid import uuid4

from dowse.core import urls
from dowse.core.errors import NotCovered
from dowse.core.models import Deadline, Found, Hit, Query
from dowse.net.json_api import Api
from dowse.net.json_fields import Json
from dowse.providers.disclosure import Disclosure, party
from dowse.providers.limits import divide_hits, fit
from dowse.providers.mcp.client import McpClient
from dowse.providers.mcp.results import rows, texts, to_hit, tool_failure, without_results
from dowse.providers.table import Kit
from dowse.settings import SPECS
from dowse.settings.mcp_servers import McpServer
from dowse.settings.spec import QueryLimits

# Reasonable limits for an unknown server.
_REMOTE_TIMEOUT_S = 15.0
LIMITS = QueryLimits(max_results=20, max_query_chars=1000)
# A server may send more results than requested, and only some from the requested domains.
_MOST_LISTED = 200
# One for the life of the process: the next process draws another, so that sessions cannot be linked.
_SESSION = uuid4().hex


class McpSearch:
    """Calls one tool of one server. `party` receives the queries, and is disclosed where the user has not chosen it."""

    def __init__(
        self,
        api: Api,
        server: McpServer,
        *,
        limits: QueryLimits = LIMITS,
        party: str = "",
        disclosure: Disclosure | None = None,
    ) -> None:
        self.name = api.provider
        self.timeout_s = api.timeout_s
        self.categories = limits.categories
        self._api = api
        self._server = server
        self._limits = limits
        self._party = party
        self._disclosure = disclosure
        self._client = McpClient(api, server.url, _plain_headers(server))

    async def search(self, query: Query, deadline: Deadline) -> Found:
        fitted, warnings = fit(self.name, query, self._limits)
        if self._disclosure:
            self._disclosure.tell(self._party, self.name)
        arguments = _arguments(self._server, fitted)
        # One deadline for the handshake, the call, and both again after a lost session.
        result = await self._client.call(self._server.tool, arguments, deadline.cap(self.timeout_s))
        listed = [hit for row in self._rows(result)[:_MOST_LISTED] if (hit := to_hit(row))]
        hits = [hit for hit in listed if _is_within(hit, query)]
        if listed and not hits:
            raise NotCovered(self.name, "none of its results is from the requested domains")
        return replace(divide_hits(hits[query.earlier :], fitted.num_results - query.earlier), warnings=warnings)

    def _rows(self, result: Json) -> list[Json]:
        words = "\n".join(texts(result))
        if failure := tool_failure(self._api, result, words):
            raise failure
        found = rows(result, self._server.results)
        if found is None:
            raise without_results(self._api, words)
        return list(found)


def _plain_headers(server: McpServer) -> Mapping[str, str]:
    return {name: value.get_secret_value() for name, value in server.headers.items()}


def _arguments(server: McpServer, query: Query) -> Json:
    arguments = dict(server.arguments)
    for name in filter(None, map(str.strip, server.query.split(","))):
        arguments[name.removesuffix("[]")] = [query.text] if name.endswith("[]") else query.text
    if server.count:
        arguments[server.count] = query.num_results
    return arguments


def _is_within(hit: Hit, query: Query) -> bool:
    """Whether a hit is from the requested domains: semantic engines ignore `site:`."""
    page = urls.parse(hit.url)
    host = page.name if page else ""
    is_asked_for = not query.include_domains or urls.is_below(host, *query.include_domains)
    return is_asked_for and not urls.is_below(host, *query.exclude_domains)


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


def make_remote(name: str, kit: Kit) -> McpSearch:
    """An MCP server that the user has described."""
    api = Api(name, kit.client, _REMOTE_TIMEOUT_S, "DOWSE_MCP_PROVIDERS", kit.redactor)
    return McpSearch(api, kit.settings.mcp_providers[name])


def make_hosted(api: Api, disclosure: Disclosure, url: str) -> McpSearch:
    spec = SPECS[api.provider]
    server = SERVERS[spec.name](url)
    return McpSearch(api, server, limits=spec.limits, party=party(spec.title, url), disclosure=disclosure)


def _make(name: str, kit: Kit) -> McpSearch:
    return make_hosted(kit.api(name), kit.disclosure, kit.settings.endpoint(name))


make_exa, make_parallel, make_firecrawl = (partial(_make, name) for name in SERVERS)
