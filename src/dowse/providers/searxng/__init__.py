"""SearXNG: configured instances, and the pool of public ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from dowse.cache.entries import CacheEntries
from dowse.core.models import Clock
from dowse.core.protocols import ListingReader
from dowse.net.json_api import Api
from dowse.providers.table import Kit
from dowse.settings import Settings
from dowse.settings.providers import SEARXNG, SEARXNG_POOL

if TYPE_CHECKING:
    from dowse.providers.searxng.adapter import SearXNG
    from dowse.providers.searxng.public import SearxngPool
    from dowse.providers.searxng.several import SearXNGs

# A search may be waiting for the outcome of a health check.
_LONGEST_CHECK_S = 5.0


def make(kit: Kit) -> SearXNG | SearXNGs:
    """Make the provider of the configured instances."""
    api = kit.api(SEARXNG.name, credential="SEARXNG_HEADERS_JSON")
    return make_searxng(kit.settings, api, kit.listings, kit.cache, kit.clock, watches=kit.watches)


def make_searxng(
    settings: Settings, api: Api, listings: ListingReader, cache: CacheEntries, clock: Clock, *, watches: bool
) -> SearXNG | SearXNGs:
    """One instance, or several with a pool, which is imported only for them."""
    addresses, make_adapter = settings.providers[SEARXNG.name].servers, _adapter_factory(settings, api, listings)
    assert addresses, "only active providers are made"
    if len(addresses) == 1:
        return make_adapter(addresses[0])
    from dowse.providers.searxng.instance import HealthRules
    from dowse.providers.searxng.several import SearXNGs

    return SearXNGs(
        make_adapter,
        addresses,
        cache,
        clock,
        timeout_s=api.timeout_s,
        rules=HealthRules(settings.rate_limit_backoff_base_s, max_failures=settings.max_consecutive_failures),
        interval_s=settings.instance_health_check_interval_s,
        watches=watches,
    )


def make_pool(kit: Kit) -> SearxngPool:
    """Make the pool of public instances; a process has one."""
    from dowse.providers.searxng.directory import SearxSpace
    from dowse.providers.searxng.instance import HealthRules
    from dowse.providers.searxng.pool import InstancePool, RandomRotation, RoundRobin
    from dowse.providers.searxng.protocol import PublicClient
    from dowse.providers.searxng.public import SearxngPool

    name, settings, api, clock = SEARXNG_POOL.name, kit.settings, kit.api(SEARXNG_POOL.name), kit.clock
    client = PublicClient(name, kit.page_client, kit.manners, kit.listings, clock, min(_LONGEST_CHECK_S, api.timeout_s))
    directory = SearxSpace(
        name,
        api,
        settings.endpoint(name),
        kit.cache,
        clock,
        allowed=settings.allow_private,
        is_offline=settings.offline,
        waits=not kit.watches,
    )
    instances = InstancePool(
        name,
        directory,
        client,
        kit.cache,
        clock,
        rotation=RandomRotation(kit.chance) if settings.use_random_instances else RoundRobin(kit.chance),
        rules=HealthRules(settings.rate_limit_backoff_base_s, max_failures=settings.max_consecutive_failures),
        interval_s=settings.instance_health_check_interval_s,
        watches=kit.watches,
    )
    return SearxngPool(client, instances, kit.disclosure, timeout_s=api.timeout_s)


def _adapter_factory(settings: Settings, api: Api, listings: ListingReader) -> Callable[[str], SearXNG]:
    from dowse.providers.searxng.adapter import SearXNG
    from dowse.providers.searxng.protocol import Preferences

    preferences = Preferences(
        language=settings.searxng_language,
        categories=settings.searxng_categories,
        engines=settings.searxng_engines,
        time_range=settings.searxng_time_range,
        safesearch=settings.searxng_safesearch,
    )
    # A user agent among the extra headers wins over the variable, in any capitalisation.
    headers = {"user-agent": settings.searxng_user_agent} if settings.searxng_user_agent else {}
    headers |= {name.lower(): value.get_secret_value() for name, value in settings.searxng_headers.items()}
    return partial(
        SearXNG,
        api,
        listings=listings,
        preferences=preferences,
        headers=headers,
        answer_format=settings.searxng_format,
    )
