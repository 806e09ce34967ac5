"""Digests of the last questions are cached in the pool: the same pages and the same question need no worker."""

from __future__ import annotations

import pytest

from dowse.core.digests import Source
from dowse.core.errors import PageUnreadable
from dowse.worker import pool as pool_module
from dowse.worker.pool import WorkerPool

SOURCES = [Source("The bridge opened in 1932. " * 40, "Bridge"), Source("Kettles boil water. " * 40, "Kettle")]


async def test_the_same_question_about_the_same_pages_needs_no_worker() -> None:
    pool = WorkerPool(1)
    first = await pool.digest("when did the bridge open?", SOURCES, 50, timeout_s=30)
    await pool.close()
    assert await pool.digest("when did the bridge open?", SOURCES, 50, timeout_s=30) == first
    with pytest.raises(PageUnreadable):
        await pool.digest("when did the bridge open?", SOURCES, 60, timeout_s=30)
    with pytest.raises(PageUnreadable):
        await pool.digest("when did the bridge open?", SOURCES[:1], 50, timeout_s=30)


async def test_only_the_last_digests_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_KEPT_DIGESTS", 2)
    pool = WorkerPool(1)
    for question in ("one", "two", "one", "three"):
        await pool.digest(question, SOURCES, 50, timeout_s=30)
    await pool.close()
    for question in ("one", "three"):
        await pool.digest(question, SOURCES, 50, timeout_s=30)
    with pytest.raises(PageUnreadable):
        await pool.digest("two", SOURCES, 50, timeout_s=30)
