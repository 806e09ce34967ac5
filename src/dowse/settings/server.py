"""Settings of the server: contracts, address, tokens, limits per caller, cache and load."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from dowse.core.allowances import Pace, Rate
from dowse.settings.search_types import ProviderPace
from dowse.settings.types import (
    CacheSize,
    Flag,
    Hosts,
    HttpUrl,
    Networks,
    OnOff,
    Origins,
    RateLimit,
    State,
    Tokens,
    Ttl,
    setting,
)

ContractName = Literal["dowse", "kindly", "jan", "swissarmyhammer", "answers"]
CONTRACTS: tuple[str, ...] = get_args(ContractName)


class ServerSettings(BaseModel):
    """The part of `Settings` that only serving needs."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    contract: ContractName = setting("dowse", "DOWSE_CONTRACT", about="Which set of tools the MCP server offers.")
    structured: OnOff = setting("on", "DOWSE_STRUCTURED", about="`off` leaves the typed half out of MCP answers.")
    allow_tty_stdio: Flag = setting(
        False, "MCP_ALLOW_TTY_STDIO", about="Serve stdio although a person is at the terminal."
    )
    host: str = setting(
        "127.0.0.1",
        "DOWSE_HOST",
        "FASTMCP_HOST",
        about="Address the HTTP server listens on; beyond loopback it needs tokens.",
    )
    port: int = setting(
        8000, "DOWSE_PORT", "FASTMCP_PORT", "MCP_TOOLS_HTTP_PORT", ge=0, le=65_535,
        about="Port the HTTP server listens on; 0 takes a free one.",
    )  # fmt: skip
    tokens: Tokens = setting("", "DOWSE_TOKENS", about="Who may call the HTTP server: `name:token` pairs.")
    tokens_file: str = setting(
        "", "DOWSE_TOKENS_FILE", about="File of names, hashes, limits and contracts; `dowse token new NAME` writes it."
    )
    jwt_issuer: str = setting("", "DOWSE_JWT_ISSUER", about="Issuer of JSON Web Tokens that are accepted as well.")
    jwt_audience: str = setting("", "DOWSE_JWT_AUDIENCE", about="Audience those tokens must be issued for.")
    jwks_url: HttpUrl | None = setting(None, "DOWSE_JWKS_URL", about="Where the issuer publishes its keys.")
    allowed_hosts: Hosts = setting(
        "", "DOWSE_ALLOWED_HOSTS", about="Names the HTTP server is reached under, besides its own address."
    )
    allowed_origins: Origins = setting(
        "", "DOWSE_ALLOWED_ORIGINS", about="Origins of web pages that may call the HTTP server from a browser."
    )
    trusted_proxies: Networks = setting(
        "", "DOWSE_TRUSTED_PROXIES", about="Reverse proxies whose `X-Forwarded-*` headers are believed."
    )
    limit_web_search: RateLimit | None = setting(
        None, "DOWSE_LIMIT_WEB_SEARCH", about="How often each caller may use `web_search`, such as `20/10m`."
    )
    limit_get_content: RateLimit | None = setting(
        None, "DOWSE_LIMIT_GET_CONTENT", about="How often each caller may use `get_content`."
    )
    limit_google_search: RateLimit | None = setting(
        None, "DOWSE_LIMIT_GOOGLE_SEARCH", about="How often each caller may use `google_search`."
    )
    limit_scrape: RateLimit | None = setting(
        None, "DOWSE_LIMIT_SCRAPE", about="How often each caller may use `scrape`."
    )

    limit_search_web: RateLimit | None = setting(
        "20/10m", "DOWSE_LIMIT_SEARCH_WEB", about="How often each caller may use `search_web`."
    )

    def limit(self, tool: str) -> Rate | None:
        """How often each caller may use a tool; `None` for as often as they like."""
        limit: Rate | None = getattr(self, f"limit_{tool}", None)
        return limit

    @property
    def takes_jwt(self) -> bool:
        return bool(self.jwt_issuer)

    @property
    def needs_token(self) -> bool:
        """Whether callers over HTTP have to say who they are."""
        return bool(self.tokens or self.tokens_file or self.takes_jwt)


