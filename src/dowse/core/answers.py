"""Questions, and answers with citations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dowse.core.errors import (
    AllProvidersFailed,
    BadAnswer,
    BadRequest,
    DowseError,
    InvalidRequest,
    KeyRejected,
    LimitReached,
    Paused,
    QuotaSpent,
    RateLimited,
    Unauthorized,
)

ErrorCode = Literal["AUTH", "RATE_LIMIT", "PROVIDER", "VALIDATION", "PARSE"]

EXTRACTIVE = "dowse-extractive"
"""The provider of answers without a model."""

_CODES: tuple[tuple[type[DowseError], ErrorCode], ...] = (
    (Unauthorized, "AUTH"),
    (KeyRejected, "AUTH"),
    (LimitReached, "RATE_LIMIT"),
    (RateLimited, "RATE_LIMIT"),
    (Paused, "RATE_LIMIT"),
    (QuotaSpent, "RATE_LIMIT"),
    (InvalidRequest, "VALIDATION"),
    (BadRequest, "VALIDATION"),
    (BadAnswer, "PARSE"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `max_results` limits the sources; without `wants_summary` they are only listed.

    `freshness_hours` is the highest age of sources, 0 for any. `region` is a two-letter country code, `language` the
    language of the sources; both may be empty.
    """

    text: str
    max_results: int = 5
    freshness_hours: int = 0
    region: str = ""
    wants_summary: bool = True
    language: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A source of a part of the text: from `start` to `end`, in code points. `snippet` is that part."""

    url: str
    title: str
    snippet: str
    start: int
    end: int
    rank: int


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of a prompt and its response, as counted by the model."""

    prompt_tokens: int
    response_tokens: int


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer; `provider` names its author, such as `gpt-5-nano-web-search` or `dowse-extractive`.

    `too_old` counts the pages that were left out for their age, where nothing else was found.
    """

    text: str
    citations: tuple[Citation, ...]
    provider: str
    usage: TokenUsage | None = None
    warnings: tuple[str, ...] = ()
    too_old: int = 0


def code_of(error: DowseError) -> ErrorCode:
    """The error code for the caller: AUTH, RATE_LIMIT, VALIDATION, PARSE or PROVIDER."""
    if isinstance(error, AllProvidersFailed):
        codes = set(map(code_of, error.errors))
        return codes.pop() if len(codes) == 1 else "PROVIDER"
    return next((code for kind, code in _CODES if isinstance(error, kind)), "PROVIDER")


@dataclass(frozen=True, slots=True)
class Material:
    """A page to quote from: its passages for the question as Markdown, and the day of its publication if known."""

    url: str
    title: str
    text: str = ""
    published: str = ""
