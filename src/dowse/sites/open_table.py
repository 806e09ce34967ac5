"""The open APIs by name, each made from the settings. A new one is one file, one line here and one in `shape`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dowse.core.protocols import SearchProvider
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.keyless import KeylessKit
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.sites.answer import OpenApi
from dowse.sites.arxiv.search import Arxiv
from dowse.sites.crossref import Crossref
from dowse.sites.github.search import Github
from dowse.sites.hackernews_search import HackerNews
from dowse.sites.npm_search import Npm
from dowse.sites.pypi_search import Pypi
from dowse.sites.search import OpenApis
from dowse.sites.stackexchange.search import StackExchange
from dowse.sites.wikipedia.search import Wikipedia


@dataclass(frozen=True, slots=True)
class Parts:
    """What an open API is made of besides its own code."""

    settings: Settings
    client: ConfiguredClient
    redactor: Redactor

    def api(self, name: str) -> Api:
        return Api(name, self.client, self.settings.open_timeout_s, "", self.redactor)


def _wikipedia(parts: Parts) -> Wikipedia:
    settings = parts.settings
    return Wikipedia(parts.api(Wikipedia.name), settings.wikipedia_api_url, user_agent=settings.wikipedia_user_agent)


def _arxiv(parts: Parts) -> Arxiv:
    settings = parts.settings
    return Arxiv(parts.api(Arxiv.name), settings.arxiv_api_url, user_agent=settings.arxiv_user_agent)


APIS: dict[str, Callable[[Parts], OpenApi]] = {
    Wikipedia.name: _wikipedia,
    StackExchange.name: lambda parts: StackExchange(
        parts.api(StackExchange.name), parts.settings.stackexchange_api_url, parts.settings.stackexchange_key
    ),
    Github.name: lambda parts: Github(
        parts.api(Github.name), parts.settings.github_api_url, parts.settings.github_token
    ),
    HackerNews.name: lambda parts: HackerNews(parts.api(HackerNews.name), parts.settings.hackernews_api_url),
    Arxiv.name: _arxiv,
    Crossref.name: lambda parts: Crossref(parts.api(Crossref.name), parts.settings.crossref_api_url),
    Pypi.name: lambda parts: Pypi(parts.api(Pypi.name), parts.settings.pypi_url),
    Npm.name: lambda parts: Npm(parts.api(Npm.name), parts.settings.npm_registry_url),
}


def open_apis(settings: Settings, client: ConfiguredClient, redactor: Redactor) -> list[OpenApi]:
    """Those that the settings name, in the order of this table."""
    parts = Parts(settings, client, redactor)
    return [make(parts) for name, make in APIS.items() if name in settings.open_apis]


def make_search(kit: KeylessKit) -> SearchProvider:
    """The fused search over the open APIs that the settings name."""
    apis = open_apis(kit.settings, kit.client, kit.redactor)
    return OpenApis(apis, kit.disclosure, kit.limiter, timeout_s=kit.settings.open_timeout_s)
