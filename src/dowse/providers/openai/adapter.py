"""Adapter of OpenAI's Responses API: one request, at most one retry, one deadline for both.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from pydantic import SecretStr

from dowse.core.answers import CitedAnswer, Question
from dowse.core.errors import ProviderError, RateLimited, Unavailable
from dowse.core.models import Clock, Deadline
from dowse.core.text import one_line
from dowse.net.clients import Reply
from dowse.net.json_api import Api, Json
from dowse.providers.openai import output
from dowse.providers.openai.output import read_answer
from dowse.providers.table import Kit
from dowse.settings.providers import OPENAI as SPEC

_RETRIED = (429, 500, 502, 503)
_RETRY_DELAY_S = (0.2, 0.8)
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


class OpenAI:
    """Implements `AnswerProvider`."""

    name = SPEC.name

    def __init__(
        self,
        api: Api,
        key: SecretStr,
        *,
        endpoint: str,
        model: str,
        clock: Clock,
        temperature: float | None = None,
        max_output_tokens: int = 0,
        context_size: str = "low",
        allowed_domains: tuple[str, ...] = (),
        blocked_domains: tuple[str, ...] = (),
    ) -> None:
        self.timeout_s = api.timeout_s
        self._api = replace(api, own_failure=lambda reply: output.quota_failure(reply, api.spoken))
        self._key = key
        self._url = f"{endpoint.rstrip('/')}/responses"
        self._clock = clock
        self._options = Options(
            model, temperature, max_output_tokens, context_size, tuple(allowed_domains), tuple(blocked_domains)
        )

    async def answer(self, question: Question, deadline: Deadline) -> CitedAnswer:
        # Two attempts are part of the contract of answers; one deadline for both.
        deadline = deadline.cap(self.timeout_s)
        body = await self._response(payload(question, self._options), deadline)
        return read_answer(body, question, self._options.model, self._api.spoken)

    async def _response(self, wanted: Json, deadline: Deadline) -> Json:
        try:
            return await self._ask(wanted, deadline)
        except (RateLimited, Unavailable) as error:
            wait_s = _wait_s(error)
            if error.http_status not in _RETRIED or wait_s >= deadline.remaining_s():
                raise
        await self._clock.sleep(wait_s)
        return await self._ask(wanted, deadline)

    async def _ask(self, wanted: Json, deadline: Deadline) -> Json:
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        reply = await self._api.post_reply(self._url, deadline, headers=headers, body=wanted)
        return self._api.read_object(_wrap_list(self._api.check(reply, deadline)))


def _wait_s(error: ProviderError) -> float:
    """The wait before the retry, with jitter."""
    return (error.retry_after_s or 0.0) + random.uniform(*_RETRY_DELAY_S)


def _wrap_list(reply: Reply) -> Reply:
    """Wrap a bare list of items, which some compatible servers send."""
    is_list = reply.body.lstrip().startswith(b"[")
    return replace(reply, body=b'{"output": ' + reply.body + b"}") if is_list else reply


def make(kit: Kit) -> OpenAI:
    settings = kit.settings
    return OpenAI(
        kit.api(SPEC.name),
        settings.api_key(SPEC.name),
        endpoint=settings.endpoint(SPEC.name, "answer"),
        model=settings.openai_model,
        clock=kit.clock,
        temperature=settings.openai_temperature,
        max_output_tokens=settings.openai_max_output_tokens,
        context_size=settings.openai_context_size,
        allowed_domains=settings.openai_allowed_domains,
        blocked_domains=settings.openai_blocked_domains,
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
        f"Use sources in this language (BCP 47): {question.language}." if question.language else "",
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
