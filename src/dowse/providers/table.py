"""The search providers by name, each made from the settings. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import SecretStr

from dowse.interfaces import SearchProvider
from dowse.models import Clock
from dowse.net.clients import ConfiguredClient
from dowse.providers.api import Api
from dowse.providers.exa import Exa
from dowse.providers.searxng import Preferences, SearXNG
from dowse.providers.serper import Serper
from dowse.providers.tavily import Tavily
from dowse.settings import Settings

Make = Callable[[Settings, ConfiguredClient, Clock], SearchProvider]


def _serper(settings: Settings, client: ConfiguredClient, _clock: Clock) -> SearchProvider:
    api = Api(Serper.name, client, settings.serper_timeout_s, "SERPER_API_KEY")
    return Serper(api, settings.serper_search_endpoint, _key(settings.serper_api_key))


def _exa(settings: Settings, client: ConfiguredClient, clock: Clock) -> SearchProvider:
    api = Api(Exa.name, client, settings.exa_timeout_s, "EXA_API_KEY")
    return Exa(api, settings.exa_search_endpoint, _key(settings.exa_api_key), clock.today)


def _tavily(settings: Settings, client: ConfiguredClient, _clock: Clock) -> SearchProvider:
    api = Api(Tavily.name, client, settings.tavily_timeout_s, "TAVILY_API_KEY")
    key = _key(settings.tavily_api_key)
    return Tavily(api, settings.tavily_search_endpoint, key, depth=settings.tavily_search_depth)


def _searxng(settings: Settings, client: ConfiguredClient, _clock: Clock) -> SearchProvider:
    api = Api(SearXNG.name, client, settings.searxng_timeout_s, "SEARXNG_HEADERS_JSON")
    preferences = Preferences(
        language=settings.searxng_language,
        categories=settings.searxng_categories,
        engines=settings.searxng_engines,
        time_range=settings.searxng_time_range,
        safesearch=settings.searxng_safesearch,
    )
    # A user agent among the extra headers beats the variable, whatever its capitals.
    headers = {"user-agent": settings.searxng_user_agent} if settings.searxng_user_agent else {}
    headers |= {name.lower(): value.get_secret_value() for name, value in settings.searxng_headers.items()}
    assert settings.searxng_url, "only active providers are made"
    return SearXNG(api, settings.searxng_url, preferences=preferences, headers=headers)


def _key(key: SecretStr | None) -> SecretStr:
    assert key, "only active providers are made"
    return key


PROVIDERS: dict[str, Make] = {"serper": _serper, "exa": _exa, "tavily": _tavily, "searxng": _searxng}
