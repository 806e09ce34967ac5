"""The rerank flow: what it refuses before any work, and how it orders what it gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from dowse.core.errors import InternalError, InvalidRequest, Overloaded, PageUnreadable
from dowse.core.models import Deadline, Status
from dowse.flows.rerank import (
    MAX_CHARS,
    MAX_DOCUMENTS,
    MAX_QUERY_CHARS,
    RankedDocument,
    RerankFlow,
    RerankRequest,
)
from tests.fakes.clock import FakeClock


@dataclass
class ScriptedScorer:
    """A worker that gives these scores, or fails."""

    found: tuple[float, ...] | PageUnreadable = ()
    asked: list[tuple[str, float]] = field(default_factory=list)

    async def score(self, query: str, documents: Sequence[str], *, timeout_s: float) -> tuple[float, ...]:
        self.asked.append((query, timeout_s))
        if isinstance(self.found, PageUnreadable):
            raise self.found
        return self.found


async def rerank(scorer: ScriptedScorer, request: RerankRequest, *, for_s: float = 50) -> tuple[RankedDocument, ...]:
    return await RerankFlow(scorer).rerank(request, Deadline.after(FakeClock(), for_s))


async def test_the_most_relevant_are_first_and_ties_keep_their_order() -> None:
    scorer = ScriptedScorer((0.2, 0.9, 0.2, 0.0))
    ranked = await rerank(scorer, RerankRequest("q", ["a", "b", "c", "d"]))
    assert [(each.index, each.relevance) for each in ranked] == [(1, 0.9), (0, 0.2), (2, 0.2), (3, 0.0)]


async def test_only_as_many_as_wanted_are_returned() -> None:
    scorer = ScriptedScorer((0.2, 0.9, 0.3))
    assert [each.index for each in await rerank(scorer, RerankRequest("q", ["a", "b", "c"], 2))] == [1, 2]


async def test_the_query_is_cleaned_and_the_deadline_is_passed_down() -> None:
    scorer = ScriptedScorer((0.0,))
    await rerank(scorer, RerankRequest(" a\n\u202equery ", ["a"]), for_s=2)
    assert scorer.asked == [("a query", 2)]


@pytest.mark.parametrize(
    ("query", "documents", "sentence"),
    [
        (" \u202e", ["a"], "query is required."),
        (
            "x" * (MAX_QUERY_CHARS + 1),
            ["a"],
            f"query must have at most {MAX_QUERY_CHARS} characters; it has {MAX_QUERY_CHARS + 1}.",
        ),
        ("q", [], "documents must have at least one document."),
        (
            "q",
            ["a"] * (MAX_DOCUMENTS + 1),
            f"documents takes at most {MAX_DOCUMENTS} documents; it has {MAX_DOCUMENTS + 1}.",
        ),
        (
            "q",
            ["x" * MAX_CHARS, "y"],
            f"documents must have at most {MAX_CHARS} characters together; it has {MAX_CHARS + 1}.",
        ),
    ],
)
async def test_what_is_too_much_is_refused_before_any_work(query: str, documents: list[str], sentence: str) -> None:
    scorer = ScriptedScorer()
    with pytest.raises(InvalidRequest) as caught:
        await rerank(scorer, RerankRequest(query, documents))
    assert str(caught.value) == sentence
    assert scorer.asked == []


async def test_without_a_free_worker_the_caller_is_told_when_to_come_back() -> None:
    with pytest.raises(Overloaded) as caught:
        await rerank(ScriptedScorer(PageUnreadable(Status.TIMEOUT)), RerankRequest("q", ["a"]))
    assert caught.value.retry_after_s == 1


async def test_a_worker_that_fails_is_an_internal_error() -> None:
    with pytest.raises(InternalError):
        await rerank(ScriptedScorer(PageUnreadable(Status.ERROR)), RerankRequest("q", ["a"]))
