"""Answers of `answer_question` and `search_web`: structured output, text for the model, and errors with advice."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from dowse.contracts.dispatch import Answer, render_failure
from dowse.contracts.output import (
    CEILING,
    AnswerQuestionOutput,
    AnswersOutput,
    CitationOutput,
    ErrorOutput,
    FailureOutput,
    UsageOutput,
    to_json,
    to_json_text,
)
from dowse.contracts.render import UNTRUSTED, Spotlight, cache_age_s, describe_copy, get_content_call, quote_texts
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
from dowse.core.models import CacheState
from dowse.core.text import ArgumentName, Sentence, count_noun, enclose
from dowse.core.tokens import estimate_tokens
from dowse.flows.answer import AnswerOutcome
from dowse.secrets.redact import MASK, Redactor
from dowse.settings import SPECS

# Attempts, warnings and the like around the citations in structured output.
_FRAME_TOKENS = 700


def mask_answer(answer: CitedAnswer, redactor: Redactor) -> CitedAnswer:
    """The answer without secrets; done before it is rendered, since a mask moves the citations behind it."""
    text, secrets = redactor.text(answer.text), redactor.places(answer.text)
    if text == answer.text:
        return answer
    return replace(answer, text=text, citations=tuple(_move(each, text, secrets) for each in answer.citations))


def _move(citation: Citation, text: str, secrets: Sequence[tuple[int, int]]) -> Citation:
    """A citation in the masked text; a piece of a secret is shown as the whole mask."""
    start = min([citation.start, *(first for first, last in secrets if first < citation.start < last)])
    end = max([citation.end, *(last for first, last in secrets if first < citation.end < last)])
    start, end = (index + _growth(secrets, index) for index in (start, end))
    return replace(citation, snippet=text[start:end], start=start, end=end)


def render_drop_in(outcome: AnswerOutcome, now: datetime) -> Answer:
    """One block of JSON with the fields that clients know. No page can end a string of it: that is its fence."""
    answer = outcome.answer
    output = AnswersOutput(
        text=_text(answer, "freshnessHours"),
        citations=_fit_citations(answer),
        provider=answer.provider,
        responded_at=_responded_at(outcome, now),
        usage=_usage(answer),
    )
    return Answer(to_json_text(to_json(output)), output, engine=outcome.engine)


def render_answer(outcome: AnswerOutcome, now: datetime, remarks: Sequence[str], *, is_list: bool) -> Answer:
    """With attempts, warnings and cache, and as text for a model; `is_list` for sources alone."""
    answer = outcome.answer
    output = AnswerQuestionOutput(
        text=_text(answer, "freshness_hours"),
        citations=_fit_citations(answer),
        provider=answer.provider,
        responded_at=_responded_at(outcome, now),
        usage=_usage(answer),
        attempts=outcome.attempts,
        warnings=(*remarks, *outcome.warnings),
        cache=outcome.freshness.state,
        cache_age_s=cache_age_s(outcome.freshness),
    )
    shown = quote_texts(output)
    text = "\n\n".join([*_blocks(shown, is_list=is_list), *(f"Note: {warning}" for warning in shown.warnings)])
    return Answer(text, output, engine=outcome.engine)


def first_citations(output: AnswerQuestionOutput) -> dict[str, CitationOutput]:
    """The first citation of each source of an answer, by address."""
    first: dict[str, CitationOutput] = {}
    for citation in output.citations:
        first.setdefault(citation.url, citation)
    return first


def lists_sources(output: AnswerQuestionOutput) -> bool:
    """Whether the text of the answer ends with a list of its sources."""
    return output.provider == EXTRACTIVE


def render_error(error: DowseError, given: Mapping[str, object], *, has_search: bool = False) -> Answer:
    """The error by its code, with advice; `has_search` where `web_search` is an alternative."""
    code, retry_after = code_of(error), _retry_after_s(error)
    message = " ".join(filter(None, [_end_sentence(str(error)), _advice(error, retry_after, has_search=has_search)]))
    output = FailureOutput(error=ErrorOutput(code=code, message=message, retry_after=retry_after))
    return replace(render_failure(error, given), text=f"{code}: {message}", output=output)


def _growth(secrets: Sequence[tuple[int, int]], index: int) -> int:
    """By how much masks lengthen the text in front of a place."""
    return sum(len(MASK) - (last - first) for first, last in secrets if last <= index)


def _text(answer: CitedAnswer, age_argument: str) -> str:
    """The text of an answer; `age_argument` is the name that the contract gives to the age of sources."""
    return Sentence(f"{answer.text} Raise ", ArgumentName(age_argument), ".") if answer.too_old else answer.text


def _usage(answer: CitedAnswer) -> UsageOutput | None:
    usage = answer.usage
    if usage is None:
        return None
    return UsageOutput(prompt_tokens=usage.prompt_tokens, response_tokens=usage.response_tokens)


def _fit_citations(answer: CitedAnswer) -> tuple[CitationOutput, ...]:
    """The citations, without the last ones if clients would cut the message."""
    room = CEILING - _FRAME_TOKENS - estimate_tokens(json.dumps(answer.text, ensure_ascii=False))
    listed: list[CitationOutput] = []
    for citation in map(_citation, answer.citations):
        room -= estimate_tokens(json.dumps(to_json(citation), ensure_ascii=False))
        if room < 0:
            break
        listed.append(citation)
    return tuple(listed)


def _citation(citation: Citation) -> CitationOutput:
    return CitationOutput(
        url=citation.url,
        title=citation.title,
        text_snippet=citation.snippet,
        start_index=citation.start,
        end_index=citation.end,
        rank=citation.rank,
    )


def _responded_at(outcome: AnswerOutcome, now: datetime) -> str:
    """When the answer was written, such as `2026-11-15T12:00:00.000Z`: earlier than now, if it was cached."""
    age_s = 0.0 if outcome.freshness.state is CacheState.MISS else outcome.freshness.age_s
    written = (now - timedelta(seconds=age_s)).astimezone(UTC)
    return written.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _blocks(output: AnswerQuestionOutput, *, is_list: bool) -> list[str]:
    found, copy = first_citations(output), describe_copy(output.cache, output.cache_age_s)
    head = f"Answer by {output.provider}, with {count_noun(len(found), 'source')}. {UNTRUSTED}"
    blocks = [head + enclose(" This is ", copy, "."), Spotlight().fence(output.text, "answer")]
    if found and not is_list and not lists_sources(output):
        lines = [f"{citation.rank}. {citation.title or url} · {url}" for url, citation in found.items()]
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
    """What to do about an error, where it does not say so itself."""
    if isinstance(error, AllProvidersFailed) and len(error.errors) == 1:
        # A search has failed, so another one is no alternative.
        return _advice(error.errors[0], retry_after, has_search=False)
    if isinstance(error, KeyRejected | BadRequest):
        instead = " Use web_search meanwhile." if has_search else ""
        return _advice_for_owner(error) + instead
    if isinstance(error, BadAnswer):
        return "Ask again, or in other words."
    if isinstance(error, Transient):
        return f"Try again in {retry_after} seconds." if retry_after else "Try again later."
    return ""


def _advice_for_owner(error: KeyRejected | BadRequest) -> str:
    if isinstance(error, KeyRejected):
        spec = SPECS.get(error.provider)
        key = (spec and spec.key) or f"the key of {error.provider}"
        return f"Asking again does not help: whoever runs this server has to correct {key}."
    is_openai = error.provider == "openai"
    where = "OPENAI_MODEL and OPENAI_BASE_URL" if is_openai else f"the settings of {error.provider}"
    return f"If the question is an ordinary one, whoever runs this server should check {where}."


def _end_sentence(text: str) -> str:
    """With a full stop after the first line; the others stay as they are."""
    first, *others = text.split("\n")
    return "\n".join([first if first.endswith((".", "!", "?")) else f"{first}.", *others])
