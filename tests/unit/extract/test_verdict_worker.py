"""A verdict crosses the pipe whole, and costs no worker its life."""

from __future__ import annotations

import pytest

from dowse.errors import PageUnreadable
from dowse.extract import frames
from dowse.extract.pool import WorkerPool
from dowse.models import Body, Onward, Status

CHECK = b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"


async def test_a_verdict_of_the_worker_is_the_pools_error() -> None:
    pool = WorkerPool(size=1)
    try:
        with pytest.raises(PageUnreadable) as caught:
            await pool.extract(Body("https://site.example/", CHECK, "text/html"), timeout_s=10)
        pids = pool.pids
        text = await pool.extract(Body("https://site.example/", b"<p>A page.</p>", "text/html"), timeout_s=10)
    finally:
        await pool.close()

    verdict = caught.value
    assert (verdict.status, verdict.onward, verdict.detail) == (
        Status.BLOCKED,
        Onward.ANYBODY,
        "challenge page (Cloudflare)",
    )
    assert text.markdown == "A page."
    assert len(pids) == 1


@pytest.mark.parametrize("onward", Onward)
def test_a_header_says_all_of_a_verdict(onward: Onward) -> None:
    verdict = frames.verdict(frames.verdict_header(PageUnreadable(Status.ERROR, "error page", onward)))

    assert verdict is not None
    assert (verdict.status, verdict.detail, verdict.onward) == (Status.ERROR, "error page", onward)


def test_an_answer_with_text_holds_no_verdict() -> None:
    assert frames.verdict({"ok": True, "title": "T", "word_count": 2}) is None


@pytest.mark.parametrize("header", [{"status": "splendid", "onward": "nobody"}, {"status": "blocked"}])
def test_a_status_that_does_not_exist_is_a_broken_frame(header: dict[str, object]) -> None:
    with pytest.raises(frames.BrokenFrame):
        frames.verdict(header)
