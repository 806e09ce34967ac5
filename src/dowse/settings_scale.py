"""Settings of work under load: how fast each provider is asked, how many calls are taken, and hedging."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from dowse.allowances import Pace
from dowse.settings_types import OnOff, setting
from dowse.settings_types_search import ProviderPace


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
