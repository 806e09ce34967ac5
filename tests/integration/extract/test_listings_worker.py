"""The pages of engines are read in a worker, which can be killed."""

from __future__ import annotations

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.models import Body, Status
from dowse.worker.pool import WorkerPool

PAGE = b"""<table><tr><td><a class='result-link' href='https://a.example/?q=1&amp;r=2'>T\xc3\xa4glich \xe6\xa2\x85</a>
</td></tr><tr><td class='result-snippet'>Every day.</td></tr></table>"""


async def test_a_listing_comes_back_whole_and_a_wall_is_an_outcome() -> None:
    pool = WorkerPool(size=1)
    url = "https://lite.duckduckgo.com/lite/"
    try:
        found = await pool.listing("duckduckgo", Body(url, PAGE, "text/html", "utf-8"), "täglich", timeout_s=60)
        wall = Body(url, b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>", "text/html")
        blocked = await pool.listing("duckduckgo", wall, "täglich", timeout_s=60)
        with pytest.raises(PageUnreadable) as caught:
            await pool.listing("no such engine", wall, "täglich", timeout_s=60)
    finally:
        await pool.close()

    assert found == Listing(Outcome.RESULTS, (Row("Täglich 梅", "https://a.example/?q=1&r=2", "Every day."),))
    assert (blocked.outcome, blocked.detail) == (Outcome.BLOCKED, "challenge page (Cloudflare)")
    assert caught.value.status is Status.ERROR
