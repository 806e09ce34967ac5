"""Workers that answer with anything but what was asked: a typed failure for the caller, and a new worker."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from dowse.core.digests import Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status
from dowse.worker import pool as worker_pool
from dowse.worker import protocol
from dowse.worker.pool import WorkerPool

PATIENCE_S = 60
PAGE = Body("https://pages.example/", b"words", "text/plain")
# Gives the same answer to each job.
WORKER = """
import os, sys
from dowse.worker import protocol

with os.fdopen(int(sys.argv[2]), "rb") as jobs, os.fdopen(int(sys.argv[3]), "wb") as answers:
    while protocol.read_frame(jobs) is not None:
        answers.write(bytes.fromhex(sys.argv[1]))
        answers.flush()
"""

Job = Callable[[WorkerPool], Awaitable[object]]
JOBS: dict[str, Job] = {
    "extract": lambda pool: pool.extract(PAGE, timeout_s=PATIENCE_S),
    "explain": lambda pool: pool.explain(PAGE, timeout_s=PATIENCE_S),
    "digest": lambda pool: pool.digest("a question", [Source("words")], 100, timeout_s=PATIENCE_S),
    "listing": lambda pool: pool.listing("duckduckgo", PAGE, "words", timeout_s=PATIENCE_S),
}


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size=1)
    yield pool
    await pool.close()


def answer_with(monkeypatch: pytest.MonkeyPatch, header: dict[str, object], payload: bytes = b"") -> None:
    """From now on, workers that are started give this answer to every job."""
    answer = protocol.encode_head(header, len(payload)) + payload
    monkeypatch.setattr(worker_pool, "_COMMAND", (sys.executable, "-P", "-c", WORKER, answer.hex()))


async def failure(work: Awaitable[object]) -> Status:
    with pytest.raises(PageUnreadable) as caught:
        await work
    assert caught.value.detail == "could not be converted"
    return caught.value.status


@pytest.mark.parametrize("job", ["explain", "digest", "listing"])
@pytest.mark.parametrize("payload", [b"no JSON", b"[17]", b'{"something": "else"}'])
async def test_an_answer_of_another_shape_is_a_page_that_could_not_be_converted(
    job: str, payload: bytes, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, {"ok": True}, payload)
    assert await failure(JOBS[job](pool)) is Status.ERROR


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize(
    "header",
    [{"ok": False, "error": "MemoryError"}, {"ok": True, "status": "no such status"}],
    ids=["an error", "a verdict that is none"],
)
async def test_a_worker_that_fails_a_job_is_replaced(
    job: str, header: dict[str, object], pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, header)
    assert await failure(JOBS[job](pool)) is Status.ERROR
    assert pool.pids == ()


async def test_facts_and_counts_of_another_type_are_left_out(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, {"ok": True, "title": 17, "word_count": "many", "facts": [json.dumps({})]}, b"words")
    text = await pool.extract(PAGE, timeout_s=PATIENCE_S)
    assert (text.markdown, text.title, text.word_count) == ("words", "17", 0)
