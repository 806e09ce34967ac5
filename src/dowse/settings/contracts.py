"""The contracts as settings need them: names, tools with their rate limits, and the defaults of a drop-in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ContractSettings:
    """`tools` gives the default of `DOWSE_LIMIT_<TOOL>` by tool; `defaults` replace those of other settings."""

    tools: Mapping[str, str | None]
    defaults: Mapping[str, object] = field(default_factory=dict)


CONTRACTS: Mapping[str, ContractSettings] = {
    "dowse": ContractSettings({"web_search": None, "get_content": None, "answer_question": None}),
    "kindly": ContractSettings({"web_search": None, "get_content": None}, {"keyless": "off", "hedge": False}),
    "jan": ContractSettings(
        {"google_search": None, "scrape": None},
        {
            "structured": True,
            "fallback": "any",
            "read_order": "scrape-first",
            "default_results_count": 10,
            "keyless": "off",
            "hedge": False,
        },
    ),
    "swissarmyhammer": ContractSettings(
        {"web_search": None}, {"structured": True, "default_results_count": 10, "hedge": False}
    ),
    "answers": ContractSettings({"search_web": "20/10m"}, {"structured": True, "guardrails": "on", "hedge": False}),
}

HTTP_TOOLS = ("extract", "rerank", "map_site")
"""What REST and the wires offer beside the tools of the contracts."""
TOOL_LIMITS: Mapping[str, str | None] = {
    **{tool: limit for contract in CONTRACTS.values() for tool, limit in contract.tools.items()},
    **dict.fromkeys(HTTP_TOOLS),
}
"""Everything that can be limited, each with the default of `DOWSE_LIMIT_<TOOL>`."""

WIRES = ("searxng", "firecrawl", "tavily", "exa", "serper", "perplexity", "jina", "brave", "openwebui", "rerank")
"""The APIs of other vendors that the HTTP server can speak."""
