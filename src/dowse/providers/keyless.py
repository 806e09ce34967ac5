"""The members of the keyless pool by name. A new one is one file, one line here and one in `settings_keyless`.

Nothing of a member is imported before it is asked: most users have a key, and every start would pay for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

from dowse.cache.entries import CacheEntries
from dowse.core.models import Category, Clock, Deadline, Found, Query
from dowse.core.protocols import Limiter, ListingReader, SearchProvider
from dowse.net.clients import ConfiguredClient, UntrustedClient
from dowse.net.json_api import Api
from dowse.providers.disclosure import Disclosure
from dowse.secrets.redact import Redactor
from dowse.settings import Settings

if TYPE_CHECKING:
    from dowse.providers.politeness import Manners
    from dowse.providers.searxng.public import SearxngPool

_GENERAL = frozenset({Category.GENERAL})
# Somebody may be waiting for the answer of an instance that is only being checked.
_LONGEST_CHECK_S = 5.0


@dataclass(frozen=True)
class KeylessKit:
    """What members are made of besides their own code. `watches` for a process that lives on."""

    settings: Settings
    client: ConfiguredClient
    page_client: UntrustedClient
    listings: ListingReader
    cache: CacheEntries
    clock: Clock
    redactor: Redactor
    disclosure: Disclosure
    user_agent: str
    limiter: Limiter
    # The open APIs are sites, which lie above providers: the composition root makes their search.
    make_open: Callable[[KeylessKit], SearchProvider]
    watches: bool = False

    def api(self, name: str) -> Api:
        timeout_s: float = getattr(self.settings, f"{name}_timeout_s")
        # No key, hence no variable that could be wrong.
        return Api(name, self.client, timeout_s, "", self.redactor)

    @cached_property
    def manners(self) -> Manners:
        from dowse.providers.politeness import Manners

        settings = self.settings
        rotates = settings.rotate_user_agents != "off"
        return Manners(self.clock, rotates=rotates, delay_s=settings.request_delay_range, user_agent=self.user_agent)

    @cached_property
    def pool(self) -> SearxngPool:
        """The public instances; there is one manager of them in a process."""
        from dowse.providers.searxng.directory import SearxSpace
        from dowse.providers.searxng.instance import Rules
        from dowse.providers.searxng.pool import Deck, Instances, RoundRobin
        from dowse.providers.searxng.public import NAME, PublicAsker, PublicWay, SearxngPool

        settings, api, clock = self.settings, self.api(NAME), self.clock
        way = PublicWay(NAME, self.page_client, self.manners, self.listings)
        directory = SearxSpace(
            NAME,
            api,
            settings.searx_space_url,
            self.cache,
            clock,
            allowed=settings.allow_private,
            is_offline=settings.offline,
            waits=not self.watches,
        )
        instances = Instances(
            NAME,
            directory,
            PublicAsker(way, clock, timeout_s=min(_LONGEST_CHECK_S, api.timeout_s)),
            self.cache,
            clock,
            turns=Deck(Random()) if settings.use_random_instances else RoundRobin(Random()),
            rules=Rules(settings.rate_limit_backoff_base_s, max_failures=settings.max_consecutive_failures),
            interval_s=settings.instance_health_check_interval_s,
            watches=self.watches,
        )
        return SearxngPool(way, instances, self.disclosure, timeout_s=api.timeout_s)


class Member:
    """Implements `protocols.SearchProvider`: stands for a member until it is asked for the first time."""

    def __init__(self, name: str, kit: KeylessKit) -> None:
        self.name = name
        self.timeout_s: float = getattr(kit.settings, f"{name}_timeout_s")
        self.categories, self._make = MEMBERS[name]
        self._kit = kit

    async def search(self, query: Query, deadline: Deadline) -> Found:
        return await self.provider.search(query, deadline)

    @cached_property
    def provider(self) -> SearchProvider:
        return self._make(self._kit)


def _tavily_keyless(kit: KeylessKit) -> SearchProvider:
    from dowse.providers.tavily_keyless import TavilyKeyless

    endpoint = kit.settings.tavily_search_endpoint
    return TavilyKeyless(kit.api(TavilyKeyless.name), kit.disclosure, search_endpoint=endpoint)


def _exa_mcp(kit: KeylessKit) -> SearchProvider:
    from dowse.providers.exa_mcp import exa_mcp

    return exa_mcp(kit.api("exa_mcp"), kit.disclosure, endpoint=kit.settings.exa_mcp_url)


def _parallel_mcp(kit: KeylessKit) -> SearchProvider:
    from dowse.providers.parallel_mcp import parallel_mcp

    return parallel_mcp(kit.api("parallel_mcp"), kit.disclosure, endpoint=kit.settings.parallel_mcp_url)


def _firecrawl_mcp(kit: KeylessKit) -> SearchProvider:
    from dowse.providers.firecrawl_mcp import firecrawl_mcp

    return firecrawl_mcp(kit.api("firecrawl_mcp"), kit.disclosure, endpoint=kit.settings.firecrawl_mcp_url)


def _open(kit: KeylessKit) -> SearchProvider:
    return kit.make_open(kit)


def _searxng_pool(kit: KeylessKit) -> SearchProvider:
    return kit.pool


def _duckduckgo(kit: KeylessKit) -> SearchProvider:
    from dowse.providers.html_engines import DuckDuckGo

    return DuckDuckGo(
        kit.api(DuckDuckGo.name),
        kit.settings.duckduckgo_url,
        listings=kit.listings,
        manners=kit.manners,
        disclosure=kit.disclosure,
        clock=kit.clock,
    )


def _mojeek(kit: KeylessKit) -> SearchProvider:
    from dowse.providers.html_engines import Mojeek

    return Mojeek(
        kit.api(Mojeek.name),
        kit.settings.mojeek_url,
        listings=kit.listings,
        manners=kit.manners,
        disclosure=kit.disclosure,
        clock=kit.clock,
    )


# What each can be asked for stands here as well, so that the order of asking needs none of them.
MEMBERS: dict[str, tuple[frozenset[Category], Callable[[KeylessKit], SearchProvider]]] = {
    "tavily_keyless": (frozenset({Category.GENERAL, Category.NEWS}), _tavily_keyless),
    "exa_mcp": (_GENERAL, _exa_mcp),
    "parallel_mcp": (_GENERAL, _parallel_mcp),
    "firecrawl_mcp": (_GENERAL, _firecrawl_mcp),
    "open": (frozenset({Category.GENERAL, Category.IT, Category.SCIENCE}), _open),
    "searxng_pool": (frozenset(Category), _searxng_pool),
    "duckduckgo": (_GENERAL, _duckduckgo),
    "mojeek": (frozenset({Category.GENERAL, Category.NEWS, Category.IMAGES}), _mojeek),
}
