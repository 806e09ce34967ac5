"""Every selector on every question, and the CPU time of each, taken in turns."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.passages_eval.selectors import Selector
from tools.passages.data import Page, Question
from tools.passages.metric import is_shown, overlap, tokens

BUDGETS = (250, 500, 1000, 2000)
_TIMED_QUESTIONS = 3
_TIMED_REPEATS = 5


@dataclass(frozen=True, slots=True)
class Result:
    """How one selector did with one question."""

    selector: str
    page: str
    language: str
    question: str
    overlap: float
    """The share of the question's words that the answer has."""
    answered: dict[int, bool]
    """By budget."""
    used: dict[int, float]
    """The share of the budget that was used; above 1 it was exceeded."""
    reciprocal_rank: float | None


def measure(selectors: Sequence[Selector], pages: Sequence[Page], budgets: Sequence[int] = BUDGETS) -> Iterator[Result]:
    """What each selector makes of each question."""
    for page in pages:
        for question in page.questions:
            for selector in selectors:
                yield result(selector, page, question, budgets)


def result(selector: Selector, page: Page, question: Question, budgets: Sequence[int]) -> Result:
    """What one selector makes of one question, within each budget."""
    answers = page.answers(question)
    shown = dict(zip(budgets, selector.select(page.text, question.text, budgets), strict=True))
    return Result(
        selector=selector.name,
        page=page.name,
        language=page.language,
        question=question.text,
        overlap=overlap(question.text, answers[0]),
        answered={budget: any(is_shown(answer, text) for answer in answers) for budget, text in shown.items()},
        used={budget: tokens(text) / budget for budget, text in shown.items()},
        reciprocal_rank=_reciprocal_rank(selector, page, question),
    )


def _reciprocal_rank(selector: Selector, page: Page, question: Question) -> float | None:
    if not selector.rank:
        return None
    place = selector.rank(page.text, question.text, question.start)
    return 1 / place if place else 0.0


def cpu_ms(selectors: Sequence[Selector], pages: Sequence[Page]) -> dict[str, float]:
    """CPU time for a page of 10,000 tokens and one question: the best of several, since others use the machine too."""
    gc.collect()
    gc.freeze()
    total = dict.fromkeys((selector.name for selector in selectors), 0.0)
    read = 0
    for page in pages:
        for question in page.questions[:: max(1, len(page.questions) // _TIMED_QUESTIONS)][:_TIMED_QUESTIONS]:
            read += tokens(page.text)
            rounds = [[_seconds(selector, page, question) for selector in selectors] for _ in range(_TIMED_REPEATS)]
            for selector, taken in zip(selectors, zip(*rounds, strict=True), strict=True):
                total[selector.name] += min(taken)
    return {name: seconds * 1000 * 10_000 / read for name, seconds in total.items()}


def _seconds(selector: Selector, page: Page, question: Question) -> float:
    started = time.process_time()
    selector.timed(page.text, question.text)
    return time.process_time() - started
