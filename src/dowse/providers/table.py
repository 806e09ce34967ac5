"""The adapters of the providers, imported when they are first needed: most installations use one or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

from dowse.core.models import Deadline, Found, Query
from dowse.core.protocols import SearchProvider
from dowse.net.json_api import Api
from dowse.providers.kit import Kit
from dowse.settings import SPECS

REMOTE_TIMEOUT_S = 15.0

# Each names a function that takes a `Kit`. The open APIs belong to sites, whose folder stands above this one.
ADAPTERS: Mapping[str, str] = {
    "serper": "dowse.providers.serper:make",
    "exa": "dowse.providers.exa:make",
    "tavily": "dowse.providers.tavily:make",
    "searxng": "dowse.providers.searxng:make",
    "openai": "dowse.providers.openai.adapter:make",
    "tavily_keyless": "dowse.providers.tavily:make_keyless",
    "exa_mcp": "dowse.providers.hosted_mcp:make_exa",
    "parallel_mcp": "dowse.providers.hosted_mcp:make_parallel",
    "firecrawl_mcp": "dowse.providers.hosted_mcp:make_firecrawl",
    "open": "dowse.sites.search:make_search",
    "searxng_pool": "dowse.providers.searxng:make_pool",
    "duckduckgo": "dowse.providers.html_engines:make_duckduckgo",
    "mojeek": "dowse.providers.html_engines:make_mojeek",
}


def make(name: str, kit: Kit) -> Any:
    """The adapter of a provider, which implements the protocol of each operation that the provider declares."""
    module, _, function = ADAPTERS[name].partition(":")
    factory: Callable[[Kit], Any] = getattr(import_module(module), function)
    return factory(kit)


def make_remote(name: str, kit: Kit) -> SearchProvider:
    """An MCP server that the user has described."""
    from dowse.providers.mcp.search import McpSearch

    api = Api(name, kit.client, REMOTE_TIMEOUT_S, "DOWSE_MCP_PROVIDERS", kit.redactor)
    return McpSearch(api, kit.settings.mcp_providers[name])


class LazyProvider:
    """Implements `protocols.SearchProvider`: stands for an adapter until it is asked for the first time."""

    def __init__(self, name: str, kit: Kit) -> None:
        self.name = name
        self.timeout_s = kit.settings.providers[name].timeout_s
        self.categories = SPECS[name].limits.categories
        self._kit = kit

    async def search(self, query: Query, deadline: Deadline) -> Found:
        return await self.provider.search(query, deadline)

    @cached_property
    def provider(self) -> SearchProvider:
        provider: SearchProvider = make(self.name, self._kit)
        return provider