class MemorySettings(BaseModel):
    """The part of `Settings` that outlives a call. A time of 0 switches that part off."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    state: State = setting(
        "", "DOWSE_STATE",
        about="Where caches and spent budgets are kept; a SQLite file in the user's cache directory when empty.",
    )  # fmt: skip
    cache_size: CacheSize | None = setting(
        None, "DOWSE_CACHE_SIZE", ge=1_000_000, le=100_000_000_000,
        about="Most that is kept in SQLite (256MB when empty) or in memory (64MB). A Redis has a limit of its own.",
    )  # fmt: skip
    ttl_search: Ttl = setting("5m", "DOWSE_TTL_SEARCH", about="How long the results of a search are fresh.")
    ttl_news: Ttl = setting(
        "1m", "DOWSE_TTL_NEWS", about="The same for news, and for searches that ask for the last day."
    )
    ttl_pages: Ttl = setting("1h", "DOWSE_TTL_PAGES", about="How long a page that was read is fresh.")
    ttl_failures: Ttl = setting(
        "30s", "DOWSE_TTL_FAILURES", about="How long a page that could not be read is not tried again."
    )
    ttl_robots: Ttl = setting("24h", "DOWSE_TTL_ROBOTS", about="How long a site's robots.txt is believed.")
    ttl_stale: Ttl = setting(
        "24h", "DOWSE_TTL_STALE",
        about="How long results and pages are kept in all, to be served, marked, when nothing newer can be had.",
    )  # fmt: skip


class ScaleSettings(BaseModel):
    """The part of `Settings` that only matters when much is asked at once."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    hedge: OnOff = setting(
        "off", "DOWSE_HEDGE",
        about="`on` asks the next search provider too when one is slower than usual; at most 5 % more calls.",
    )  # fmt: skip
    max_calls: int = setting(
        512, "DOWSE_MAX_CALLS", ge=1, le=1000,
        about="Most calls that are worked on at once; further ones are refused at once, with the time to come back.",
    )  # fmt: skip
    # Serper publishes numbers for paid plans only, from 50/s on (serper.dev, pricing).
    serper_pace: ProviderPace = setting("off", "DOWSE_PACE_SERPER", about="How fast Serper is asked.")
    # The same with and without paying; pages may be asked for ten times as fast (exa.ai/docs/reference/rate-limits).
    exa_pace: ProviderPace = setting("10/s", "DOWSE_PACE_EXA", about="How fast Exa is asked for searches.")
    # Development keys; production keys take 1000/m (docs.tavily.com/documentation/rate-limits).
    tavily_pace: ProviderPace = setting("100/m", "DOWSE_PACE_TAVILY", about="How fast Tavily is asked.")
    searxng_pace: ProviderPace = setting("off", "DOWSE_PACE_SEARXNG", about="How fast your SearXNG is asked.")
    # Tier 1 of the models that are asked by default; the tokens in a minute are limited as well.
    openai_pace: ProviderPace = setting("500/m", "DOWSE_PACE_OPENAI", about="How fast OpenAI is asked.")
    # Limited, it says, but not how; a free key takes 100/m.
    tavily_keyless_pace: ProviderPace = setting(
        "1/s", "DOWSE_PACE_TAVILY_KEYLESS", about="How fast Tavily's keyless tier is asked."
    )
    # Its source says two in a second and 50 a day, but its count of a sliding second is approximate: two at once, again
    # after 1.2 s, are one too many for it. One in a second never is.
    exa_mcp_pace: ProviderPace = setting("1/s", "DOWSE_PACE_EXA_MCP", about="How fast Exa's anonymous tier is asked.")
    # Limited, it says, but not how; with a key it takes 600/m.
    parallel_mcp_pace: ProviderPace = setting(
        "1/s", "DOWSE_PACE_PARALLEL_MCP", about="How fast Parallel's anonymous tier is asked."
    )
    # What a free account may search, and how many pages it may have read at once (docs.firecrawl.dev/rate-limits).
    firecrawl_mcp_pace: ProviderPace = setting(
        "5/m, 2 at once", "DOWSE_PACE_FIRECRAWL_MCP", about="How fast Firecrawl's anonymous tier is asked."
    )
    # All of them together; each has limits of its own besides.
    open_pace: ProviderPace = setting("10/s", "DOWSE_PACE_OPEN", about="How fast the open APIs are asked.")
    searxng_pool_pace: ProviderPace = setting(
        "off", "DOWSE_PACE_SEARXNG_POOL", about="How fast public SearXNG instances are asked, beside their manners."
    )
    duckduckgo_pace: ProviderPace = setting(
        "off", "DOWSE_PACE_DUCKDUCKGO", about="How fast DuckDuckGo's page is asked, beside its manners."
    )
    mojeek_pace: ProviderPace = setting(
        "off", "DOWSE_PACE_MOJEEK", about="How fast Mojeek's page is asked, beside its manners."
    )

    def pace(self, provider: str, operation: str = "search") -> Pace:
        """How fast a provider may be asked; as fast as it answers where nothing is known of it."""
        if (provider, operation) == ("exa", "read"):
            # It takes ten times as many pages as searches, which is more than are ever read at once.
            return Pace()
        pace: Pace = getattr(self, f"{provider}_pace", Pace())
        return pace
