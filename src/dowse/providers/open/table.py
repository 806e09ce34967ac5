"""The open APIs by name, each made from the settings. A new one is one file, one line here and one in `shape`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.open.answer import OpenApi
from dowse.providers.open.arxiv import Arxiv
from dowse.providers.open.crossref import Crossref
from dowse.providers.open.github import Github
from dowse.providers.open.hackernews import HackerNews
from dowse.providers.open.npm import Npm
from dowse.providers.open.pypi import Pypi
from dowse.providers.open.stackexchange import StackExchange
from dowse.providers.open.wikipedia import Wikipedia
from dowse.secrets.redact import Redactor
from dowse.settings import Settings


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
