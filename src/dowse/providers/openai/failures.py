"""Failures that OpenAI tells in its own way: a quota behind the status of a rate limit, and answers that are none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from dowse.core.errors import BadAnswer, BadRequest, ProviderError, QuotaSpent, RateLimited, Unavailable
from dowse.net.clients import Reply
from dowse.net.json_api import Json, string

NAME = "openai"
_FAILED: dict[str, type[ProviderError]] = {
    "server_error": Unavailable,
    "rate_limit_exceeded": RateLimited,
    "insufficient_quota": QuotaSpent,
    "invalid_prompt": BadRequest,
}
_DONE = ("", "completed")

Spoken = Callable[[str], str]
"""Makes words of the API fit to be shown."""


def of_reply(reply: Reply, spoken: Spoken) -> ProviderError | None:
    """A spent quota, which has the status of a rate limit; but waiting does not help."""
    if reply.status != 429:
        return None
    error = _error(_parsed(reply.body))
    if "insufficient_quota" not in (string(error, "code"), string(error, "type")):
        return None
    words = spoken(string(error, "message"))
    return QuotaSpent(NAME, f"HTTP {reply.status}", said=words, http_status=reply.status)


def of_answer(body: Json, messages: Iterable[Json], spoken: Spoken) -> ProviderError | None:
    """Why a response is no answer, although its status is a success."""
    status = string(body, "status")
    if status == "failed" or body.get("error"):
        error = _error(body)
        kind = _FAILED.get(string(error, "code"), Unavailable)
        return kind(NAME, "the response failed", said=spoken(string(error, "message")))
    if status == "incomplete" or any(string(message, "status") == "incomplete" for message in messages):
        details = body.get("incomplete_details")
        return BadAnswer(NAME, _unfinished(string(details, "reason") if isinstance(details, dict) else ""))
    return None if status in _DONE else BadAnswer(NAME, "the response is not completed")


def _unfinished(reason: str) -> str:
    if reason == "max_output_tokens":
        return "the answer is incomplete for want of tokens; raise OPENAI_MAX_OUTPUT_TOKENS"
    return "the answer is incomplete" + (": its content was filtered" if reason == "content_filter" else "")


def _error(body: object) -> Json:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
