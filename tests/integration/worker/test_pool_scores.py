"""Documents are scored in a worker: hostile ones harm that only."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from dowse.core.models import Deadline
from dowse.core.runtime import SystemClock
from dowse.flows.rerank import MAX_CHARS, MAX_DOCUMENTS, RerankFlow, RerankRequest
from dowse.rank.rerank import score_documents
from dowse.worker.pool import WorkerPool


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(1)
    yield pool
    await pool.close()


async def test_a_worker_gives_the_same_scores_as_this_process(pool: WorkerPool) -> None:
    documents = ["Otters swim.", "", "An otter weighs nine kilograms. Größe: 1 m.", "橋は1932年に開通した。"]
    scores = await pool.score("otter weight", documents, timeout_s=30)
    assert list(scores) == score_documents("otter weight", documents)
    assert max(scores) == scores[2]


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a " * 50,
        "# " * 50,
        "\ud800",
        "\x00\u202e",
        "```\n",
        "| a |\n",
        "(" * 100,
        "橋" * 100,
        "." * 100,
        "ก" * 100,
    ],
)
async def test_the_largest_call_of_hostile_documents_is_answered_in_time(pool: WorkerPool, text: str) -> None:
    size = MAX_CHARS // MAX_DOCUMENTS
    documents = [(text * (size // len(text) + 1))[:size]] * MAX_DOCUMENTS
    ranked = await RerankFlow(pool).rerank(RerankRequest(text + " a", documents), Deadline.after(SystemClock(), 30))
    assert [each.index for each in ranked] == list(range(MAX_DOCUMENTS))
