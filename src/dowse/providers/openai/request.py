"""A question as the Responses API wants it: https://platform.openai.com/docs/api-reference/responses/create."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.core.answers import Question
from dowse.net.json_api import Json
from dowse.providers.openai.families import family_of
from dowse.providers.openai.prompt import prompt


@dataclass(frozen=True, slots=True)
class Options:
    """What the settings say; a temperature of `None` and 0 tokens leave it to what suits the model."""

    model: str
    temperature: float | None = None
    max_output_tokens: int = 0
    context_size: str = "low"
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()


def payload(question: Question, options: Options) -> Json:
    """The body of the request; holds no parameter that the model would refuse."""
    family = family_of(options.model)
    body: dict[str, object] = {
        "model": options.model,
        "input": prompt(question),
        "tools": [_web_search(question, options)],
        "include": ["web_search_call.action.sources"],
        "max_output_tokens": options.max_output_tokens or family.output_tokens,
        # Otherwise questions and answers are kept there for a month.
        "store": False,
    }
    if family.takes_temperature:
        body["temperature"] = options.temperature or 0
    if family.can_be_made_to_search:
        body["tool_choice"] = "required"
    if family.effort:
        body["reasoning"] = {"effort": family.effort}
    return body


def _web_search(question: Question, options: Options) -> Json:
    # A location without a place: without any, the user is taken to be in the United States.
    location = {"type": "approximate"} | ({"country": question.region.upper()} if question.region else {})
    tool: dict[str, object] = {
        "type": "web_search",
        "search_context_size": options.context_size,
        "user_location": location,
    }
    domains = {"allowed_domains": options.allowed_domains, "blocked_domains": options.blocked_domains}
    if filters := {name: list(values) for name, values in domains.items() if values}:
        tool["filters"] = filters
    return tool
