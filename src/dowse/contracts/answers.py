"""A cited answer as callers get it: the typed object, the same in words, and what is told when there is none."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from dowse.contracts import tool
from dowse.contracts.calls import get_content_call
from dowse.contracts.ceiling import CEILING
from dowse.contracts.fence import Fence
from dowse.contracts.freshness import cache_fields, stale_copy
from dowse.contracts.render import UNTRUSTED
from dowse.contracts.tool import Answer, Structured
from dowse.core.answers import EXTRACTIVE, Citation, CitedAnswer, code_of
from dowse.core.errors import (
    AllProvidersFailed,
    BadAnswer,
    BadRequest,
    DowseError,
    KeyRejected,
    LimitReached,
    ProviderError,
    Transient,
)
from dowse.core.models import CacheState, fields_of
from dowse.core.tokens import estimate_tokens
from dowse.flows.answer import AnswerOutcome
from dowse.secrets.redact import MASK, Redactor
from dowse.settings import Settings

Fields = dict[str, object]

# What stands around the citations in the typed half: attempts, warnings and the like.
_FRAME_TOKENS = 700


def masked(answer: CitedAnswer, redactor: Redactor) -> CitedAnswer:
    """The answer without secrets; afterwards would be too late, since a mask moves what stands behind it."""
    text, secrets = redactor.text(answer.text), redactor.places(answer.text)

    def moved(citation: Citation) -> Citation:
        # A piece of a secret is shown as the whole mask.
        start = min([citation.start, *(first for first, last in secrets if first < citation.start < last)])
        end = max([citation.end, *(last for first, last in secrets if first < citation.end < last)])
        start, end = (index + _growth(secrets, index) for index in (start, end))
        return replace(citation, snippet=text[start:end], start=start, end=end)

    return answer if text == answer.text else replace(answer, text=text, citations=tuple(map(moved, answer.citations)))


def drop_in(outcome: AnswerOutcome, now: datetime) -> Answer:
    """One block of JSON, with nothing that clients do not know. No page can end a string of it: that is its fence."""
    told = _fields(outcome, now)
    return Answer(json.dumps(told, ensure_ascii=False), told, engine=outcome.engine)


def readable(outcome: AnswerOutcome, now: datetime, remarks: Sequence[str], *, is_list: bool) -> Answer:
    """With all that is known about how it came about, and as text for a model; `is_list` for sources alone."""
    warnings = [*remarks, *outcome.warnings]
    told = _fields(outcome, now) | {
        "attempts": [fields_of(attempt) for attempt in outcome.attempts],
        "warnings": warnings,
        **cache_fields(outcome.freshness),
        "untrusted": True,
    }
    text = "\n\n".join([*_blocks(told, is_list=is_list), *(f"Note: {warning}" for warning in warnings)])
    return Answer(text, told, engine=outcome.engine)


def sources(told: Structured) -> dict[str, Mapping[str, object]]:
    """The first citation of each source of a typed answer, by address."""
    citations = told["citations"]
    assert isinstance(citations, list)
    first: dict[str, Mapping[str, object]] = {}
    for citation in citations:
        first.setdefault(citation["url"], citation)
    return first


def ends_with_sources(told: Structured) -> bool:
    """Whether the text of a typed answer lists them itself."""
    return told["provider"] == EXTRACTIVE


def failure(error: DowseError, given: Mapping[str, object], *, has_search: bool = False) -> Answer:
    """What went wrong, by its code and in words that say what to do; `has_search` where `web_search` is a way out."""
    code, retry_after = code_of(error), _retry_after_s(error)
    message = " ".join(filter(None, [_sentence(str(error)), _advice(error, retry_after, has_search=has_search)]))
    told: Fields = {"code": code, "message": message}
    if retry_after is not None:
        told["retry_after"] = retry_after
    return replace(tool.failed(error, given), text=f"{code}: {message}", structured={"error": told})


def _growth(secrets: Sequence[tuple[int, int]], index: int) -> int:
    """How much longer the text in front of a place is with masks for its secrets."""
    return sum(len(MASK) - (last - first) for first, last in secrets if last <= index)


def _fields(outcome: AnswerOutcome, now: datetime) -> Fields:
    """The answer under the names that clients know."""
    answer = outcome.answer
    told: Fields = {
        "text": answer.text,
        "citations": _fitting(answer),
        "provider": answer.provider,
        "respondedAt": _responded_at(outcome, now),
    }
    if answer.usage is not None:
        told["usage"] = {
            "promptTokens": answer.usage.prompt_tokens,
            "responseTokens": answer.usage.response_tokens,
        }
    return told


def _fitting(answer: CitedAnswer) -> list[Fields]:
    """The citations, without the last ones if clients would cut the message."""
    room = CEILING - _FRAME_TOKENS - estimate_tokens(json.dumps(answer.text, ensure_ascii=False))
    listed: list[Fields] = []
    for citation in map(_item, answer.citations):
        room -= estimate_tokens(json.dumps(citation, ensure_ascii=False))
        if room < 0:
            break
        listed.append(citation)
    return listed


def _item(citation: Citation) -> Fields:
    return {
        "url": citation.url,
        "title": citation.title,
        "textSnippet": citation.snippet,
        "startIndex": citation.start,
        "endIndex": citation.end,
        "rank": citation.rank,
    }


def _responded_at(outcome: AnswerOutcome, now: datetime) -> str:
    """When the answer was written, such as `2026-11-15T12:00:00.000Z`: of a remembered one, that was earlier."""
    age_s = 0.0 if outcome.freshness.state is CacheState.MISS else outcome.freshness.age_s
    written = (now - timedelta(seconds=age_s)).astimezone(UTC)
    return written.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _blocks(told: Structured, *, is_list: bool) -> list[str]:
    found, copy = sources(told), stale_copy(told)
    head = f"Answer by {told['provider']}, with {len(found)} source{'' if len(found) == 1 else 's'}. {UNTRUSTED}"
    blocks = [head + (f" This is {copy}." if copy else ""), Fence().around(str(told["text"]), "answer")]
    if found and not is_list and not ends_with_sources(told):
        lines = [f"{item['rank']}. {item['title'] or url} · {url}" for url, item in found.items()]
        blocks.append("\n".join(["Sources:", *lines]))
    return blocks + ([f"To read a source: {get_content_call(next(iter(found)))}"] if found else [])


def _retry_after_s(error: DowseError) -> int | None:
    if isinstance(error, LimitReached):
        return error.retry_after_s
    if isinstance(error, AllProvidersFailed) and len(error.errors) == 1:
        return _retry_after_s(error.errors[0])
    known_s = error.retry_after_s if isinstance(error, ProviderError) else None
    # Rounded first: thirty seconds on a running clock are a little more or less.
    return None if known_s is None else math.ceil(round(known_s, 3))


def _advice(error: DowseError, retry_after: int | None, *, has_search: bool) -> str:
    """What to do about it, where the error itself does not say so."""
    if isinstance(error, AllProvidersFailed) and len(error.errors) == 1:
        # It was a search that failed: another one is no way out.
        return _advice(error.errors[0], retry_after, has_search=False)
    if isinstance(error, KeyRejected):
        variable = Settings.credential_variable(error.provider)
        # Others than ours have no variable of that name.
        key = variable if variable.lower() in Settings.model_fields else f"the key of {error.provider}"
        instead = " Use web_search meanwhile." if has_search else ""
        return f"Asking again does not help: whoever runs this server has to correct {key}.{instead}"
    if isinstance(error, BadRequest):
        instead = " Use web_search meanwhile." if has_search else ""
        where = (
            "OPENAI_MODEL and OPENAI_BASE_URL" if error.provider == "openai" else f"the settings of {error.provider}"
        )
        return f"If the question is an ordinary one, whoever runs this server should check {where}.{instead}"
    if isinstance(error, BadAnswer):
        return "Ask again, or in other words."
    if isinstance(error, Transient):
        return f"Try again in {retry_after} seconds." if retry_after else "Try again later."
    return ""


def _sentence(text: str) -> str:
    """With a full stop behind the first line, which is what happened; the others are told as they are."""
    first, *others = text.split("\n")
    return "\n".join([first if first.endswith((".", "!", "?")) else f"{first}.", *others])
