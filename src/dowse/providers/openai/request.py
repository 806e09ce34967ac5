"""Request to OpenAI's Responses API: its body, the prompt, and the parameters that each family of models takes."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from dowse.core.answers import Question
from dowse.core.text import enclose, one_line
from dowse.net.json_fields import Json

SUMMARY_CHARS = 800
_DAY_HOURS = 24
_TASK = "Search the web, and answer the question at the end from what you find there, not from memory."
_SUMMARY = (
    f"Write plain text, no headings, lists, tables or JSON: a summary of at most {SUMMARY_CHARS} characters.",
    "Say when a source was published wherever that is known.",
)
_LIST = (
    "Write no summary: only a numbered list of the sources that answer it, the best one first.",
    "Each line is one source: its title, and when it was published if that is known.",
)


@dataclass(frozen=True, slots=True)
class Options:
    """Values of the settings; a temperature of `None` and 0 tokens mean the defaults of the model."""

    model: str
    temperature: float | None = None
    max_output_tokens: int = 0
    context_size: str = "low"
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()


def payload(question: Question, options: Options) -> Json:
    """Build the body of the request, without parameters that the model would refuse."""
    family = family_of(options.model)
    body: dict[str, object] = {
        "model": options.model,
        "input": prompt(question),
        "tools": [_web_search(question, options)],
        "include": ["web_search_call.action.sources"],
        "max_output_tokens": options.max_output_tokens or family.output_tokens,
        # Otherwise OpenAI stores questions and answers for a month.
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
    # A location without a place: without any, OpenAI assumes the United States.
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


def prompt(question: Question) -> str:
    """Instructions and question; a pure function, so that equal questions make equal requests."""
    lines = (
        _TASK,
        *(_SUMMARY if question.wants_summary else _LIST),
        f"Use at most {question.max_results} distinct sources, and cite each of them where you use it.",
        _freshness(question.freshness_hours),
        enclose("Use sources in this language (BCP 47): ", question.language, "."),
        f"Question: {one_line(question.text)}",
    )
    return "\n".join(filter(None, lines))


def _freshness(hours: int) -> str:
    return f"Use only sources that were published within the last {_period(hours)}." if hours else ""


def _period(hours: int) -> str:
    days, rest = divmod(hours, _DAY_HOURS)
    count, unit = (hours, "hour") if rest or days == 1 else (days, "day")
    return unit if count == 1 else f"{count} {unit}s"


@dataclass(frozen=True, slots=True)
class Family:
    """Optional parameters of a family of models; OpenAI rejects a parameter that the model does not take.

    `can_be_made_to_search` concerns `tool_choice`, `effort` the reasoning. `output_tokens` suffice for a summary and,
    in reasoning models, for the reasoning, which counts.
    """

    takes_temperature: bool = False
    can_be_made_to_search: bool = False
    effort: str = ""
    output_tokens: int = 16_000


_CHAT = Family(takes_temperature=True, can_be_made_to_search=True, output_tokens=600)
# "minimal" would be faster, but is refused together with web search.
_REASONING = Family(effort="low")
_UNKNOWN = Family()

# The first match counts. A new family is one line; an unknown model gets no optional parameters.
# GPT-5 takes no tool choice: openai-python issue 2537.
_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("gpt-4o*", _CHAT),
    ("gpt-4.1*", _CHAT),
    ("chatgpt-*", _CHAT),
    ("gpt-5*-chat*", _UNKNOWN),  # no reasoning model: an effort is refused
    ("gpt-5*-pro*", _UNKNOWN),  # refuses a low effort
    ("gpt-5.4*", Family(effort="low", can_be_made_to_search=True)),
    ("gpt-5*", _REASONING),
    ("o[134]*", _UNKNOWN),
)


def family_of(model: str) -> Family:
    """The family of a model, also of a fine-tuned one or one with a router's prefix."""
    name = model.removeprefix("ft:").rpartition("/")[2]
    return next((family for pattern, family in _FAMILIES if fnmatchcase(name, pattern)), _UNKNOWN)
