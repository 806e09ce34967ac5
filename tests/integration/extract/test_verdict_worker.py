"""A verdict crosses the pipe whole, and its worker goes on."""

from __future__ import annotations

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Onward, Status
from dowse.worker.pool import WorkerPool

CHECK = b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"


async def test_a_verdict_of_the_worker_is_the_pools_error() -> None:
    pool = WorkerPool(size=1)
    try:
        with pytest.raises(PageUnreadable) as caught:
            await pool.extract(Body("https://site.example/", CHECK, "text/html"), timeout_s=60)
        pids = pool.pids
        text = await pool.extract(Body("https://site.example/", b"<p>A page.</p>", "text/html"), timeout_s=60)
    finally:
        await pool.close()

    verdict = caught.value
    assert (verdict.status, verdict.onward, verdict.detail) == (
        Status.BLOCKED,
        Onward.ANY_READER,
        "challenge page (Cloudflare)",
    )
    assert text.markdown == "A page."
    assert len(pids) == 1
