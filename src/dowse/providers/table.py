"""The providers by name, each made from the settings. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import SecretStr

from dowse.cache.entries import CacheEntries
from dowse.core.models import Clock
from dowse.core.protocols import AnswerProvider, ListingReader, PageReader, SearchProvider
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers import exa, openai, serper, tavily
from dowse.providers.exa import Exa
from dowse.providers.serper import Serper
from dowse.providers.tavily import Tavily
from dowse.secrets.redact import Redactor
from dowse.settings import Settings

if TYPE_CHECKING:
    from dowse.providers.searxng.adapter import SearXNG
    from dowse.providers.searxng.several import SearXNGs

REMOTE_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class Kit:
    """What a provider is made of besides its own code. `watches` for a process that lives on."""

    settings: Settings
    client: ConfiguredClient
    clock: Clock
    redactor: Redactor
    listings: ListingReader
    cache: CacheEntries
    watches: bool = False

    def api(self, name: str, key_variable: str) -> Api:
        timeout_s: float = getattr(self.settings, f"{name}_timeout_s")
        return Api(name, self.client, timeout_s, key_variable, self.redactor)


def _serper(kit: Kit) -> Serper:
    settings = kit.settings
    return Serper(
        kit.api(Serper.name, "SERPER_API_KEY"),
        _key(settings.serper_api_key),
        search_endpoint=settings.serper_search_endpoint,
        scrape_endpoint=settings.serper_scrape_endpoint,
    )


def _exa(kit: Kit) -> Exa:
    settings = kit.settings
    return Exa(
        kit.api(Exa.name, "EXA_API_KEY"),
        _key(settings.exa_api_key),
        kit.clock.today,
        search_endpoint=settings.exa_search_endpoint,
        contents_endpoint=settings.exa_contents_endpoint,
    )


def _tavily(kit: Kit) -> Tavily:
    settings = kit.settings
    return Tavily(
        kit.api(Tavily.name, "TAVILY_API_KEY"),
        _key(settings.tavily_api_key),
        search_endpoint=settings.tavily_search_endpoint,
        extract_endpoint=settings.tavily_extract_endpoint,
        depth=settings.tavily_search_depth,
    )


def _searxng(kit: Kit) -> SearXNG | SearXNGs:
    # It compiles patterns that take longer than all the others do, at a start that most of the time is not for it.
    from dowse.providers.searxng import make_searxng

    api = kit.api("searxng", "SEARXNG_HEADERS_JSON")
    return make_searxng(kit.settings, api, kit.listings, kit.cache, kit.clock, watches=kit.watches)


def remote(name: str, kit: Kit) -> SearchProvider:
    """An MCP server that the user has described."""
    from dowse.providers.mcp.search import McpSearch

    api = Api(name, kit.client, REMOTE_TIMEOUT_S, "DOWSE_MCP_PROVIDERS", kit.redactor)
    return McpSearch(api, kit.settings.mcp_providers[name])


def _openai(kit: Kit) -> AnswerProvider:
    from dowse.providers.openai.adapter import OpenAI  # Most have no key for it.

    settings = kit.settings
    return OpenAI(
        kit.api(OpenAI.name, "OPENAI_API_KEY"),
        _key(settings.openai_api_key),
        endpoint=settings.openai_base_url,
        model=settings.openai_model,
        clock=kit.clock,
        temperature=settings.openai_temperature,
        max_output_tokens=settings.openai_max_output_tokens,
        context_size=settings.openai_context_size,
        allowed_domains=settings.openai_allowed_domains,
        blocked_domains=settings.openai_blocked_domains,
    )


def _key(key: SecretStr | None) -> SecretStr:
    assert key, "only active providers are made"
    return key


PROVIDERS: dict[str, Callable[[Kit], SearchProvider]] = {
    "serper": _serper,
    "exa": _exa,
    "tavily": _tavily,
    "searxng": _searxng,
}
ANSWERERS: dict[str, Callable[[Kit], AnswerProvider]] = {"openai": _openai}
READERS: dict[str, Callable[[Kit], PageReader]] = {
    "serper": _serper,
    "exa": _exa,
    "tavily": _tavily,
}


def prices(settings: Settings) -> Mapping[str, Mapping[str, float]]:
    """Estimated dollars for one call, by provider and operation (`search`, `read`, `answer`)."""
    return {
        "serper": serper.PRICES,
        "exa": exa.PRICES,
        "tavily": tavily.prices(settings.tavily_search_depth),
        "searxng": {"search": 0.0},
        "openai": openai.PRICES,
    }
