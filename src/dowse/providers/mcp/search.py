"""Search provider over a tool of a remote MCP server, as described in the settings."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.core import urls
from dowse.core.errors import NotCovered
from dowse.core.models import Deadline, Found, Hit, Query
from dowse.net.json_api import Api, Json
from dowse.providers.disclosure import Disclosure
from dowse.providers.limits import fit
from dowse.providers.mcp.client import McpClient
from dowse.providers.mcp.results import rows, texts, to_hit, tool_failure, without_results
from dowse.settings.mcp_servers import McpServer
from dowse.settings.spec import QueryLimits

# Reasonable limits for an unknown server.
LIMITS = QueryLimits(max_results=20, max_query_chars=1000)
# A server may send more results than requested, and only some from the requested domains.
_MOST_LISTED = 200


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
        hits = [hit for hit in listed if _is_within(hit, query)][: fitted.num_results]
        if listed and not hits:
            raise NotCovered(self.name, "none of its results is from the requested domains")
        return Found(tuple(hits[query.earlier :]), warnings=warnings)

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
    for name in filter(None, (part.strip() for part in server.query.split(","))):
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
