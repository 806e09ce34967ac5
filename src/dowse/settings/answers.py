"""Settings of answers: the model that writes them, and what it is not asked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, SecretStr

from dowse.settings.guardrails import GuardrailRules
from dowse.settings.types import Duration, Flag, Hosts, HttpUrl, ProviderBudget, Temperature, Ttl, setting


class AnswerSettings(BaseModel):
    """The part of `Settings` that `search_web` needs."""

    # Never filled by itself: building its validator would be work for nothing at every start.
    model_config = ConfigDict(defer_build=True)

    openai_api_key: SecretStr | None = setting(None, "OPENAI_API_KEY", about="Key that lets a model write answers.")
    openai_enabled: Flag | None = setting(
        None, "OPENAI_ENABLED", about="`false` leaves answers to dowse although OpenAI has a key."
    )
    openai_timeout_s: Duration = setting(
        "15s", "OPENAI_TIMEOUT", about="Longest wait for one answer of OpenAI, all attempts together."
    )
    openai_base_url: HttpUrl = setting(
        "https://api.openai.com/v1", "OPENAI_BASE_URL", about="Where the Responses API is."
    )
    openai_model: str = setting("gpt-5-nano", "OPENAI_MODEL", about="The model that searches and answers.")
    openai_temperature: Temperature | None = setting(
        None, "OPENAI_TEMPERATURE", about="Sent only to models that take it; 0 for those when empty."
    )
    openai_max_output_tokens: int = setting(
        0, "OPENAI_MAX_OUTPUT_TOKENS", ge=0, le=200_000,
        about="Most tokens of an answer, reasoning included; 0 for what suits the model.",
    )  # fmt: skip
    openai_context_size: Literal["low", "medium", "high"] = setting(
        "low", "OPENAI_SEARCH_CONTEXT_SIZE", about="How much of the pages the model is given."
    )
    openai_allowed_domains: Hosts = setting(
        "", "OPENAI_ALLOWED_DOMAINS", about="Only these domains are searched for answers, at most 20."
    )
    openai_blocked_domains: Hosts = setting(
        "", "OPENAI_BLOCKED_DOMAINS", about="These domains are not searched for answers, at most 20."
    )
    openai_budget: ProviderBudget | None = setting(
        None, "DOWSE_BUDGET_OPENAI", about="What OpenAI may be used for; then it counts as out of quota."
    )
    guardrails: Literal["on", "off"] = setting(
        "on",
        "DOWSE_GUARDRAILS",
        about="Whether `search_web` refuses questions that another tool answers better.",
    )
    guardrails_json: GuardrailRules | None = setting(
        None, "DOWSE_GUARDRAILS_JSON", about="Rules instead of the built-in ones; docs/integrations.md shows them."
    )
    ttl_answers: Ttl = setting("5m", "DOWSE_TTL_ANSWERS", about="How long an answer is fresh.")
