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
        512, "DOWSE_MAX_CALLS", ge=1, le=10_000,
        about="Most calls that are worked on at once; further ones are refused at once, with the time to come back.",
    )  # fmt: skip
    serper_pace: ProviderPace = setting("50/s", "DOWSE_PACE_SERPER", about="How fast Serper is asked.")
    exa_pace: ProviderPace = setting("5/s", "DOWSE_PACE_EXA", about="How fast Exa is asked.")
    tavily_pace: ProviderPace = setting("100/m", "DOWSE_PACE_TAVILY", about="How fast Tavily is asked.")
    searxng_pace: ProviderPace = setting("off", "DOWSE_PACE_SEARXNG", about="How fast your SearXNG is asked.")
    openai_pace: ProviderPace = setting("500/m", "DOWSE_PACE_OPENAI", about="How fast OpenAI is asked.")
    tavily_keyless_pace: ProviderPace = setting(
        "1/s", "DOWSE_PACE_TAVILY_KEYLESS", about="How fast Tavily's keyless tier is asked."
    )
    exa_mcp_pace: ProviderPace = setting("2/s", "DOWSE_PACE_EXA_MCP", about="How fast Exa's anonymous tier is asked.")
    parallel_mcp_pace: ProviderPace = setting(
        "2/s", "DOWSE_PACE_PARALLEL_MCP", about="How fast Parallel's anonymous tier is asked."
    )
    firecrawl_mcp_pace: ProviderPace = setting(
        "2/s, 2 at once", "DOWSE_PACE_FIRECRAWL_MCP", about="How fast Firecrawl's anonymous tier is asked."
    )
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

    def pace(self, provider: str) -> Pace:
        """How fast a provider may be asked; as fast as it answers where nothing is known of it."""
        pace: Pace = getattr(self, f"{provider}_pace", Pace())
        return pace
