"""What went wrong at an MCP server, as types: its tools tell it in words, and few of them use a code."""

from __future__ import annotations

import re

from dowse.core.errors import (
    BadAnswer,
    BadRequest,
    Blocked,
    KeyRejected,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Unavailable,
)
from dowse.net.json_api import Api, Json, is_about_quota, string, whole

_SPOKEN_CHARS = 4096
# A text that only says why there are no results is no longer than this; what is longer is something else.
_EXCUSE_CHARS = 1000
_SLOW_DOWN = re.compile(
    r"rate.?limit|too many requests|slow down|throttl|\b429\b|\b(daily|hourly) limit", re.IGNORECASE
)
_NO_ACCESS = re.compile(
    r"unauthori[sz]ed|forbidden|\b40[13]\b|api.?key is (required|missing|invalid)|access is (unavailable|denied)",
    re.IGNORECASE,
)
_MISTAKE = re.compile(
    r"unknown tool|tool \S{1,130} (was )?not found|validation error|invalid (arguments?|params|parameters)",
    re.IGNORECASE,
)
_MISTAKE_CODES = frozenset({-32600, -32601, -32602})
_WAITS = ("retry_after_seconds", "retryAfterSeconds", "retry_after", "retryAfter")
_LONGEST_WAIT_S = 31 * 24 * 3600.0


def rpc_failure(api: Api, error: Json) -> ProviderError:
    """An error of the protocol: the server could not, or would not, run the tool."""
    words, data = string(error, "message"), error.get("data")
    is_mistake = whole(error, "code") in _MISTAKE_CODES
    return _failure(api, words, data if isinstance(data, dict) else {}, is_mistake=is_mistake)


def tool_failure(api: Api, result: Json, words: str) -> ProviderError | None:
    """The failure that a tool tells in its result; `None` if it did what it was asked to."""
    told, meta = result.get("structuredContent"), result.get("_meta")
    # Exa's way to tell a spent free tier: as a result like any other, with a mark beside it.
    marks = [name for name, value in meta.items() if value is True] if isinstance(meta, dict) else []
    if any("ratelimited" in name.lower() for name in marks):
        return RateLimited(api.provider, "the free tier is used up for now", said=api.spoken(words))
    if result.get("isError") is not True:
        return None
    return _failure(api, words, told if isinstance(told, dict) else {})


def without_results(api: Api, words: str) -> ProviderError:
    """The failure of an answer in which there are no results to be found, and that does not say that there are none."""
    if len(words) <= _EXCUSE_CHARS and (_SLOW_DOWN.search(words) or is_about_quota(words)):
        return _failure(api, words, {})
    return BadAnswer(api.provider, "the answer has no list of results")


def _failure(api: Api, words: str, told: Json, *, is_mistake: bool = False) -> ProviderError:
    kind, detail = _classify(words[:_SPOKEN_CHARS], is_mistake=is_mistake)
    if kind is KeyRejected:
        # Without a key there is none to check: the server does not want us.
        kind, detail = (KeyRejected, f"check {api.key_variable}") if api.key_variable else (Blocked, detail)
    return kind(api.provider, detail, said=api.spoken(words), retry_after_s=_wait_s(told))


def _classify(words: str, *, is_mistake: bool) -> tuple[type[ProviderError], str]:
    if _SLOW_DOWN.search(words):
        return RateLimited, ""
    if is_about_quota(words):
        return QuotaSpent, ""
    if _NO_ACCESS.search(words):
        return KeyRejected, "no access"
    if is_mistake or _MISTAKE.search(words):
        return BadRequest, "its tool is not called like this, or not any more"
    return Unavailable, "its tool failed"


def _wait_s(told: Json) -> float | None:
    waits = (told.get(name) for name in _WAITS)
    numbers = (wait for wait in waits if isinstance(wait, int | float) and not isinstance(wait, bool))
    return next((float(wait) for wait in numbers if 0 < wait < _LONGEST_WAIT_S), None)
