"""What OpenAI takes in a request to its Responses API, and what it says to the rest: each model refuses its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.doubles.checks import Check, flag, nested, one_of, text, whole

_SMALLEST_OUTPUT = 16
_MOST_DOMAINS = 100


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 2


def _country(value: object) -> bool:
    return isinstance(value, str) and len(value) == 2 and value.isalpha() and value.isupper()


def _domains(value: object) -> bool:
    return (
        isinstance(value, list)
        and 0 < len(value) <= _MOST_DOMAINS
        and all(text(domain) and "/" not in domain for domain in value)
    )


_LOCATION: dict[str, Check] = {
    "type": one_of("approximate"),
    **dict.fromkeys(("city", "region", "timezone"), text),
    "country": _country,
}
_TOOL: dict[str, Check] = {
    "type": one_of("web_search", "web_search_2025_08_26"),
    "search_context_size": one_of("low", "medium", "high"),
    "user_location": nested(_LOCATION),
    "filters": nested({"allowed_domains": _domains, "blocked_domains": _domains}),
    "external_web_access": flag,
}
_FIELDS: dict[str, Check] = {
    "model": text,
    "input": text,
    "instructions": text,
    "tools": lambda value: isinstance(value, list) and all(map(nested(_TOOL), value)),
    "tool_choice": one_of("none", "auto", "required"),
    "include": lambda value: value in ([], ["web_search_call.action.sources"]),
    "max_output_tokens": whole(0, 1_000_000),
    "max_tool_calls": whole(1, 1000),
    "temperature": _number,
    "reasoning": nested({"effort": one_of("none", "minimal", "low", "medium", "high", "xhigh")}),
    "store": flag,
    "stream": lambda value: value is False,
}


@dataclass(frozen=True, slots=True)
class Refused:
    """What is wrong with a request, in OpenAI's words."""

    message: str
    param: str | None = None
    code: str | None = None


def reasons(model: str) -> bool:
    """Whether a model thinks before it answers, and is billed for it."""
    return model.startswith(("gpt-5", "o1", "o3", "o4"))


def refusal(body: Mapping[str, object]) -> Refused | None:
    """The first objection to a request, in the order in which OpenAI looks."""
    return next((found for check in _CHECKS for found in check(body)), None)


def _shape(body: Mapping[str, object]) -> Iterator[Refused]:
    for name in body:
        if name not in _FIELDS:
            yield Refused(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
    for name in ("model", "input"):
        if name not in body:
            yield Refused(f"Missing required parameter: '{name}'.", name, "missing_required_parameter")
    for name, value in body.items():
        if not _FIELDS[name](value):
            yield Refused(f"Invalid value for '{name}'.", name, "invalid_value")


def _model(body: Mapping[str, object]) -> Iterator[Refused]:
    model = str(body["model"])
    if not reasons(model) and not model.startswith(("gpt-4o", "gpt-4.1", "chatgpt-4o")):
        yield Refused(f"The requested model '{model}' does not exist.", "model", "model_not_found")
    if model.startswith("gpt-4.1-nano") and body.get("tools"):
        yield Refused(f"Hosted tool 'web_search' is not supported with {model}.", "tools")


def _thinking(body: Mapping[str, object]) -> Iterator[Refused]:
    model, reasoning = str(body["model"]), body.get("reasoning")
    if reasons(model) and "temperature" in body:
        yield Refused("Unsupported parameter: 'temperature' is not supported with this model.", "temperature")
    if not reasons(model) and reasoning:
        message = "Unsupported parameter: 'reasoning.effort' is not supported with this model."
        yield Refused(message, "reasoning.effort", "unsupported_parameter")
    if reasoning == {"effort": "minimal"} and body.get("tools"):
        yield Refused("The following tools cannot be used with reasoning.effort 'minimal': web_search.", "tools")
    if reasons(model) and not model.startswith("gpt-5.4") and body.get("tool_choice", "auto") != "auto":
        message = f"Tool choices other than 'auto' are not supported with model '{model}'"
        yield Refused(f"{message} and the following tool types: 'web_search'.", "tool_choice")


def _size(body: Mapping[str, object]) -> Iterator[Refused]:
    most = body.get("max_output_tokens", _SMALLEST_OUTPUT)
    if isinstance(most, int) and most < _SMALLEST_OUTPUT:
        yield Refused(
            "Invalid 'max_output_tokens': integer below minimum value. "
            f"Expected a value >= {_SMALLEST_OUTPUT}, but got {most} instead.",
            "max_output_tokens",
            "integer_below_min_value",
        )


_CHECKS: tuple[Callable[[Mapping[str, object]], Iterator[Refused]], ...] = (_shape, _model, _thinking, _size)
