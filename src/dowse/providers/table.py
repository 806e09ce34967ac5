"""The adapters of the providers, imported when they are first needed, and the parts they are made of."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from dowse.cache.entries import CacheEntries
from dowse.core.models import Clock, Deadline, Found, Query, Text
from dowse.core.protocols import AnswerProvider, Limiter, ListingReader, PageReader, SearchProvider
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure
from dowse.secrets.redact import Redactor
from dowse.settings import Settings

if TYPE_CHECKING:
    from dowse.providers.politeness import Manners
    from dowse.providers.searxng.pool import InstancePool


@runtime_checkable
class HasInstances(Protocol):
    """A provider with a pool of instances."""

    @property
    def instances(self) -> InstancePool: ...


@dataclass(frozen=True)
class Kit:
    """The parts of an adapter besides its own code.

    `watches` is for a process that lives on: SearXNG instances are checked in the background.
    """

    settings: Settings
    client: ConfiguredClient
    page_client: UntrustedClient
    listings: ListingReader
    cache: CacheEntries
    clock: Clock
    redactor: Redactor
    disclosure: Disclosure
    limiter: Limiter
    user_agent: str
    watches: bool = False
    chance: random.Random = field(default_factory=random.Random)
    """Source of jitter and random choices."""

    def api(self, name: str, *, credential: str = "") -> Api:
        """A provider's JSON API. A rejected key is blamed on `credential`, its own variable by default."""
        timeout_s = self.settings.providers[name].timeout_s
        return Api(name, self.client, timeout_s, credential or self.settings.specs[name].credential, self.redactor)

    @cached_property
    def manners(self) -> Manners:
        from dowse.providers.politeness import Manners

        settings = self.settings
        rotates = settings.rotate_user_agents != "off"
        delay_s, user_agent = settings.request_delay_range, self.user_agent
        return Manners(self.clock, self.chance, rotates=rotates, delay_s=delay_s, user_agent=user_agent)


# Each names a function that takes a `Kit`. The open APIs belong to sites, a folder above this one.
ADAPTERS: Mapping[str, str] = {
    "serper": "dowse.providers.serper:make",
    "exa": "dowse.providers.exa:make",
    "tavily": "dowse.providers.tavily:make",
    "searxng": "dowse.providers.searxng:make",
    "openai": "dowse.providers.openai.adapter:make",
    "tavily_keyless": "dowse.providers.tavily:make_keyless",
    "exa_mcp": "dowse.providers.mcp.search:make_exa",
    "parallel_mcp": "dowse.providers.mcp.search:make_parallel",
    "firecrawl_mcp": "dowse.providers.mcp.search:make_firecrawl",
    "open": "dowse.sites.search:make_search",
    "searxng_pool": "dowse.providers.searxng:make_pool",
    "duckduckgo": "dowse.providers.duckduckgo:make",
    "mojeek": "dowse.providers.mojeek:make",
}


# For an MCP server that the user has described, and for a provider that is data: these take its name, too.
_REMOTE = "dowse.providers.mcp.search:make_remote"
_DESCRIBED = "dowse.providers.described.adapter:make"


def make_search(name: str, kit: Kit) -> SearchProvider:
    """The adapter of a provider that declares the operation `search`, or of an MCP server in the settings."""
    return LazyProvider(name, kit) if _is_described(name, kit) else _make_search(name, kit)


def make_reader(name: str, kit: Kit) -> PageReader:
    """The adapter of a provider that declares the operation `read`."""
    return LazyReader(name, kit) if _is_described(name, kit) else _make_reader(name, kit)


def make_answerer(name: str, kit: Kit) -> AnswerProvider:
    """The adapter of a provider that declares the operation `answer`."""
    adapter = _import(ADAPTERS[name])(kit)
    assert isinstance(adapter, AnswerProvider), f"{name} declares an operation that its adapter does not have"
    return adapter


class LazyProvider:
    """Implements `protocols.SearchProvider`: stands for an adapter until it is asked for the first time."""

    def __init__(self, name: str, kit: Kit) -> None:
        self.name = name
        self.timeout_s = kit.settings.providers[name].timeout_s
        self.categories = kit.settings.specs[name].limits.categories
        self._kit = kit

    async def search(self, query: Query, deadline: Deadline) -> Found:
        return await self.provider.search(query, deadline)

    @cached_property
    def provider(self) -> SearchProvider:
        return _make_search(self.name, self._kit)


class LazyReader:
    """Implements `protocols.PageReader` likewise."""

    def __init__(self, name: str, kit: Kit) -> None:
        self.name = name
        self.timeout_s = kit.settings.providers[name].timeout_s
        self._kit = kit

    async def read(self, url: str, deadline: Deadline) -> Text:
        return await self._reader.read(url, deadline)

    @cached_property
    def _reader(self) -> PageReader:
        return _make_reader(self.name, self._kit)


def _is_described(name: str, kit: Kit) -> bool:
    """Whether a provider is data, which is parsed when it is first needed."""
    return name not in ADAPTERS and name in kit.settings.specs


def _make_search(name: str, kit: Kit) -> SearchProvider:
    adapter = _make(name, kit)
    assert isinstance(adapter, SearchProvider), f"{name} declares an operation that its adapter does not have"
    return adapter


def _make_reader(name: str, kit: Kit) -> PageReader:
    adapter = _make(name, kit)
    assert isinstance(adapter, PageReader), f"{name} declares an operation that its adapter does not have"
    return adapter


def _make(name: str, kit: Kit) -> object:
    if name in ADAPTERS:
        return _import(ADAPTERS[name])(kit)
    return _import(_DESCRIBED if name in kit.settings.specs else _REMOTE)(name, kit)


def _import(place: str) -> Callable[..., object]:
    module, _, function = place.partition(":")
    factory: Callable[..., object] = getattr(import_module(module), function)
    return factory
