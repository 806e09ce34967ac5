"""Settings of searching without a key: who is asked, how often, and with which manners."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from dowse.settings.search_types import DelayRange, KeylessMembers, McpServers, OnOffAll, OnOffFallback
from dowse.settings.types import Duration, Flag, HttpUrl, Names, ProviderBudget, setting

MEMBERS = ("tavily_keyless", "exa_mcp", "parallel_mcp", "firecrawl_mcp", "open", "searxng_pool", "duckduckgo", "mojeek")
"""Whoever can be asked without a key, in the order in which they are."""
OPT_IN = ("duckduckgo", "mojeek")
ENDPOINTS = {
    "tavily_keyless": "tavily_search_endpoint",
    "exa_mcp": "exa_mcp_url",
    "parallel_mcp": "parallel_mcp_url",
    "firecrawl_mcp": "firecrawl_mcp_url",
    "searxng_pool": "searx_space_url",
    "duckduckgo": "duckduckgo_url",
    "mojeek": "mojeek_url",
}
"""The setting that says where a member is; the open APIs have one each."""
OPEN_APIS = ("wikipedia", "stackexchange", "github", "hackernews", "arxiv", "crossref", "pypi", "npm")


class KeylessSettings(BaseModel):
    """The part of `Settings` that counts where no provider has a key."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    keyless: OnOffFallback = setting(
        "on",
        "DOWSE_KEYLESS",
        about="Whether members without a key are asked: if no provider is configured (`on`), never (`off`), "
        "or also after the configured ones have failed (`fallback`).",
    )
    keyless_order: KeylessMembers = setting(
        ",".join(member for member in MEMBERS if member not in OPT_IN),
        "DOWSE_KEYLESS_ORDER",
        about="Order in which members without a key are asked; one that is left out is not asked.",
    )
    scrub: Literal["mask", "refuse", "off"] = setting(
        "mask",
        "DOWSE_SCRUB",
        about="What becomes of a query that seems to hold a key or a password: the secret is masked (`mask`), "
        "or the search is refused.",
    )
    rotate_user_agents: OnOffAll = setting(
        "on",
        "DOWSE_ROTATE_USER_AGENTS",
        about="Whether public SearXNG instances and HTML engines see changing user agents of browsers; "
        "`all` includes the pages that are read.",
    )
    request_delay_range: DelayRange = setting(
        "100,500",
        "DOWSE_REQUEST_DELAY_RANGE",
        about="Shortest and longest pause in milliseconds between requests to public instances and HTML engines.",
    )
    mcp_providers: McpServers = setting(
        "{}",
        "DOWSE_MCP_PROVIDERS",
        about="Remote MCP servers to search with, as a JSON object by name; docs/keyless.md shows it.",
    )

    tavily_keyless_enabled: Flag | None = setting(
        None, "TAVILY_KEYLESS_ENABLED", about="`false` switches Tavily's keyless tier off."
    )
    tavily_keyless_timeout_s: Duration = setting(
        "15s", "TAVILY_KEYLESS_TIMEOUT", about="Longest wait for one answer of Tavily's keyless tier."
    )
    tavily_keyless_budget: ProviderBudget | None = setting(
        "30calls/day", "DOWSE_BUDGET_TAVILY_KEYLESS", about="How often Tavily's keyless tier is asked."
    )
    exa_mcp_enabled: Flag | None = setting(None, "EXA_MCP_ENABLED", about="`false` switches Exa's anonymous tier off.")
    exa_mcp_timeout_s: Duration = setting(
        "15s", "EXA_MCP_TIMEOUT", about="Longest wait for one answer of Exa's anonymous tier."
    )
    exa_mcp_budget: ProviderBudget | None = setting(
        "50calls/day", "DOWSE_BUDGET_EXA_MCP", about="How often Exa's anonymous tier is asked."
    )
    exa_mcp_url: HttpUrl = setting("https://mcp.exa.ai/mcp", "EXA_MCP_URL", about="Where Exa's MCP server is.")
    parallel_mcp_enabled: Flag | None = setting(
        None, "PARALLEL_MCP_ENABLED", about="`false` switches Parallel's anonymous tier off."
    )
    parallel_mcp_timeout_s: Duration = setting(
        "15s", "PARALLEL_MCP_TIMEOUT", about="Longest wait for one answer of Parallel's anonymous tier."
    )
    parallel_mcp_budget: ProviderBudget | None = setting(
        "50calls/day", "DOWSE_BUDGET_PARALLEL_MCP", about="How often Parallel's anonymous tier is asked."
    )
    parallel_mcp_url: HttpUrl = setting(
        "https://search.parallel.ai/mcp", "PARALLEL_MCP_URL", about="Where Parallel's MCP server is."
    )
    firecrawl_mcp_enabled: Flag | None = setting(
        None, "FIRECRAWL_MCP_ENABLED", about="`false` switches Firecrawl's anonymous tier off."
    )
    firecrawl_mcp_timeout_s: Duration = setting(
        "15s", "FIRECRAWL_MCP_TIMEOUT", about="Longest wait for one answer of Firecrawl's anonymous tier."
    )
    firecrawl_mcp_budget: ProviderBudget | None = setting(
        "50calls/day", "DOWSE_BUDGET_FIRECRAWL_MCP", about="How often Firecrawl's anonymous tier is asked."
    )
    firecrawl_mcp_url: HttpUrl = setting(
        "https://mcp.firecrawl.dev/v2/mcp", "FIRECRAWL_MCP_URL", about="Where Firecrawl's MCP server is."
    )

    open_enabled: Flag | None = setting(None, "OPEN_ENABLED", about="`false` switches the open APIs off.")
    open_timeout_s: Duration = setting("10s", "OPEN_TIMEOUT", about="Longest wait for the open APIs together.")
    open_budget: ProviderBudget | None = setting(
        "1000calls/day", "DOWSE_BUDGET_OPEN", about="How often the open APIs are asked."
    )
    open_apis: Names = setting(
        ",".join(OPEN_APIS),
        "DOWSE_OPEN_APIS",
        about="Which open APIs may be asked; each query is sent to a few of them.",
    )
    crossref_api_url: HttpUrl = setting(
        "https://api.crossref.org", "CROSSREF_API_URL", about="Where the API of Crossref is."
    )

    searxng_pool_enabled: Flag | None = setting(
        None, "SEARXNG_POOL_ENABLED", about="`false` switches public SearXNG instances off."
    )
    searxng_pool_timeout_s: Duration = setting(
        "15s", "SEARXNG_POOL_TIMEOUT", about="Longest wait for the public instances that are asked for one query."
    )
    searxng_pool_budget: ProviderBudget | None = setting(
        "200calls/day", "DOWSE_BUDGET_SEARXNG_POOL", about="How often public SearXNG instances are asked."
    )
    searx_space_url: HttpUrl = setting(
        "https://searx.space/data/instances.json", "SEARX_SPACE_URL", about="Where the list of public instances is."
    )
    instance_health_check_interval_s: Duration = setting(
        "300s", "DOWSE_INSTANCE_HEALTH_CHECK_INTERVAL", about="How often instances in use are checked."
    )
    max_consecutive_failures: int = setting(
        3, "DOWSE_MAX_CONSECUTIVE_FAILURES", ge=1, le=100, about="Failures in a row after which an instance is out."
    )
    rate_limit_backoff_base_s: Duration = setting(
        "60s", "DOWSE_RATE_LIMIT_BACKOFF_BASE", about="First rest of an instance that failed; it doubles each time."
    )
    use_random_instances: Flag = setting(
        True, "DOWSE_USE_RANDOM_INSTANCES", about="Choose instances at random without repeats instead of in turn."
    )

    duckduckgo_enabled: Flag | None = setting(
        None, "DUCKDUCKGO_ENABLED", about="`true` asks DuckDuckGo's page for slow browsers last."
    )
    duckduckgo_timeout_s: Duration = setting("10s", "DUCKDUCKGO_TIMEOUT", about="Longest wait for DuckDuckGo's page.")
    duckduckgo_budget: ProviderBudget | None = setting(
        "100calls/day", "DOWSE_BUDGET_DUCKDUCKGO", about="How often DuckDuckGo's page is asked."
    )
    duckduckgo_url: HttpUrl = setting(
        "https://lite.duckduckgo.com/lite/", "DUCKDUCKGO_URL", about="Where DuckDuckGo's page is."
    )
    mojeek_enabled: Flag | None = setting(None, "MOJEEK_ENABLED", about="`true` asks Mojeek's page last.")
    mojeek_timeout_s: Duration = setting("10s", "MOJEEK_TIMEOUT", about="Longest wait for Mojeek's page.")
    mojeek_budget: ProviderBudget | None = setting(
        "100calls/day", "DOWSE_BUDGET_MOJEEK", about="How often Mojeek's page is asked."
    )
    mojeek_url: HttpUrl = setting("https://www.mojeek.com/search", "MOJEEK_URL", about="Where Mojeek's page is.")
