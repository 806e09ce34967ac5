"""Settings: everything that can be configured, declared once.

Names are the contract: each field lists its variable and the older aliases. The configuration
reference and `.env.example` are generated from this file; `dowse.settings.sources` fills it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import ConfigDict, SecretStr

from dowse import EXTRACTION, __version__
from dowse.core import urls
from dowse.core.allowances import Budget
from dowse.settings.answers import AnswerSettings
from dowse.settings.keyless import MEMBERS, KeylessSettings
from dowse.settings.reading import BrowserSettings, RankingSettings, ReadingSettings
from dowse.settings.search_types import HttpUrls, McpServer
from dowse.settings.server import MemorySettings, ScaleSettings, ServerSettings
from dowse.settings.types import (
    Duration,
    Flag,
    Headers,
    HostPorts,
    HttpUrl,
    Language,
    Level,
    Names,
    ProviderBudget,
    SafeSearch,
    Size,
    setting,
)

PROVIDERS = ("serper", "exa", "tavily", "searxng")
READERS = ("serper", "exa", "tavily")
ANSWERERS = ("openai",)
# What a drop-in is used to, where the user says nothing else.
CONTRACT_DEFAULTS: dict[str, dict[str, object]] = {
    "kindly": {"keyless": "off"},
    "jan": {"fallback": "any", "read_order": "scrape-first", "default_results_count": 10, "keyless": "off"},
    "swissarmyhammer": {"default_results_count": 10},
}


# Extra headers that hold no secret; masking the value of an Accept-Language would eat ordinary words.
_HARMLESS = (
    *("accept", "cache-control", "content-", "dnt", "host", "origin", "referer", "user-agent"),
    *("x-forwarded-", "x-real-ip"),
)
_NAMES_A_KEY = re.compile(r"key|token|secret|password|auth", re.IGNORECASE)
# Shorter values in a query are options, and masking them would eat ordinary words.
_SHORTEST_TOKEN = 8


# What has no influence on what is found: who may ask, how long it may take, what is logged and remembered.
_INDIFFERENT = re.compile(
    r"log_.*|default_.*|.*_budget|.*_timeout_s|deadline_s|offline|fetch_content|max_results_count"
    r"|max_concurrent_fetches|browser_(?:max_pages|retry_.*|sandbox|snap_multiplier|path)"
)
_INDIFFERENT_FIELDS = {
    name for part in (ServerSettings, RankingSettings, MemorySettings, ScaleSettings) for name in part.model_fields
}


class Settings(
    ServerSettings,
    AnswerSettings,
    KeylessSettings,
    RankingSettings,
    ReadingSettings,
    BrowserSettings,
    MemorySettings,
    ScaleSettings,
):
    """Everything that can be configured. Frozen; secrets never show in `repr`."""

    model_config = ConfigDict(frozen=True, validate_default=True, extra="forbid", defer_build=False)

    serper_api_key: SecretStr | None = setting(None, "SERPER_API_KEY", about="Key that activates Serper.")
    serper_enabled: Flag | None = setting(
        None, "SERPER_ENABLED", about="`false` switches Serper off although it has a key."
    )
    serper_timeout_s: Duration = setting(
        "15s", "SERPER_TIMEOUT", "SERPER_HTTP_TIMEOUT", about="Longest wait for one Serper answer."
    )
    serper_search_endpoint: HttpUrl = setting(
        "https://google.serper.dev/search", "SERPER_SEARCH_ENDPOINT", about="Where Serper searches are sent."
    )
    serper_scrape_endpoint: HttpUrl = setting(
        "https://scrape.serper.dev", "SERPER_SCRAPE_ENDPOINT", about="Where Serper is asked to read a page."
    )
    serper_budget: ProviderBudget | None = setting(
        None, "DOWSE_BUDGET_SERPER", about="What Serper may be used for; then it counts as out of quota."
    )

    exa_api_key: SecretStr | None = setting(None, "EXA_API_KEY", about="Key that activates Exa.")
    exa_enabled: Flag | None = setting(None, "EXA_ENABLED", about="`false` switches Exa off although it has a key.")
    exa_timeout_s: Duration = setting("15s", "EXA_TIMEOUT", about="Longest wait for one Exa answer.")
    exa_search_endpoint: HttpUrl = setting(
        "https://api.exa.ai/search", "EXA_SEARCH_ENDPOINT", about="Where Exa searches are sent."
    )
    exa_contents_endpoint: HttpUrl = setting(
        "https://api.exa.ai/contents", "EXA_CONTENTS_ENDPOINT", about="Where Exa is asked to read a page."
    )
    exa_budget: ProviderBudget | None = setting(
        None, "DOWSE_BUDGET_EXA", about="What Exa may be used for; then it counts as out of quota."
    )

    tavily_api_key: SecretStr | None = setting(None, "TAVILY_API_KEY", about="Key that activates Tavily.")
    tavily_enabled: Flag | None = setting(
        None, "TAVILY_ENABLED", about="`false` switches Tavily off although it has a key."
    )
    tavily_timeout_s: Duration = setting("15s", "TAVILY_TIMEOUT", about="Longest wait for one Tavily answer.")
    tavily_search_endpoint: HttpUrl = setting(
        "https://api.tavily.com/search", "TAVILY_SEARCH_ENDPOINT", about="Where Tavily searches are sent."
    )
    tavily_extract_endpoint: HttpUrl = setting(
        "https://api.tavily.com/extract", "TAVILY_EXTRACT_ENDPOINT", about="Where Tavily is asked to read a page."
    )
    tavily_budget: ProviderBudget | None = setting(
        None, "DOWSE_BUDGET_TAVILY", about="What Tavily may be used for; then it counts as out of quota."
    )
    tavily_search_depth: Literal["basic", "advanced", "fast", "ultra-fast"] = setting(
        "basic", "TAVILY_SEARCH_DEPTH", about="Tavily's depth; `advanced` costs two credits a search."
    )

    searxng_url: HttpUrls | None = setting(
        None,
        "SEARXNG_URL",
        "SEARXNG_BASE_URL",
        about="Base address of your SearXNG, or several separated by commas; activates it.",
    )
    searxng_enabled: Flag | None = setting(
        None, "SEARXNG_ENABLED", about="`false` switches SearXNG off although it has an address."
    )
    searxng_timeout_s: Duration = setting(
        "15s", "SEARXNG_TIMEOUT", "SEARXNG_TIMEOUT_SECONDS", about="Longest wait for one SearXNG answer."
    )
    searxng_language: str = setting("", "SEARXNG_LANGUAGE", about="Language sent when the caller names none.")
    searxng_categories: str = setting("", "SEARXNG_CATEGORIES", about="Categories sent when the caller names none.")
    searxng_engines: str = setting("", "SEARXNG_ENGINES", about="Engines asked for, comma-separated.")
    searxng_time_range: Literal["", "day", "week", "month", "year"] = setting(
        "", "SEARXNG_TIME_RANGE", about="Time range sent when the caller names none."
    )
    searxng_safesearch: SafeSearch = setting(
        "", "SEARXNG_SAFESEARCH", about="Safe search sent when the caller names none: 0 off, 1 moderate, 2 strict."
    )
    searxng_user_agent: str = setting(
        "", "SEARXNG_USER_AGENT", about="User agent for your SearXNG; dowse's own when empty."
    )
    searxng_format: Literal["json", "html", "auto"] = setting(
        "json",
        "SEARXNG_FORMAT",
        about="What your SearXNG is asked for: JSON, its HTML page, or the page where JSON is refused (`auto`).",
    )
    searxng_headers: Headers = setting(
        "{}", "SEARXNG_HEADERS_JSON", about="Extra headers for your SearXNG as a JSON object."
    )
    searxng_budget: ProviderBudget | None = setting(
        None, "DOWSE_BUDGET_SEARXNG", about="What SearXNG may be used for; then it counts as out of quota."
    )

    search_order: Names = setting(
        ",".join(PROVIDERS),
        "DOWSE_SEARCH_ORDER",
        about="Order in which active providers are asked; one that is left out is not asked.",
    )
    fallback: Literal["transient", "any"] = setting(
        "transient", "DOWSE_FALLBACK", about="`any` also moves on after a rejected key (401, 403), with a warning."
    )
    read_order: Literal["direct-first", "scrape-first"] = setting(
        "direct-first",
        "DOWSE_READ_ORDER",
        about="Who reads pages first: dowse itself, or the scrape APIs of Serper, Exa and Tavily (`scrape-first`).",
    )
    offline: Flag = setting(False, "DOWSE_OFFLINE", about="Refuse everything that needs the network, at once.")
    deadline_s: Duration = setting(
        "50s",
        "DOWSE_DEADLINE_S",
        "DOWSE_DEFAULT_TIMEOUT",
        "KINDLY_TOOL_TOTAL_TIMEOUT_SECONDS",
        about="Longest time for one whole call; what is ready by then is returned.",
    )
    fetch_content: Flag = setting(
        True, "DOWSE_FETCH_CONTENT", about="Whether `web_search` reads the pages unless the caller says otherwise."
    )
    default_results_count: int = setting(
        3, "DOWSE_DEFAULT_RESULTS_COUNT", ge=1, le=50, about="Results when the caller names no number."
    )
    max_results_count: int = setting(
        50, "DOWSE_MAX_RESULTS_COUNT", ge=1, le=50, about="The most results a caller may ask for."
    )
    default_language: Language = setting(
        "", "DOWSE_DEFAULT_LANGUAGE", about="Search language when the caller names none, such as `en` or `pt-BR`."
    )
    default_category: Literal["general", "images", "videos", "news", "map", "music", "it", "science", "files"] = (
        setting("general", "DOWSE_DEFAULT_CATEGORY", about="Search category when the caller names none.")
    )
    default_safe_search: SafeSearch = setting(
        "",
        "DOWSE_DEFAULT_SAFE_SEARCH",
        about="Safe search when the caller names none; the provider's default when empty.",
    )
    max_concurrent_fetches: int = setting(
        8,
        "DOWSE_MAX_CONCURRENT_FETCHES",
        "KINDLY_WEB_SEARCH_MAX_CONCURRENCY",
        ge=1,
        le=64,
        about="Pages read at the same time.",
    )
    content_fetch_timeout_s: Duration = setting(
        "10s", "DOWSE_CONTENT_FETCH_TIMEOUT", "KINDLY_HTML_TOTAL_TIMEOUT_SECONDS", about="Longest time for one page."
    )
    max_content_size: Size = setting(
        "5MB", "DOWSE_MAX_CONTENT_SIZE", le=50_000_000, about="Largest page that is read, after decompression."
    )
    allow_private: HostPorts = setting(
        "",
        "DOWSE_ALLOW_PRIVATE",
        about="Exact `host:port` pairs on private addresses that may be read; empty means none.",
    )
    log_level: Level = setting(
        "info",
        "DOWSE_LOG_LEVEL",
        "LOG_LEVEL",
        about="Least severe log line that is written. Commands other than `serve` are quiet unless it is set.",
    )
    log_queries: Flag = setting(
        False, "DOWSE_LOG_QUERIES", about="Write queries and URLs to the log as they are instead of as hashes."
    )

    def secrets(self) -> tuple[str, ...]:
        """Every secret value, for the redaction filter and for nothing else."""
        values = [value for name, value in self if isinstance(value, SecretStr) and name != "browser_url"]
        values += self.tokens.values()
        headers = [self.searxng_headers, *(server.headers for server in self.mcp_providers.values())]
        values += [value for each in headers for name, value in each.items() if not name.lower().startswith(_HARMLESS)]
        return (
            *(value.get_secret_value() for value in values),
            *(part for url in self.searxng_url or () for part in _userinfo(url)),
            *(part for url in self._mcp_urls() for part in (*_userinfo(url), *_keys_in(url))),
            *_userinfo(self.state),
            *_credentials(self.browser_url),
        )

    def _mcp_urls(self) -> list[str]:
        servers = [server.url for server in self.mcp_providers.values()]
        return [self.exa_mcp_url, self.parallel_mcp_url, self.firecrawl_mcp_url, *servers]

    def scope(self) -> bytes:
        """A hash of everything that may change what is found; processes share what they remember only if it is equal.

        Keys are part of it: what one key may see, another may not.
        """
        told = {name: _revealed(value) for name, value in self if not _INDIFFERENT.fullmatch(name)}
        told = {name: value for name, value in told.items() if name not in _INDIFFERENT_FIELDS}
        text = json.dumps([__version__, EXTRACTION, told], sort_keys=True, default=str)
        return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=32).digest()

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        """As pydantic has it, except that an address is shown without the password that may be in it."""
        for name, value in super().__repr_args__():
            yield name, _shown(value)

    @staticmethod
    def credential_variable(provider: str) -> str:
        return "SEARXNG_URL" if provider == "searxng" else f"{provider.upper()}_API_KEY"

    def credential(self, provider: str) -> SecretStr | tuple[str, ...] | None:
        """What makes a provider usable: its key, or the address of a SearXNG."""
        value: SecretStr | tuple[str, ...] | None = getattr(self, self.credential_variable(provider).lower())
        return value

    def budget(self, provider: str) -> Budget | None:
        budget: Budget | None = getattr(self, f"{provider}_budget")
        return budget

    def searchers(self) -> list[str]:
        """The active providers in the order in which they are asked; MCP servers that it leaves out come last."""
        known = [name for name in self.search_order if name in self.mcp_providers or self.is_active(name)]
        return [*known, *(name for name in self.mcp_providers if name not in self.search_order)]

    def keyless_members(self) -> list[str]:
        """Who is asked without a key, in order: always, or when the others have failed. Nobody where that is off."""
        if self.keyless == "off" or (self.keyless == "on" and self.searchers()):
            return []
        flags = {name: getattr(self, f"{name}_enabled") for name in MEMBERS}
        asked_for = [name for name in MEMBERS if flags[name] and name not in self.keyless_order]
        return [name for name in (*self.keyless_order, *asked_for) if flags[name] is not False]

    def answerers(self) -> list[str]:
        """The active providers that write answers, in the order in which they are asked."""
        return [name for name in ANSWERERS if self.is_active(name)]

    def scrapers(self) -> list[str]:
        """The active providers that read pages; their order is fixed."""
        return [name for name in READERS if self.is_active(name)]

    def is_active(self, provider: str) -> bool:
        """A provider is asked when it has a credential and its flag is not false."""
        return self.credential(provider) is not None and getattr(self, f"{provider}_enabled") is not False


def _shown(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_shown, value))
    return urls.without_userinfo(value) if isinstance(value, str) and "@" in value else value


def _revealed(value: object) -> object:
    """A value with its secrets; for hashing."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, McpServer):
        value = asdict(value)
    return {name: _revealed(item) for name, item in value.items()} if isinstance(value, dict) else value


