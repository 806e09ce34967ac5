"""Settings of searching and answering: routing, the keyless pool, options of single providers, ranking."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from dowse.settings.declare import Group, Takes
from dowse.settings.derive import ANSWERS_GROUP, KEYLESS_GROUP, FrozenModel
from dowse.settings.guardrails import GuardrailRules
from dowse.settings.mcp_servers import McpServers
from dowse.settings.providers import KEYLESS, SEARCHERS, SPECS
from dowse.settings.sites import SEARCHED_SITES
from dowse.settings.types import (
    DelayRange,
    Duration,
    Flag,
    Headers,
    Hosts,
    Language,
    Names,
    OnOffAll,
    OnOffAuto,
    OnOffFallback,
    SafeSearch,
    SitePatterns,
    Temperature,
)

_NICKNAMES = {nickname: spec.name for spec in SPECS.values() for nickname in spec.nicknames}


def _members(value: object) -> tuple[str, ...]:
    parts = [part.strip().lower().replace("-", "_") for part in str(value).split(",") if part.strip()]
    return tuple(dict.fromkeys(_NICKNAMES.get(part, part) for part in parts))


KeylessMembers = Annotated[tuple[str, ...], BeforeValidator(_members), Takes("names separated by commas")]

_TAVILY = Group("Tavily", provider="tavily")
_SEARXNG = Group("SearXNG", provider="searxng")
_SEARCH = Group("Routing and search")
# Without a provider of the user's own, these decide which third parties receive the queries.
_KEYLESS = Group(KEYLESS_GROUP, trusted_only=True)
_OPEN = Group(KEYLESS_GROUP, provider="open", trusted_only=True)
_POOL = Group(KEYLESS_GROUP, provider="searxng_pool")
_MCP = Group("Providers of your own", trusted_only=True)
_ANSWERS = Group(ANSWERS_GROUP)
_OPENAI = Group(ANSWERS_GROUP, provider="openai")
# Results are ranked after the cache.
_RANKING = Group("Ranking", splits_cache=False)


class SearchSettings(FrozenModel):
    """The part of `Settings` about searches and answers."""

    tavily_search_depth: Literal["basic", "advanced", "fast", "ultra-fast"] = _TAVILY.setting(
        "basic", "TAVILY_SEARCH_DEPTH", about="Tavily's depth; `advanced` costs two credits a search."
    )

    searxng_language: str = _SEARXNG.setting("", "SEARXNG_LANGUAGE", about="Language sent when the caller names none.")
    searxng_categories: str = _SEARXNG.setting(
        "", "SEARXNG_CATEGORIES", about="Categories sent when the caller names none."
    )
    searxng_engines: str = _SEARXNG.setting(
        "", "SEARXNG_ENGINES", about="Engines that SearXNG queries, comma-separated."
    )
    searxng_time_range: Literal["", "day", "week", "month", "year"] = _SEARXNG.setting(
        "", "SEARXNG_TIME_RANGE", about="Time range sent when the caller names none."
    )
    searxng_safesearch: SafeSearch = _SEARXNG.setting(
        "", "SEARXNG_SAFESEARCH", about="Safe search sent when the caller names none: 0 off, 1 moderate, 2 strict."
    )
    searxng_user_agent: str = _SEARXNG.setting(
        "", "SEARXNG_USER_AGENT", about="User agent for your SearXNG; dowse's own when empty."
    )
    searxng_format: Literal["json", "html", "auto"] = _SEARXNG.setting(
        "json", "SEARXNG_FORMAT",
        about="Response format: `json`, `html` (the web page is parsed), or `auto` (HTML where JSON is refused).",
    )  # fmt: skip
    searxng_headers: Headers = _SEARXNG.setting(
        "{}", "SEARXNG_HEADERS_JSON", trusted_only=True, secret=True,
        about="Extra headers for your SearXNG as a JSON object.",
    )  # fmt: skip

    search_order: Names = _SEARCH.setting(
        ",".join(SEARCHERS), "DOWSE_SEARCH_ORDER", trusted_only=True,
        about="Order in which active providers are called; a provider that is not listed is not used.",
    )  # fmt: skip
    fallback: Literal["transient", "any"] = _SEARCH.setting(
        "transient", "DOWSE_FALLBACK", about="`any` also moves on after a rejected key (401, 403), with a warning."
    )
    deadline_s: Duration = _SEARCH.setting(
        "50s", "DOWSE_DEADLINE_S", "DOWSE_DEFAULT_TIMEOUT", "KINDLY_TOOL_TOTAL_TIMEOUT_SECONDS", splits_cache=False,
        about="Deadline of one whole call; results that are ready by then are returned.",
    )  # fmt: skip
    offline: Flag = _SEARCH.setting(
        False, "DOWSE_OFFLINE", splits_cache=False, about="Refuse calls that need the network, at once."
    )
    default_results_count: int = _SEARCH.setting(
        3, "DOWSE_DEFAULT_RESULTS_COUNT", ge=1, le=50, splits_cache=False,
        about="Number of results when the caller names none.",
    )  # fmt: skip
    max_results_count: int = _SEARCH.setting(
        50, "DOWSE_MAX_RESULTS_COUNT", ge=1, le=50, splits_cache=False, about="Maximum number of results per call."
    )
    default_language: Language = _SEARCH.setting(
        "", "DOWSE_DEFAULT_LANGUAGE", splits_cache=False,
        about="Search language when the caller names none, such as `en` or `pt-BR`.",
    )  # fmt: skip
    default_category: Literal["general", "images", "videos", "news", "map", "music", "it", "science", "files"] = (
        _SEARCH.setting(
            "general", "DOWSE_DEFAULT_CATEGORY", splits_cache=False,
            about="Search category when the caller names none.",
        )
    )  # fmt: skip
    default_safe_search: SafeSearch = _SEARCH.setting(
        "", "DOWSE_DEFAULT_SAFE_SEARCH", splits_cache=False,
        about="Safe search when the caller names none; the provider's default when empty.",
    )  # fmt: skip

    keyless: OnOffFallback = _KEYLESS.setting(
        "on", "DOWSE_KEYLESS",
        about="When keyless providers are used: `on` if no provider is configured, `off` never, "
        "`fallback` also after the configured ones have failed.",
    )  # fmt: skip
    keyless_order: KeylessMembers = _KEYLESS.setting(
        ",".join(name for name in KEYLESS if not SPECS[name].is_opt_in), "DOWSE_KEYLESS_ORDER",
        about="Order in which keyless providers are called; a provider that is not listed is not used.",
    )  # fmt: skip
    scrub: Literal["mask", "refuse", "off"] = _KEYLESS.setting(
        "mask", "DOWSE_SCRUB",
        about="Handling of a query that seems to contain a key or a password: mask the secret, refuse the search, "
        "or ignore it (`off`).",
    )  # fmt: skip

    open_apis: Names = _OPEN.setting(
        ",".join(SEARCHED_SITES), "DOWSE_OPEN_APIS",
        about="Open APIs in use; each query is sent to a few of them.",
    )  # fmt: skip

    instance_health_check_interval_s: Duration = _POOL.setting(
        "300s", "DOWSE_INSTANCE_HEALTH_CHECK_INTERVAL", about="Interval between health checks of instances in use."
    )
    max_consecutive_failures: int = _POOL.setting(
        3,
        "DOWSE_MAX_CONSECUTIVE_FAILURES",
        ge=1,
        le=100,
        about="Consecutive failures after which an instance is no longer used.",
    )
    rate_limit_backoff_base_s: Duration = _POOL.setting(
        "60s",
        "DOWSE_RATE_LIMIT_BACKOFF_BASE",
        about="First back-off of an instance that failed; it doubles with each failure.",
    )
    use_random_instances: Flag = _POOL.setting(
        True, "DOWSE_USE_RANDOM_INSTANCES", about="Choose instances at random without repeats instead of in turn."
    )
    rotate_user_agents: OnOffAll = _POOL.setting(
        "on", "DOWSE_ROTATE_USER_AGENTS",
        about="Send rotating browser user agents to public SearXNG instances and HTML engines; "
        "`all` includes the pages that are read.",
    )  # fmt: skip
    request_delay_range: DelayRange = _POOL.setting(
        "100,500", "DOWSE_REQUEST_DELAY_RANGE",
        about="Minimum and maximum delay in milliseconds between requests to public instances and HTML engines.",
    )  # fmt: skip

    mcp_providers: McpServers = _MCP.setting(
        "{}", "DOWSE_MCP_PROVIDERS", secret=True,
        about="Remote MCP servers to search with, as a JSON object by name; docs/keyless.md shows it.",
    )  # fmt: skip

    providers_file: str = _MCP.setting(
        "", "DOWSE_PROVIDERS_FILE", splits_cache=False,
        about="File with providers of your own, changes of shipped ones, and MCP servers; by default `providers.toml` "
        "in the configuration directory of dowse. docs/add-a-provider.md shows it.",
    )  # fmt: skip

    openai_model: str = _OPENAI.setting("gpt-5-nano", "OPENAI_MODEL", about="The model that searches and answers.")
    openai_temperature: Temperature | None = _OPENAI.setting(
        None, "OPENAI_TEMPERATURE", about="Temperature, sent only to models that accept it; 0 when empty."
    )
    openai_max_output_tokens: int = _OPENAI.setting(
        0, "OPENAI_MAX_OUTPUT_TOKENS", ge=0, le=200_000,
        about="Maximum output tokens, reasoning included; 0 chooses a value for the model.",
    )  # fmt: skip
    openai_context_size: Literal["low", "medium", "high"] = _OPENAI.setting(
        "low", "OPENAI_SEARCH_CONTEXT_SIZE", about="Amount of page text that the model receives."
    )
    openai_allowed_domains: Hosts = _OPENAI.setting(
        "", "OPENAI_ALLOWED_DOMAINS", about="Only these domains are searched for answers, at most 20."
    )
    openai_blocked_domains: Hosts = _OPENAI.setting(
        "", "OPENAI_BLOCKED_DOMAINS", about="These domains are not searched for answers, at most 20."
    )
    guardrails: OnOffAuto = _ANSWERS.setting(
        "auto", "DOWSE_GUARDRAILS",
        about="Whether questions that another tool answers better are refused; `auto`: by the built-in rules in the "
        "contract `answers`, elsewhere by your own rules only.",
    )  # fmt: skip
    guardrails_json: GuardrailRules | None = _ANSWERS.setting(
        None, "DOWSE_GUARDRAILS_JSON", about="Rules instead of the built-in ones; docs/citations.md shows them."
    )

    boost: SitePatterns = _RANKING.setting(
        "", "DOWSE_BOOST", about="Sites whose results move up by at most three places, such as `docs.python.org,*.gov`."
    )
    bury: SitePatterns = _RANKING.setting(
        "", "DOWSE_BURY", about="Sites whose results are sorted last, with the reason."
    )
    block: SitePatterns = _RANKING.setting("", "DOWSE_BLOCK", about="Sites whose results are left out.")
    semantic: Literal["auto", "off"] = _RANKING.setting(
        "auto", "DOWSE_SEMANTIC", about="Accepted and without effect: word vectors chose no better passages."
    )
