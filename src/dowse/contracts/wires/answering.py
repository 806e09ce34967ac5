"""Answers with citations for a wire."""

from __future__ import annotations

from dataclasses import replace

from dowse.contracts.answers import mask_answer
from dowse.contracts.dispatch import Services
from dowse.contracts.wires.searching import patience_s
from dowse.core.answers import Question
from dowse.core.runtime import CallContext
from dowse.flows.answer import AnswerOutcome

_MOST_CHARS, _MOST_SOURCES = 400, 8


async def write_answer(
    services: Services, context: CallContext, text: str, *, sources: int, timeout_s: float | None = None
) -> AnswerOutcome:
    """Answer a question as `answer_question` does; raises `DowseError`."""
    question = Question(text[:_MOST_CHARS], min(sources, _MOST_SOURCES), language=services.settings.default_language)
    services.guardrails.check(question.text)
    outcome = await services.answer.answer(
        question,
        services.deadline(context, patience_s(timeout_s)),
        falls_back=True,
        progress=context.progress,
        caller=context.caller,
    )
    return replace(outcome, answer=mask_answer(outcome.answer, services.redactor))