def _userinfo(url: str) -> tuple[str, ...]:
    """A URL's password, as written, as meant, and as the pair that basic authentication encodes."""
    parts = urlsplit(url)
    if not parts.password:
        return ()
    password = unquote(parts.password)
    return tuple(dict.fromkeys([parts.password, password, f"{unquote(parts.username or '')}:{password}"]))


def _keys_in(url: str) -> tuple[str, ...]:
    """The keys among an address's parameters, where MCP servers that take no header want theirs."""
    return tuple(value for name, value in parse_qsl(urlsplit(url).query) if _NAMES_A_KEY.search(name))


def _credentials(url: SecretStr | None) -> tuple[str, ...]:
    """What is secret in an address that may hold a token: its password, tokens in its query, and its path."""
    text = url.get_secret_value() if url else ""
    parts = urlsplit(text)
    tokens = [*(value for _, value in parse_qsl(parts.query)), *parts.path.split("/")]
    return (*_userinfo(text), *(token for token in tokens if len(token) >= _SHORTEST_TOKEN))


def variables(field: str) -> list[str]:
    """A field's variable and its aliases, in order of precedence."""
    extra = Settings.model_fields[field].json_schema_extra
    assert isinstance(extra, dict)
    names = extra["env"]
    assert isinstance(names, list)
    return [str(name) for name in names]
